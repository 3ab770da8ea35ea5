"""The trained neural parser: scores of all arcs by a network, the best tree by a decoder, and labels for it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from crossarc import decode
from crossarc.components.component import Arrays, part, prefixed
from crossarc.core.strings import StringTable
from crossarc.errors import DecodeError, UnsoundScores
from crossarc.features.inputs import InputAttributes, InputModel, parse_input_model
from crossarc.neural.encoder import Batch, Prepared
from crossarc.neural.heads import ArcScores
from crossarc.neural.kernels import log_probabilities
from crossarc.neural.layers import Array, leaky
from crossarc.parsers.analysis import Scales
from crossarc.parsers.arcs.analysis import Searched, SentenceScores
from crossarc.parsers.arcs.model import AttributeModel
from crossarc.parsers.model import Columns, Ints
from crossarc.parsers.networks.heads import NO_HEADS, HeadReader, Heads, made_heads
from crossarc.parsers.networks.network import Network, pack_inputs, stored_network, unpack_inputs
from crossarc.parsers.networks.settings import NetworkTreeSettings
from crossarc.parsers.presets import stored_basics
from crossarc.parsers.trees import ELSEWHERE, ON_ROOTS, check_places
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

Scores = NDArray[np.float64]
Starts = NDArray[np.int64]
BLOCK_NODES = 16_000  # for which what equal nodes have in common is kept
BATCH_NODES = 2_000  # that go through the network side by side
BATCH_CELLS = 400_000  # scores of arcs at a time


# The nodes of a batch, where its sentences begin, their vectors, and the scores of their arcs.
Visit = Callable[[Starts, Starts, Any, ArcScores], None]


def ignore(nodes: Starts, starts: Starts, vectors: Any, arcs: ArcScores) -> None:
    """Do nothing with a batch."""


@contextmanager
def searching() -> Iterator[None]:
    """Say that scores are unsound where a decoder refuses them: without constraints it has no other reason."""
    try:
        yield
    except DecodeError:
        raise UnsoundScores from None


class NetworkModel(AttributeModel):
    """A parser whose scores of arcs and labels come from vectors of words: those of one network, or of several."""

    settings: NetworkTreeSettings
    features: InputModel
    label_places: NDArray[np.uint8]  # where each label can be
    heads: Heads = NO_HEADS  # what it predicts besides trees
    usual_scales = Scales(1.0, 1.0)

    @abstractmethod
    def prepare(self, tokens: Ints) -> Any:
        """Return what can be known of nodes without those around them, once for many batches."""

    @abstractmethod
    def vectors(self, prepared: Any, nodes: Starts, starts: Starts) -> Any:
        """Return the vectors of the nodes of sentences, which are `nodes` of those prepared."""

    @abstractmethod
    def score_arcs(self, vectors: Any, starts: Starts) -> ArcScores:
        """Return the scores of all arcs."""

    @abstractmethod
    def score_labels(self, vectors: Any, words: Ints, above: Ints) -> Array:
        """Return the scores of all labels of arcs to `words` from `above`, which are rows of the vectors."""

    @property
    def is_projective(self) -> bool:  # type: ignore[override]
        """Whether only projective trees are looked at."""
        return self.settings.is_projective

    @abstractmethod
    def part_of(self, vectors: Any, begin: int, end: int) -> Any:
        """Return the vectors of one sentence of those of a batch."""

    def parse_nodes(self, tokens: Ints, starts: Starts, visit: Visit = ignore) -> tuple[Ints, Ints]:
        """Return heads and labels of nodes with these attributes; long sentences in pieces.

        `visit` is called with each batch that went through the network, pieces of long sentences among them.
        """

        def parse(own: Ints, begins: Starts, rows: Starts) -> tuple[Ints, Ints]:
            return self.parse_tokens(own, begins, lambda nodes, *found: visit(rows[nodes], *found))

        return self.parse_in_pieces(tokens, starts, parse)

    def parse_tokens(self, tokens: Ints, starts: Starts, visit: Visit = ignore) -> tuple[Ints, Ints]:
        """Return heads and labels of the sentences that begin at `starts`, from the attributes of their nodes."""
        heads, labels = (np.full(len(tokens), -1, dtype=np.int32) for _ in range(2))
        search = decode.eisner if self.is_projective else decode.mst
        for _, nodes, own, prepared, places in sentence_batches(tokens, starts, self.prepare):
            vectors = self.vectors(prepared, places, own)
            arcs = self.score_arcs(vectors, own)
            visit(nodes, own, vectors, arcs)
            with searching():
                found = search(padded(arcs), np.diff(own).astype(np.int32) - 1, single_root=self.single_root)
            words, above = ends(found, own)
            heads[nodes[words]] = above - np.repeat(own[:-1], np.diff(own))[words]
            labels[nodes[words]] = self.allowed_labels(vectors, words, above, heads[nodes[words]]).argmax(axis=1)
        return heads, labels

    def allowed_labels(self, vectors: Any, words: Ints, above: Ints, heads: Ints) -> Array:
        """Return the scores of labels, -inf for those that cannot be; `heads` are the heads in their sentences."""
        return self.score_labels(vectors, words, above) + barred_labels(self.label_places, heads)

    def scorer(self) -> NetworkScorer:
        """Return the scores of arcs and labels, for other decoders."""
        return NetworkScorer(self)

    def search(self, corpus: Corpus) -> Searched:
        """Return the parses and tags of a corpus, and the scores that the parses come from."""
        tokens, starts = self.tokens_of(corpus), corpus.starts
        kept: dict[int, tuple[Any, Scores]] = {}  # by the first node of the sentence
        reader = HeadReader(self, len(tokens))

        def visit(nodes: Starts, own: Starts, vectors: Any, arcs: ArcScores) -> None:
            reader.read(nodes, own, vectors, arcs)
            for sentence, (begin, end) in enumerate(pairwise(own.tolist())):
                scores = np.array(arcs.square(sentence), dtype=np.float64)
                kept[int(nodes[begin])] = self.part_of(vectors, begin, end), scores

        def scores_of(begin: int, end: int) -> SentenceScores:
            vectors, arcs = kept.pop(begin)
            if len(arcs) == end - begin:
                return SentenceScores(self, lambda: (vectors, end - begin), arcs)
            return SentenceScores(self, lambda: self.input_of(tokens[begin:end]))  # a long one was cut into pieces

        heads, labels = self.parse_nodes(tokens, starts, visit)
        scores = (scores_of(*ends) for ends in pairwise(starts.tolist()))
        return Searched(heads, labels, scores, reader.columns(corpus))

    def input_of(self, tokens: Ints) -> Any:
        """Return the vectors of the nodes of one sentence."""
        starts = np.array([0, len(tokens)], dtype=np.int64)
        return self.vectors(self.prepare(tokens), np.arange(len(tokens)), starts), len(tokens)

    def arc_scores(self, sentence: tuple[Any, int], *, whole: bool = False) -> Scores:
        """Return the scores that trees are compared by, at [dependent, head]."""
        vectors, size = sentence
        return np.asarray(self.score_arcs(vectors, np.array([0, size], dtype=np.int64)).square(0), dtype=np.float64)

    def label_scores(self, sentence: tuple[Any, int], heads: Ints) -> Scores:
        """Return the scores of all labels for the arcs of a tree, at [dependent, label]."""
        scores = np.zeros((len(heads), len(self.labels)))
        words = np.arange(1, len(heads), dtype=np.int32)
        scores[1:] = self.allowed_labels(sentence[0], words, heads[1:], heads[1:])
        return scores


class NetworkScorer:
    """The scores of a trained network as an `ArcScorer`, for `Parser.around` and for decoders of others."""

    def __init__(self, model: NetworkModel) -> None:
        self.model = model
        self.labels = model.labels

    def arc_scores(self, sentences: list[Sentence]) -> list[Scores]:
        """Return the scores of all arcs of each sentence, [dependent, head]."""
        return [self.model.arc_scores(each) for each in self.model.inputs(Corpus.of(sentences))]

    def label_scores(self, sentences: list[Sentence], heads: list[Ints]) -> list[Scores]:
        """Return the scores of all labels for each word of each tree."""
        both = zip(self.model.inputs(Corpus.of(sentences)), heads, strict=True)
        return [self.model.label_scores(each, tree) for each, tree in both]


@dataclass(frozen=True, eq=False)
class NetworkTreeModel(NetworkModel):
    """A trained network and what numbers its input and its labels."""

    settings: NetworkTreeSettings
    features: InputModel
    attributes: InputAttributes
    labels: list[str]
    label_places: NDArray[np.uint8]
    single_root: bool
    weights: Arrays  # as a file keeps them
    heads: Heads = field()
    network: Network = field(init=False)

    def __post_init__(self) -> None:
        what = (self.settings, self.features, self.attributes, len(self.labels), self.weights)
        object.__setattr__(self, "network", stored_network(*what, heads=self.heads))

    def parse_columns(self, corpus: Corpus) -> Columns:
        """Return trees and what heads choose, as it is written to the columns of a corpus."""
        reader = HeadReader(self, int(corpus.starts[-1]))
        heads, labels = self.parse_nodes(self.tokens_of(corpus), corpus.starts, reader.read)
        trees: Columns = {"head": (heads, None), "deprel": (labels, StringTable(self.labels))}
        return trees | reader.columns(corpus)

    def part_of(self, vectors: Array, begin: int, end: int) -> Array:
        """Return the vectors of one sentence of those of a batch."""
        return vectors[begin:end]

    def prepare(self, tokens: Ints) -> Prepared:
        """Return what the first layer makes of nodes."""
        return self.network.encoder.prepare(self.network.numbers(tokens))

    def vectors(self, prepared: Prepared, nodes: Starts, starts: Starts) -> Array:
        """Return the vectors of the nodes of sentences."""
        return self.network.encoder.forward(prepared, nodes, Batch(starts))

    def score_arcs(self, vectors: Array, starts: Starts) -> ArcScores:
        """Return the scores of all arcs; with joint labels each with that of its best label."""
        found = self.network.arcs.forward(vectors, starts)
        if self.settings.labels == "joint":
            log_probabilities(found.scores, starts, found.places)
            for sentence, (begin, end) in enumerate(pairwise(starts.tolist())):
                found.square(sentence)[:] += self.best_labels(vectors[begin:end])
        return found

    def best_labels(self, vectors: Array) -> Array:
        """Return the log probability of the best label of each arc, [dependent, head]."""
        below, above = self.network.labels.ends(vectors)
        size, n = self.network.labels.size, len(vectors)
        found = np.empty((n, n), dtype=vectors.dtype)
        for word in range(n):
            hidden = leaky(below[word] + above).reshape(n, size)
            scores = self.network.labels.output.forward(hidden) + barred_labels(self.label_places, np.arange(n))
            found[word] = log_softmax(scores).max(axis=1)
        return found

    def score_labels(self, vectors: Array, words: Ints, above: Ints) -> Array:
        """Return the scores of all labels of some arcs."""
        return self.network.labels.forward(vectors, words, above).scores

    def describe(self) -> dict[str, str]:
        """Return the number of weights."""
        return describe_network(self.network)

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        arrays = {"label_places": self.label_places, **prefixed(self.weights, "network.")}
        for key, head in self.heads.items():
            arrays |= prefixed(head.to_arrays(), f"{key}.")
        return self.shared_manifest(), arrays | pack_inputs(self.attributes)

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of a file."""
        settings, labels, single_root = stored_basics(manifest, NetworkTreeSettings)
        features = parse_input_model(manifest["features"], settings.features)
        check_places(arrays["label_places"], len(labels))
        attributes = unpack_inputs(arrays, features.attributes)
        heads = made_heads(settings.predict, lambda key, head, own: head.from_arrays(part(arrays, f"{key}."), own))
        weights = part(arrays, "network.")
        return cls(settings, features, attributes, labels, arrays["label_places"], single_root, weights, heads)


