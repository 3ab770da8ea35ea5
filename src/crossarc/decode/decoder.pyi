from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

class Decoder:
    single_root: bool
    def __init__(self, single_root: bool = True) -> None: ...
    def twin(self) -> Decoder: ...

class Matrices: ...

def decode(
    decoder: Decoder,
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.int32]: ...
def share(threads: int, size: int, new_worker: Callable[[], Callable[[int, int], None]]) -> None: ...
def checked_count(value: object, name: str, least: int = 1) -> int: ...
