from typing import Any

import numpy as np
from numpy.typing import NDArray

class Panels:
    rows: int
    columns: int
    dtype: np.dtype[Any]
    def __init__(self, matrix: NDArray[Any], *, transposed: bool = False) -> None: ...

def multiply(
    left: NDArray[Any], right: Panels, out: NDArray[Any] | None = None, *, add: bool = False
) -> NDArray[Any]: ...
def transposed(matrix: NDArray[Any]) -> NDArray[Any]: ...