def describe_network(network: Network) -> dict[str, str]:
    """Return the number of weights of a network."""
    weights = [(parameter.value.size, parameter.table) for _, parameter in network.parameters()]
    tables = sum(size for size, table in weights if table)
    return {"network": f"{sum(size for size, _ in weights):,} weights, {tables:,} of them embeddings"}


def barred_labels(places: NDArray[np.uint8], heads: NDArray[Any]) -> Array:
    """Return 0 for each label that an arc from each head can have, by where labels can be, and -inf for others."""
    table = np.where((places[None] & np.array([[ELSEWHERE], [ON_ROOTS]])) > 0, 0, -np.inf)
    return np.asarray(table.astype(np.float32)[(heads == 0).astype(np.int64)])


class SentenceBatch(NamedTuple):
    """Sentences that go through a network side by side."""

    sentences: Starts  # their numbers
    nodes: Starts  # their nodes, one sentence after another
    starts: Starts  # where each begins among these
    prepared: Any  # what is known of the nodes of a block of sentences
    places: Starts  # the nodes in that block


def sentence_batches(
    tokens: Ints, starts: Starts, prepare: Callable[[Ints], Any], block_nodes: int = BLOCK_NODES
) -> Iterator[SentenceBatch]:
    """Yield sentences of similar length, some thousand nodes at a time."""
    sizes, begin = np.diff(starts), 0
    while begin < len(sizes):
        end = max(begin + 1, int(np.searchsorted(starts, starts[begin] + block_nodes, side="right")) - 1)
        first = int(starts[begin])
        prepared = prepare(tokens[first : starts[end]])
        order = begin + np.argsort(-sizes[begin:end], kind="stable")
        at = 0
        while at < len(order):
            longest = int(sizes[order[at]])
            sentences = order[at : at + max(1, min(BATCH_NODES // longest, BATCH_CELLS // longest**2))]
            nodes = nodes_of(sentences, starts)
            own = np.concatenate([[0], np.cumsum(sizes[sentences])]).astype(np.int64)
            yield SentenceBatch(sentences, nodes, own, prepared, nodes - first)
            at += len(sentences)
        begin = end


def nodes_of(sentences: NDArray[np.int64], starts: Starts) -> NDArray[np.int64]:
    """Return the nodes of some sentences, one sentence after another."""
    sizes = np.diff(starts)[sentences]
    first = np.repeat(starts[sentences] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    return np.asarray(first + np.arange(int(sizes.sum())))


def padded(found: ArcScores) -> Scores:
    """Return the scores of a batch as decoders take them."""
    sizes = np.diff(found.starts)
    most = int(sizes.max())
    scores = np.zeros((len(sizes), most, most))
    for sentence, size in enumerate(sizes.tolist()):
        scores[sentence, :size, :size] = found.square(sentence)
    return scores


def ends(heads: Ints, starts: Starts) -> tuple[Ints, Ints]:
    """Return the nodes of all words of a batch, and those of their heads, given the heads in each sentence."""
    sizes = np.diff(starts)
    sentence = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(int(starts[-1])) - starts[sentence]
    words = np.flatnonzero(place > 0)
    above = starts[sentence[words]] + heads[sentence[words], place[words]]
    return words.astype(np.int32), above.astype(np.int32)


def log_softmax(scores: Array) -> Array:
    """Return the logarithms of probabilities along the last axis."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
