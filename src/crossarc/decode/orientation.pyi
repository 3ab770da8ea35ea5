import numpy as np
from numpy.typing import ArrayLike, NDArray

def orient(edges: ArrayLike) -> NDArray[np.int32]: ...
