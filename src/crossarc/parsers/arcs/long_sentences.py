"""Sentences too long for algorithms of quadratic cost: they are parsed in pieces, which are joined by their roots."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

LONG = 1_000  # words; a sentence of as many takes a second by Eisner's algorithm, less by others, and some 10 MB


class Pieces:
    """The sentences of flat arrays, the long ones cut into equal pieces, each with a node 0 of its own.

    `rows` are the rows of the arrays that the pieces are made of, and `starts` is where each piece begins, and the end.
    """

    def __init__(self, starts: NDArray[np.int64], most: int = LONG) -> None:
        pieces: list[NDArray[np.int64]] = []
        self.first: list[bool] = []  # of its sentence
        for begin, end in pairwise(starts.tolist()):
            count = max(1, -(-(end - begin - 1) // most))
            for number, words in enumerate(np.array_split(np.arange(begin + 1, end), count)):
                pieces.append(np.concatenate(([begin], words)))
                self.first.append(number == 0)
        self.rows: NDArray[np.int64] = np.concatenate(pieces)
        self.starts: NDArray[np.int64] = np.concatenate(([0], np.cumsum([len(piece) for piece in pieces])))

    def joined(self, heads: NDArray[np.int32], single_root: bool) -> tuple[NDArray[np.int32], list[tuple[int, int]]]:
        """The heads of all nodes of the whole sentences; for words that got another in joining, node 0 and their rows.

        Where a tree has a single root, those of later pieces become dependents of that of the first.
        """
        whole = np.full(int(self.rows.max()) + 1, -1, dtype=np.int32)
        moved: list[tuple[int, int]] = []
        root = 0
        for (begin, end), first in zip(pairwise(self.starts.tolist()), self.first, strict=True):
            rows = self.rows[begin:end]
            piece = heads[begin:end]
            found = rows[np.where(piece > 0, piece, 0)] - rows[0]
            roots = np.flatnonzero(piece == 0)
            if first:
                root = int(rows[roots[0]] - rows[0]) if len(roots) else 0
            elif single_root:
                found[roots] = root
                moved += [(int(rows[0]), row) for row in rows[roots].tolist()]
            whole[rows[1:]] = found[1:]
        return whole, moved
