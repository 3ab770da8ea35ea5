from typing import Any

from numpy.typing import NDArray

from crossarc.learning.weights import Scorer

ARRAYS: dict[str, type]

def check_arrays(arrays: dict[str, NDArray[Any]], actions: int) -> None: ...

class SupportVectors(Scorer):
    def __init__(self, arrays: dict[str, NDArray[Any]], actions: int) -> None: ...
    def scores(self, keys: NDArray[Any], tag: int) -> NDArray[Any]: ...
