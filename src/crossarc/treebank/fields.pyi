import numpy as np
from numpy.typing import NDArray

from crossarc.treebank.sentence import ReadOnly, Sentence

class Token:
    sentence: ReadOnly[Sentence]
    id: ReadOnly[str]
    form: ReadOnly[str]
    lemma: ReadOnly[str]
    upos: ReadOnly[str]
    xpos: ReadOnly[str]
    feats: ReadOnly[str]
    head: ReadOnly[int]
    deprel: ReadOnly[str]
    deps: ReadOnly[str]
    misc: ReadOnly[str]
    line: ReadOnly[int]
    is_word: ReadOnly[bool]
    is_range: ReadOnly[bool]
    is_empty: ReadOnly[bool]
    space_after: ReadOnly[bool]
    def __getitem__(self, column: str) -> str: ...

def arcs_of(sentence: Sentence) -> tuple[NDArray[np.int32], NDArray[np.int32], list[str]] | None: ...
