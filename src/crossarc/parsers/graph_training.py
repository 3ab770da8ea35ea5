"""How a graph parser is trained: weights of arcs from whole trees, weights of labels from the arcs of gold trees."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from crossarc.errors import CrossarcError
from crossarc.features.attributes import Attributes
from crossarc.features.edges import fit_edge_model, load_edge_model
from crossarc.learning.weights import Weights
from crossarc.parsers.arcs import ARC_WEIGHTS
from crossarc.parsers.checkpoint import Checkpoint
from crossarc.parsers.graph import GraphModel, directed_search, search_of
from crossarc.parsers.settings import Settings
from crossarc.parsers.training import Epoch, Progress, chunks
from crossarc.parsers.treemodel import Arrays, quick_scores
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
    """Learn from sentences with trees; with a development set the best epoch is kept, else the last.

    The labels and words of `init`, whose weights are the first, keep their numbers; new ones come behind them.
    """
    if not train:
        raise CrossarcError("there is no sentence to learn from")
    corpus = Corpus.of(train)
    heads, starts = corpus["head"], corpus.starts
    table = corpus.strings["deprel"]
    names = list(dict.fromkeys([*(init.labels if init is not None else ()), *table]))
    numbers = {name: number for number, name in enumerate(names)}
    # Ids of the corpus without the two reserved ones; node 0 has none.
    labels = np.array([*(numbers[name] for name in table), -1], dtype=np.int32)[corpus["deprel"] - table.reserved]
    several = any(len(sentence.roots) > 1 for sentence in train) or (init is not None and not init.single_root)
    single_root = (not several) if settings.single_root == "auto" else settings.single_root
    features = fit_edge_model(load_edge_model(settings.features), corpus) if init is None else init.features
    attributes = Attributes.fit(corpus, features.attributes, init.attributes if init is not None else None)
    data = (attributes.encode(corpus), heads, labels, starts)
    search = search_of(settings, features, single_root, len(names))
    other = directed_search(settings, features, single_root)
    weights = GraphWeights(
        Weights(ARC_WEIGHTS, settings.cut),
        Weights(len(names), settings.cut),
        Weights(ARC_WEIGHTS, settings.cut) if other is not None else None,
    )
    if init is not None:
        weights = GraphWeights(
            Weights.of(ARC_WEIGHTS, init.arc_weights.unpack(), settings.cut),
            Weights.of(len(names), init.label_weights.unpack(), settings.cut),
            Weights.of(ARC_WEIGHTS, init.directed_weights.unpack(), settings.cut) if init.directed_weights else None,
        )
        # As if they had held for so many steps already: the average then moves from the old weights towards the new.
        weights.arcs.now = int(settings.inertia * settings.epochs * len(train))
        if weights.directed is not None:
            weights.directed.now = weights.arcs.now
        weights.labels.now = int(settings.inertia * settings.epochs * (len(heads) - len(train)))
    epochs: list[Epoch] = []
    best: GraphModel | None = None
    best_las = 0.0

    def finish(epoch: Epoch) -> None:
        """Score the model as it is now if that is of use, keep it if it is the best, and report."""
        nonlocal best, best_las
        if dev or epoch.number == settings.epochs:
            packed = (weights.arcs.pack(settings.prune), weights.labels.pack(settings.prune))
            directed = weights.directed.pack(settings.prune) if weights.directed is not None else None
            model = GraphModel(settings, features, attributes, names, single_root, *packed, directed)
            las, uas = quick_scores(model, dev) if dev else (None, None)
            epoch = replace(epoch, las=las, uas=uas)
            if best is None or (las or 0.0) > best_las:
                best, best_las = model, las or 0.0
        epochs.append(epoch)
        report(epoch)

    def restore(arrays: Arrays) -> GraphWeights:
        """The weights of a checkpoint."""
        return GraphWeights.from_arrays(arrays, len(names), settings.cut)

    stand = checkpoint.read(restore) if checkpoint is not None else None
    if stand is not None:
        weights = stand.weights
        best_las = stand.best_las
        best = GraphModel.from_arrays(*stand.best) if stand.best is not None else None
        for row in stand.epochs:
            epochs.append(Epoch(*row))
            report(epochs[-1])
    elif init is not None and dev:
        finish(Epoch(0, 0.0))
    shuffle = np.random.default_rng(settings.seed)
    cost = (settings.cost or 0.0) if settings.learner == "mira" else 0.0
    for number in range(1, settings.epochs + 1):
        order = shuffle.permutation(len(train))
        if epochs and number <= epochs[-1].number:
            continue
        begin = time.perf_counter()
        words = wrong = 0
        for chunk in chunks(order, np.diff(starts) - 1):
            seen, bad = search.train(weights.arcs, weights.labels, *data, chunk, cost, settings.augment)
            if other is not None and weights.directed is not None:
                other.train(weights.directed, None, *data, chunk, cost, settings.augment)
            words += seen
            wrong += bad
            seconds = time.perf_counter() - begin
            share = 100 * wrong / max(1, words)
            progress(Progress(number, words, len(heads) - len(train), share, seconds))
        finish(Epoch(number, share, seconds=seconds))
        if checkpoint is not None and number < settings.epochs:
            checkpoint.write(
                weights,
                [(each.number, each.wrong, each.las, each.uas) for each in epochs],
                best.to_arrays() if best is not None else None,
                best_las,
            )
    assert best is not None
    return best
