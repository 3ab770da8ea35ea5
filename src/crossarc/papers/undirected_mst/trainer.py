"""The training of parsers with undirected spanning trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays, part, prefixed
from crossarc.components.training import chunks
from crossarc.errors import CrossarcError
from crossarc.factors.arcs import ARC_WEIGHTS, ArcFactors
from crossarc.learning.scorers import PackedWeights, Weights
from crossarc.papers.undirected_mst.finders import (
    EnhancedFinder,
    StackedFinder,
    UndirectedFinder,
    enhanced_finder,
    top_finder,
    undirected_factors,
)
from crossarc.papers.undirected_mst.guesses import parts, stacked_features, with_guesses
from crossarc.papers.undirected_mst.model import EnhancedModel, StackedModel, UndirectedModel
from crossarc.papers.undirected_mst.settings import UndirectedSettings, directed_settings
from crossarc.parsers.arcs.finders import ArcFinder, TreeFinder, arc_factors
from crossarc.parsers.arcs.model import ArcTreeModel
from crossarc.parsers.arcs.trainer import ArcExamples, ArcLearner, ArcTreeTrainer, LabelLearner
from crossarc.parsers.model import Ints
from crossarc.parsers.trees import Trees

GUESSING_EPOCHS = 5  # of the models of parts of a treebank, at most: more hardly changes their trees


class UndirectedTrainer(ArcTreeTrainer):
    """Learns undirected trees and their labels."""

    settings: UndirectedSettings
    model_type: type[ArcTreeModel] = UndirectedModel
    finder_type = UndirectedFinder

    def make_factors(self, init: ArcTreeModel | None) -> ArcFactors:
        """Return the features and the decoder at work: undirected trees, or the best directed ones to learn from."""
        settings, examples = self.settings, self.examples
        what = (examples.features, examples.single_root, examples.lengths())
        if settings.directed_training:
            return arc_factors(directed_settings(settings), *what)
        return undirected_factors(settings, *what)


class EnhancedTrainer(UndirectedTrainer):
    """Learns an undirected model, and a directed one unless a trained one is given."""

    settings: UndirectedSettings
    model_type: type[ArcTreeModel] = EnhancedModel

    def __init__(
        self,
        trees: Trees,
        settings: UndirectedSettings,
        init: ArcTreeModel | None,
        directed: ArcTreeModel | None = None,
    ) -> None:
        before = init.finder if init is not None else None
        below = before.below if isinstance(before, StackedFinder) else before
        examples = ArcExamples.of(trees, settings, init, directed)
        super().__init__(trees, settings, init, examples)
        if isinstance(below, EnhancedFinder):
            self.arcs.weights = examples.first_weights(ARC_WEIGHTS, below.undirected.weights)
        self.reused = reused_weights(directed, examples) if directed is not None else None
        self.directed = ArcLearner(
            examples, self.directed_factors(), below.directed.weights if isinstance(below, EnhancedFinder) else None
        )

    def directed_factors(self) -> ArcFactors:
        """Return the directed features and decoder at work."""
        lengths = self.examples.lengths()
        edges = lengths.of_edges() if lengths is not None else None
        return arc_factors(directed_settings(self.settings), self.examples.features, self.examples.single_root, edges)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences, with both models."""
        if self.reused is None:
            self.directed.learn(sentences)
        return super().learn(sentences)

    def enhanced(self) -> EnhancedFinder:
        """Return the finder of trees by the weights of both models so far."""
        directed = self.reused if self.reused is not None else self.directed.packed()
        return enhanced_finder(self.examples.shared(), self.arcs.packed(), directed)

    def finder(self) -> TreeFinder:
        """Return the finder of trees by the weights so far."""
        return self.enhanced()

    def state(self) -> Arrays:
        """Return the weights, for a checkpoint."""
        if self.reused is not None:
            return super().state()
        return super().state() | prefixed(self.directed.weights.to_arrays(), "directed.")

    def restore(self, arrays: Arrays) -> None:
        """Go on from the weights of a checkpoint."""
        super().restore(arrays)
        if self.reused is None:
            self.directed.weights = Weights.from_arrays(part(arrays, "directed."), ARC_WEIGHTS, self.settings.cut)


