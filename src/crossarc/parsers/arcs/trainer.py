"""The training of parsers that score arcs: weights of arcs from whole trees, those of labels from the gold arcs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays, part, prefixed
from crossarc.components.training import Trainer
from crossarc.errors import CrossarcError
from crossarc.factors.arcs import ARC_WEIGHTS, LabelFactors
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel, fit_edge_model, load_edge_model
from crossarc.learning.scorers import PackedWeights, SingleWeights, Weights
from crossarc.parsers.arcs.finders import ArcFinder, Starts, TreeFinder, arc_factors
from crossarc.parsers.arcs.lengths import Lengths, greatest_lengths, tag_column
from crossarc.parsers.arcs.model import ArcTreeModel, JointModel, joint_factors
from crossarc.parsers.arcs.settings import ArcSettings, ArcTreeSettings
from crossarc.parsers.model import Ints
from crossarc.parsers.trees import Trees

if TYPE_CHECKING:
    from crossarc.learning.scorers import Rows


@dataclass(frozen=True, eq=False)
class ArcExamples:
    """The training data of all parts of such a parser: trees in numbers, and the vocabulary that numbers them.

    The labels and words of a known model keep their numbers; new ones come behind them.
    """

    settings: ArcSettings
    trees: Trees
    features: EdgeModel
    attributes: Attributes
    label_places: NDArray[np.uint8]
    single_root: bool
    tokens: Ints
    greatest: Ints | None  # lengths of arcs by tags

    @classmethod
    def of(
        cls, trees: Trees, settings: ArcSettings, init: ArcTreeModel | None, known: ArcTreeModel | None = None
    ) -> ArcExamples:
        """Return the training data of trees; `known` is a directed model whose numbers are kept, by default `init`."""
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
        """Return the arguments of all finders."""
        shared = {"settings": self.settings, "features": self.features, "single_root": self.single_root}
        return {**shared, "lengths": self.lengths()}

    def packed(self, weights: Weights) -> PackedWeights:
        """Return weights as a model keeps them."""
        return weights.pack(self.settings.prune)

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

    def __init__(self, examples: ArcExamples, factors: Any, before: PackedWeights | None) -> None:
        self.examples = examples
        self.factors = factors
        self.weights = examples.first_weights(ARC_WEIGHTS, before)

    def learn(self, sentences: NDArray[np.int64], tokens: Ints | None = None, *labels: Weights) -> tuple[int, int]:
        """Learn from some sentences; return how many words there are and how many have a wrong head.

        Rounds that see labels need the weights of labels.
        """
        examples = self.examples
        words = tokens if tokens is not None else examples.tokens
        how: Any = (examples.cost, examples.settings.augment, *labels)
        made, wrong = self.factors.learn(self.weights, words, examples.trees.heads, examples.starts, sentences, *how)
        return made, wrong

    def packed(self) -> PackedWeights:
        """Return the weights as a model keeps them."""
        return self.examples.packed(self.weights)


class LabelLearner:
    """Learns the weights of labels on gold trees."""

    def __init__(self, examples: ArcExamples, features: EdgeModel, before: PackedWeights | None) -> None:
        self.examples = examples
        self.features = features
        self.factors = LabelFactors(features, examples.label_places)
        words = int(examples.trees.sizes.sum())  # each is a step
        self.weights = examples.first_weights(len(examples.trees.names), before, words)

    def learn(self, sentences: NDArray[np.int64], tokens: Ints | None = None) -> tuple[int, int]:
        """Learn from some sentences; return how many words there are and how many get a wrong label."""
        words, trees = tokens if tokens is not None else self.examples.tokens, self.examples.trees
        return self.factors.learn(self.weights, words, trees.heads, trees.labels, trees.starts, sentences)


class ArcTreeTrainer(Trainer):
    """Learns arcs and labels."""

    model_type: type[ArcTreeModel] = ArcTreeModel
    finder_type: type[ArcFinder] = ArcFinder

    def __init__(
        self, trees: Trees, settings: ArcSettings, init: ArcTreeModel | None, examples: ArcExamples | None = None
    ) -> None:
        self.settings = settings
        self.epochs = settings.epochs
        self.examples = examples if examples is not None else ArcExamples.of(trees, settings, init)
        self.shuffle = np.random.default_rng(settings.seed)
        self.continued = init is not None
        self.sizes = trees.sizes
        self.arcs = ArcLearner(self.examples, self.make_factors(init), arc_weights(init))
        self.labels = LabelLearner(
            self.examples, self.examples.features, init.label_weights if init is not None else None
        )

    def make_factors(self, init: ArcTreeModel | None) -> Any:
        """Return the features and the decoder at work."""
        settings, examples = self.settings, self.examples
        return arc_factors(settings, examples.features, examples.single_root, examples.lengths())

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many heads and labels there are and how many of them are wrong."""
        words, wrong = self.arcs.learn(sentences)
        labels, wrong_labels = self.labels.learn(sentences)
        return words + labels, wrong + wrong_labels

    def finder(self) -> TreeFinder:
        """Return the finder of trees by the weights so far."""
        return self.finder_type(**self.examples.shared(), weights=self.arcs.packed())

    def model(self) -> ArcTreeModel:
        """Return the learned model."""
        examples = self.examples
        return self.model_type(
            self.settings,
            examples.features,
            examples.attributes,
            examples.trees.names,
            examples.label_places,
            examples.single_root,
            self.finder(),
            examples.packed(self.labels.weights),
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


class JointTrainer(ArcTreeTrainer):
    """Learns arcs and their labels together."""

    model_type = JointModel
    settings: ArcTreeSettings

    def __init__(self, trees: Trees, settings: ArcTreeSettings, init: ArcTreeModel | None) -> None:
        super().__init__(trees, settings, init)
        examples = self.examples
        places, lengths = examples.label_places, examples.lengths()
        self.factors = joint_factors(settings, examples.features, examples.single_root, places, lengths)
        before = init.label_weights if init is not None else None
        self.labels.weights = examples.first_weights(len(examples.trees.names), before)

    def make_factors(self, init: ArcTreeModel | None) -> Any:
        """Return nothing: arcs are learned with their labels."""

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many words there are and how many have a wrong head or label."""
        examples, trees = self.examples, self.examples.trees
        data = (examples.tokens, trees.heads, trees.labels, trees.starts, sentences)
        how = (examples.cost, self.settings.augment)
        return self.factors.learn(self.arcs.weights, self.labels.weights, *data, *how)


def step_cost(settings: ArcSettings) -> float:
    """Return the most that MIRA changes in a step; 0 for the perceptron."""
    return (settings.cost or 0.0) if settings.learner == "mira" else 0.0


def first_weights(
    settings: ArcSettings, size: int, before: PackedWeights | SingleWeights | Rows | None, steps: int
) -> Weights:
    """Return weights to learn: new ones, or those of a trained model as if they had held for some epochs of steps."""
    if before is None:
        return Weights(size, settings.cut)
    rows = before if isinstance(before, tuple) else before.unpack()
    weights = Weights.of(size, rows, settings.cut)
    weights.now = int(settings.inertia * settings.epochs * steps)
    return weights


def arc_weights(init: ArcTreeModel | None) -> PackedWeights | None:
    """Return the weights of arcs of a model to start from."""
    return init.finder.weights if init is not None and isinstance(init.finder, ArcFinder) else None
