"""Graphs to learn from and graphs that parsers give: arcs between words as flat arrays, with numbered labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossarc.treebank.corpus import Corpus

if TYPE_CHECKING:
    from crossarc.transforms.graphs import GraphTransform

Ints = NDArray[np.int32]
Starts = NDArray[np.int64]


class Arcs(NamedTuple):
    """The arcs of the graphs of sentences: those of sentence i are from `starts[i]` to `starts[i + 1]`.

    Arc k goes from word `heads[k]`, or node 0, to word `dependents[k]`; `labels[k]` is a number.
    """

    starts: Starts
    heads: Ints
    dependents: Ints
    labels: Ints


@dataclass(frozen=True, eq=False)
class Graphs:
    """The graphs of a corpus as a transform gives them to a parser: over words only, and every word has a head."""

    corpus: Corpus
    arcs: Arcs
    names: list[str]  # of labels

    @classmethod
    def of(cls, corpus: Corpus, transform: GraphTransform) -> Graphs:
        """Return the graphs of the sentences of a corpus, transformed."""
        return cls.from_lists(corpus, (transform.encode(sentence) for sentence in corpus.sentences))

    @classmethod
    def from_lists(cls, corpus: Corpus, graphs: Iterable[Sequence[tuple[int, int, str]]]) -> Graphs:
        """Return graphs given as lists of head, dependent and label."""
        numbers: dict[str, int] = {}
        starts, rows = [0], []
        for graph in graphs:
            rows += [(head, dependent, numbers.setdefault(label, len(numbers))) for head, dependent, label in graph]
            starts.append(len(rows))
        columns = np.array(rows, dtype=np.int32).reshape(-1, 3).T
        heads, dependents, labels = (np.ascontiguousarray(column) for column in columns)
        return cls(corpus, Arcs(np.array(starts, dtype=np.int64), heads, dependents, labels), list(numbers))

    @property
    def sizes(self) -> Starts:
        """The number of words of each sentence."""
        return np.diff(self.corpus.starts) - 1

    def numbered(self, first: list[str]) -> Graphs:
        """Return the graphs with the numbers of some known labels, and new labels behind them."""
        names = list(dict.fromkeys([*first, *self.names]))
        numbers = {name: number for number, name in enumerate(names)}
        table = np.array([numbers[name] for name in self.names], dtype=np.int32)
        return Graphs(self.corpus, self.arcs._replace(labels=table[self.arcs.labels]), names)

    def single_roots(self, wanted: bool | str, before: bool | None) -> bool:
        """Return whether graphs must have one arc from node 0: as wanted, or as in these graphs and `before` them."""
        if isinstance(wanted, bool):
            return wanted
        sentence = np.repeat(np.arange(len(self.sizes)), np.diff(self.arcs.starts))
        roots = np.bincount(sentence[self.arcs.heads == 0], minlength=len(self.sizes))
        return bool((roots <= 1).all()) and before is not False

    def most_arcs(self) -> tuple[int, int]:
        """Return the most heads that a word has, and the most arcs from one word to another; each at least 1."""
        starts = np.repeat(self.corpus.starts[:-1], np.diff(self.arcs.starts))
        words = starts + self.arcs.dependents
        pairs = words * (int(self.sizes.max(initial=0)) + 1) + self.arcs.heads
        return tuple(int(np.unique(each, return_counts=True)[1].max(initial=1)) for each in (words, pairs))  # type: ignore[return-value]
