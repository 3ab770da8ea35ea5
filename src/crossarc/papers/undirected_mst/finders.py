"""Finders of undirected trees: alone, enhanced by a directed model, or below a third one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from crossarc.components.component import Arrays
from crossarc.decode.undirected import Undirected
from crossarc.factors.arcs import ArcFactors
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import PackedWeights
from crossarc.papers.undirected_mst.guesses import with_guesses
from crossarc.papers.undirected_mst.settings import UndirectedSettings, directed_settings
from crossarc.parsers.arcs.finders import ArcFinder, Scores, Starts, TreeFinder, check_arcs
from crossarc.parsers.arcs.lengths import Lengths, limits_of
from crossarc.parsers.model import Ints

# How the scores of both directions become one; as in factors/.
COMBINED: dict[str, Callable[[Scores, Scores], Scores]] = {
    "mean": lambda a, b: (a + b) / 2,
    "product": lambda a, b: np.where(np.isinf(a), a, a * b),
    "max": np.maximum,
    "min": np.minimum,
}


def undirected_factors(
    settings: UndirectedSettings, features: EdgeModel, single_root: bool, lengths: Lengths | None
) -> ArcFactors:
    """Return the features and the decoder of undirected trees at work."""
    check_arcs(features)
    usual = "boruvka" if settings.lengths else "prim"
    decoder = Undirected(single_root, usual if settings.method == "auto" else settings.method)
    limits = limits_of(lengths.of_edges() if lengths is not None else None)
    plain = settings.combine == "none"
    return ArcFactors(features, decoder, undirected=plain, combine=settings.combine, loss=settings.loss, **limits)


@dataclass(frozen=True, eq=False, kw_only=True)
class UndirectedFinder(ArcFinder):
    """Undirected trees, whose directions lead away from node 0."""

    settings: UndirectedSettings
    finds_best: ClassVar[bool] = False

    def factors(self, lengths: Lengths | None) -> ArcFactors:
        """Return the features and the decoder at work, for one thread."""
        return undirected_factors(self.settings, self.features, self.single_root, lengths)

    def scores(self, tokens: Ints, *, whole: bool = False) -> Scores:
        """Return the scores of edges, which are the same both ways.

        A directed tree with one root stands for an undirected one and its root edge, so scores of edges serve as well.
        """
        scores = super().scores(tokens, whole=whole)
        if self.settings.combine != "none":
            scores[1:, 1:] = COMBINED[self.settings.combine](scores[1:, 1:], scores[1:, 1:].T)
        return scores


@dataclass(frozen=True, eq=False)
class EnhancedFinder(TreeFinder):
    """Undirected trees in which a directed model reverses up to so many arcs (local enhancement)."""

    undirected: UndirectedFinder
    directed: ArcFinder
    rounds: int

    @property
    def lengths(self) -> Lengths | None:  # type: ignore[override]
        """Those of the undirected trees."""
        return self.undirected.lengths

    def find(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return the heads of the enhanced trees."""
        heads, _ = self.undirected.find(tokens, starts)
        factors = self.directed.factors(self.directed.lengths)
        factors.enhance_trees(self.directed.weights, tokens, starts, heads, self.rounds)
        return heads, tokens

    def scores(self, tokens: Ints, *, whole: bool = False) -> Scores:
        """Return the sum of both models' scores."""
        return self.undirected.scores(tokens, whole=whole) + self.directed.scores(tokens, whole=whole)

    def guess(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return the heads of all nodes in the best directed tree and in the enhanced undirected one."""
        return self.directed.find(tokens, starts)[0], self.find(tokens, starts)[0]

    def to_arrays(self) -> Arrays:
        """Return the weights of both as a model file keeps them."""
        return self.undirected.to_arrays() | self.directed.to_arrays()


def enhanced_finder(shared: dict[str, Any], undirected: PackedWeights, directed: PackedWeights) -> EnhancedFinder:
    """Return an undirected finder together with a directed one, which scores both directions of the same edges."""
    settings, lengths = shared["settings"], shared["lengths"]
    if not isinstance(settings, UndirectedSettings):
        raise ValueError("the settings belong to another family")
    options = {**shared, "settings": directed_settings(settings), "lengths": lengths and lengths.of_edges()}
    return EnhancedFinder(
        UndirectedFinder(**shared, weights=undirected),
        ArcFinder(**options, weights=directed, name="directed"),
        settings.enhance,
    )


@dataclass(frozen=True, eq=False)
class StackedFinder(TreeFinder):
    """A directed model that sees the trees of two others."""

    below: EnhancedFinder
    top: ArcFinder

    @property
    def lengths(self) -> Lengths | None:  # type: ignore[override]
        """Those of the model on top."""
        return self.top.lengths

    def find(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return the heads of the best trees, and the words with the guesses of the models below."""
        extended = self.with_guesses(tokens, starts)
        return self.top.find(extended, starts)[0], extended

    def with_guesses(self, tokens: Ints, starts: Starts) -> Ints:
        """Return the attributes of words with those that the trees of the models below give them."""
        return with_guesses(tokens, self.below.directed.features, starts, *self.below.guess(tokens, starts))

    def extended(self, tokens: Ints) -> Ints:
        """Return the words of one sentence with guesses."""
        return self.with_guesses(tokens, np.array([0, len(tokens)]))

    def scores(self, tokens: Ints, *, whole: bool = False) -> Scores:
        """Return the scores of the model on top."""
        return self.top.scores(self.extended(tokens), whole=whole)

    def to_arrays(self) -> Arrays:
        """Return the weights of all three as a model file keeps them."""
        return self.below.to_arrays() | self.top.to_arrays()


def top_finder(below: EnhancedFinder, features: EdgeModel, top: PackedWeights, lengths: Lengths | None) -> ArcFinder:
    """Return the finder on top of two others."""
    return replace(below.directed, features=features, weights=top, lengths=lengths, name="stacked")
