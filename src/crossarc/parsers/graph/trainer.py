"""How a graph parser is trained: weights of arcs from whole trees, weights of labels from the arcs of gold trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError
from crossarc.factors.arcs import ARC_WEIGHTS, ArcFactors, LabelFactors, RoundFactors
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel, fit_edge_model, load_edge_model
from crossarc.learning.scorers import PackedWeights, SingleWeights, Weights
from crossarc.parsers.graph.finders import ArcFinder, RoundFinder, Starts, TreeFinder, arc_factors, round_factors
from crossarc.parsers.graph.lengths import Lengths, greatest_lengths, tag_column
from crossarc.parsers.graph.model import GraphModel, JointModel, RoundModel, joint_factors
from crossarc.parsers.graph.rounds import Rounds, rounds_of
from crossarc.parsers.model import Arrays, Ints, part, prefixed
from crossarc.parsers.settings import ArcSettings, GraphSettings, RoundSettings, UndirectedSettings
from crossarc.parsers.trainer import Trainer
from crossarc.parsers.trees import Trees

if TYPE_CHECKING:
    from crossarc.learning.scorers import Rows


@dataclass(frozen=True, eq=False)
class Material:
    """What all parts of a graph parser learn from: trees in numbers, and the vocabulary that numbers them.

    The labels and words of a known model keep their numbers; new ones come behind them.
    """

    settings: GraphSettings
    trees: Trees
    features: EdgeModel
    attributes: Attributes
    label_places: NDArray[np.uint8]
    single_root: bool
    tokens: Ints
    greatest: Ints | None  # lengths of arcs by tags

    @classmethod
    def of(
        cls, trees: Trees, settings: GraphSettings, init: GraphModel | None, known: GraphModel | None = None
    ) -> Material:
        """Return the material of trees; `known` is a directed model whose numbers are kept, by default `init`."""
        known = known if known is not None else init
        trees = trees.numbered(known.labels if known is not None else [])
        places = trees.label_places(known.label_places if known is not None else None)
        single_root = trees.single_roots(settings, init.single_root if init is not None else None)
        corpus = trees.corpus
        features = fit_edge_model(load_edge_model(settings.features), corpus) if init is None else init.features
        if known is not None and known.features.text != features.text:
            raise CrossarcError(
                "the directed model has other features than this parser would have on this treebank; train it on the "
                "same treebank with the same feature model, or leave it out"
            )
        attributes = Attributes.fit(corpus, features.attributes, known.attributes if known is not None else None)
        tokens = attributes.encode(corpus)
        greatest = None
        if settings.lengths:
            old = init.lengths.table if init is not None and init.lengths is not None else None
            greatest = greatest_lengths(attributes, tokens, trees.heads, trees.starts, old)
        return cls(settings, trees, features, attributes, places, single_root, tokens, greatest)

    @property
    def cost(self) -> float:
        """The most that MIRA changes in a step; 0 for the perceptron."""
        return step_cost(self.settings)

    @property
    def starts(self) -> Starts:
        """Where each sentence begins, and the end."""
        return self.trees.starts

    def lengths(self) -> Lengths | None:
        """Return the lengths of a new model, if the settings go by them."""
        return Lengths(self.greatest, tag_column(self.attributes)) if self.greatest is not None else None

    def shared(self) -> dict[str, Any]:
        """Return what finders of all kinds have."""
        shared = {"settings": self.settings, "features": self.features, "single_root": self.single_root}
        return {**shared, "lengths": self.lengths()}

    def packed(self, weights: Weights) -> PackedWeights:
        """Return weights as a model keeps them."""
        return weights.pack(self.settings.prune, self.settings.average)

    def first_weights(
        self, size: int, before: PackedWeights | SingleWeights | Rows | None, steps: int | None = None
    ) -> Weights:
        """Return weights to learn: new ones, or those of a trained model.

        These count as if they had held for so many steps of an epoch, by default one a sentence: the average then moves
        from the old weights towards the new.
        """
        return first_weights(self.settings, size, before, steps if steps is not None else len(self.trees.sizes))


class ArcLearner:
    """Learns the weights of arcs from whole trees."""

    def __init__(self, material: Material, factors: ArcFactors | RoundFactors, before: PackedWeights | None) -> None:
        self.material = material
        self.factors = factors
        self.weights = material.first_weights(ARC_WEIGHTS, before)

    def learn(self, sentences: NDArray[np.int64], tokens: Ints | None = None, *labels: Weights) -> tuple[int, int]:
        """Learn from some sentences; return how many words there are and how many have a wrong head.

        Rounds that see labels need the weights of labels.
        """
        material = self.material
        words = tokens if tokens is not None else material.tokens
        how: Any = (material.cost, material.settings.augment, *labels)
        return self.factors.learn(self.weights, words, material.trees.heads, material.starts, sentences, *how)

    def packed(self) -> PackedWeights:
        """Return the weights as a model keeps them."""
        return self.material.packed(self.weights)


class LabelLearner:
    """Learns the weights of labels on gold trees."""

    def __init__(self, material: Material, features: EdgeModel, before: PackedWeights | None) -> None:
        self.material = material
        self.features = features
        self.factors = LabelFactors(features, material.label_places)
        words = int(material.trees.sizes.sum())  # each is a step
        self.weights = material.first_weights(len(material.trees.names), before, words)

    def learn(self, sentences: NDArray[np.int64], tokens: Ints | None = None) -> tuple[int, int]:
        """Learn from some sentences; return how many words there are and how many get a wrong label."""
        words, trees = tokens if tokens is not None else self.material.tokens, self.material.trees
        return self.factors.learn(self.weights, words, trees.heads, trees.labels, trees.starts, sentences)


class GraphTrainer(Trainer):
    """Learns arcs and labels."""

    kind: type[GraphModel] = GraphModel

    def __init__(
        self, trees: Trees, settings: GraphSettings, init: GraphModel | None, material: Material | None = None
    ) -> None:
        self.settings = settings
        self.material = material if material is not None else Material.of(trees, settings, init)
        self.shuffle = np.random.default_rng(settings.seed)
        self.continued = init is not None
        self.sizes = trees.sizes
        self.arcs = ArcLearner(self.material, self.make_factors(init), arc_weights(init))
        self.labels = LabelLearner(
            self.material, self.material.features, init.label_weights if init is not None else None
        )

    def make_factors(self, init: GraphModel | None) -> ArcFactors | RoundFactors:
        """Return the features and the decoder at work."""
        settings, material = self.settings, self.material
        if isinstance(settings, UndirectedSettings) and settings.directed_training:
            settings = directed_settings(settings)
        return arc_factors(settings, material.features, material.single_root, material.lengths())

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many heads and labels there are and how many of them are wrong."""
        words, wrong = self.arcs.learn(sentences)
        labels, wrong_labels = self.labels.learn(sentences)
        return words + labels, wrong + wrong_labels

    def finder(self) -> TreeFinder:
        """Return what finds trees by the weights so far."""
        return ArcFinder(**self.material.shared(), weights=self.arcs.packed())

    def model(self) -> GraphModel:
        """Return what has been learned, as a model."""
        material = self.material
        return self.kind(
            self.settings,
            material.features,
            material.attributes,
            material.trees.names,
            material.label_places,
            material.single_root,
            self.finder(),
            material.packed(self.labels.weights),
            self.labels.features,
        )

    def state(self) -> Arrays:
        """Return the weights, for a checkpoint."""
        return prefixed(self.arcs.weights.to_arrays(), "arcs.") | prefixed(self.labels.weights.to_arrays(), "labels.")

    def restore(self, arrays: Arrays) -> None:
        """Go on from the weights of a checkpoint."""
        cut = self.settings.cut
        self.arcs.weights = Weights.from_arrays(part(arrays, "arcs."), ARC_WEIGHTS, cut)
        self.labels.weights = Weights.from_arrays(part(arrays, "labels."), self.labels.weights.actions, cut)


