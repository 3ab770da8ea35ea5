from typing import Any

import numpy as np
from numpy.typing import NDArray

def sum_rows(table: NDArray[Any], numbers: NDArray[np.int32], out: NDArray[Any]) -> None: ...
def spread_rows(
    gradient: NDArray[Any], numbers: NDArray[np.int32], whole: NDArray[Any], touched: NDArray[np.uint8]
) -> None: ...
def distinct_rows(rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def adam(
    weights: NDArray[Any],
    gradient: NDArray[Any],
    mean: NDArray[Any],
    square: NDArray[Any],
    scale: float,
    rate: float,
    beta1: float,
    beta2: float,
    floor: float,
    touched: NDArray[np.uint8] | None = None,
) -> None: ...
def square_sum(values: NDArray[Any], touched: NDArray[np.uint8] | None = None) -> float: ...
