from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from crossarc.learning.scorer import Scorer
from crossarc.learning.updates import UpdateRule
from crossarc.tagging.characters import Characters

INSIDE: int
TOKEN_END: int
SENTENCE_END: int
ACTIONS: int
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

class BoundaryModel:
    scorer: Scorer
    lexicon: Lexicon
    quiet: NDArray[np.uint8]
    spaces: bool
    def __init__(self, scorer: Scorer, lexicon: Lexicon, quiet: NDArray[np.uint8], spaces: bool) -> None: ...
    def decide(self, characters: Characters) -> NDArray[np.uint8]: ...
    def learn(self, characters: Characters, gold: NDArray[np.uint8], rule: UpdateRule) -> int: ...
    def keys(self, characters: Characters) -> NDArray[np.uint64]: ...
