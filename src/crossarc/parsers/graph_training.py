"""How a graph parser is trained: weights of arcs from whole trees, weights of labels from the arcs of gold trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError
from crossarc.factors.arcs import ARC_WEIGHTS, ArcFactors, JointFactors
from crossarc.factors.labels import LabelFactors
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel, fit_edge_model, load_edge_model
from crossarc.learning.packed import PackedWeights
from crossarc.learning.weights import Weights
from crossarc.parsers.checkpoint import Checkpoint
from crossarc.parsers.epochs import Epoch, Lessons, Progress, chunks, run_epochs
from crossarc.parsers.graph import GraphModel, directed_search, search_of
from crossarc.parsers.label_places import label_places
from crossarc.parsers.lengths import greatest_lengths
from crossarc.parsers.settings import Settings
from crossarc.parsers.stacking import Stacked, parts, stacked_features, stacked_search, with_guesses
from crossarc.parsers.storage import Storage, exact_bytes, stored_bytes
from crossarc.parsers.tag_order import Rounds, rounds_of
from crossarc.parsers.training import has_single_roots, numbered_labels
from crossarc.parsers.treemodel import Arrays, quick_scores
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

GUESSING_EPOCHS = 5  # of the models of parts of a treebank, at most: more hardly changes their trees


class GraphWeights:
    """The weights of arcs and of labels while they are learned."""

    def __init__(
        self, arcs: Weights, labels: Weights, directed: Weights | None = None, stacked: Weights | None = None
    ) -> None:
        self.arcs = arcs
        self.labels = labels
        self.directed = directed  # of the model that enhances trees
        self.stacked = stacked  # of the model that sees the trees of the others

    def tables(self) -> list[Weights]:
        """All that there are."""
        return [each for each in (self.arcs, self.labels, self.directed, self.stacked) if each is not None]

    def to_arrays(self) -> Arrays:
        """All that learning goes on from, for `from_arrays`."""
        arrays = {f"arcs.{name}": array for name, array in self.arcs.to_arrays().items()}
        if self.directed is not None:
            arrays |= {f"directed.{name}": array for name, array in self.directed.to_arrays().items()}
        if self.stacked is not None:
            arrays |= {f"stacked.{name}": array for name, array in self.stacked.to_arrays().items()}
        return arrays | {f"labels.{name}": array for name, array in self.labels.to_arrays().items()}

    @classmethod
    def from_arrays(cls, arrays: Arrays, labels: int, cut: int) -> GraphWeights:
        """The weights that `to_arrays` gave."""

        def part(prefix: str) -> Arrays:
            return {name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)}

        directed, stacked = part("directed."), part("stacked.")
        return cls(
            Weights.from_arrays(part("arcs."), ARC_WEIGHTS, cut),
            Weights.from_arrays(part("labels."), labels, cut),
            Weights.from_arrays(directed, ARC_WEIGHTS, cut) if directed else None,
            Weights.from_arrays(stacked, ARC_WEIGHTS, cut) if stacked else None,
        )


class GraphLessons(Lessons[GraphModel]):
    """Trees as the arcs they are made of, and the weights of arcs and labels.

    The labels and words of `init`, whose weights are the first, keep their numbers; new ones come behind them. So do
    those of `directed`, a model that enhances trees as it is, in the place of one that is learned beside.
    """

    weights: GraphWeights

    def __init__(
        self, train: list[Sentence], settings: Settings, init: GraphModel | None, directed: GraphModel | None = None
    ) -> None:
        self.settings = settings
        self.shuffle = np.random.default_rng(settings.seed)
        self.continued = init is not None
        corpus = Corpus.of(train)
        heads, starts = corpus["head"], corpus.starts
        self.lengths = np.diff(starts) - 1
        known = directed if directed is not None else init
        self.labels, labels = numbered_labels(corpus, known.labels if known is not None else [])
        before = known.label_places if known is not None else None
        self.label_places = label_places(corpus, labels, len(self.labels), before)
        self.single_root = has_single_roots(train, settings, init)
        self.features = fit_edge_model(load_edge_model(settings.features), corpus) if init is None else init.features
        self.reused = reused_weights(directed, self.features, self.labels) if directed is not None else None
        self.attributes = Attributes.fit(
            corpus, self.features.attributes, known.attributes if known is not None else None
        )
        self.data = (self.attributes.encode(corpus), heads, labels, starts)
        self.rounds: Rounds | None = init.rounds if init is not None else None
        if settings.system == "bottom-up" and init is None:
            self.rounds = rounds_of(settings, self.features, corpus, self.single_root)
        self.greatest: NDArray[np.int32] | None = None
        if settings.lengths:
            old = init.lengths if init is not None else None
            self.greatest = greatest_lengths(self.attributes, self.data[0], heads, starts, old)
        tags = (self.attributes, self.greatest)
        learner = settings
        if settings.directed_training:
            learner = settings.model_copy(update={"system": "chu-liu-edmonds", "combine": "none"})
        self.search = search_of(learner, self.features, self.single_root, self.label_places, *tags, self.rounds)
        self.other = directed_search(settings, self.features, self.single_root, *tags) if self.reused is None else None
        self.cost = (settings.cost or 0.0) if settings.learner == "mira" else 0.0
        self.weights = self.new_weights()
        self.top: ArcFactors | None = None
        if settings.stack:
            self.look_down(corpus, init)
        self.labeller = LabelFactors(self.top_features if settings.stack else self.features, self.label_places)
        if init is not None:
            self.weights = self.weights_of(init)

    def new_weights(self) -> GraphWeights:
        """Weights that know nothing yet."""
        cut = self.settings.cut
        return GraphWeights(
            Weights(ARC_WEIGHTS, cut),
            Weights(len(self.labels), cut),
            Weights(ARC_WEIGHTS, cut) if self.other is not None else None,
            Weights(ARC_WEIGHTS, cut) if self.settings.stack else None,
        )

    def weights_of(self, init: GraphModel) -> GraphWeights:
        """Those of a trained model, to go on from."""
        cut, before = self.settings.cut, init.directed_weights
        above = init.stacked.weights if init.stacked is not None else None
        weights = GraphWeights(
            Weights.of(ARC_WEIGHTS, init.arc_weights.unpack(), cut),
            Weights.of(len(self.labels), init.label_weights.unpack(), cut),
            Weights.of(ARC_WEIGHTS, before.unpack(), cut) if before is not None else None,
            Weights.of(ARC_WEIGHTS, above.unpack(), cut) if above is not None else None,
        )
        # As if they had held for so many steps already: the average then moves from the old weights towards the new.
        held = self.settings.inertia * self.settings.epochs
        for table in weights.tables():
            table.now = int(held * len(self.lengths))
        if self.settings.labels != "joint":  # each word is a step
            weights.labels.now = int(held * self.lengths.sum())
        return weights

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; gives how many words there are and how many have a wrong head or label."""
        weights, how = self.weights, (self.cost, self.settings.augment)
        tokens, heads, labels, starts = self.data
        if isinstance(self.search, JointFactors):
            return self.search.learn(weights.arcs, weights.labels, *self.data, sentences, *how)
        if self.other is not None and weights.directed is not None:
            self.other.learn(weights.directed, tokens, heads, starts, sentences, *how)
        seen = (weights.labels,) if self.settings.child_labels else ()
        words, wrong = self.search.learn(weights.arcs, tokens, heads, starts, sentences, *how, *seen)
        if self.top is not None and weights.stacked is not None:
            tokens = self.seen
            words, wrong = self.top.learn(weights.stacked, tokens, heads, starts, sentences, *how)
        _, unlabelled = self.labeller.learn(weights.labels, tokens, heads, labels, starts, sentences)
        return words, max(wrong, unlabelled)

    def look_down(self, corpus: Corpus, init: GraphModel | None) -> None:
        """Make ready for a model that sees the trees of the others: guess those of all sentences.

        Each part of the treebank is parsed by models that learn from the others alone, as new sentences are.
        """
        settings, (tokens, heads, _, starts) = self.settings, self.data
        self.top_features = stacked_features(self.features, corpus)
        if init is not None and init.stacked is not None:
            self.top_features = init.stacked.features
        limits = (self.attributes, self.greatest)
        self.top = stacked_search(self.top_features, self.single_root, *limits)
        trees = np.full((2, len(tokens)), -1, dtype=np.int32)
        directed = directed_search(settings, self.features, self.single_root, *limits)
        assert directed is not None
        assert isinstance(self.search, ArcFactors)
        searches = self.search, directed
        shuffle = np.random.default_rng(settings.seed)
        for part in parts(len(self.lengths), settings.stack):
            rest = np.setdiff1d(np.arange(len(self.lengths)), part)
            weights = Weights(ARC_WEIGHTS, settings.cut), Weights(ARC_WEIGHTS, settings.cut)
            for _ in range(min(settings.epochs, GUESSING_EPOCHS)):
                for chunk in chunks(shuffle.permutation(rest), self.lengths):
                    for search, table in zip(searches, weights, strict=True):
                        search.learn(table, tokens, heads, starts, chunk, self.cost, settings.augment)
            below = replace(
                self.model(),
                arc_weights=weights[0].pack(settings.prune),
                directed_weights=weights[1].pack(settings.prune),
            )
            begin, end = starts[part[0]], starts[part[-1] + 1]
            here = starts[part[0] : part[-1] + 2] - begin
            trees[:, begin:end] = below.guess(np.ascontiguousarray(tokens[begin:end]), here)
        self.seen = with_guesses(tokens, self.features, starts, *trees)

    def model(self) -> GraphModel:
        """What has been learned, as a model."""
        weights, how = self.weights, (self.settings.prune, self.settings.average)
        stacked = Stacked(self.top_features, weights.stacked.pack(*how)) if weights.stacked is not None else None
        return GraphModel(
            self.settings,
            self.features,
            self.attributes,
            self.labels,
            self.label_places,
            self.single_root,
            weights.arcs.pack(*how),
            weights.labels.pack(*how),
            weights.directed.pack(*how) if weights.directed is not None else self.reused,
            stacked,
            self.rounds,
            lengths=self.greatest,
        )

    def completed(self, model: GraphModel, las: float, dev: list[Sentence]) -> GraphModel:
        """The best model so far, which has just parsed the development set, with what lengths left out of that."""
        return replace(model, pruning=model.tally.sum).anew() if model.lengths is not None else model

    def finished(self, best: GraphModel, last: GraphModel, epoch: Epoch, dev: list[Sentence]) -> GraphModel:
        """The best model with what it cost to store weights as it does, measured with those of the last epoch.

        Those of earlier epochs are gone, and to measure each in its time would make a training longer by a fifth.
        """
        assert epoch.las is not None
        weights, of_last = self.weights, best.arc_weights is last.arc_weights
        if self.settings.average:
            for table in weights.tables():
                table.exchange(table.take_averages())
        exact = replace(  # parsing takes weights that learn as well
            last,
            arc_weights=weights.arcs,  # type: ignore[arg-type]
            label_weights=weights.labels,  # type: ignore[arg-type]
            directed_weights=weights.directed or last.directed_weights,  # type: ignore[arg-type]
            stacked=last.stacked and Stacked(last.stacked.features, weights.stacked),  # type: ignore[arg-type]
        )
        exact_las, _ = quick_scores(exact, dev)
        sizes = sum(map(exact_bytes, weights.tables())), sum(map(stored_bytes, self.packed(last)))
        return replace(best, storage=Storage(exact_las, epoch.las, *sizes, 0 if of_last else epoch.number))

    def packed(self, model: GraphModel) -> list[PackedWeights]:
        """The weights of a model that were learned here."""
        above = model.stacked.weights if model.stacked is not None else None
        beside = model.directed_weights if self.reused is None else None
        return [table for table in (model.arc_weights, model.label_weights, beside, above) if table is not None]

    def restore(self, arrays: Arrays) -> GraphWeights:
        """The weights of a checkpoint."""
        return GraphWeights.from_arrays(arrays, len(self.labels), self.settings.cut)

    def restore_model(self, manifest: dict[str, Any], arrays: Arrays) -> GraphModel:
        """The best model of a checkpoint."""
        return GraphModel.from_arrays(manifest, arrays)


