"""Transition parsers that give graphs, in which words may have several heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays
from crossarc.components.description import Count, Description
from crossarc.errors import CrossarcError
from crossarc.features.attributes import TREE_HEAD
from crossarc.parsers.description import GraphDescription
from crossarc.parsers.graphs import Arcs, Graphs
from crossarc.parsers.model import GraphModel, Ints
from crossarc.parsers.moves.model import MoveModel, tag_column
from crossarc.parsers.moves.settings import MoveGraphSettings
from crossarc.parsers.moves.trainer import MoveTrainer
from crossarc.transitions.registry import get_graph_system
from crossarc.transitions.system import GraphTargets, TransitionSystem
from crossarc.treebank.corpus import Corpus


class MoveGraphDescription(GraphDescription):
    """The manifest of a transition parser of graphs."""

    stages: None
    keys: Count = 0  # of features that see the labels of all heads


@dataclass(frozen=True, eq=False)
class MoveGraphModel(GraphModel, MoveModel):
    """A trained transition parser that gives graphs."""

    description: ClassVar[type[Description]] = MoveGraphDescription
    settings: MoveGraphSettings
    most_heads: int = 1
    most_parallel: int = 1

    @property
    def system(self) -> TransitionSystem:
        """The transition system."""
        return graph_system(self.settings, self.single_root, self.most_heads, self.most_parallel)

    def parse_graphs(self, corpus: Corpus) -> Arcs:
        """Return the arcs of the graphs of a corpus."""
        tokens = self.attributes.encode(corpus)
        left_over = len(self.labels)  # which is not a label
        found = self.search.parse_graphs(self.scorer, tokens, corpus.starts, left_over)
        heads, dependents, labels, starts = found
        left = labels == left_over
        if left.any():
            words = (np.repeat(corpus.starts[:-1], np.diff(starts)) + dependents)[left]
            tag = tag_column(self.features)
            labels = np.array(labels)
            labels[left] = self.root_labels[tokens[words, tag] if tag >= 0 else 0]
        return Arcs(starts, heads, dependents, labels)

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        manifest, arrays = super().to_arrays()
        return {**manifest, "most_heads": self.most_heads, "most_parallel": self.most_parallel}, arrays

    @classmethod
    def stored_fields(cls, manifest: dict[str, Any]) -> dict[str, Any]:
        """Return the limits of the graphs."""
        return {name: manifest[name] for name in ("most_heads", "most_parallel")}


class MoveGraphTrainer(MoveTrainer):
    """Graphs as the moves of a transition system that build them, and the weights of these moves."""

    settings: MoveGraphSettings
    model_type = MoveGraphModel

    def __init__(self, graphs: Graphs, settings: MoveGraphSettings, init: MoveGraphModel | None) -> None:
        super().__init__(graphs, settings, init)
        if TREE_HEAD in self.features.attributes:
            if not self.settings.use_tree:
                raise CrossarcError(f"the features {self.settings.features} look at a given tree: set use_tree = true")
            if not (graphs.corpus["head"] >= 0).any():
                raise CrossarcError("use_tree: no sentence has a tree in HEAD; give some, or leave it out")

    def prepare(self, graphs: Graphs, init: MoveGraphModel | None) -> tuple[TransitionSystem, GraphTargets, int]:
        """Return the system, the graphs that it is to build, and the number of labels that its actions have."""
        self.limits = graphs.most_arcs()
        if init is not None:
            self.limits = max(self.limits[0], init.most_heads), max(self.limits[1], init.most_parallel)
        return graph_system(self.settings, self.single_root, *self.limits), targets_of(graphs), len(graphs.names)

    def roots_of(self, graphs: Graphs) -> tuple[NDArray[np.int64], Ints]:
        """Return the words under node 0, as places in the arrays of nodes, and their labels."""
        arcs = graphs.arcs
        nodes = np.repeat(graphs.corpus.starts[:-1], np.diff(arcs.starts)) + arcs.dependents
        return nodes[arcs.heads == 0], arcs.labels[arcs.heads == 0]

    def own_fields(self) -> dict[str, Any]:
        """Return the limits of the graphs."""
        return {"most_heads": self.limits[0], "most_parallel": self.limits[1]}


def graph_system(
    settings: MoveGraphSettings, single_root: bool, most_heads: int, most_parallel: int
) -> TransitionSystem:
    """Return the transition system of the settings."""
    limits = {"most_heads": most_heads, "most_parallel": most_parallel}
    allows_cycles = settings.cycles == "allow"
    return get_graph_system(settings.system, single_root=single_root, allows_cycles=allows_cycles, **limits)


def targets_of(graphs: Graphs) -> GraphTargets:
    """Return graphs as the targets of a transition parser."""
    arcs = graphs.arcs
    return GraphTargets(arcs.heads, arcs.dependents, arcs.labels, arcs.starts, graphs.corpus.starts)
