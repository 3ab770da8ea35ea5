"""Graphs to learn from and graphs that parsers give: arcs between words as flat arrays, with numbered labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.errors import TreebankError
from crossarc.parsers.settings import GraphOutput, Settings
from crossarc.parsers.trees import places_of
from crossarc.transforms.graphs import GraphTransform
from crossarc.transitions.coverage import Coverage
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.empty_nodes import numbered_arcs
from crossarc.treebank.sentence import Sentence
from crossarc.treebank.text_writing import write_graphs

if TYPE_CHECKING:
    from crossarc.parsers.model import GraphModel

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
        return cls.from_lists(corpus, map(transform.encode, sentences_of(corpus)))

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

    def single_roots(self, settings: Settings, before: bool | None) -> bool:
        """Return whether graphs must have one arc from node 0: by the settings, or as in these and `before` them."""
        if settings.single_root != "auto":
            return settings.single_root
        sentence = np.repeat(np.arange(len(self.sizes)), np.diff(self.arcs.starts))
        roots = np.bincount(sentence[self.arcs.heads == 0], minlength=len(self.sizes))
        return bool((roots <= 1).all()) and before is not False

    def label_places(self, before: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
        """Return for each label where it can be, as `Trees.label_places` does."""
        return places_of(self.arcs.heads, self.arcs.labels, len(self.names), before)

    def most_arcs(self) -> tuple[int, int]:
        """Return the most heads that a word has, and the most arcs from one word to another; each at least 1."""
        starts = np.repeat(self.corpus.starts[:-1], np.diff(self.arcs.starts))
        words = starts + self.arcs.dependents
        pairs = words * (int(self.sizes.max(initial=0)) + 1) + self.arcs.heads
        return tuple(int(np.unique(each, return_counts=True)[1].max(initial=1)) for each in (words, pairs))  # type: ignore[return-value]


def sentences_of(corpus: Corpus) -> list[Sentence]:
    """Return the sentences that a corpus was made of."""
    if corpus.sentences is None:
        raise TreebankError("this corpus was read without its sentences; Corpus.of(read(source)) has them")
    return corpus.sentences


def graph_transform(settings: Settings) -> GraphTransform:
    """Return the transform around a parser of graphs."""
    assert isinstance(settings, GraphOutput)
    return GraphTransform(projective=settings.is_projective, **settings.transform_options())


def graph_coverage(settings: Settings, corpus: Corpus) -> Coverage:
    """Return how many graphs of a corpus, and how many of their arcs, come back after encoding and decoding.

    Parsers build everything that a transform encodes, so that this is what they could build without mistakes.
    """
    transform, exact, arcs, right = graph_transform(settings), 0, 0, 0
    sentences = sentences_of(corpus)
    for sentence in sentences:
        gold = set(numbered_arcs(sentence))
        found = gold & set(numbered_arcs(transform.decode(sentence, transform.encode(sentence))))
        exact += found == gold
        arcs += len(gold)
        right += len(found)
    return Coverage(len(sentences), exact, arcs, right, 0)


def with_graphs(model: GraphModel, corpus: Corpus) -> list[Sentence]:
    """Return the sentences of a corpus with the graphs that a model gives.

    Only graphs whose labels ask something of the transform are decoded, and those of formats without DEPS, which do not
    have room for every graph.
    """
    arcs, sentences = model.parse_graphs(corpus), sentences_of(corpus)
    transform = graph_transform(model.settings)
    marked = np.array([not transform.is_plain(label) for label in model.labels], dtype=np.bool_)
    sizes = np.diff(arcs.starts)
    owner = np.repeat(np.arange(len(sentences)), sizes)
    decoded = np.bincount(owner[marked[arcs.labels]], minlength=len(sentences)) > 0
    others = (bool(sentence.empty_nodes) or sentence.format.index("deps") < 0 for sentence in sentences)
    decoded |= np.fromiter(others, dtype=np.bool_, count=len(sentences))
    plain = np.flatnonzero(~decoded)
    kept = ~decoded[owner]
    starts = np.concatenate([[0], np.cumsum(sizes[plain])]).astype(np.int64)
    heads, dependents, labels = (column[kept] for column in (arcs.heads, arcs.dependents, arcs.labels))
    result = list(sentences)
    chosen, names = [sentences[place] for place in plain.tolist()], StringTable(model.labels)
    written = write_graphs(chosen, starts, heads, dependents, labels, names)
    for place, sentence in zip(plain.tolist(), written, strict=True):
        result[place] = sentence
    for place in np.flatnonzero(decoded).tolist():
        here = slice(arcs.starts[place], arcs.starts[place + 1])
        own = [model.labels[label] for label in arcs.labels[here].tolist()]
        graph = zip(arcs.heads[here].tolist(), arcs.dependents[here].tolist(), own, strict=True)
        has_deps = sentences[place].format.index("deps") >= 0  # words may have no head in SDP
        result[place] = transform.decode(sentences[place], graph, complete=has_deps)
    return result
