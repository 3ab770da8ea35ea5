"""Models that hold models: trees enhanced by a second model, a model stacked on two, a transform around a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError
from crossarc.factors.arcs import ARC_WEIGHTS, ArcFactors
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import PackedWeights, Weights
from crossarc.parsers.analysis import Analysis, Request
from crossarc.parsers.constraints import Constraints
from crossarc.parsers.graph.finders import ArcFinder, Scores, Starts, TreeFinder, arc_factors
from crossarc.parsers.graph.lengths import Lengths
from crossarc.parsers.graph.model import GraphModel
from crossarc.parsers.graph.stacking import parts, read_stacked, stacked_features, with_guesses
from crossarc.parsers.graph.trainer import ArcLearner, GraphTrainer, LabelLearner, Material, directed_settings
from crossarc.parsers.model import Analyser, Arrays, Columns, Ints, Model, part, prefixed
from crossarc.parsers.settings import Settings, UndirectedSettings
from crossarc.parsers.trainer import chunks
from crossarc.parsers.trees import Trees
from crossarc.transforms.pseudo_projective import PseudoProjective
from crossarc.transitions.coverage import Coverage
from crossarc.treebank.corpus import Corpus

GUESSING_EPOCHS = 5  # of the models of parts of a treebank, at most: more hardly changes their trees


# ---- enhanced trees


@dataclass(frozen=True, eq=False)
class EnhancedFinder(TreeFinder):
    """Undirected trees of which a directed model turns up to so many arcs round (local enhancement)."""

    undirected: ArcFinder
    directed: ArcFinder
    rounds: int

    @property
    def lengths(self) -> Lengths | None:  # type: ignore[override]
        """Those of the undirected trees."""
        return self.undirected.lengths

    def find(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return the heads of the enhanced trees."""
        heads, _ = self.undirected.find(tokens, starts)
        factors = self.directed.factors(self.directed.lengths)
        factors.enhance_trees(self.directed.weights, tokens, starts, heads, self.rounds)
        return heads, tokens

    def scores(self, tokens: Ints, *, whole: bool = False) -> Scores:
        """Return the sum of both models' scores."""
        return self.undirected.scores(tokens, whole=whole) + self.directed.scores(tokens, whole=whole)

    def guess(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return the heads of all nodes in the best directed tree and in the enhanced undirected one."""
        return self.directed.find(tokens, starts)[0], self.find(tokens, starts)[0]

    def to_arrays(self) -> Arrays:
        """Return the weights of both as a model file keeps them."""
        return self.undirected.to_arrays() | self.directed.to_arrays()


@dataclass(frozen=True, eq=False)
class EnhancedModel(GraphModel):
    """An undirected parser whose trees a directed model enhances."""

    finder: EnhancedFinder
    kind = "enhanced"

    @classmethod
    def stored_finder(
        cls, shared: dict[str, Any], attributes: Attributes, manifest: dict[str, Any], arrays: Arrays
    ) -> tuple[TreeFinder, EdgeModel]:
        """Return what finds trees by the weights of a file, and the features of its label model."""
        undirected, directed = (
            PackedWeights.from_arrays(arrays, ARC_WEIGHTS, f"{name}.") for name in ("arcs", "directed")
        )
        return enhanced_finder(shared, undirected, directed), shared["features"]


def enhanced_finder(shared: dict[str, Any], undirected: PackedWeights, directed: PackedWeights) -> EnhancedFinder:
    """Return an undirected finder with a directed one beside, which scores both directions of the same edges."""
    settings, lengths = shared["settings"], shared["lengths"]
    if not isinstance(settings, UndirectedSettings):
        raise ValueError("the settings are of another family")
    beside = {**shared, "settings": directed_settings(settings), "lengths": lengths and lengths.of_edges()}
    return EnhancedFinder(
        ArcFinder(**shared, weights=undirected),
        ArcFinder(**beside, weights=directed, name="directed"),
        settings.enhance,
    )


class EnhancedTrainer(GraphTrainer):
    """Learns an undirected model and a directed one beside, unless a trained one is given."""

    settings: UndirectedSettings
    kind: type[GraphModel] = EnhancedModel

    def __init__(
        self, trees: Trees, settings: UndirectedSettings, init: GraphModel | None, directed: GraphModel | None = None
    ) -> None:
        before = init.finder if init is not None else None
        below = before.below if isinstance(before, StackedFinder) else before
        material = Material.of(trees, settings, init, directed)
        super().__init__(trees, settings, init, material)
        if isinstance(below, EnhancedFinder):
            self.arcs.weights = material.first_weights(ARC_WEIGHTS, below.undirected.weights)
        self.reused = reused_weights(directed, material) if directed is not None else None
        self.directed = ArcLearner(
            material, self.directed_factors(), below.directed.weights if isinstance(below, EnhancedFinder) else None
        )

    def directed_factors(self) -> ArcFactors:
        """Return the directed features and decoder at work."""
        lengths = self.material.lengths()
        edges = lengths.of_edges() if lengths is not None else None
        return arc_factors(directed_settings(self.settings), self.material.features, self.material.single_root, edges)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences, with both models."""
        if self.reused is None:
            self.directed.learn(sentences)
        return super().learn(sentences)

    def enhanced(self) -> EnhancedFinder:
        """Return what finds trees by the weights of both models so far."""
        directed = self.reused if self.reused is not None else self.directed.packed()
        return enhanced_finder(self.material.shared(), self.arcs.packed(), directed)

    def finder(self) -> TreeFinder:
        """Return what finds trees by the weights so far."""
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


def reused_weights(directed: GraphModel, material: Material) -> PackedWeights:
    """Return the weights of a directed model; refuse one without labels of the treebank."""
    if len(material.trees.names) > len(directed.labels):
        unknown = ", ".join(material.trees.names[len(directed.labels) :][:5])
        raise CrossarcError(
            f"the directed model has never seen labels of this treebank ({unknown}): it is of other data; "
            "train one on the same treebank, or leave it out"
        )
    assert isinstance(directed.finder, ArcFinder)
    return directed.finder.weights


# ---- a model on top of two


@dataclass(frozen=True, eq=False)
class StackedFinder(TreeFinder):
    """A directed model that sees the trees of two others."""

    below: EnhancedFinder
    top: ArcFinder

    @property
    def lengths(self) -> Lengths | None:  # type: ignore[override]
        """Those of the model on top."""
        return self.top.lengths

    def find(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return the heads of the best trees, and the words with the guesses of the models below."""
        extended = self.with_guesses(tokens, starts)
        return self.top.find(extended, starts)[0], extended

    def with_guesses(self, tokens: Ints, starts: Starts) -> Ints:
        """Return the attributes of words with those that the trees of the models below give them."""
        return with_guesses(tokens, self.below.directed.features, starts, *self.below.guess(tokens, starts))

    def extended(self, tokens: Ints) -> Ints:
        """Return the words of one sentence with guesses."""
        return self.with_guesses(tokens, np.array([0, len(tokens)]))

    def scores(self, tokens: Ints, *, whole: bool = False) -> Scores:
        """Return the scores of the model on top."""
        return self.top.scores(self.extended(tokens), whole=whole)

    def to_arrays(self) -> Arrays:
        """Return the weights of all three as a model file keeps them."""
        return self.below.to_arrays() | self.top.to_arrays()


@dataclass(frozen=True, eq=False)
class StackedModel(GraphModel):
    """A parser that sees the trees of a directed and an undirected one."""

    finder: StackedFinder
    kind = "stacked"

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        manifest, arrays = super().to_arrays()
        return {**manifest, "stacked": self.label_features.text}, arrays

    @classmethod
    def stored_finder(
        cls, shared: dict[str, Any], attributes: Attributes, manifest: dict[str, Any], arrays: Arrays
    ) -> tuple[TreeFinder, EdgeModel]:
        """Return what finds trees by the weights of a file, and the features of its label model."""
        names = ("arcs", "directed", "stacked")
        undirected, directed, top = (PackedWeights.from_arrays(arrays, ARC_WEIGHTS, f"{name}.") for name in names)
        top_features = read_stacked(str(manifest["stacked"]), shared["features"])
        lengths: Lengths | None = shared["lengths"]
        own = Lengths(lengths.table, lengths.column) if lengths is not None else None  # with counters of their own
        below = enhanced_finder({**shared, "lengths": own}, undirected, directed)
        return StackedFinder(below, top_finder(below, top_features, top, lengths)), top_features


def top_finder(below: EnhancedFinder, features: EdgeModel, top: PackedWeights, lengths: Lengths | None) -> ArcFinder:
    """Return the finder on top of two others."""
    return replace(below.directed, features=features, weights=top, lengths=lengths, name="stacked")


class StackedTrainer(EnhancedTrainer):
    """Learns a model that sees the trees of two others, and these two.

    While it learns, each part of the treebank is parsed by models that learn from the others alone, as new sentences
    are.
    """

    kind = StackedModel

    def __init__(
        self, trees: Trees, settings: UndirectedSettings, init: GraphModel | None, directed: GraphModel | None = None
    ) -> None:
        super().__init__(trees, settings, init, directed)
        material = self.material
        before = init.finder.top if isinstance(init, StackedModel) else None
        self.top_features = stacked_features(material.features, trees.corpus) if before is None else before.features
        lengths, top_settings = material.lengths(), directed_settings(settings)
        factors = arc_factors(top_settings, self.top_features, material.single_root, lengths)
        self.top = ArcLearner(material, factors, before.weights if before is not None else None)
        labels = init.label_weights if init is not None else None
        self.labels = LabelLearner(material, self.top_features, labels)
        self.extended = self.guess()

    def guess(self) -> Ints:
        """Return the words of all sentences with the guesses of models that did not learn from them."""
        settings, material = self.settings, self.material
        tokens, starts, sizes = material.tokens, material.starts, self.sizes
        trees = np.full((2, len(tokens)), -1, dtype=np.int32)
        shuffle = np.random.default_rng(settings.seed)
        for piece in parts(len(sizes), settings.stack):
            rest = np.setdiff1d(np.arange(len(sizes)), piece)
            learners = [ArcLearner(material, factors, None) for factors in (self.arcs.factors, self.directed_factors())]
            for _ in range(min(settings.epochs, GUESSING_EPOCHS)):
                for chunk in chunks(shuffle.permutation(rest), sizes):
                    for learner in learners:
                        learner.learn(chunk)
            weights = (learner.weights.pack(settings.prune) for learner in learners)
            below = enhanced_finder(material.shared(), *weights)
            begin, end = starts[piece[0]], starts[piece[-1] + 1]
            here = starts[piece[0] : piece[-1] + 2] - begin
            trees[:, begin:end] = below.guess(np.ascontiguousarray(tokens[begin:end]), here)
        return with_guesses(tokens, material.features, starts, *trees)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences, with all models."""
        if self.reused is None:
            self.directed.learn(sentences)
        self.arcs.learn(sentences)
        words, wrong = self.top.learn(sentences, self.extended)
        labels, wrong_labels = self.labels.learn(sentences, self.extended)
        return words + labels, wrong + wrong_labels

    def finder(self) -> StackedFinder:
        """Return what finds trees by the weights so far."""
        below = self.enhanced()
        return StackedFinder(below, top_finder(below, self.top_features, self.top.packed(), self.material.lengths()))

    def state(self) -> Arrays:
        """Return the weights, for a checkpoint."""
        return super().state() | prefixed(self.top.weights.to_arrays(), "stacked.")

    def restore(self, arrays: Arrays) -> None:
        """Go on from the weights of a checkpoint."""
        super().restore(arrays)
        self.top.weights = Weights.from_arrays(part(arrays, "stacked."), ARC_WEIGHTS, self.settings.cut)


# ---- a transform around a model


def transform_of(settings: Settings) -> PseudoProjective:
    """Return the transform of the settings."""
    return PseudoProjective(settings.transform, cap=settings.cap, prefer=settings.prefer)


class Transformed(Model):
    """A parser of encoded trees inside the transform that encodes and decodes them."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.settings = model.settings
        self.transform = transform_of(model.settings)
        self.transform.kept_ = frozenset(model.labels)
        self.features, self.attributes, self.single_root = model.features, model.attributes, model.single_root
        self.scores_labels, self.usual_scales = model.scores_labels, model.usual_scales
        self.has_alternatives, self.kind = model.has_alternatives, model.kind
        self.predicts_tags = model.predicts_tags
        self.long_sentence, self.long_note = model.long_sentence, model.long_note
        plain = [self.transform.plain(label) for label in model.labels]
        self.labels = list(dict.fromkeys(plain))
        numbers = {name: number for number, name in enumerate(self.labels)}
        self.numbers = numbers
        self.plain = np.array([*(numbers[name] for name in plain), -1], dtype=np.int32)
        self.marked = np.array([*map(self.transform.is_marked, model.labels), False])

    def undo(self, heads: Ints, names: list[str]) -> tuple[Ints, list[str]]:
        """Return the tree that an encoded one stands for."""
        return self.transform.decode(heads, names)

    def parse(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return heads and labels of all nodes of a corpus."""
        return self.decoded(*self.model.parse(corpus), corpus)

    def parse_columns(self, corpus: Corpus) -> Columns:
        """Return trees as they are written, and tags if the model inside gives them."""
        columns = self.model.parse_columns(corpus)
        heads, labels = self.decoded(columns["head"][0], columns["deprel"][0], corpus)
        return {**columns, "head": (heads, None), "deprel": (labels, StringTable(self.labels))}

    def decoded(self, heads: Ints, encoded: Ints, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return the trees that encoded ones stand for; only sentences with marks are decoded."""
        labels = self.plain[encoded]
        names = [*self.model.labels, ""]
        marked = np.flatnonzero(self.marked[encoded])
        for sentence in np.unique(np.searchsorted(corpus.starts, marked, side="right") - 1).tolist():
            begin, end = corpus.starts[sentence], corpus.starts[sentence + 1]
            here = [names[label] for label in encoded[begin:end].tolist()]
            heads[begin:end], decoded = self.undo(heads[begin:end], here)
            labels[begin + 1 : end] = [self.numbers[name] for name in decoded[1:]]
        return heads, labels

    def analyse(self, corpus: Corpus, constraints: list[Constraints], request: Request) -> Iterator[Analysis]:
        """Yield the k best trees of each sentence, decoded, and their probabilities."""
        return self.model.analyse(corpus, constraints, replace(request, undo=self.undo))

    def analyse_columns(
        self, corpus: Corpus, constraints: list[Constraints], request: Request
    ) -> tuple[Columns, Iterator[Analysis]]:
        """Return tags, if the model inside gives them, and the analyses."""
        return self.model.analyse_columns(corpus, constraints, replace(request, undo=self.undo))

    def analyser(self, corpus: Corpus) -> Analyser:
        """Return what analyses a corpus under different scales."""
        analyse = self.model.analyser(corpus)
        return lambda request: analyse(replace(request, undo=self.undo))

    def coverage(self, corpus: Corpus) -> Coverage:
        """Return how much of the trees comes back after encoding and decoding."""
        heads, starts = corpus["head"], corpus.starts
        names = [*corpus.strings["deprel"], ""]
        labels = Trees.of(corpus).labels
        right, words = [], (np.diff(starts) - 1).tolist()
        for begin, end in pairwise(starts.tolist()):
            here = [names[label] for label in labels[begin:end].tolist()]
            found, _ = self.undo(*self.transform.encode(heads[begin:end], here))
            right.append(int((found == heads[begin:end])[1:].sum()))
        return Coverage(len(words), int(np.equal(right, words).sum()), sum(words), sum(right), 0)

    def describe(self) -> dict[str, str]:
        """Return the description of the model inside."""
        return self.model.describe()

    def with_beam(self, width: int) -> Transformed:
        """Return the same model with a beam of another width."""
        return Transformed(self.model.with_beam(width))

    def notes(self) -> list[str]:
        """Return what the model inside noted."""
        return self.model.notes()

    def reset_notes(self) -> None:
        """Forget what the model inside noted."""
        self.model.reset_notes()

    def scored(self) -> Transformed:
        """Return the model with what it noted on the development set."""
        return Transformed(self.model.scored())

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file keeps of the model inside; its settings name the transform."""
        return self.model.to_arrays()

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Transformed:
        """Return nothing: `stored_model` puts the transform around the model inside."""
        raise NotImplementedError