def reused_weights(directed: GraphModel, features: EdgeModel, labels: list[str]) -> PackedWeights:
    """The weights of a directed model that looks at the same things as another; one that does not is refused."""
    if directed.features.text != features.text:
        raise CrossarcError(
            "the directed model has other features than this parser would have on this treebank; train it on the same "
            "treebank with the same feature model, or leave it out"
        )
    if len(labels) > len(directed.labels):
        strange = ", ".join(labels[len(directed.labels) :][:5])
        raise CrossarcError(
            f"the directed model has never seen labels of this treebank ({strange}): it is of other data; "
            "train one on the same treebank, or leave it out"
        )
    return directed.arc_weights


def train_graph_model(
    train: list[Sentence],
    dev: list[Sentence],
    settings: Settings,
    report: Callable[[Epoch], None] = lambda epoch: None,
    *,
    progress: Callable[[Progress], None] = lambda progress: None,
    init: GraphModel | None = None,
    directed: GraphModel | None = None,
    checkpoint: Checkpoint | None = None,
) -> GraphModel:
    """Learn from sentences with trees; with a development set the best epoch is kept, else the last.

    `directed` is a trained model that enhances trees, so that none is learned beside.
    """
    return run_epochs(GraphLessons(train, settings, init, directed), settings, dev, report, progress, checkpoint)
