"""Trained parsers with undirected spanning trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from crossarc.components.component import Arrays
from crossarc.components.description import Description
from crossarc.factors.arcs import ARC_WEIGHTS
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import PackedWeights
from crossarc.papers.undirected_mst.finders import (
    EnhancedFinder,
    StackedFinder,
    UndirectedFinder,
    enhanced_finder,
    top_finder,
)
from crossarc.papers.undirected_mst.guesses import read_stacked
from crossarc.parsers.arcs.finders import TreeFinder
from crossarc.parsers.arcs.lengths import Lengths
from crossarc.parsers.arcs.model import ArcTreeModel
from crossarc.parsers.arcs.storage import ArcDescription


@dataclass(frozen=True, eq=False)
class UndirectedModel(ArcTreeModel):
    """A parser that finds an undirected tree, whose directions lead away from node 0."""

    finder_type = UndirectedFinder


@dataclass(frozen=True, eq=False)
class EnhancedModel(UndirectedModel):
    """An undirected parser whose trees a directed model enhances."""

    finder: EnhancedFinder

    @classmethod
    def stored_finder(
        cls, shared: dict[str, Any], attributes: Attributes, manifest: dict[str, Any], arrays: Arrays
    ) -> tuple[TreeFinder, EdgeModel]:
        """Return the finder of trees by the weights of a file, and the features of its label model."""
        undirected, directed = (
            PackedWeights.from_arrays(arrays, ARC_WEIGHTS, f"{name}.") for name in ("arcs", "directed")
        )
        return enhanced_finder(shared, undirected, directed), shared["features"]


class StackedDescription(ArcDescription):
    """The manifest of a parser that sees two trees."""

    stacked: str  # the features of the model on top


@dataclass(frozen=True, eq=False)
class StackedModel(UndirectedModel):
    """A parser that sees the trees of a directed and an undirected one."""

    description: ClassVar[type[Description]] = StackedDescription
    finder: StackedFinder

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        manifest, arrays = super().to_arrays()
        return {**manifest, "stacked": self.label_features.text}, arrays

    @classmethod
    def stored_finder(
        cls, shared: dict[str, Any], attributes: Attributes, manifest: dict[str, Any], arrays: Arrays
    ) -> tuple[TreeFinder, EdgeModel]:
        """Return the finder of trees by the weights of a file, and the features of its label model."""
        names = ("arcs", "directed", "stacked")
        undirected, directed, top = (PackedWeights.from_arrays(arrays, ARC_WEIGHTS, f"{name}.") for name in names)
        top_features = read_stacked(manifest["stacked"], shared["features"])
        lengths: Lengths | None = shared["lengths"]
        own = Lengths(lengths.table, lengths.column) if lengths is not None else None  # with counters of their own
        below = enhanced_finder({**shared, "lengths": own}, undirected, directed)
        return StackedFinder(below, top_finder(below, top_features, top, lengths)), top_features
