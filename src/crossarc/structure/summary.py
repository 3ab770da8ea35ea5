"""A treebank in figures: its size, the classes of its trees and of its graphs.

Sentences are taken in chunks, so that a file of any size streams through in the memory of one chunk; only the
distinct labels and tags are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import TreebankError
from crossarc.structure.graphs import is_acyclic, is_projective_graph, multi_headed
from crossarc.structure.trees import classify
from crossarc.treebank.graph import Graph
from crossarc.treebank.sentence import Sentence

CHUNK_WORDS = 50_000
UNSPECIFIED = frozenset(("", "_"))


def percent(part: float, whole: float) -> float:
    """A share in percent, 0 of nothing."""
    return 100 * part / whole if whole else 0.0


@dataclass(frozen=True)
class Graphs:
    """The graphs of a treebank; all are counts over sentences with a graph that can be read.

    `nodes` are words and empty nodes. A reentrancy is a head beyond a node's first, node 0 counted as a head; several
    arcs from one head are one arc here. `differing` graphs have other arcs than the tree, whatever the labels.
    """

    sentences: int = 0
    unusable: int = 0
    differing: int = 0
    nodes: int = 0
    arcs: int = 0
    multi_headed: int = 0
    reentrancies: int = 0
    cyclic: int = 0
    projective: int = 0

    @property
    def arcs_per_node(self) -> float:
        """The mean number of heads."""
        return self.arcs / self.nodes if self.nodes else 0.0

    @property
    def multi_headed_percent(self) -> float:
        """The share of nodes with several heads."""
        return percent(self.multi_headed, self.nodes)

    def to_dict(self) -> dict[str, Any]:
        """The counts with the shares that follow from them."""
        return counts(self) | {
            "arcs_per_node": self.arcs_per_node,
            "percent": {
                "multi_headed": self.multi_headed_percent,
                "differing": percent(self.differing, self.sentences),
                "cyclic": percent(self.cyclic, self.sentences),
                "projective": percent(self.projective, self.sentences),
            },
        }


@dataclass(frozen=True)
class Summary:
    """A treebank in figures. All are counts unless they say mean or max.

    `unusable` sentences have no tree: a head is missing or wrong, or there is a cycle. They count as
    sentences with their words, and nowhere else: `trees` is the number of the others, from which come the
    classes, depths and lengths. Each class holds the one before: projective, planar, two-planar. The length
    of a dependency is the distance of its two words; arcs from node 0 have none. `histograms` gives for each
    sentence length, tree depth and dependency length, from 0 on, how many there are.
    """

    sentences: int = 0
    words: int = 0
    ranges: int = 0
    empty_nodes: int = 0
    labels: int = 0
    upos: int = 0
    xpos: int = 0
    sentence_length_mean: float = 0.0
    sentence_length_max: int = 0
    unusable: int = 0
    trees: int = 0
    tree_words: int = 0
    several_roots: int = 0
    projective: int = 0
    planar: int = 0
    two_planar: int = 0
    well_nested: int = 0
    gap_degree_at_most_1: int = 0
    gap_degree_max: int = 0
    edge_degree_max: int = 0
    planes_max: int = 0
    non_projective_edges: int = 0
    crossing_pairs: int = 0
    depth_mean: float = 0.0
    depth_max: int = 0
    dependency_length_mean: float = 0.0
    dependency_length_max: int = 0
    graphs: Graphs = field(default_factory=Graphs)
    histograms: dict[str, list[int]] = field(default_factory=dict)

    def share(self, count: int) -> float:
        """A count of trees in percent of all trees."""
        return percent(count, self.trees)

    @property
    def non_projective_percent(self) -> float:
        """The share of words whose edge is non-projective."""
        return percent(self.non_projective_edges, self.tree_words)

    @property
    def partition(self) -> dict[str, int]:
        """The trees by the narrowest class that holds them."""
        return {
            "projective": self.projective,
            "planar": self.planar - self.projective,
            "two_planar": self.two_planar - self.planar,
            "other": self.trees - self.two_planar,
        }

    def to_dict(self) -> dict[str, Any]:
        """The figures with the shares that follow from them, ready for JSON."""
        classes = ("projective", "planar", "two_planar", "well_nested", "gap_degree_at_most_1", "several_roots")
        return counts(self) | {
            "partition": self.partition,
            "percent": {name: self.share(getattr(self, name)) for name in classes}
            | {"non_projective_edges": self.non_projective_percent},
            "partition_percent": {name: self.share(count) for name, count in self.partition.items()},
            "graphs": self.graphs.to_dict(),
            "histograms": self.histograms,
        }


def counts(summary: Summary | Graphs) -> dict[str, Any]:
    """The plain figures of a summary by name."""
    nested = ("graphs", "histograms")
    return {each.name: getattr(summary, each.name) for each in fields(summary) if each.name not in nested}


def summarise(sentences: Iterable[Sentence]) -> Summary:
    """The figures of a treebank, in one pass and with bounded memory.

    >>> from crossarc.treebank import Sentence
    >>> tree = Sentence.from_columns(forms=["", *"abcd"], heads=[-1, 3, 4, 0, 3], deprels=["", "x", "x", "y", "x"])
    >>> found = summarise([tree])
    >>> found.words, found.labels, found.projective, found.two_planar, found.non_projective_edges
    (4, 2, 0, 1, 1)
    """
    tally = Tally()
    for chunk in chunked(sentences):
        tally.add(chunk)
    return tally.result()


def chunked(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Sentences in lists of about as many words."""
    chunk: list[Sentence] = []
    words = 0
    for sentence in sentences:
        chunk.append(sentence)
        words += len(sentence) + 1
        if words >= CHUNK_WORDS:
            yield chunk
            chunk, words = [], 0
    if chunk:
        yield chunk


