"""The graph of a sentence: labelled arcs between nodes, where a node may have several heads or none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import StructureError


@dataclass(frozen=True, eq=False)
class Graph:
    """Labelled arcs over the nodes of a sentence.

    Nodes are numbered by their place in the sentence: 0 is the dummy root, and without empty nodes the number of a
    word is its id. `nodes` gives the id of each as it stands in the file ("0", "1", ..., "8", "8.1", ...).
    Arc k goes from `heads[k]` to `dependents[k]` and is labelled `labels[k]`; arcs stand in order of the dependent.

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
