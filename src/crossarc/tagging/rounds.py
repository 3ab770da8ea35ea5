"""A round of tagging: each word gets a label, from left to right, by a feature model and learned weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays
from crossarc.errors import CrossarcError
from crossarc.features.encoding import SOURCES
from crossarc.features.templates import FeatureModel, parse_model
from crossarc.learning.learners import Mira
from crossarc.learning.scorers import PackedWeights, Weights
from crossarc.tagging.labels import Ints
from crossarc.transitions.search import Greedy
from crossarc.transitions.stack_systems import Tagging
from crossarc.transitions.system import Targets
from crossarc.transitions.training import train

GIVEN = "upos"  # the attribute that is the tag of the round before
EXPLORE = 0.9  # how often training goes on from a wrong tag, as happens in tagging
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

    @classmethod
    def stored(cls, text: str, arrays: Arrays, labels: int, columns: Sequence[str]) -> Round:
        """Return the round with a feature model, whose features come from some columns alone, and stored weights.

        Damaged ones are a `ValueError` or a `LookupError`.
        """
        try:
            features = parse_model(text)
            search_of(features, labels)
        except (CrossarcError, TypeError, AttributeError, OSError) as error:
            raise ValueError(f"the feature model of the tagger is damaged: {error}") from None
        if any(SOURCES[name.partition("[")[0]] not in columns for name in features.attributes):
            raise ValueError("the feature model of the tagger looks at other columns")
        return cls(features, PackedWeights.from_arrays(arrays, labels))


class RoundTrainer:
    """Learns the labels of sentences: a feature model, what it sees, and the weights so far.

    `seed` is that of the choices in training, `cut` and `cost` are those of `Tagger`.
    """

    def __init__(
        self,
        features: FeatureModel,
        rows: Ints,
        labels: Ints,
        starts: NDArray[np.int64],
        count: int,
        *,
        seed: int,
        cut: int,
        cost: float,
    ) -> None:
        heads = np.where(labels >= 0, 0, -1).astype(np.int32)
        self.features = features
        self.rows = rows
        self.targets = Targets(heads, labels, starts)
        self.search = search_of(features, count)
        self.seed, self.cut = seed, cut
        self.rule = Mira(cost)
        self.weights = self.first_weights()

    def first_weights(self) -> Weights:
        """Return weights that have learned nothing."""
        weights = Weights(self.search.action_count, self.cut)
        weights.random = (2 * self.seed + 1) % 2**64
        return weights

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many words they have and how many of them were wrong."""
        return train(self.search, self.weights, self.rule, self.rows, self.targets, sentences, EXPLORE)

    def packed(self) -> Round:
        """Return the round with the weights as they are now, averaged."""
        return Round(self.features, self.weights.pack(PRUNE))

    def fit(self, sentences: NDArray[np.int64], epochs: int) -> Round:
        """Return the round that learns from some sentences alone, in so many epochs."""
        self.weights, shuffle = self.first_weights(), np.random.default_rng(self.seed)
        for _ in range(epochs):
            self.learn(shuffle.permutation(sentences))
        return self.packed()
