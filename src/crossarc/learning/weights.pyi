from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Weights:
    now: int
    random: int
    actions: int
    def __init__(self, actions: int, cut: bool = True) -> None: ...
    def __len__(self) -> int: ...
    def to_arrays(self) -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def from_arrays(arrays: Mapping[str, NDArray[Any]], actions: int, cut: bool = True) -> Weights: ...
    def start_from(
        self,
        keys: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        actions: NDArray[np.int32],
        values: NDArray[np.float32],
    ) -> None: ...
    def pack(self, threshold: float = 0.0) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.uint32], float]: ...

def unpack(
    places: NDArray[Any], cells: NDArray[Any], keys: NDArray[np.uint32], unit: float
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]: ...
