"""How a graph parser is trained: weights of arcs from whole trees, weights of labels from the arcs of gold trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.features.attributes import Attributes
from crossarc.features.edges import fit_edge_model, load_edge_model
from crossarc.learning.weights import Weights
from crossarc.parsers.arcs import ARC_WEIGHTS
from crossarc.parsers.checkpoint import Checkpoint
from crossarc.parsers.epochs import Epoch, Lessons, Progress, run_epochs
from crossarc.parsers.graph import GraphModel, directed_search, search_of
from crossarc.parsers.lengths import greatest_lengths
from crossarc.parsers.settings import Settings
from crossarc.parsers.training import has_single_roots, numbered_labels
from crossarc.parsers.treemodel import Arrays
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence


class GraphWeights:
    """The weights of arcs and of labels while they are learned."""

    def __init__(self, arcs: Weights, labels: Weights, directed: Weights | None = None) -> None:
        self.arcs = arcs
        self.labels = labels
        self.directed = directed  # of the model that enhances trees

    def to_arrays(self) -> Arrays:
        """All that learning goes on from, for `from_arrays`."""
        arrays = {f"arcs.{name}": array for name, array in self.arcs.to_arrays().items()}
        if self.directed is not None:
            arrays |= {f"directed.{name}": array for name, array in self.directed.to_arrays().items()}
        return arrays | {f"labels.{name}": array for name, array in self.labels.to_arrays().items()}

    @classmethod
    def from_arrays(cls, arrays: Arrays, labels: int, cut: int) -> GraphWeights:
        """The weights that `to_arrays` gave."""

        def part(prefix: str) -> Arrays:
            return {name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)}

        directed = part("directed.")
        return cls(
            Weights.from_arrays(part("arcs."), ARC_WEIGHTS, cut),
            Weights.from_arrays(part("labels."), labels, cut),
            Weights.from_arrays(directed, ARC_WEIGHTS, cut) if directed else None,
        )


class GraphLessons(Lessons[GraphModel]):
    """Trees as the arcs they are made of, and the weights of arcs and labels.

    The labels and words of `init`, whose weights are the first, keep their numbers; new ones come behind them.
    """

    weights: GraphWeights

    def __init__(self, train: list[Sentence], settings: Settings, init: GraphModel | None) -> None:
        self.settings = settings
        self.shuffle = np.random.default_rng(settings.seed)
        self.epoch = 0
        self.continued = init is not None
        corpus = Corpus.of(train)
        heads, starts = corpus["head"], corpus.starts
        self.lengths = np.diff(starts) - 1
        self.labels, labels = numbered_labels(corpus, init.labels if init is not None else [])
        self.single_root = has_single_roots(train, settings, init)
        self.features = fit_edge_model(load_edge_model(settings.features), corpus) if init is None else init.features
        self.attributes = Attributes.fit(
            corpus, self.features.attributes, init.attributes if init is not None else None
        )
        self.data = (self.attributes.encode(corpus), heads, labels, starts)
        self.greatest: NDArray[np.int32] | None = None
        if settings.lengths:
            known = init.lengths if init is not None else None
            self.greatest = greatest_lengths(self.attributes, self.data[0], heads, starts, known)
        tags = (self.attributes, self.greatest)
        self.search = search_of(settings, self.features, self.single_root, len(self.labels), *tags)
        self.other = directed_search(settings, self.features, self.single_root, *tags)
        self.cost = (settings.cost or 0.0) if settings.learner == "mira" else 0.0
        self.weights = GraphWeights(
            Weights(ARC_WEIGHTS, settings.cut),
            Weights(len(self.labels), settings.cut),
            Weights(ARC_WEIGHTS, settings.cut) if self.other is not None else None,
        )
        if init is None:
            return
        before = init.directed_weights
        self.weights = GraphWeights(
            Weights.of(ARC_WEIGHTS, init.arc_weights.unpack(), settings.cut),
            Weights.of(len(self.labels), init.label_weights.unpack(), settings.cut),
            Weights.of(ARC_WEIGHTS, before.unpack(), settings.cut) if before is not None else None,
        )
        # As if they had held for so many steps already: the average then moves from the old weights towards the new.
        self.weights.arcs.now = int(settings.inertia * settings.epochs * len(train))
        if self.weights.directed is not None:
            self.weights.directed.now = self.weights.arcs.now
        steps = len(train) if settings.labels == "joint" else self.lengths.sum()
        self.weights.labels.now = int(settings.inertia * settings.epochs * steps)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; gives how many words there are and how many have a wrong head or label."""
        weights, how = self.weights, (self.cost, self.settings.augment)
        result = self.search.train(weights.arcs, weights.labels, *self.data, sentences, *how)
        if self.other is not None and weights.directed is not None:
            self.other.train(weights.directed, None, *self.data, sentences, *how)
        return result

    def model(self) -> GraphModel:
        """What has been learned, as a model."""
        weights, how = self.weights, (self.settings.prune, self.settings.average)
        return GraphModel(
            self.settings,
            self.features,
            self.attributes,
            self.labels,
            self.single_root,
            weights.arcs.pack(*how),
            weights.labels.pack(*how),
            weights.directed.pack(*how) if weights.directed is not None else None,
            lengths=self.greatest,
        )

    def begin(self, epoch: int) -> None:
        """Make ready for an epoch."""
        self.epoch = epoch

    def completed(self, model: GraphModel, las: float, dev: list[Sentence]) -> GraphModel:
        """The best model so far; that of the last epoch with what it cost to store its weights as they are.

        Earlier ones go without: nearly always the last is the best, and this takes as long as a third of an epoch.
        """
        if self.epoch < self.settings.epochs:
            return model
        weights = (self.weights.arcs, self.weights.labels, self.weights.directed)
        held = [(each, each.take_averages()) for each in weights if each is not None and self.settings.average]
        for each, averages in held:
            each.exchange(averages)
        try:
            return model.with_storage(weights, las, dev)
        finally:
            for each, last in held:
                each.exchange(last)

    def restore(self, arrays: Arrays) -> GraphWeights:
        """The weights of a checkpoint."""
        return GraphWeights.from_arrays(arrays, len(self.labels), self.settings.cut)

    def restore_model(self, manifest: dict[str, Any], arrays: Arrays) -> GraphModel:
        """The best model of a checkpoint."""
        return GraphModel.from_arrays(manifest, arrays)


def train_graph_model(
    train: list[Sentence],
    dev: list[Sentence],
    settings: Settings,
    report: Callable[[Epoch], None] = lambda epoch: None,
    *,
    progress: Callable[[Progress], None] = lambda progress: None,
    init: GraphModel | None = None,
    checkpoint: Checkpoint | None = None,
) -> GraphModel:
    """Learn from sentences with trees; with a development set the best epoch is kept, else the last."""
    return run_epochs(GraphLessons(train, settings, init), settings, dev, report, progress, checkpoint)
