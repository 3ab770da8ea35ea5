from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

class Panels:
    rows: int
    columns: int
    dtype: np.dtype[Any]
    def __new__(cls, matrix: NDArray[Any], *, transposed: bool = False) -> Self: ...

def multiply(
    left: NDArray[Any], right: Panels, out: NDArray[Any] | None = None, *, add: bool = False
) -> NDArray[Any]: ...
def transposed(matrix: NDArray[Any]) -> NDArray[Any]: ...
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

DISTANCES: int

def square_places(starts: NDArray[np.int64]) -> NDArray[np.int64]: ...
def score_arcs(
    dependents: NDArray[Any],
    heads: NDArray[Any],
    as_head: NDArray[Any],
    near: NDArray[Any],
    starts: NDArray[np.int64],
    places: NDArray[np.int64],
    out: NDArray[Any],
) -> None: ...
def score_arcs_back(
    gradient: NDArray[Any],
    dependents: NDArray[Any],
    heads: NDArray[Any],
    starts: NDArray[np.int64],
    places: NDArray[np.int64],
    of_dependents: NDArray[Any],
    of_heads: NDArray[Any],
    of_as_head: NDArray[Any],
    of_near: NDArray[Any],
) -> None: ...
def log_probabilities(scores: NDArray[Any], starts: NDArray[np.int64], places: NDArray[np.int64]) -> None: ...
def head_loss(
    scores: NDArray[Any],
    starts: NDArray[np.int64],
    places: NDArray[np.int64],
    gold: NDArray[np.int32],
    weight: float,
) -> tuple[float, int]: ...
def arc_loss(
    scores: NDArray[Any],
    starts: NDArray[np.int64],
    places: NDArray[np.int64],
    gold: NDArray[np.uint8],
    weight: float,
    choice: float,
) -> tuple[float, int]: ...
def choice_loss(scores: NDArray[Any], gold: NDArray[np.int32], weight: float) -> tuple[float, int]: ...
