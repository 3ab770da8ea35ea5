from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from crossarc.learning.learners import UpdateRule
from crossarc.learning.scorers import Scorer
from crossarc.tagging.characters import Characters

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

INSIDE: int
TOKEN_END: int
SENTENCE_END: int
ACTIONS: int

class BoundaryModel:
    scorer: Scorer
    lexicon: Lexicon
    quiet: NDArray[np.uint8]
    spaces: bool
    rules: bool
    def __init__(
        self, scorer: Scorer, lexicon: Lexicon, quiet: NDArray[np.uint8], spaces: bool, rules: bool
    ) -> None: ...
    def decide(self, characters: Characters, begin: int = 0) -> tuple[NDArray[np.uint8], NDArray[np.float32]]: ...
    def learn(self, characters: Characters, gold: NDArray[np.uint8], rule: UpdateRule) -> int: ...
    def keys(self, characters: Characters) -> NDArray[np.uint64]: ...

def write_spans(
    points: NDArray[np.uint32],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    last: NDArray[np.uint8],
    paragraphs: NDArray[np.uint8],
    word_counts: NDArray[np.int32],
    word_ends: NDArray[np.int64],
    words: bytes,
    header: bytes,
    offset: int = 0,
    sentence: int = 1,
) -> bytes: ...
