"""The thresholds of arcs beside the tree: one for each set of labels, chosen on a development set.

An arc is kept if its score is above the threshold of its set of labels. What a threshold gains is the right labels
beyond it, minus a share of all labels beyond it. If that share is half the F-score, what gains most also has the
highest F-score. Rare sets have too few arcs to choose by. So each set also counts the arcs of all sets, with the weight
of a few arcs: the fewer arcs it has itself, the closer its threshold is to the common one.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossarc.parsers.graphs import Arcs

Numbers = NDArray[np.int64]
LOWEST = -3.0  # arcs with lower scores are not looked at
GRID = np.arange(LOWEST, 4.01, 0.25)
SHRINKAGE = 30.0  # right arcs of all sets that a set counts beside its own


class Beside(NamedTuple):
    """Arcs beside the trees of sentences that graphs can have, in no particular order."""

    sentences: Numbers
    dependents: Numbers
    heads: Numbers
    sets: Numbers  # of labels, the best of each arc
    scores: NDArray[np.float64]

    @classmethod
    def joined(cls, batches: Iterable[Beside]) -> Beside:
        """Return the arcs of several batches."""
        return cls(*(np.concatenate(columns) for columns in zip(*batches, strict=True)))


def right_labels(beside: Beside, gold: Arcs, set_starts: Numbers, set_labels: NDArray[np.int32]) -> Numbers:
    """Return for each arc how many labels of its set are those of gold arcs between the same words."""
    sentence = np.repeat(np.arange(len(gold.starts) - 1), np.diff(gold.starts))
    columns = (sentence, gold.heads, gold.dependents, gold.labels)
    there = set(zip(*(column.tolist() for column in columns), strict=True))
    names = [set_labels[begin:end].tolist() for begin, end in pairwise(set_starts.tolist())]
    rows = zip(*(column.tolist() for column in beside[:4]), strict=True)
    found = [sum((where, h, d, label) in there for label in names[chosen]) for where, d, h, chosen in rows]
    return np.array(found, dtype=np.int64)


def choose_thresholds(
    beside: Beside, right: Numbers, sizes: Numbers, share: float, shrinkage: float = SHRINKAGE
) -> NDArray[np.float32]:
    """Return the threshold of each set of labels that gains most, given how many labels of each arc are right.

    `sizes` are those of the sets, `share` is what each label costs. Of thresholds that gain the same, the one closest
    to the common one is taken, and of such common ones the one closest to 0.
    """
    gain = right - share * sizes[beside.sets]
    level = np.searchsorted(GRID, beside.scores)  # the thresholds below the score are the first so many
    table = np.zeros((len(sizes), len(GRID) + 1))
    np.add.at(table, (beside.sets, level), gain)
    gains = table[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]  # of keeping the arcs above each threshold
    whole = gains.sum(axis=0)
    common = GRID[first_best(whole, np.abs(GRID))]
    of_all = shrinkage / max(1, int(right.sum())) * whole
    distance = np.abs(GRID - common)
    return np.array([GRID[first_best(own + of_all, distance)] for own in gains], dtype=np.float32)


def first_best(gains: NDArray[np.float64], distance: NDArray[np.float64]) -> int:
    """Return the place of the greatest gain, of equal ones that with the smallest distance."""
    best = np.flatnonzero(gains >= gains.max() - 1e-9)
    return int(best[distance[best].argmin()])
