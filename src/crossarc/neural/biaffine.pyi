from typing import Any

import numpy as np
from numpy.typing import NDArray

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
