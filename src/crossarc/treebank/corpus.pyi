from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.treebank.formats import Format
from crossarc.treebank.sentence import Sentence

INTERNED: tuple[str, ...]

class Corpus:
    strings: dict[str, StringTable]
    def __init__(
        self,
        format: Format | None = None,
        repair: Callable[[bytes, int], bytes | None] | None = None,
    ) -> None: ...
    @staticmethod
    def of(sentences: Iterable[Sentence]) -> Corpus: ...
    def feed(self, block: bytes, final: bool = False) -> None: ...
    def __len__(self) -> int: ...
    @property
    def starts(self) -> NDArray[np.int64]: ...
    def __getitem__(self, column: str) -> NDArray[np.int32]: ...
