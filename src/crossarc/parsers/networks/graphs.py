"""The neural parser of graphs: each arc is there or not by its own score, and every word keeps a head.

The graph is the best tree by the scores of arcs, and then the arcs whose scores are above the threshold of their set of
labels, the best first, as in `dag-mst`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from crossarc import decode
from crossarc.components.component import Arrays, part, prefixed
from crossarc.features.inputs import InputAttributes, InputModel, parse_input_model
from crossarc.neural.encoder import Batch, Prepared
from crossarc.neural.layers import Array, Starts
from crossarc.parsers.analysis import Scales
from crossarc.parsers.arcs.graphs import joined_pieces
from crossarc.parsers.arcs.long_sentences import LONG, Pieces
from crossarc.parsers.graphs import Arcs, Graphs, graph_transform, sentences_of
from crossarc.parsers.model import GraphModel, Ints
from crossarc.parsers.networks.beside import (
    BESIDE_SIZE,
    ROLES,
    WAYS,
    best_sets,
    embedding_blocks,
    first_pass,
    in_pieces,
    second_pass,
)
from crossarc.parsers.networks.model import barred_labels, describe_network, searching, sentence_batches
from crossarc.parsers.networks.network import Network, pack_inputs, stored_network, unpack_inputs
from crossarc.parsers.networks.settings import NetworkGraphSettings
from crossarc.parsers.networks.thresholds import Beside, choose_thresholds, right_labels
from crossarc.parsers.presets import stored_basics
from crossarc.parsers.trees import check_places
from crossarc.treebank.corpus import Corpus

TUNINGS = 3  # times that thresholds are chosen, each time for the F-score that the last ones reached


class Proposal(NamedTuple):
    """What a network proposes for a batch of sentences: the best trees, and arcs beside them."""

    sentences: Starts  # their numbers
    starts: Starts  # where the nodes of each begin
    trees: Ints  # the heads of the best trees, [sentence, word]
    tree_sets: NDArray[np.int64]  # of each node
    beside: Beside  # by places in the batch


@dataclass(frozen=True, eq=False)
class NetworkGraphModel(GraphModel):
    """A trained network, and which labels two words can have arcs with.

    Arcs between the same two words are one decision: `names` are sets of labels. Set i has the labels from
    `set_starts[i]` to `set_starts[i + 1]` of `set_labels`.
    """

    settings: NetworkGraphSettings
    features: InputModel
    attributes: InputAttributes
    labels: list[str]
    set_starts: Starts
    set_labels: Ints
    set_places: NDArray[np.uint8]  # where each set can be
    single_root: bool
    most_heads: int
    most_parallel: int
    weights: Arrays  # as a file keeps them
    thresholds: NDArray[np.float32]  # of each set: arcs beside the tree need a higher score
    network: Network = field(init=False)
    usual_scales = Scales(1.0, 1.0)
    long_sentence: int = LONG
    long_note = "each was parsed in pieces, which were joined by their roots"

    def __post_init__(self) -> None:
        sets = len(self.set_starts) - 1
        what = (self.settings, self.features, self.attributes, sets, self.weights)
        object.__setattr__(self, "network", stored_network(*what, **network_sizes(self.settings, sets)))

    def parse_graphs(self, corpus: Corpus) -> Arcs:
        """Return the arcs of the graphs of a corpus, in the order of dependents."""
        tokens = self.tokens_of(corpus)
        if np.diff(corpus.starts).max(initial=0) - 1 <= self.long_sentence:
            return self.parse_tokens(tokens, corpus.starts)
        pieces = Pieces(corpus.starts, self.long_sentence)
        cut = np.ascontiguousarray(tokens[pieces.rows])
        if self.settings.use_tree:
            cut[:, -1] = in_pieces(tokens[:, -1], pieces)
        found = self.parse_tokens(cut, pieces.starts)

        def label_of(rows: list[int]) -> int:
            vectors = self.vectors(self.prepare(tokens[rows]), np.arange(3), np.array([0, 3], dtype=np.int64))
            below, over = (np.array([end], dtype=np.int32) for end in (2, 1))
            chosen = best_sets(self.network, self.set_places, vectors, below, over, over)
            return int(self.set_labels[self.set_starts[chosen[0]]])

        return joined_pieces(found, pieces, self.single_root, label_of)

    def tokens_of(self, corpus: Corpus) -> Ints:
        """Return the attributes of all nodes of a corpus, and last their heads in given trees if it uses them."""
        tokens = self.attributes.encode(corpus)
        return np.concatenate([tokens, corpus["head"][:, None]], axis=1) if self.settings.use_tree else tokens

    def prepare(self, tokens: Ints) -> Prepared:
        """Return what the first layer makes of nodes."""
        return self.network.encoder.prepare(self.network.numbers(tokens))

    def vectors(self, prepared: Prepared, nodes: Starts, starts: Starts) -> Array:
        """Return the vectors of the nodes of sentences, which are `nodes` of those prepared."""
        return self.network.encoder.forward(prepared, nodes, Batch(starts))

    def proposals(self, tokens: Ints, starts: Starts) -> Iterator[Proposal]:
        """Yield what the network proposes for the sentences that begin at `starts`, batch by batch."""
        network = self.network
        for sentences, nodes, own, prepared, places in sentence_batches(tokens, starts, self.prepare):
            vectors = self.vectors(prepared, places, own)
            given = tokens[nodes, -1] if self.settings.use_tree else None
            first = first_pass(network, vectors, own, given, self.single_root, self.set_places)
            ends = (first.sentences, first.dependents, first.heads)
            scores = second_pass(network, vectors, first).scores
            named = scores[:, 1:] + barred_labels(self.set_places, first.heads)
            sets = named.argmax(axis=1)
            beside = Beside(*ends, sets, (named[np.arange(len(sets)), sets] - scores[:, 0]).astype(np.float64))
            yield Proposal(sentences, own, first.trees, first.sets, beside)

    def parse_tokens(self, tokens: Ints, starts: Starts) -> Arcs:
        """Return the arcs of the sentences that begin at `starts`, from the attributes of their nodes."""
        cycles = "allow" if self.settings.cycles == "allow" else "forbid"
        how: dict[str, Any] = {"cycles": cycles, "most_heads": self.most_heads, "single_root": self.single_root}
        found: list[tuple[NDArray[Any], ...]] = []
        for sentences, own, trees, tree_sets, beside in self.proposals(tokens, starts):
            margins = np.full((*trees.shape, trees.shape[1]), -1.0)  # none of the others is added
            cells = tuple(beside[:3])
            margins[cells] = beside.scores - self.thresholds[beside.sets]
            with searching():
                arcs = decode.best_graph(margins, np.diff(own).astype(np.int32) - 1, required=trees, **how)
            sets = np.zeros(margins.shape, dtype=np.int64)
            sets[cells] = beside.sets
            sentence, dependents, heads = np.nonzero(arcs)
            of_tree = trees[sentence, dependents] == heads
            chosen = np.where(of_tree, tree_sets[own[sentence] + dependents], sets[sentence, dependents, heads])
            found.append((sentences[sentence], dependents, heads, chosen))
        columns = [np.concatenate(each) for each in zip(*found, strict=True)] if found else [np.zeros(0, np.int64)] * 4
        sizes = np.diff(self.set_starts)[columns[3]]
        sentence, dependents, heads, sets = (np.repeat(each, sizes) for each in columns)
        place = np.arange(len(sets)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        labels = self.set_labels[self.set_starts[sets] + place]
        order = np.lexsort((np.arange(len(sets)), dependents, sentence))
        counts = np.bincount(sentence, minlength=len(starts) - 1)
        counted = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Arcs(counted, *(each[order].astype(np.int32) for each in (heads, dependents, labels)))

    def tuned(self, dev: Corpus) -> NetworkGraphModel:
        """Return the model with the threshold of each set of labels that is best on a development set."""
        short = Corpus.of([each for each in sentences_of(dev) if len(each) <= self.long_sentence])
        if not len(short.starts) - 1:
            return self
        gold = Graphs.of(short, graph_transform(self.settings)).numbered(self.labels).arcs
        batches = self.proposals(self.tokens_of(short), short.starts)
        beside = Beside.joined(
            each.beside._replace(sentences=each.sentences[each.beside.sentences]) for each in batches
        )
        right = right_labels(beside, gold, self.set_starts, self.set_labels)
        best, score = self, self.score(dev)["LF"]
        for _ in range(TUNINGS):
            thresholds = choose_thresholds(beside, right, np.diff(self.set_starts), score / 200)
            model = replace(self, thresholds=thresholds)
            reached = model.score(dev)["LF"]
            if reached <= score:
                break
            best, score = model, reached
        return best

    def describe(self) -> dict[str, str]:
        """Return the number of weights, and how many heads a word can have."""
        values, often = np.unique(self.thresholds, return_counts=True)
        common = float(values[often.argmax()])
        text = f"beside the tree those of a probability over {1 / (1 + np.exp(-common)):.2f}"
        own = len(self.thresholds) - int(often.max())
        if own:
            text += f", for {own} of {len(self.thresholds)} sets of labels another one"
        heads = f"up to {self.most_heads} of a word; {text}"
        return {**describe_network(self.network), "heads": heads}

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        names = ("set_starts", "set_labels", "set_places", "thresholds")
        sets: Arrays = {name: getattr(self, name) for name in names}
        limits = {"most_heads": self.most_heads, "most_parallel": self.most_parallel}
        arrays = sets | prefixed(self.weights, "network.") | pack_inputs(self.attributes)
        return {**self.shared_manifest(), **limits}, arrays

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of a file."""
        settings, labels, single_root = stored_basics(manifest, NetworkGraphSettings)
        features = parse_input_model(manifest["features"], settings.features)
        limits = manifest["most_heads"], manifest["most_parallel"]
        sets = arrays["set_starts"], arrays["set_labels"]
        if [(each.ndim, str(each.dtype)) for each in sets] != [(1, "int64"), (1, "int32")]:
            raise ValueError("the sets of labels are damaged")
        if len(sets[0]) < 2 or (sets[0][0], sets[0][-1]) != (0, len(sets[1])):
            raise ValueError("the sets of labels are damaged")
        if (np.diff(sets[0]) < 1).any() or sets[1].min() < 0 or sets[1].max() >= len(labels):
            raise ValueError("the sets of labels are damaged")
        check_places(arrays["set_places"], len(sets[0]) - 1)
        attributes = unpack_inputs(arrays, features.attributes)
        what = (settings, features, attributes, labels, *sets, arrays["set_places"], single_root)
        thresholds = arrays["thresholds"]
        if thresholds.shape != (len(sets[0]) - 1,) or thresholds.dtype != np.float32:
            raise ValueError("each set of labels has a threshold")
        return cls(*what, *limits, part(arrays, "network."), thresholds)


def network_sizes(settings: NetworkGraphSettings, sets: int) -> dict[str, Any]:
    """Return the sizes of what other networks do not have: the second pass, and kinds of arcs by a given tree."""
    blocks = embedding_blocks(sets, settings.use_tree)
    return {"beside": (BESIDE_SIZE, ROLES, sum(blocks)), "kinds": WAYS if settings.use_tree else 0}
