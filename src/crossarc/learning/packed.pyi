from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.learning.scorer import Scorer

# Keys, where each one's weights begin in the rest and their end, and the actions and values of all weights.
Rows = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]

CELL: np.dtype[Any]

class PackedWeights(Scorer):
    buckets: NDArray[np.uint32]
    cells: NDArray[Any]
    rows: NDArray[np.int16]
    keys: NDArray[np.uint32]
    def __init__(
        self,
        buckets: NDArray[np.uint32],
        cells: NDArray[Any],
        rows: NDArray[np.int16],
        keys: NDArray[np.uint32],
        actions: int,
        unit: float,
    ) -> None: ...
    def __len__(self) -> int: ...
    def unpack(self) -> Rows: ...
    def to_arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def from_arrays(arrays: dict[str, NDArray[Any]], actions: int, prefix: str = "") -> PackedWeights: ...