class JointTrainer(GraphTrainer):
    """Learns arcs and their labels together."""

    kind = JointModel
    settings: ArcSettings

    def __init__(self, trees: Trees, settings: ArcSettings, init: GraphModel | None) -> None:
        super().__init__(trees, settings, init)
        material = self.material
        places, lengths = material.label_places, material.lengths()
        self.factors = joint_factors(settings, material.features, material.single_root, places, lengths)
        before = init.label_weights if init is not None else None
        self.labels.weights = material.first_weights(len(material.trees.names), before)

    def make_factors(self, init: GraphModel | None) -> Any:
        """Return nothing: arcs are learned with their labels."""

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many words there are and how many have a wrong head or label."""
        material, trees = self.material, self.material.trees
        data = (material.tokens, trees.heads, trees.labels, trees.starts, sentences)
        how = (material.cost, self.settings.augment)
        return self.factors.learn(self.arcs.weights, self.labels.weights, *data, *how)


class RoundTrainer(GraphTrainer):
    """Learns arcs round by round, and labels."""

    kind = RoundModel
    settings: RoundSettings
    rounds: Rounds

    def make_factors(self, init: GraphModel | None) -> RoundFactors:
        """Return rounds at work: those of the model to start from, of the settings, or the best for the trees."""
        material = self.material
        if isinstance(init, RoundModel):
            self.rounds = init.finder.rounds
        else:
            self.rounds = rounds_of(self.settings, material.features, material.trees.corpus, material.single_root)
        what = (self.settings, material.features, material.single_root, material.lengths())
        return round_factors(*what, material.attributes, self.rounds, material.label_places)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences, arcs round by round."""
        seen = (self.labels.weights,) if self.settings.child_labels else ()
        words, wrong = self.arcs.learn(sentences, None, *seen)
        labels, wrong_labels = self.labels.learn(sentences)
        return words + labels, wrong + wrong_labels

    def finder(self) -> RoundFinder:
        """Return what finds trees by the weights so far."""
        shared = self.material.shared()
        return RoundFinder(
            **shared,
            weights=self.arcs.packed(),
            attributes=self.material.attributes,
            rounds=self.rounds,
            label_places=self.material.label_places,
            label_weights=self.material.packed(self.labels.weights) if self.settings.child_labels else None,
        )


def step_cost(settings: GraphSettings) -> float:
    """Return the most that MIRA changes in a step; 0 for the perceptron."""
    return (settings.cost or 0.0) if settings.learner == "mira" else 0.0


def first_weights(
    settings: GraphSettings, size: int, before: PackedWeights | SingleWeights | Rows | None, steps: int
) -> Weights:
    """Return weights to learn: new ones, or those of a trained model as if they had held for some epochs of steps."""
    if before is None:
        return Weights(size, settings.cut)
    rows = before if isinstance(before, tuple) else before.unpack()
    weights = Weights.of(size, rows, settings.cut)
    weights.now = int(settings.inertia * settings.epochs * steps)
    return weights


def arc_weights(init: GraphModel | None) -> PackedWeights | None:
    """Return the weights of arcs of a model to start from."""
    return init.finder.weights if init is not None and isinstance(init.finder, ArcFinder) else None


def directed_settings(settings: UndirectedSettings) -> ArcSettings:
    """Return the settings of the directed parser beside an undirected one: those of `mst`."""
    shared = {name: value for name, value in settings.model_dump().items() if name in ArcSettings.model_fields}
    return ArcSettings(**{**shared, "family": "graph", "system": "chu-liu-edmonds", "parser": "mst"})
