"""The labels that arcs can have by the tags of their ends (Bohnet 2010): those that such arcs have in training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crossarc.components.component import Arrays
from crossarc.errors import CrossarcError
from crossarc.features.attributes import Attributes
from crossarc.parsers.arcs.lengths import table_size, tag_column
from crossarc.parsers.model import Ints
from crossarc.parsers.trees import Trees

PREFIX = "filter."


@dataclass(frozen=True, eq=False)
class LabelLists:
    """Lists of labels, and which of them arcs have by [tag of the head, tag of the dependent] in a column.

    Tags not seen together have the labels of all arcs to words with the dependent's tag; unseen tags have all labels,
    and so have all arcs if words have no tags (the column is -1).
    """

    column: int
    rows: Ints
    starts: Ints  # where each list begins in `labels`, and the end
    labels: Ints

    @classmethod
    def of(cls, tokens: Ints, column: int, tags: int, trees: Trees) -> LabelLists:
        """Return the lists of trees whose words have so many tags in a column."""
        heads, labels, starts = trees.heads, trees.labels, trees.starts
        everything = tuple(range(len(trees.names)))
        if column < 0:
            return cls(column, np.zeros((tags, tags), dtype=np.int32), *flat([everything]))
        words = np.flatnonzero(heads >= 0)
        above = np.repeat(starts[:-1], np.diff(starts))[words] + heads[words]
        both = np.stack([tokens[above, column], tokens[words, column], labels[words]], axis=1)
        by_pair: dict[tuple[int, int], list[int]] = {}
        by_dependent: dict[int, set[int]] = {}
        for head, dependent, label in np.unique(both, axis=0).tolist():
            by_pair.setdefault((head, dependent), []).append(label)
            by_dependent.setdefault(dependent, set()).add(label)
        lists: dict[tuple[int, ...], int] = {everything: 0}
        rows = np.zeros((tags, tags), dtype=np.int32)
        for dependent, names in by_dependent.items():
            rows[:, dependent] = lists.setdefault(tuple(sorted(names)), len(lists))
        for (head, dependent), found in by_pair.items():
            rows[head, dependent] = lists.setdefault(tuple(found), len(lists))
        return cls(column, rows, *flat(list(lists)))

    def merged(self, before: LabelLists | None) -> LabelLists:
        """Return the lists with the labels that earlier ones have for the same tags."""
        if before is None:
            return self
        size = len(before.rows)
        rows, lists = np.zeros_like(self.rows), {self.listed(0): 0}
        for place, row in np.ndenumerate(self.rows):
            names = set(self.listed(int(row)))
            if max(place) < size:
                names.update(before.listed(int(before.rows[place])))
            rows[place] = lists.setdefault(tuple(sorted(names)), len(lists))
        return LabelLists(self.column, rows, *flat(list(lists)))

    def listed(self, row: int) -> tuple[int, ...]:
        """Return the labels of a list."""
        return tuple(self.labels[self.starts[row] : self.starts[row + 1]].tolist())

    def to_arrays(self) -> Arrays:
        """Return what a model file keeps."""
        return {f"{PREFIX}{name}": getattr(self, name) for name in ("rows", "starts", "labels")}

    @classmethod
    def from_arrays(cls, arrays: Arrays, column: int, tags: int, count: int) -> LabelLists:
        """Return the lists of a file, of so many tags and labels; `ValueError` for those that do not fit."""
        rows, starts, labels = (arrays[f"{PREFIX}{name}"] for name in ("rows", "starts", "labels"))
        if not (
            all(array.dtype == np.int32 for array in (rows, starts, labels))
            and rows.shape == (tags, tags)
            and starts.ndim == labels.ndim == 1
            and len(starts) > 1
            and 0 <= rows.min(initial=0) <= rows.max(initial=0) < len(starts) - 1
            and starts[0] == 0
            and starts[-1] == len(labels)
            and (np.diff(starts) >= 0).all()
            and np.diff(starts).max() <= count
            and 0 <= labels.min(initial=0) <= labels.max(initial=0) < count
        ):
            raise ValueError("the labels by tags do not fit together")
        return cls(column, rows, starts, labels)


def tags_of(attributes: Attributes) -> tuple[int, int]:
    """Return the column of tags and how many there are; -1 and 1 if the feature model looks at none."""
    try:
        return tag_column(attributes), table_size(attributes)
    except CrossarcError:
        return -1, 1


def flat(lists: list[tuple[int, ...]]) -> tuple[Ints, Ints]:
    """Return where each list begins, and the entries of all."""
    starts = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    return starts, np.array([entry for each in lists for entry in each], dtype=np.int32)
