"""The tags of a treebank, combined to labels: words that agree in all tags have the same label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import ROOT, StringTable
from crossarc.treebank.corpus import Corpus

Ints = NDArray[np.int32]
Columns = dict[str, tuple[Ints, StringTable]]  # a number for each node, -1 for none, and the values by number


@dataclass(frozen=True, eq=False)
class Labels:
    """The combinations of tags that words have: row i of `rows` has the values of label i in each column, by number."""

    values: dict[str, StringTable]
    rows: Ints

    @classmethod
    def of(cls, corpus: Corpus, columns: Sequence[str]) -> tuple[Labels, Ints]:
        """Return the labels of a treebank, and that of each node, -1 for node 0."""
        words = np.flatnonzero(corpus["form"] != ROOT)
        numbers = np.full(len(corpus["form"]), -1, dtype=np.int32)
        values = {column: StringTable(corpus.strings[column]) for column in columns}
        if not columns:
            numbers[words] = 0
            return cls({}, np.zeros((1, 0), dtype=np.int32)), numbers
        tags = [corpus[column][words] - corpus.strings[column].reserved for column in columns]
        rows, numbers[words] = np.unique(np.stack(tags, axis=1), axis=0, return_inverse=True)
        return cls(values, rows.astype(np.int32)), numbers

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a model file keeps."""
        arrays: dict[str, NDArray[Any]] = {"labels": self.rows}
        for name, table in self.values.items():
            arrays |= table_arrays(table, f"values.{name}")
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], columns: Sequence[str]) -> Labels:
        """Return the labels that a model file keeps; `ValueError` or `LookupError` for damaged arrays."""
        rows = arrays["labels"]
        values = {column: stored_table(arrays, f"values.{column}") for column in columns}
        sizes = [len(table) - table.reserved for table in values.values()]
        if rows.dtype != np.int32 or rows.ndim != 2 or not len(rows) or rows.shape[1] != len(columns):
            raise ValueError("the labels of the tagger are damaged")
        if (rows < 0).any() or (rows >= np.array(sizes, dtype=np.int64)).any():
            raise ValueError("a label of the tagger has a tag that is not there")
        if any(table.has_breaks() for table in values.values()):
            raise ValueError("a tag has a tab or a line end")
        return cls(values, rows)

    def __len__(self) -> int:
        """How many labels there are."""
        return len(self.rows)

    @property
    def first_tags(self) -> Ints:
        """The first tag of each label."""
        return np.ascontiguousarray(self.rows[:, 0]) if self.values else np.zeros(len(self), dtype=np.int32)

    def columns(self, labels: Ints) -> Columns:
        """Return the values of each column, -1 for node 0."""
        rows = np.concatenate([self.rows, np.full((1, len(self.values)), -1, dtype=np.int32)])
        return {
            column: (np.ascontiguousarray(rows[labels, place]), table)
            for place, (column, table) in enumerate(self.values.items())
        }

    def agreeing(self, labels: Ints, columns: Columns) -> Ints:
        """Return the labels with the values of columns instead of their own, where there are such labels."""
        wanted = np.stack([columns[column][0] for column in self.values], axis=1)
        other = np.flatnonzero((labels >= 0) & (wanted != self.rows[labels]).any(axis=1))
        result = labels.copy()
        known = {tuple(row): number for number, row in enumerate(self.rows.tolist())}
        for node, row in zip(other.tolist(), wanted[other].tolist(), strict=True):
            result[node] = known.get(tuple(row), labels[node])
        return result


def is_filled(corpus: Corpus, column: str) -> NDArray[np.bool_]:
    """Return for each node whether its column has a value other than "_"."""
    ids, names = corpus[column], corpus.strings[column]
    filled: NDArray[np.bool_] = (ids >= names.reserved) & (ids != names["_"])
    return filled


def table_arrays(table: StringTable, name: str) -> dict[str, NDArray[Any]]:
    """Return strings as the arrays of a model file."""
    data, offsets = table.pack()
    return {name: data, f"{name}.offsets": offsets}


def stored_table(arrays: Mapping[str, NDArray[Any]], name: str) -> StringTable:
    """Return the strings that a model file keeps; `ValueError` or `LookupError` for damaged arrays."""
    return StringTable.unpack(arrays[name], arrays[f"{name}.offsets"])
