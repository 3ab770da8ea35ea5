import numpy as np
from numpy.typing import NDArray

from crossarc.learning.learners import UpdateRule
from crossarc.learning.scorers import Scorer
from crossarc.tagging.characters import Characters
from crossarc.tagging.lexicon import Lexicon

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
