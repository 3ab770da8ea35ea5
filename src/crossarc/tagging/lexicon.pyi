from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

KNOWN: int
NAME: int
ABBREVIATION: int

class Lexicon:
    keys: NDArray[np.uint64]
    flags: NDArray[np.uint8]
    def __init__(self, keys: NDArray[np.uint64], flags: NDArray[np.uint8]) -> None: ...
    def __len__(self) -> int: ...
    @staticmethod
    def of(words: Iterable[tuple[str, int]]) -> Lexicon: ...
    def flags_of(self, word: str) -> int: ...
