"""The graph of a sentence: labelled arcs between nodes, where a node may have several heads or none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import StructureError, TreebankError
from crossarc.treebank.fields import arcs_of
from crossarc.treebank.formats import CONLLU, Format

if TYPE_CHECKING:
    from crossarc.treebank.sentence import Sentence


# Head, dependent and label.
Arc = tuple[int, int, str]


@dataclass(frozen=True, eq=False)
class Graph:
    """Labelled arcs over the nodes of a sentence.

    Nodes are numbered by their place in the sentence: 0 is the dummy root, and without empty nodes the number of a
    word is its id. `nodes` gives the id of each as in the file ("0", "1", ..., "8", "8.1", ...).
    Arc k goes from `heads[k]` to `dependents[k]` and is labelled `labels[k]`; arcs are in order of the dependent.

    >>> graph = Graph.from_arcs(("0", "1", "2"), [(0, 2, "root"), (2, 1, "nsubj")])
    >>> list(graph)
    [(2, 1, 'nsubj'), (0, 2, 'root')]
    """

    nodes: tuple[str, ...]
    heads: NDArray[np.int32]
    dependents: NDArray[np.int32]
    labels: tuple[str, ...]

    @classmethod
    def from_arcs(cls, nodes: Iterable[str], arcs: Iterable[tuple[int, int, str]]) -> Graph:
        """Build a graph from (head, dependent, label) triples; the order within a dependent is kept."""
        nodes = tuple(nodes)
        ordered = sorted(arcs, key=lambda arc: arc[1])
        for head, dependent, label in ordered:
            if not (0 <= head < len(nodes) and 0 < dependent < len(nodes)):
                raise StructureError(
                    f"arc {head} -{label}-> {dependent} leaves the sentence, whose nodes are 0 to {len(nodes) - 1}"
                )
        heads = np.array([arc[0] for arc in ordered], dtype=np.int32)
        dependents = np.array([arc[1] for arc in ordered], dtype=np.int32)
        return cls(nodes, heads, dependents, tuple(arc[2] for arc in ordered))

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[tuple[int, int, str]]:
        return zip(self.heads.tolist(), self.dependents.tolist(), self.labels, strict=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return self.nodes == other.nodes and sorted(self) == sorted(other)

    __hash__ = None  # type: ignore[assignment]


def graph_of(sentence: Sentence) -> Graph:
    """The graph that DEPS, or the argument columns, of a sentence describe; a malformed one is an error."""
    arcs = arcs_of(sentence)
    if arcs is None:
        raise TreebankError(describe_fault(sentence))
    heads, dependents, labels = arcs
    return Graph(sentence.node_ids, heads, dependents, tuple(labels))


def describe_fault(sentence: Sentence) -> str:
    """The place and the reason why a sentence has no well-formed graph."""
    source = sentence.source or "<input>"
    if sentence.format.index("deps") < 0:
        flags = sentence.column("pred" if sentence.format.name == "sdp" else "fillpred")
        return (
            f"{source}:{sentence.line}: sentence {sentence.id!r}: {sum(flag in ('+', 'Y') for flag in flags)} "
            f"predicates need as many argument columns, but there are {len(sentence.arguments[0])}"
        )
    nodes = set(sentence.node_ids)
    tokens = (token for token in sentence.rows if not token.is_range)
    token, fault = next((token, fault) for token in tokens if (fault := deps_fault(token.deps, nodes)))
    place = f"{source}:{token.line}: sentence {sentence.id!r}: token {token.id}"
    return f"{place}: {fault}; crossarc validate shows all such faults"


def deps_fault(deps: str, nodes: Iterable[str]) -> str:
    """The fault of a DEPS field, "" if there is none."""
    if deps == "_":
        return ""
    for entry in deps.split("|"):
        head, _, label = entry.partition(":")
        if not head or not label:
            return f"DEPS has {entry!r}, which is not of the form head:label"
        if head not in nodes:
            return f"DEPS names the head {head!r}, which is not a node of the sentence"
    return ""


def label_fault(label: str, format: Format) -> str:
    """Why a format cannot hold the label of an arc, "" if it can."""
    if not label:
        return "is empty"
    if not {"\t", "\n", "\r"}.isdisjoint(label):
        return "has a tab or a line end"
    if format.extra:
        return "means that there is no arc" if label == "_" else ""
    return "has a '|', which separates the entries of DEPS" if "|" in label else ""


def check_graph(graph: Graph, nodes: tuple[str, ...], format: Format) -> None:
    """Raise if a sentence with some nodes cannot have a graph in a format."""
    if graph.nodes != nodes:
        raise StructureError("the graph is one over other nodes than the sentence has")
    for label in set(graph.labels):
        fault = label_fault(label, format)
        if fault:
            raise TreebankError(f"the label {label!r} {fault}")


def format_deps(graph: Graph, nodes: tuple[str, ...]) -> list[str]:
    """The DEPS field of each node, with heads in the order of their places."""
    check_graph(graph, nodes, CONLLU)
    entries: list[list[tuple[int, str]]] = [[] for _ in nodes]
    for head, dependent, label in graph:
        entries[dependent].append((head, label))
    return ["|".join(f"{nodes[head]}:{label}" for head, label in sorted(each)) or "_" for each in entries]
