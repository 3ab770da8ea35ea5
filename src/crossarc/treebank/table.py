"""Sentences as a table of pandas, which is imported only when one is made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from crossarc.errors import MissingDependency
from crossarc.treebank.sentence import Sentence

if TYPE_CHECKING:
    import pandas

COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


def to_table(sentences: Iterable[Sentence] | Sentence) -> pandas.DataFrame:
    """Return a pandas DataFrame with a row for each word.

    Its columns are `sentence` (1, 2 ...), `sent_id`, `id` (the number of the word) and the columns of CoNLL-U as they
    are in the file; `head` is 0 for roots and -1 where there is none. Multiword ranges and empty nodes are not in it.
    """
    try:
        import pandas
    except ImportError:
        raise MissingDependency("a table", "pandas") from None
    found = [sentences] if isinstance(sentences, Sentence) else list(sentences)
    sizes = [len(sentence) for sentence in found]
    shared: dict[str, str] = {}  # equal strings are kept once
    columns: dict[str, Any] = {
        "sentence": np.repeat(np.arange(1, len(found) + 1), sizes),
        "sent_id": [name for sentence, size in zip(found, sizes, strict=True) for name in [sentence.id] * size],
        "id": joined([np.arange(1, size + 1) for size in sizes]),
    }
    for name in COLUMNS:
        if name == "head":
            columns[name] = joined([sentence.heads[1:] for sentence in found])
        else:
            columns[name] = [shared.setdefault(each, each) for sentence in found for each in sentence.column(name)[1:]]
    return pandas.DataFrame(columns)


def joined(parts: list[Any]) -> Any:
    """Return arrays of numbers one after the other."""
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])
