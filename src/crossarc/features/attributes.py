"""The attributes of tokens as integers: what templates can ask of a word besides the parser's state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import ROOT, UNKNOWN, StringTable
from crossarc.treebank.corpus import Corpus


def shape(form: str) -> str:
    """The form with its letters and digits made alike, runs of them cut to two: Anna2 is Xxx9.

    >>> shape("iPhone15"), shape("...")
    ('xXxx99', '...')
    """
    kinds = ["X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in form]
    return "".join(kind for place, kind in enumerate(kinds) if kinds[max(0, place - 2) : place] != [kind, kind])


# Each attribute: the column it is made from, and how.
SOURCES: dict[str, tuple[str, Callable[[str], str] | None]] = {
    "form": ("form", None),
    "lower": ("form", str.lower),
    "lemma": ("lemma", None),
    "upos": ("upos", None),
    "xpos": ("xpos", None),
    "feats": ("feats", None),
    "prefix": ("form", lambda form: form[:3].lower()),
    "suffix": ("form", lambda form: form[-3:].lower()),
    "shape": ("form", shape),
}
ATTRIBUTES = tuple(SOURCES)


class Attributes:
    """The numbering of attributes, made from the training data and never changed after.

    `encode` gives one row a token with the ids of all attributes; strings that training did not see are `UNKNOWN`.
    """

    def __init__(self, tables: dict[str, StringTable]) -> None:
        self.tables = tables

    @classmethod
    def fit(cls, corpus: Corpus, known: Attributes | None = None) -> Attributes:
        """Number what a corpus has, behind what is known already."""
        tables = {}
        for name, (column, change) in SOURCES.items():
            strings: Iterable[str] = corpus.strings[column]
            new = strings if change is None else map(change, strings)
            tables[name] = StringTable(chain(known.tables[name] if known else (), new))
        return cls(tables)

    def encode(self, corpus: Corpus) -> NDArray[np.int32]:
        """The attributes of all nodes of a corpus, whatever numbering its own strings have."""
        columns = []
        ids = {column: corpus[column] for column in {column for column, _ in SOURCES.values()}}
        for name, (column, change) in SOURCES.items():
            table = self.tables[name]
            known = [table[string if change is None else change(string)] for string in corpus.strings[column]]
            mapping = np.array([UNKNOWN, ROOT, *known], dtype=np.int32)
            columns.append(mapping[ids[column]])
        return np.ascontiguousarray(np.stack(columns, axis=1))
