"""Length dictionaries (Eisner and Smith 2005): arcs longer than any that training has seen between such tags are not.

By the tags of head and dependent; a pair that was never an arc has none of any length. An arc from node 0
always stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError
from crossarc.factors.arcs import TreeFactors
from crossarc.features.attributes import Attributes

TAGS = ("upos", "xpos")  # the first that a feature model looks at


@dataclass(frozen=True)
class Pruning:
    """How many arcs there were between words, how many of them lengths left out, and for how many sentences not."""

    arcs: int
    pruned: int
    unpruned: int

    def __str__(self) -> str:
        share = 100 * self.pruned / max(1, self.arcs)
        return (
            f"lengths left out {share:.1f}% of all arcs between words; sentences without a tree then: {self.unpruned:,}"
        )


class Tally:
    """What lengths have left out of all that a model has parsed so far."""

    def __init__(self) -> None:
        self.sum = Pruning(0, 0, 0)
        self.lock = Lock()

    def add(self, arcs: int, pruned: int, unpruned: int) -> None:
        """Count some sentences; from any thread."""
        with self.lock:
            self.sum = Pruning(self.sum.arcs + arcs, self.sum.pruned + pruned, self.sum.unpruned + unpruned)

    def add_all(self, search: TreeFactors) -> None:
        """Count all that a search has parsed."""
        self.add(search.arcs, search.pruned, search.unpruned)


def tag_column(attributes: Attributes) -> int:
    """Which attribute is the tag that lengths go by."""
    names = list(attributes.tables)
    for name in TAGS:
        if name in names:
            return names.index(name)
    raise CrossarcError("lengths go by UPOS or XPOS, and the feature model looks at neither; leave lengths out")


def greatest_lengths(
    attributes: Attributes,
    tokens: NDArray[np.int32],
    heads: NDArray[np.int32],
    starts: NDArray[np.int64],
    known: NDArray[np.int32] | None = None,
) -> NDArray[np.int32]:
    """The greatest length of all arcs by [tag of the head, tag of the dependent], 0 where there is none.

    `known` are those of a model to go on from, whose tags have the first numbers.
    """
    column = tag_column(attributes)
    lengths = np.zeros([table_size(attributes)] * 2, dtype=np.int32)
    if known is not None:
        lengths[: len(known), : len(known)] = known
    first = np.repeat(starts[:-1], np.diff(starts))
    words = np.flatnonzero(heads > 0)
    above = first[words] + heads[words]
    np.maximum.at(lengths, (tokens[above, column], tokens[words, column]), np.abs(above - words).astype(np.int32))
    return lengths


def table_size(attributes: Attributes) -> int:
    """How many numbers a tag can have."""
    return len(list(attributes.tables.values())[tag_column(attributes)])


def of_edges(lengths: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same for edges without directions: one goes only if both its directions do."""
    return np.maximum(lengths, lengths.T)
