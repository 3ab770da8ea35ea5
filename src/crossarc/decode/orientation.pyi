import numpy as np
from numpy.typing import ArrayLike, NDArray

def orient(edges: ArrayLike, lengths: ArrayLike | None = None, *, threads: int = 1) -> NDArray[np.int32]: ...
