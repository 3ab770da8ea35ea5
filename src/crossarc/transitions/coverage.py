"""The part of a treebank that a transition system can build."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from crossarc.core.arrays import as_int32
from crossarc.errors import StructureError
from crossarc.transitions.system import TransitionSystem, replay


@dataclass(frozen=True)
class Coverage:
    """The coverage of an oracle: the trees that it rebuilds, and the words that get their gold head."""

    sentences: int
    exact: int
    words: int
    right: int
    moves: int

    @property
    def outside_percent(self) -> float:
        """The share of the sentences whose tree is outside the system's class."""
        return 100 * (self.sentences - self.exact) / max(1, self.sentences)

    @property
    def lost_percent(self) -> float:
        """The share of the words whose head the oracle cannot give."""
        return 100 * (self.words - self.right) / max(1, self.words)

    def __str__(self) -> str:
        outside = self.sentences - self.exact
        return (
            f"{outside:,} of {self.sentences:,} trees ({self.outside_percent:.2f}%) are outside the class, "
            f"and {self.words - self.right:,} of {self.words:,} heads ({self.lost_percent:.2f}%) cannot be built"
        )


def coverage(system: TransitionSystem, trees: Iterable[ArrayLike]) -> Coverage:
    """Replay the oracle over trees, given as heads of n + 1 entries each.

    >>> from crossarc.transitions import get_system
    >>> print(coverage(get_system("arc-standard"), [[-1, 2, 0], [-1, 3, 4, 0, 3]]))
    1 of 2 trees (50.00%) are outside the class, and 1 of 6 heads (16.67%) cannot be built
    """
    heads = [as_int32(tree, "heads", StructureError) for tree in trees]
    starts = np.zeros(len(heads) + 1, dtype=np.int64)
    np.cumsum([len(tree) for tree in heads], out=starts[1:])
    right, moves = replay(system, np.concatenate(heads) if heads else np.zeros(0, dtype=np.int32), starts)
    words = np.diff(starts) - 1
    return Coverage(
        sentences=len(heads),
        exact=int((right == words).sum()),
        words=int(words.sum()),
        right=int(right.sum()),
        moves=int(np.abs(moves).sum()),
    )
