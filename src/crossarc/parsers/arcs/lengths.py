"""Length dictionaries (Eisner and Smith 2005): arcs longer than any of training between such tags are left out.

By the tags of head and dependent; a pair that was never an arc has none of any length. Arcs from node 0 always stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError
from crossarc.factors.arcs import TreeFactors
from crossarc.features.attributes import Attributes

TAGS = ("upos", "xpos")  # the first that a feature model looks at


@dataclass(frozen=True)
class Pruning:
    """Counts: arcs between words, those that lengths left out, and sentences that were parsed without lengths."""

    arcs: int
    pruned: int
    unpruned: int

    def __str__(self) -> str:
        share = 100 * self.pruned / max(1, self.arcs)
        return (
            f"lengths left out {share:.1f}% of all arcs between words; sentences without a tree then: {self.unpruned:,}"
        )


class Lengths:
    """The greatest length of arcs by [tag of the head, tag of the dependent], and what they have left out so far."""

    def __init__(self, table: NDArray[np.int32], column: int, development: Pruning | None = None) -> None:
        self.table = table
        self.column = column  # of the tags
        self.development = development  # what they left out of the development set
        self.so_far = Pruning(0, 0, 0)
        self.lock = Lock()

    def add(self, arcs: int, pruned: int, unpruned: int) -> None:
        """Count some sentences; from any thread."""
        with self.lock:
            before = self.so_far
            self.so_far = Pruning(before.arcs + arcs, before.pruned + pruned, before.unpruned + unpruned)

    def count(self, factors: TreeFactors) -> None:
        """Count the sentences that factors have parsed."""
        self.add(factors.arcs, factors.pruned, factors.unpruned)

    def reset(self) -> None:
        """Forget what was counted."""
        self.so_far = Pruning(0, 0, 0)

    def of_edges(self) -> Lengths:
        """Return the same for edges without directions: one is left out only if both its directions are."""
        return Lengths(np.maximum(self.table, self.table.T), self.column)

    def check(self, attributes: Attributes) -> None:
        """Refuse a table of other tags, with `ValueError`."""
        size = table_size(attributes)
        if self.table.shape != (size, size) or self.table.dtype != np.int32:
            raise ValueError("the lengths belong to other tags")


class WithLengths:
    """Base of models that count the arcs that lengths left out."""

    lengths: Lengths | None

    def notes(self) -> list[str]:
        """Return how much lengths have left out."""
        return [str(self.lengths.so_far)] if self.lengths is not None and self.lengths.so_far.arcs else []

    def reset_notes(self) -> None:
        """Forget how much lengths have left out."""
        if self.lengths is not None:
            self.lengths.reset()

    def scored(self) -> Self:
        """Return the model with what lengths left out of the development set."""
        if self.lengths is not None:
            self.lengths.development = self.lengths.so_far
            self.lengths.reset()
        return self

    def describe_lengths(self) -> dict[str, str]:
        """Return the numbers of arcs that lengths left out of the development set."""
        left_out = self.lengths.development if self.lengths is not None else None
        return {"left out": f"on the development set {left_out}"} if left_out is not None else {}


def limits_of(lengths: Lengths | None) -> dict[str, Any]:
    """Return the options of factors that lengths set."""
    return {"lengths": lengths.table, "tag": lengths.column} if lengths is not None else {}


def tag_column(attributes: Attributes) -> int:
    """The attribute that is the tag for lengths."""
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

    `known` are the lengths of the initial model, whose tags have the first numbers.
    """
    first = np.repeat(starts[:-1], np.diff(starts))
    words = np.flatnonzero(heads > 0)
    return lengths_of_arcs(attributes, tokens, first[words] + heads[words], words, known)


def lengths_of_arcs(
    attributes: Attributes,
    tokens: NDArray[np.int32],
    heads: NDArray[np.int64],
    dependents: NDArray[np.int64],
    known: NDArray[np.int32] | None = None,
) -> NDArray[np.int32]:
    """The same for arcs between words, given as the rows of their heads and dependents."""
    column = tag_column(attributes)
    lengths = np.zeros([table_size(attributes)] * 2, dtype=np.int32)
    if known is not None:
        lengths[: len(known), : len(known)] = known
    tags = (tokens[heads, column], tokens[dependents, column])
    np.maximum.at(lengths, tags, np.abs(heads - dependents).astype(np.int32))
    return lengths


def table_size(attributes: Attributes) -> int:
    """How many numbers a tag can have."""
    return len(list(attributes.tables.values())[tag_column(attributes)])