class Tally:
    """Sums and maxima over the chunks seen so far."""

    def __init__(self) -> None:
        self.sums: dict[str, int] = {}
        self.graph_sums: dict[str, int] = {}
        self.tops: dict[str, int] = {}
        self.histograms: dict[str, NDArray[np.int64]] = {}
        self.labels: set[str] = set()
        self.upos: set[str] = set()
        self.xpos: set[str] = set()

    def count(self, **sums: int | np.integer[Any]) -> None:
        """Add to sums."""
        for name, value in sums.items():
            self.sums[name] = self.sums.get(name, 0) + int(value)

    def top(self, **values: NDArray[Any]) -> None:
        """Raise maxima."""
        for name, value in values.items():
            self.tops[name] = max(self.tops.get(name, 0), int(value.max(initial=0)))

    def spread(self, **values: NDArray[Any]) -> None:
        """Add to histograms."""
        for name, new in values.items():
            old = self.histograms.get(name, np.zeros(0, dtype=np.int64))
            found = np.bincount(new, minlength=len(old)).astype(np.int64)
            found[: len(old)] += old
            self.histograms[name] = found

    def add(self, chunk: list[Sentence]) -> None:
        """Take in a chunk of sentences."""
        for sentence in chunk:
            self.labels.update(sentence.deprels)
            self.upos.update(sentence.upos)
            self.xpos.update(sentence.xpos)
            self.count(ranges=len(sentence.ranges), empty_nodes=len(sentence.empty_nodes))
        lengths = np.array([len(sentence) for sentence in chunk])
        self.count(sentences=len(chunk), words=lengths.sum())
        self.top(sentence_length_max=lengths)
        self.spread(sentence_length=lengths)
        valid = self.add_trees([sentence.heads for sentence in chunk])
        for sentence, is_tree in zip(chunk, valid.tolist(), strict=True):
            if sentence.has_graph:
                self.add_graph(sentence, is_tree)

    def add_trees(self, trees: list[NDArray[np.int32]]) -> NDArray[np.bool_]:
        """Take in the heads of a chunk; return which of them are trees."""
        starts = np.zeros(len(trees) + 1, dtype=np.int64)
        np.cumsum([len(heads) for heads in trees], out=starts[1:])
        flat = np.concatenate(trees)
        found = classify(flat, starts, errors="skip")
        valid = found.valid
        self.count(
            unusable=np.count_nonzero(~valid),
            trees=np.count_nonzero(valid),
            tree_words=found.words.sum(),
            several_roots=np.count_nonzero(found.roots > 1),
            projective=np.count_nonzero(found.projective),
            planar=np.count_nonzero(found.planar),
            two_planar=np.count_nonzero(valid & (found.planes <= 2)),
            well_nested=np.count_nonzero(found.well_nested),
            gap_degree_at_most_1=np.count_nonzero(valid & (found.gap_degree <= 1)),
            non_projective_edges=found.non_projective.sum(),
            crossing_pairs=found.crossings.sum(),
            depth=found.depth.sum(),
        )
        self.top(
            depth_max=found.depth,
            gap_degree_max=found.gap_degree,
            edge_degree_max=found.edge_degree,
            planes_max=found.planes,
        )
        places = np.arange(len(flat)) - np.repeat(starts[:-1], np.diff(starts))
        distances = np.abs(places - flat)[(flat > 0) & np.repeat(valid, np.diff(starts))]
        self.count(distances=distances.sum(), dependencies=len(distances))
        self.top(dependency_length_max=distances)
        self.spread(depth=found.depth[valid], dependency_length=distances)
        return valid

    def add_graph(self, sentence: Sentence, is_tree: bool) -> None:
        """Take in the graph of a sentence."""
        sums = self.graph_sums
        try:
            graph = sentence.graph
        except TreebankError:
            sums["unusable"] = sums.get("unusable", 0) + 1
            return
        arcs = set(zip(graph.heads.tolist(), graph.dependents.tolist(), strict=True))
        figures: dict[str, int] = {
            "sentences": 1,
            "differing": is_tree and arcs != tree_arcs(sentence.heads, graph),
            "nodes": len(graph.nodes) - 1,
            "arcs": len(arcs),
            "multi_headed": len(multi_headed(graph)),
            "reentrancies": len(arcs) - len({dependent for _, dependent in arcs}),
            "cyclic": not is_acyclic(graph),
            "projective": is_projective_graph(graph),
        }
        for name, value in figures.items():
            sums[name] = sums.get(name, 0) + value

    def result(self) -> Summary:
        """The summary of all chunks."""
        sums = dict(self.sums)
        depth = sums.pop("depth", 0)
        distances = sums.pop("distances", 0)
        dependencies = sums.pop("dependencies", 0)
        return Summary(
            **sums,
            **self.tops,
            labels=len(self.labels - UNSPECIFIED),
            upos=len(self.upos - UNSPECIFIED),
            xpos=len(self.xpos - UNSPECIFIED),
            sentence_length_mean=sums.get("words", 0) / max(1, sums.get("sentences", 0)),
            depth_mean=depth / max(1, sums.get("trees", 0)),
            dependency_length_mean=distances / max(1, dependencies),
            graphs=Graphs(**self.graph_sums),
            histograms={name: values.tolist() for name, values in self.histograms.items()},
        )


def tree_arcs(heads: NDArray[np.int32], graph: Graph) -> set[tuple[int, int]]:
    """The arcs of a tree between the nodes of a graph, whose empty nodes (with a point) are skipped."""
    places = [place for place, node in enumerate(graph.nodes) if "." not in node]
    return {(places[head], places[word]) for word, head in enumerate(heads.tolist()) if word}
