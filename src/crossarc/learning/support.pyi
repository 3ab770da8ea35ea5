from typing import Any

from numpy.typing import NDArray

from crossarc.learning.scorer import Scorer

ARRAYS: dict[str, type]

def check_arrays(arrays: dict[str, NDArray[Any]], actions: int) -> None: ...

class SupportVectors(Scorer):
    arrays: dict[str, NDArray[Any]]
    def __init__(self, arrays: dict[str, NDArray[Any]], actions: int) -> None: ...
    def to_arrays(self) -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def from_arrays(arrays: dict[str, NDArray[Any]], actions: int) -> SupportVectors: ...
