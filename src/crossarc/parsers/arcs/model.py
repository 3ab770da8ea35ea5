"""The trained parser that scores arcs: the best tree by the scores of all arcs, and labels for it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crossarc import decode
from crossarc.components.component import Arrays
from crossarc.components.description import Description
from crossarc.decode.decoder import decode as best_tree
from crossarc.factors.arcs import ARC_WEIGHTS, JointFactors, LabelFactors
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import PackedWeights
from crossarc.parsers.analysis import GRAPH_SCALES, Analysis, Request
from crossarc.parsers.arcs.analysis import Searched, SentenceScores, analyse_searched
from crossarc.parsers.arcs.finders import ArcFinder, Starts, TreeFinder, decoder_of
from crossarc.parsers.arcs.lengths import Lengths, WithLengths, limits_of
from crossarc.parsers.arcs.long_sentences import LONG, Pieces
from crossarc.parsers.arcs.settings import ArcSettings, ArcTreeSettings
from crossarc.parsers.arcs.storage import ArcDescription, read_stored, stored_parts
from crossarc.parsers.constraints import NONE, Constraints
from crossarc.parsers.model import Analyser, Columns, Ints, TreeModel
from crossarc.structure import is_projective
from crossarc.transitions.coverage import Coverage
from crossarc.treebank.corpus import Corpus

Scores = NDArray[np.float64]
ParsePieces = Callable[[Ints, Starts, NDArray[np.int64]], tuple[Ints, Ints]]  # from attributes, starts and rows


class ArcScoringModel(TreeModel):
    """A parser that scores the arcs of a sentence: what parsers of this kind and parsers around other scorers share.

    `inputs` gives the input from which the scores of a sentence are computed.
    """

    usual_scales = GRAPH_SCALES
    scores_labels = True
    long_sentence = LONG
    long_note = "each was parsed in pieces, which were joined by their roots"
    lengths: Lengths | None = None

    @abstractmethod
    def inputs(self, corpus: Corpus) -> Iterator[Any]:
        """Yield the input of each sentence."""

    @abstractmethod
    def arc_scores(self, sentence: Any, *, whole: bool = False) -> Scores:
        """Return the scores that trees are compared by, at [dependent, head]; `whole` with arcs of all lengths."""

    @abstractmethod
    def label_scores(self, sentence: Any, heads: Ints) -> Scores:
        """Return the scores of all labels for the arcs of a tree, at [dependent, label]."""

    def parse_under(self, sentence: Any, constraints: Constraints) -> Ints | None:
        """Return the heads of the parse under constraints; None for the best tree by the scores of arcs."""
        return None

    def analyse(self, corpus: Corpus, constraints: list[Constraints], request: Request) -> Iterator[Analysis]:
        """Yield the k best trees of each sentence and their probabilities."""
        return self.analyse_columns(corpus, constraints, request)[1]

    def analyse_columns(
        self, corpus: Corpus, constraints: list[Constraints], request: Request
    ) -> tuple[Columns, Iterator[Analysis]]:
        """Return tags, if the model gives them, and the analyses, by the scores that the parses come from."""
        found = self.search(corpus)
        return found.tags, analyse_searched(self, corpus, found, constraints, request)

    def analyser(self, corpus: Corpus) -> Analyser:
        """Return a function that analyses a corpus under different scales; it scores each sentence once."""
        found = self.search(corpus)
        kept = found._replace(scores=list(found.scores))
        known = [NONE] * (len(corpus.starts) - 1)
        return lambda request: analyse_searched(self, corpus, kept, known, request)

    def search(self, corpus: Corpus) -> Searched:
        """Return the parses of a corpus and the scores of its sentences."""
        scores = (SentenceScores(self, lambda each=each: each) for each in self.inputs(corpus))  # type: ignore[misc]
        return Searched(*self.parse(corpus), scores, {})

    def coverage(self, corpus: Corpus) -> Coverage:
        """Return the coverage of the decoder: all trees, or the projective ones."""
        heads, starts = corpus["head"], corpus.starts
        found = heads >= 0
        if self.is_projective:
            for begin, end in pairwise(starts.tolist()):
                found[begin:end] = in_projective_tree(heads[begin:end])
        return coverage_of(found, heads, starts)


class AttributeModel(ArcScoringModel):
    """A parser that scores arcs by the attributes of nodes; long sentences are parsed in pieces."""

    def parse(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return heads and labels of all nodes of a corpus."""
        return self.parse_nodes(self.tokens_of(corpus), corpus.starts)

    def parse_nodes(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return heads and labels of nodes with these attributes; long sentences in pieces."""
        return self.parse_in_pieces(tokens, starts, lambda own, begins, rows: self.parse_tokens(own, begins))

    def parse_in_pieces(self, tokens: Ints, starts: Starts, parse: ParsePieces) -> tuple[Ints, Ints]:
        """Return heads and labels of nodes, given a function that parses pieces of sentences by their rows."""
        if np.diff(starts).max(initial=0) - 1 <= self.long_sentence:
            return parse(tokens, starts, np.arange(len(tokens)))
        pieces = Pieces(starts, self.long_sentence)
        found, names = parse(np.ascontiguousarray(tokens[pieces.rows]), pieces.starts, pieces.rows)
        heads, joined = pieces.joined(found, self.single_root)
        labels = np.full(len(tokens), -1, dtype=np.int32)
        labels[pieces.rows] = names
        for root, word in joined:
            both = np.ascontiguousarray(tokens[[root, root + heads[word], word]])
            labels[word] = self.label_scores(self.input_of(both), np.array([-1, 0, 1], dtype=np.int32))[2].argmax()
        return heads, labels

    def tokens_of(self, corpus: Corpus) -> Ints:
        """Return the attributes of all nodes of a corpus, a row each."""
        return self.attributes.encode(corpus)

    @abstractmethod
    def parse_tokens(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return heads and labels of the sentences that begin at `starts`, from the attributes of their nodes."""

    def inputs(self, corpus: Corpus) -> Iterator[Any]:
        """Yield the input of each sentence."""
        tokens = self.tokens_of(corpus)
        return (self.input_of(tokens[begin:end]) for begin, end in pairwise(corpus.starts.tolist()))

    def input_of(self, tokens: Ints) -> Any:
        """Return the input of the scores of a sentence: the attributes of its nodes, or what is computed from these."""
        return tokens


@dataclass(frozen=True, eq=False)
class ArcTreeModel(WithLengths, AttributeModel):
    """A trained parser that scores arcs: a finder of trees, and weights of labels."""

    description: ClassVar[type[Description]] = ArcDescription
    settings: ArcSettings
    features: EdgeModel
    attributes: Attributes
    labels: list[str]
    label_places: NDArray[np.uint8]  # where each can be
    single_root: bool
    finder: TreeFinder
    label_weights: PackedWeights
    label_features: EdgeModel  # what a label model looks at
    long_sentence: int = LONG
    finder_type: ClassVar[type[ArcFinder]] = ArcFinder

    @property
    def lengths(self) -> Lengths | None:  # type: ignore[override]
        """The greatest lengths of arcs, if the parser goes by them."""
        return self.finder.lengths

    @property
    def is_projective(self) -> bool:  # type: ignore[override]
        """Whether only projective trees are looked at."""
        return self.settings.is_projective

    def search(self, corpus: Corpus) -> Searched:
        """Return the parses of a corpus and the scores of its sentences; parses are read from scores if they can be."""
        finds_best = isinstance(self.finder, ArcFinder) and self.finder.finds_best
        if not finds_best or self.lengths is not None or np.diff(corpus.starts).max(initial=0) > self.long_sentence:
            return super().search(corpus)
        decoder = decoder_of(self.settings, self.single_root)
        heads, labels = (np.full(int(corpus.starts[-1]), -1, dtype=np.int32) for _ in range(2))
        scores = [SentenceScores(self, lambda each=each: each) for each in self.inputs(corpus)]  # type: ignore[misc]
        for own, (begin, end) in zip(scores, pairwise(corpus.starts.tolist()), strict=True):
            heads[begin:end] = best_tree(decoder, own.arcs())
            labels[begin + 1 : end] = own.labels(heads[begin:end])[1:].argmax(axis=1)
        return Searched(heads, labels, scores, {})

    def parse_tokens(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return heads and labels of the sentences that begin at `starts`, from the attributes of their nodes."""
        labels = np.full(len(tokens), -1, dtype=np.int32)
        if not len(tokens):
            return labels.copy(), labels
        heads, extended = self.finder.find(tokens, starts)
        self.label_factors().find_labels(self.label_weights, extended, starts, heads, labels)
        return heads, labels

    def label_factors(self) -> LabelFactors:
        """Return the features of labels at work, for one thread."""
        return LabelFactors(self.label_features, self.label_places)

    def arc_scores(self, sentence: Ints, *, whole: bool = False) -> Scores:
        """Return the scores that trees are compared by, at [dependent, head]."""
        return self.finder.scores(sentence, whole=whole)

    def label_scores(self, sentence: Ints, heads: Ints) -> Scores:
        """Return the scores of all labels for the arcs of a tree, at [dependent, label]."""
        return self.label_factors().scores(self.label_weights, self.finder.extended(sentence), heads)

    def describe(self) -> dict[str, str]:
        """Return the numbers of arcs that lengths left out of the development set."""
        return self.describe_lengths()

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        manifest, arrays = stored_parts(self)
        return manifest, arrays | self.finder.to_arrays() | self.label_weights.to_arrays("labels.")

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of a file."""
        own = read_stored(manifest, arrays, ArcSettings)
        names = ("settings", "features", "single_root", "lengths")
        shared = {name: getattr(own, name) for name in names}
        finder, label_features = cls.stored_finder(shared, own.attributes, manifest, arrays)
        label_actions = cls.label_actions(own.settings, len(own.labels))
        weights = PackedWeights.from_arrays(arrays, label_actions, "labels.")
        basics = (own.settings, own.features, own.attributes, own.labels, own.label_places, own.single_root)
        return cls(*basics, finder, weights, label_features)

    @classmethod
    def label_actions(cls, settings: ArcSettings, labels: int) -> int:
        """Return how many actions the weights of so many labels have."""
        return labels

    @classmethod
    def stored_finder(
        cls, shared: dict[str, Any], attributes: Attributes, manifest: dict[str, Any], arrays: Arrays
    ) -> tuple[TreeFinder, EdgeModel]:
        """Return the finder of trees by the weights of a file, and the features of its label model.

        `shared` is what finders of all kinds have.
        """
        weights = PackedWeights.from_arrays(arrays, ARC_WEIGHTS, "arcs.")
        return cls.finder_type(**shared, weights=weights), shared["features"]


@dataclass(frozen=True, eq=False)
class JointModel(ArcTreeModel):
    """A parser that scores arcs and chooses the best label of each arc before the tree."""

    def factors(self, lengths: Lengths | None) -> JointFactors:
        """Return the features and the decoder at work, for one thread."""
        assert isinstance(self.settings, ArcTreeSettings)
        return joint_factors(self.settings, self.features, self.single_root, self.label_places, lengths)

    def parse_tokens(self, tokens: Ints, starts: Starts) -> tuple[Ints, Ints]:
        """Return heads and labels of the sentences that begin at `starts`."""
        heads = np.full(len(tokens), -1, dtype=np.int32)
        labels = np.full(len(tokens), -1, dtype=np.int32)
        if len(tokens):
            factors = self.factors(self.lengths)
            factors.find_trees(self.arc_weights, self.label_weights, tokens, starts, heads, labels)
            if self.lengths is not None:
                self.lengths.count(factors)
        return heads, labels

    @property
    def arc_weights(self) -> PackedWeights:
        """The weights of arcs."""
        assert isinstance(self.finder, ArcFinder)
        return self.finder.weights

    def arc_scores(self, sentence: Ints, *, whole: bool = False) -> Scores:
        """Return the scores of arcs, each with that of its best label."""
        factors = self.factors(None if whole else self.lengths)
        return factors.scores(self.arc_weights, self.label_weights, sentence)

    def label_scores(self, sentence: Ints, heads: Ints) -> Scores:
        """Return the scores of all labels for the arcs of a tree."""
        return self.factors(None).label_scores(self.label_weights, sentence, heads)


def joint_factors(
    settings: ArcTreeSettings,
    features: EdgeModel,
    single_root: bool,
    places: NDArray[np.uint8],
    lengths: Lengths | None,
) -> JointFactors:
    """Return arcs with joint labels at work."""
    decoder = decoder_of(settings, single_root)
    return JointFactors(features, decoder, places, **limits_of(lengths))


def coverage_of(found: NDArray[np.bool_], heads: Ints, starts: Starts) -> Coverage:
    """Return the coverage of trees, given for each node whether its arc can be found."""
    words = np.diff(starts) - 1
    right = np.add.reduceat(found & (heads >= 0), starts[:-1], dtype=np.int64) if len(words) else words
    return Coverage(len(words), int((right == words).sum()), int(words.sum()), int(right.sum()), 0)


def in_projective_tree(heads: Ints) -> NDArray[np.bool_]:
    """Return for each node whether its arc is in the projective tree that is most like a tree."""
    if is_projective(heads):
        return heads >= 0
    n = len(heads) - 1
    scores = np.zeros((n + 1, n + 1))
    scores[np.arange(1, n + 1), heads[1:]] = 1
    found: NDArray[np.bool_] = decode.eisner(scores, single_root=False) == heads
    return found
