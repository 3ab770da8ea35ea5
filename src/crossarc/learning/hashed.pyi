from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.learning.scorer import Scorer

class HashedWeights(Scorer):
    now: int
    def __init__(self, actions: int) -> None: ...
    def add(self, keys: NDArray[np.uint64], action: int, step: float) -> None: ...
    def pack(self) -> PackedTable: ...
    def to_arrays(self) -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def from_arrays(arrays: Mapping[str, NDArray[Any]], actions: int) -> HashedWeights: ...

class PackedTable(Scorer):
    table: NDArray[np.int16]
    def __init__(self, table: NDArray[np.int16], actions: int, unit: float = 1.0) -> None: ...
