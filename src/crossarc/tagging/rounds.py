"""A round of tagging: each word gets a label, from left to right, by a feature model and learned weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError
from crossarc.features.encoding import SOURCES
from crossarc.features.templates import FeatureModel, parse_model
from crossarc.learning.learners import Mira
from crossarc.learning.scorers import PackedWeights, Weights
from crossarc.tagging.labels import Ints
from crossarc.transitions.search import Greedy
from crossarc.transitions.stack_systems import Tagging
from crossarc.transitions.system import Targets

Arrays = Mapping[str, NDArray[Any]]

GIVEN = "upos"  # the attribute that is the tag of the round before
EXPLORE = 0.9  # how often training goes on from a wrong tag, as tagging will have to
PRUNE = 0.01  # weights below this share of the greatest are left out


def search_of(features: FeatureModel, labels: int) -> Greedy:
    """Return the search for labels."""
    return Greedy(Tagging(), features, np.zeros(labels), np.arange(labels), len(features.attributes))


def columns_of(features: FeatureModel, attributes: Sequence[str], tokens: Ints, given: Ints | None) -> Ints:
    """Return the attributes of all nodes that a feature model looks at, in its order."""
    rows = np.empty((len(tokens), len(features.attributes)), dtype=np.int32)
    for place, name in enumerate(features.attributes):
        rows[:, place] = given if name == GIVEN and given is not None else tokens[:, attributes.index(name)]
    return rows


@dataclass(frozen=True, eq=False)
class Round:
    """A trained round: a feature model, and its weights for each label."""

    features: FeatureModel
    scorer: PackedWeights

    def label(self, rows: Ints, starts: NDArray[np.int64]) -> Ints:
        """Return the numbers of the labels of all nodes, -1 for node 0."""
        heads = np.full(len(rows), -1, dtype=np.int32)
        labels = np.full(len(rows), -1, dtype=np.int32)
        if len(rows):
            search_of(self.features, self.scorer.actions).parse(self.scorer, rows, starts, heads, labels, 0)
        return labels

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return what a model file keeps."""
        text = np.frombuffer(self.features.text.encode(), dtype=np.uint8)
        return {f"{prefix}features": text, **self.scorer.to_arrays(prefix)}

    @classmethod
    def from_arrays(cls, arrays: Arrays, prefix: str, labels: int, columns: Sequence[str]) -> Round:
        """Return the round that a model file keeps, whose features come from some columns alone.

        Damaged arrays are a `ValueError` or a `LookupError`.
        """
        try:
            features = parse_model(bytes(arrays[f"{prefix}features"]).decode())
            search_of(features, labels)
        except (CrossarcError, TypeError, AttributeError, OSError) as error:
            raise ValueError(f"the feature model of the tagger is damaged: {error}") from None
        if any(SOURCES[name.partition("[")[0]] not in columns for name in features.attributes):
            raise ValueError("the feature model of the tagger looks at other columns")
        return cls(features, PackedWeights.from_arrays(dict(arrays), labels, prefix))


class RoundTrainer:
    """Learns the labels of sentences, one epoch after the other."""

    def __init__(self, features: FeatureModel, rows: Ints, labels: Ints, starts: NDArray[np.int64], count: int) -> None:
        heads = np.where(labels >= 0, 0, -1).astype(np.int32)
        self.features = features
        self.rows = rows
        self.targets = Targets(heads, labels, starts)
        self.search = search_of(features, count)
        self.count = count

    def epochs(
        self, sentences: NDArray[np.int64], *, epochs: int, seed: int, cut: int, cost: float
    ) -> Iterator[tuple[Weights, float]]:
        """Yield the weights and the share of wrong decisions after each epoch over some of the sentences."""
        randomness = np.random.default_rng(seed)
        weights = Weights(self.count, cut)
        weights.random = (2 * seed + 1) % 2**64
        rule = Mira(cost)
        for _ in range(epochs):
            order = randomness.permutation(sentences)
            decisions, wrong = self.search.train(weights, rule, self.rows, self.targets, order, EXPLORE)
            yield weights, wrong / max(1, decisions)

    def packed(self, weights: Weights) -> Round:
        """Return the round with the weights as they are now, averaged."""
        return Round(self.features, weights.pack(PRUNE))

    def fit(self, sentences: NDArray[np.int64], **settings: Any) -> Round:
        """Return the round after all epochs."""
        *_, (weights, _) = self.epochs(sentences, **settings)
        return self.packed(weights)
