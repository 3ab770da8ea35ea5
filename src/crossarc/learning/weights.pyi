from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint16], NDArray[np.float32]]

class Scorer: ...

class Weights(Scorer):
    now: int
    actions: int
    def __init__(self, actions: int, cut: int = 2) -> None: ...
    def __len__(self) -> int: ...
    def scores(self, keys: NDArray[np.uint64]) -> NDArray[np.float32]: ...
    def averages(self) -> Rows: ...
    @staticmethod
    def of(
        actions: int,
        keys: NDArray[np.uint64],
        starts: NDArray[np.int64],
        row_actions: NDArray[np.uint16],
        row_weights: NDArray[np.float32],
    ) -> Weights: ...
    def assign(self, table: NDArray[np.float64], actions: NDArray[np.int32]) -> None: ...
    def pack(self, threshold: float = 0.0) -> tuple[NDArray[Any], NDArray[Any], float]: ...

def packed_scores(
    places: NDArray[Any], cells: NDArray[Any], keys: NDArray[np.uint64], actions: int
) -> NDArray[np.int32]: ...