def reused_weights(directed: ArcTreeModel, examples: ArcExamples) -> PackedWeights:
    """Return the weights of a directed model; refuse one without labels of the treebank."""
    if len(examples.trees.names) > len(directed.labels):
        unknown = ", ".join(examples.trees.names[len(directed.labels) :][:5])
        raise CrossarcError(
            f"the directed model has never seen labels of this treebank ({unknown}): it was trained on other data; "
            "train one on the same treebank, or leave it out"
        )
    assert isinstance(directed.finder, ArcFinder)
    return directed.finder.weights


class StackedTrainer(EnhancedTrainer):
    """Learns a model that sees the trees of two others, and these two.

    While it learns, each part of the treebank is parsed by models that learn from the others alone, as new sentences
    are.
    """

    model_type = StackedModel

    def __init__(
        self,
        trees: Trees,
        settings: UndirectedSettings,
        init: ArcTreeModel | None,
        directed: ArcTreeModel | None = None,
    ) -> None:
        super().__init__(trees, settings, init, directed)
        examples = self.examples
        before = init.finder.top if isinstance(init, StackedModel) else None
        self.top_features = stacked_features(examples.features, trees.corpus) if before is None else before.features
        lengths, top_settings = examples.lengths(), directed_settings(settings)
        factors = arc_factors(top_settings, self.top_features, examples.single_root, lengths)
        self.top = ArcLearner(examples, factors, before.weights if before is not None else None)
        labels = init.label_weights if init is not None else None
        self.labels = LabelLearner(examples, self.top_features, labels)
        self.extended = self.guess()

    def guess(self) -> Ints:
        """Return the words of all sentences with the guesses of models that did not learn from them."""
        settings, examples = self.settings, self.examples
        tokens, starts, sizes = examples.tokens, examples.starts, self.sizes
        trees = np.full((2, len(tokens)), -1, dtype=np.int32)
        shuffle = np.random.default_rng(settings.seed)
        for piece in parts(len(sizes), settings.stack):
            rest = np.setdiff1d(np.arange(len(sizes)), piece)
            learners = [ArcLearner(examples, factors, None) for factors in (self.arcs.factors, self.directed_factors())]
            for _ in range(min(settings.epochs, GUESSING_EPOCHS)):
                for chunk in chunks(shuffle.permutation(rest), sizes):
                    for learner in learners:
                        learner.learn(chunk)
            weights = (learner.weights.pack(settings.prune) for learner in learners)
            below = enhanced_finder(examples.shared(), *weights)
            begin, end = starts[piece[0]], starts[piece[-1] + 1]
            here = starts[piece[0] : piece[-1] + 2] - begin
            trees[:, begin:end] = below.guess(np.ascontiguousarray(tokens[begin:end]), here)
        return with_guesses(tokens, examples.features, starts, *trees)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences, with all models."""
        if self.reused is None:
            self.directed.learn(sentences)
        self.arcs.learn(sentences)
        words, wrong = self.top.learn(sentences, self.extended)
        labels, wrong_labels = self.labels.learn(sentences, self.extended)
        return words + labels, wrong + wrong_labels

    def finder(self) -> StackedFinder:
        """Return the finder of trees by the weights so far."""
        below = self.enhanced()
        return StackedFinder(below, top_finder(below, self.top_features, self.top.packed(), self.examples.lengths()))

    def state(self) -> Arrays:
        """Return the weights, for a checkpoint."""
        return super().state() | prefixed(self.top.weights.to_arrays(), "stacked.")

    def restore(self, arrays: Arrays) -> None:
        """Go on from the weights of a checkpoint."""
        super().restore(arrays)
        self.top.weights = Weights.from_arrays(part(arrays, "stacked."), ARC_WEIGHTS, self.settings.cut)
