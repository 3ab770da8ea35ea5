"""The places of errors: scores by label, part of speech, length, depth and crossing; confused labels.

A breakdown sorts words into bins by a property. Some properties belong to the word and are the same in gold and system;
others belong to the edge from its head, and there gold and system sort the same word each by their own edge, as in
McDonald and Nivre (2007): recall is about the words of a gold bin, precision about those of a system bin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crossarc.errors import UnknownName
from crossarc.evaluation.scores import ClassScore, Figures
from crossarc.evaluation.trees import Counts, Mask, TreePair, Trees, encode

# The last bin of each is open. Node 0 has no place in the sentence, so an edge from it has no length.
LENGTH_BINS = ("root", "1", "2", "3-6", "7+")
DEPTH_BINS = ("1", "2", "3", "4", "5", "6", "7+")
SIZE_BINS = ("1-10", "11-20", "21-30", "31-40", "41-50", "51+")
NOWHERE = -1

Bins = tuple[Sequence[str], Counts, Counts]


@dataclass(frozen=True)
class Row(Figures):
    """One bin: labelled and unlabelled scores of its words."""

    name: str
    labelled: ClassScore
    unlabelled: ClassScore


@dataclass(frozen=True)
class Breakdown:
    """The bins of one property, those without words left out.

    `of_edges` is true where gold and system may sort a word differently, so that precision and recall differ. Where a
    right word may even be in different bins of the two, the F-measure means nothing; `same_positives` says so.
    """

    name: str
    title: str
    of_edges: bool
    rows: tuple[Row, ...]

    @property
    def same_positives(self) -> bool:
        """Whether a word with the right head and label is in the same bin on both sides."""
        return self.name not in ("depth", "projectivity", "crossing")

    def __getitem__(self, name: str) -> Row:
        for row in self.rows:
            if row.name == name:
                return row
        raise UnknownName(f"bin of {self.name}", name, [row.name for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, for JSON."""
        return {"name": self.name, "title": self.title, "rows": [row.to_dict() for row in self.rows]}


@dataclass(frozen=True)
class Confusion(Figures):
    """The number of words labelled `gold` that the system labels `system`, and how many of them have the right head."""

    gold: str
    system: str
    count: int
    right_head: int


def by_label(pair: TreePair) -> Bins:
    """Bins by label."""
    return pair.labels, pair.gold_labels.astype(np.int64), pair.system_labels.astype(np.int64)


def by_upos(pair: TreePair) -> Bins:
    """Bins by the gold part of speech."""
    names, (tags,) = encode(pair.gold.upos)
    return names, tags.astype(np.int64), tags.astype(np.int64)


def by_length(pair: TreePair) -> Bins:
    """Bins by the distance between head and dependent."""

    def bins(trees: Trees) -> Counts:
        word = np.arange(len(trees.heads)) - np.repeat(trees.starts, trees.lengths) + 1
        distance = np.abs(word - trees.heads)
        found: Counts = np.digitize(distance, (2, 3, 7)) + 1
        return np.where(trees.heads == 0, 0, np.where(trees.heads < 0, NOWHERE, found))

    return LENGTH_BINS, bins(pair.gold), bins(pair.system)


def by_depth(pair: TreePair) -> Bins:
    """Bins by the distance from node 0; words that do not hang from it are in no bin of the system."""
    last = len(DEPTH_BINS)

    def bins(trees: Trees) -> Counts:
        return np.where(trees.depths < 0, NOWHERE, np.minimum(trees.depths, last) - 1)

    return DEPTH_BINS, bins(pair.gold), bins(pair.system)


