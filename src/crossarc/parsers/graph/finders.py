"""What finds the trees of graph parsers: scores of all arcs and a decoder, in one go or in rounds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.decode.decoder import Decoder
from crossarc.decode.projective import Eisner
from crossarc.decode.spanning import ChuLiuEdmonds
from crossarc.decode.undirected import Undirected
from crossarc.factors.arcs import ArcFactors, RoundFactors
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel
from crossarc.features.templates import TemplateError
from crossarc.learning.scorers import PackedWeights
from crossarc.parsers.graph.lengths import Lengths, limits_of
from crossarc.parsers.graph.rounds import Rounds, round_numbers, tag_attribute
from crossarc.parsers.model import Arrays, Ints
from crossarc.parsers.settings import ArcSettings, GraphSettings, RoundSettings, UndirectedSettings

Scores = NDArray[np.float64]
Starts = NDArray[np.int64]
# How the scores of both directions become one; as in factors/.
COMBINED: dict[str, Callable[[Scores, Scores], Scores]] = {
    "mean": lambda a, b: (a + b) / 2,
    "product": lambda a, b: np.where(np.isinf(a), a, a * b),
    "max": np.maximum,
    "min": np.minimum,
}


class TreeFinder(ABC):
    """Finds trees by the scores of arcs."""

    lengths: Lengths | None

    @abstractmethod
    def find(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return the heads of all nodes, and the attributes of nodes as a label model sees them."""

    @abstractmethod
    def scores(self, tokens: Ints, *, whole: bool = False) -> Scores:
        """Return the scores that the trees of one sentence are compared by, at [dependent, head].

        With `whole` arcs of all lengths have one.
        """

    def extended(self, tokens: Ints) -> Ints:
        """Return the attributes of the nodes of one sentence as a label model sees them."""
        return tokens

    @abstractmethod
    def to_arrays(self) -> Arrays:
        """Return the weights as a model file keeps them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ArcFinder(TreeFinder):
    """A feature model, its weights and a decoder."""

    settings: GraphSettings
    features: EdgeModel
    single_root: bool
    weights: PackedWeights
    lengths: Lengths | None = None
    name: str = "arcs"  # of its arrays in a model file

    def factors(self, lengths: Lengths | None) -> ArcFactors:
        """Return the features and the decoder at work, for one thread."""
        return arc_factors(self.settings, self.features, self.single_root, lengths)

    def find(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return the heads of the best trees."""
        heads = np.full(len(tokens), -1, dtype=np.int32)
        factors = self.factors(self.lengths)
        self.find_trees(factors, tokens, starts, heads)
        if self.lengths is not None:
            self.lengths.count(factors)
        return heads, tokens

    def find_trees(self, factors: Any, tokens: Ints, starts: Starts, heads: Ints) -> None:
        """Set the heads of the best trees."""
        factors.find_trees(self.weights, tokens, starts, heads)

    def scores(self, tokens: Ints, *, whole: bool = False) -> Scores:
        """Return the scores of arcs; those of edges are the same both ways.

        A directed tree with one root stands for an undirected one and its root edge, so scores of edges serve as well.
        """
        scores = self.factors(None if whole else self.lengths).scores(self.weights, tokens)
        if isinstance(self.settings, UndirectedSettings) and self.settings.combine != "none":
            scores[1:, 1:] = COMBINED[self.settings.combine](scores[1:, 1:], scores[1:, 1:].T)
        return scores

    def to_arrays(self) -> Arrays:
        """Return the weights as a model file keeps them."""
        return self.weights.to_arrays(f"{self.name}.")


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundFinder(ArcFinder):
    """Rounds of Chu-Liu-Edmonds by part of speech."""

    settings: RoundSettings
    attributes: Attributes
    rounds: Rounds  # the tags of each
    label_places: NDArray[np.uint8]
    label_weights: PackedWeights | None  # whose labels later rounds see, if the settings want it

    def factors(self, lengths: Lengths | None) -> RoundFactors:  # type: ignore[override]
        """Return the rounds at work, for one thread."""
        what = (self.settings, self.features, self.single_root, lengths)
        return round_factors(*what, self.attributes, self.rounds, self.label_places)

    def find_trees(self, factors: Any, tokens: Ints, starts: Starts, heads: Ints) -> None:
        """Set the heads of the best trees, round by round."""
        labels = (self.label_weights,) if self.label_weights is not None else ()
        factors.find_trees(self.weights, tokens, starts, heads, *labels)


def decoder_of(settings: GraphSettings, single_root: bool) -> Decoder:
    """Return the decoder of the settings."""
    if isinstance(settings, UndirectedSettings):
        usual = "boruvka" if settings.lengths else "prim"
        return Undirected(single_root, usual if settings.method == "auto" else settings.method)
    return Eisner(single_root) if settings.is_projective else ChuLiuEdmonds(single_root)


def check_arcs(features: EdgeModel) -> None:
    """Refuse feature models without templates for arcs."""
    if not features.arc_terms:
        raise TemplateError(f"{features.name}: there are no templates for arcs; write some, or take labels = 'joint'")


def arc_factors(settings: GraphSettings, features: EdgeModel, single_root: bool, lengths: Lengths | None) -> ArcFactors:
    """Return the features and the decoder of the settings at work."""
    check_arcs(features)
    if len(features.late_singles) or len(features.late_pairs):
        raise TemplateError(f"{features.name}: only mst-bottom-up sees dependents while it looks for heads")
    decoder = decoder_of(settings, single_root)
    if isinstance(settings, ArcSettings):
        return ArcFactors(features, decoder, k_best=settings.k_best, **limits_of(lengths))
    if isinstance(settings, UndirectedSettings):
        limits = limits_of(lengths.of_edges() if lengths is not None else None)
        plain = settings.combine == "none"
        return ArcFactors(features, decoder, undirected=plain, combine=settings.combine, loss=settings.loss, **limits)
    return ArcFactors(features, decoder, **limits_of(lengths))


def round_factors(
    settings: RoundSettings,
    features: EdgeModel,
    single_root: bool,
    lengths: Lengths | None,
    attributes: Attributes,
    rounds: Rounds,
    label_places: NDArray[np.uint8],
) -> RoundFactors:
    """Return rounds at work."""
    check_arcs(features)
    tag = tag_attribute(features)
    column, numbers = features.attributes.index(tag), round_numbers(rounds, attributes.tables[tag])
    limits: dict[str, Any] = {
        "lengths": lengths.table if lengths is not None else None,
        "label_places": label_places if settings.child_labels else None,
    }
    return RoundFactors(features, ChuLiuEdmonds(single_root), column, numbers, settings.absorb, **limits)
