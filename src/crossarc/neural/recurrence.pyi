from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.neural.products import Panels

def recur(
    gates: NDArray[Any], recurrent: Panels, steps: NDArray[np.int64], hidden: NDArray[Any], *, backwards: bool = False
) -> NDArray[Any]: ...
def recur_back(
    gates: NDArray[Any],
    recurrent: Panels,
    steps: NDArray[np.int64],
    cells: NDArray[Any],
    gradient: NDArray[Any],
    *,
    backwards: bool = False,
) -> None: ...
def rows_before(values: NDArray[Any], steps: NDArray[np.int64], *, backwards: bool = False) -> NDArray[Any]: ...