def by_size(pair: TreePair) -> Bins:
    """Bins by the number of words of the sentence."""
    sizes = np.repeat(np.minimum((pair.gold.lengths - 1) // 10, len(SIZE_BINS) - 1), pair.gold.lengths)
    return SIZE_BINS, sizes, sizes


def by_projectivity(pair: TreePair) -> Bins:
    """Bins by whether the edge is projective; edges of a system sentence that is not a tree are in neither."""
    return two_bins(pair, ("projective", "non-projective"), "non_projective")


def by_crossing(pair: TreePair) -> Bins:
    """Bins by whether the edge crosses another; edges of a system sentence that is not a tree are in neither."""
    return two_bins(pair, ("not crossing", "crossing"), "crossing")


def two_bins(pair: TreePair, names: tuple[str, str], attribute: str) -> Bins:
    """Bins by a property of edges that only trees have."""

    def bins(trees: Trees) -> Counts:
        marked = getattr(trees, attribute).astype(np.int64)
        return np.where(trees.is_tree[trees.sentence], marked, NOWHERE)

    return names, bins(pair.gold), bins(pair.system)


# Name, title, whether it is a property of edges, the function that sorts, whether the most frequent bin comes first.
PROPERTIES: dict[str, tuple[str, bool, Callable[[TreePair], Bins], bool]] = {
    "label": ("by label", True, by_label, True),
    "upos": ("by part of speech (UPOS in gold)", False, by_upos, True),
    "length": ("by distance between head and dependent", True, by_length, False),
    "depth": ("by distance from the root", True, by_depth, False),
    "size": ("by words in the sentence", False, by_size, False),
    "projectivity": ("by projectivity of the edge", True, by_projectivity, False),
    "crossing": ("by crossing of edges", True, by_crossing, False),
}


def break_down(pair: TreePair, by: Iterable[str] = ("label",)) -> tuple[Breakdown, ...]:
    """The breakdowns of the given names, over the counted words of the pair.

    `label` label, `upos` part of speech, `length` distance between head and dependent (root, 1, 2, 3-6, 7+),
    `depth` distance from node 0 (1 to 6, 7+), `size` words in the sentence (tens up to 50, 51+),
    `projectivity` and `crossing` the kind of edge.
    """
    by = tuple(by)
    for name in by:
        if name not in PROPERTIES:
            raise UnknownName("breakdown", name, PROPERTIES)
    return tuple(sort_words(pair, name) for name in by)


def sort_words(pair: TreePair, name: str) -> Breakdown:
    """One breakdown."""
    title, of_edges, sort, commonest_first = PROPERTIES[name]
    names, gold, system = sort(pair)

    def count(bins: Counts, chosen: Mask) -> list[int]:
        inside = bins[chosen & pair.counted & (bins != NOWHERE)]
        counts: list[int] = np.bincount(inside, minlength=len(names)).tolist()
        return counts

    every = np.ones_like(pair.counted)
    in_gold, in_system = count(gold, every), count(system, every)
    columns = [(count(gold, right), count(system, right)) for right in (pair.right, pair.right_head)]
    rows = [
        Row(names[k], *(ClassScore(in_gold[k], recalled[k], in_system[k], precise[k]) for recalled, precise in columns))
        for k in range(len(names))
        if in_gold[k] or in_system[k]
    ]
    if commonest_first:
        rows.sort(key=lambda row: (-row.labelled.gold, -row.labelled.system, row.name))
    return Breakdown(name, title, of_edges, tuple(rows))


def confusions(pair: TreePair) -> tuple[Confusion, ...]:
    """The pairs of different labels of gold and system, the most frequent first."""
    wrong = pair.counted & ~pair.right_label
    codes = pair.gold_labels[wrong].astype(np.int64) * len(pair.labels) + pair.system_labels[wrong]
    kinds, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    right = np.bincount(inverse.ravel(), weights=pair.right_head[wrong], minlength=len(kinds))
    found = [
        Confusion(pair.labels[code // len(pair.labels)], pair.labels[code % len(pair.labels)], count, int(heads))
        for code, count, heads in zip(kinds.tolist(), counts.tolist(), right.tolist(), strict=True)
    ]
    return tuple(sorted(found, key=lambda each: (-each.count, each.gold, each.system)))
