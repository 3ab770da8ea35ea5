"""The finders of parsers that score arcs: scores of all arcs and a decoder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays
from crossarc.decode.decoder import Decoder
from crossarc.decode.projective import Eisner
from crossarc.decode.spanning import ChuLiuEdmonds
from crossarc.factors.arcs import ArcFactors
from crossarc.features.edges import EdgeModel
from crossarc.features.templates import TemplateError
from crossarc.learning.scorers import PackedWeights
from crossarc.parsers.arcs.lengths import Lengths, limits_of
from crossarc.parsers.arcs.settings import ArcSettings
from crossarc.parsers.model import Ints

Scores = NDArray[np.float64]
Starts = NDArray[np.int64]


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

    settings: ArcSettings
    features: EdgeModel
    single_root: bool
    weights: PackedWeights
    lengths: Lengths | None = None
    name: str = "arcs"  # of its arrays in a model file
    finds_best: ClassVar[bool] = True  # whether its trees are the best ones by its scores, with the decoder of them all

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
        """Return the scores of arcs."""
        return self.factors(None if whole else self.lengths).scores(self.weights, tokens)

    def to_arrays(self) -> Arrays:
        """Return the weights as a model file keeps them."""
        return self.weights.to_arrays(f"{self.name}.")


def check_arcs(features: EdgeModel, late: bool = False) -> None:
    """Refuse models without templates for arcs and, unless `late`, templates that see dependents found earlier."""
    if not features.arc_terms:
        raise TemplateError(f"{features.name}: there are no templates for arcs; write some, or take labels = 'joint'")
    if not late and (len(features.late_singles) or len(features.late_pairs)):
        raise TemplateError(f"{features.name}: only mst-bottom-up sees dependents while it looks for heads")


def decoder_of(settings: ArcSettings, single_root: bool) -> Decoder:
    """Return the decoder of the settings."""
    return Eisner(single_root) if settings.is_projective else ChuLiuEdmonds(single_root)


def arc_factors(settings: ArcSettings, features: EdgeModel, single_root: bool, lengths: Lengths | None) -> ArcFactors:
    """Return the features and the decoder of the settings at work."""
    check_arcs(features)
    return ArcFactors(features, decoder_of(settings, single_root), **limits_of(lengths))
