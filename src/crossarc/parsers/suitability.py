"""Which preset suits a treebank."""

from __future__ import annotations

from collections.abc import Iterable

from crossarc.parsers.presets import PRESETS
from crossarc.structure import summarise
from crossarc.structure.recommendation import recommend_tree
from crossarc.treebank.sentence import Sentence


def suitable_parser(sentences: Iterable[Sentence]) -> tuple[str, str]:
    """The preset that is recommended for a treebank, and why: the accurate one, or the fast one until that is there.

    >>> from crossarc.treebank import Sentence
    >>> suitable_parser([Sentence.from_columns(forms=["", "Hi"], heads=[-1, 0], deprels=["", "root"])] * 1000)
    ('arc-hybrid', 'all sentences are projective')
    """
    accurate, fast, reason = recommend_tree(summarise(sentences))
    return next(name for name in (accurate, fast) if name in PRESETS), reason
