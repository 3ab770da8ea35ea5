from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

class HashedWeights:
    actions: int
    now: int
    def __init__(self, actions: int) -> None: ...
    def pack(self) -> tuple[NDArray[np.int16], float]: ...
    def to_arrays(self) -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def from_arrays(arrays: Mapping[str, NDArray[Any]], actions: int) -> HashedWeights: ...
