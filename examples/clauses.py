"""A head of one's own: which words end a clause, learned from trees beside them and written to MISC.

    import clauses  # registers the head

    parser = crossarc.Parser("neural", predict=["clauses"]).fit("train.conllu")

Models that were trained with it can be loaded where this file was imported.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

import crossarc
from crossarc.core.strings import StringTable
from crossarc.parsers.model import Columns, Ints
from crossarc.parsers.networks.heads import WordHead
from crossarc.treebank.corpus import Corpus

CLAUSES = {"root", "csubj", "ccomp", "xcomp", "advcl", "acl", "parataxis"}
MARK = "ClauseEnd=Yes"


class ClauseEnds(WordHead):
    """Whether a word is the last one of a clause: one choice with the values no and yes."""

    gives = ("misc",)

    @property
    def sizes(self) -> list[int]:
        """One choice with two values."""
        return [2]

    def gold(self, corpus: Corpus) -> list[Ints]:
        """Return 1 for the last word of each clause, 0 for others, -1 for nodes 0."""
        deprels = corpus.strings["deprel"]
        begins_clause = [False] * deprels.reserved + [name.partition(":")[0] in CLAUSES for name in deprels]
        ends = np.zeros(len(corpus["head"]), dtype=np.int32)
        for begin, end in pairwise(corpus.starts.tolist()):
            last = last_words(corpus["head"][begin:end].tolist())
            for word, deprel in enumerate(corpus["deprel"][begin:end].tolist()):
                if begins_clause[deprel]:
                    ends[begin + last[word]] = 1
        ends[corpus.starts[:-1]] = -1
        return [ends]

    def columns(self, corpus: Corpus, chosen: Sequence[Ints]) -> Columns:
        """Return MISC with marks on the words that end a clause; what else is there stays."""
        assert corpus.sentences is not None
        before = [value for sentence in corpus.sentences for value in ("_", *sentence.misc[1:])]
        after = [marked(misc, end == 1) for misc, end in zip(before, chosen[0].tolist(), strict=True)]
        table = StringTable(dict.fromkeys(after))
        numbers = np.array([table[misc] - table.reserved for misc in after], dtype=np.int32)
        numbers[corpus.starts[:-1]] = -1
        return {"misc": (numbers, table)}


def last_words(heads: list[int]) -> list[int]:
    """Return the last word below each node of a tree, or the node itself.

    >>> last_words([-1, 2, 0, 2, 3])
    [0, 1, 4, 4, 4]
    """
    last = list(range(len(heads)))
    for word in range(1, len(heads)):
        node = word
        while node > 0:
            last[node] = max(last[node], word)
            node = heads[node]
    return last


def marked(misc: str, is_end: bool) -> str:
    """Return the MISC of a word with or without the mark.

    >>> marked("SpaceAfter=No", True), marked("ClauseEnd=Yes", False)
    ('SpaceAfter=No|ClauseEnd=Yes', '_')
    """
    kept = [part for part in misc.split("|") if part not in ("_", "", MARK)]
    return "|".join([*kept, MARK] if is_end else kept) or "_"


crossarc.register("clauses", head=ClauseEnds)
