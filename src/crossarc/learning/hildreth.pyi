import numpy as np
from numpy.typing import ArrayLike, NDArray

def least_steps(products: ArrayLike, violations: ArrayLike, most: float) -> NDArray[np.float64]: ...
