from typing import Any

from numpy.typing import NDArray

class Weights:
    now: int
    actions: int
    def __init__(self, actions: int, cut: bool = True) -> None: ...
    def __len__(self) -> int: ...
    def pack(self, threshold: float = 0.0) -> tuple[NDArray[Any], NDArray[Any], float]: ...
