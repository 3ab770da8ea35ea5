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
from crossarc.features.inputs import InputAttributes, InputModel, parse_input_model
from crossarc.neural.biaffine import arc_loss, choice_loss
from crossarc.neural.encoder import Batch, Prepared
from crossarc.neural.layers import Array, Starts
from crossarc.parsers.analysis import Scales
from crossarc.parsers.graph.dag import joined_pieces, ordered
from crossarc.parsers.graph.long_sentences import LONG, Pieces
from crossarc.parsers.graphs import Arcs, Graphs, graph_transform, sentences_of
from crossarc.parsers.model import Arrays, DagModel, Ints, part, prefixed, quick_scores
from crossarc.parsers.neural.beside import FLOOR, ROLES, best_sets, embedding_blocks, first_pass, second_pass
from crossarc.parsers.neural.model import barred_labels, describe_network, sentence_batches
from crossarc.parsers.neural.network import Network, pack_inputs, stored_network, unpack_inputs
from crossarc.parsers.neural.thresholds import LOWEST, Beside, choose_thresholds, right_labels
from crossarc.parsers.neural.trainer import LABEL_WEIGHT, NetworkTrainer, Trained
from crossarc.parsers.presets import stored_basics
from crossarc.parsers.settings import NeuralGraphSettings
from crossarc.parsers.trees import check_places
from crossarc.treebank.corpus import Corpus

CHOICE_WEIGHT = 0.5  # of the loss of choosing one head of a word, beside that of each arc on its own
BESIDE_WEIGHT = 1.0  # of the loss of the second pass
TUNINGS = 3  # times that thresholds are chosen, each time for the F-score that the last ones reached


class Proposal(NamedTuple):
    """What a network proposes for a batch of sentences: the best trees, and arcs beside them."""

    sentences: Starts  # their numbers
    starts: Starts  # where the nodes of each begin
    trees: Ints  # the heads of the best trees, [sentence, word]
    tree_sets: NDArray[np.int64]  # of each node
    beside: Beside  # by places in the batch


@dataclass(frozen=True, eq=False)
class NeuralGraphModel(DagModel):
    """A trained network, and which labels two words can have arcs with.

    Arcs between the same two words are one decision: `names` are sets of labels. Set i has the labels from
    `set_starts[i]` to `set_starts[i + 1]` of `set_labels`.
    """

    settings: NeuralGraphSettings
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
    kind = "neural-graph"
    usual_scales = Scales(1.0, 1.0)
    long_sentence: int = LONG
    long_note = "each was parsed in pieces, which were joined by their roots"

    def __post_init__(self) -> None:
        sets = len(self.set_starts) - 1
        what = (self.settings, self.features, self.attributes, sets, self.weights)
        object.__setattr__(self, "network", stored_network(*what, beside=beside_sizes(self.settings, sets)))

    def parse_graphs(self, corpus: Corpus) -> Arcs:
        """Return the arcs of the graphs of a corpus, in the order of dependents."""
        tokens = self.attributes.encode(corpus)
        if np.diff(corpus.starts).max(initial=0) - 1 <= self.long_sentence:
            return self.parse_tokens(tokens, corpus.starts)
        pieces = Pieces(corpus.starts, self.long_sentence)
        found = self.parse_tokens(np.ascontiguousarray(tokens[pieces.rows]), pieces.starts)

        def label_of(rows: list[int]) -> int:
            vectors = self.vectors(self.prepare(tokens[rows]), np.arange(3), np.array([0, 3], dtype=np.int64))
            below, over = (np.array([end], dtype=np.int32) for end in (2, 1))
            chosen = best_sets(self.network, self.set_places, vectors, below, over, over)
            return int(self.set_labels[self.set_starts[chosen[0]]])

        return joined_pieces(found, pieces, self.single_root, label_of)

    def prepare(self, tokens: Ints) -> Prepared:
        """Return what the first layer makes of nodes."""
        return self.network.encoder.prepare(self.network.numbers(tokens))

    def vectors(self, prepared: Prepared, nodes: Starts, starts: Starts) -> Array:
        """Return the vectors of the nodes of sentences, which are `nodes` of those prepared."""
        return self.network.encoder.forward(prepared, nodes, Batch(starts))

    def proposals(self, tokens: Ints, starts: Starts) -> Iterator[Proposal]:
        """Yield what the network proposes for the sentences that begin at `starts`, batch by batch."""
        network, passes_twice = self.network, self.network.beside is not None
        for sentences, _, own, prepared, places in sentence_batches(tokens, starts, self.prepare):
            vectors = self.vectors(prepared, places, own)
            floor = FLOOR if passes_twice else LOWEST
            first = first_pass(network, vectors, own, self.single_root, self.set_places, floor)
            ends = (first.sentences, first.dependents, first.heads)
            if passes_twice:
                scores = second_pass(network, vectors, first).scores
                named = scores[:, 1:] + barred_labels(self.set_places, first.heads)
                sets = named.argmax(axis=1)
                beside = Beside(*ends, sets, (named[np.arange(len(sets)), sets] - scores[:, 0]).astype(np.float64))
            else:
                sets = best_sets(network, self.set_places, vectors, first.below, first.over, first.heads)
                beside = Beside(*ends, sets, first.scores)
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

    def tuned(self, dev: Corpus) -> NeuralGraphModel:
        """Return the model with the threshold of each set of labels that is best on a development set."""
        short = Corpus.of([each for each in sentences_of(dev) if len(each) <= self.long_sentence])
        if not len(short.starts) - 1:
            return self
        gold = Graphs.of(short, graph_transform(self.settings)).numbered(self.labels).arcs
        batches = self.proposals(self.attributes.encode(short), short.starts)
        beside = Beside.joined(
            each.beside._replace(sentences=each.sentences[each.beside.sentences]) for each in batches
        )
        right = right_labels(beside, gold, self.set_starts, self.set_labels)
        best, score = self, quick_scores(self, dev)[0]
        for _ in range(TUNINGS):
            thresholds = choose_thresholds(beside, right, np.diff(self.set_starts), score / 200)
            model = replace(self, thresholds=thresholds)
            reached = quick_scores(model, dev)[0]
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
        sets: Arrays = {"set_starts": self.set_starts, "set_labels": self.set_labels, "set_places": self.set_places}
        limits = {
            "most_heads": self.most_heads,
            "most_parallel": self.most_parallel,
        }
        sets["thresholds"] = self.thresholds
        arrays: Arrays = {**sets, **prefixed(self.weights, "network."), **pack_inputs(self.attributes)}
        return {**self.shared_manifest(), **limits}, arrays

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of a file."""
        older = {"beside_size": 0, **manifest["settings"]}  # older models have one pass
        settings, labels, single_root = stored_basics({**manifest, "settings": older}, NeuralGraphSettings)
        features = parse_input_model(manifest["features"], settings.features)
        limits = manifest["most_heads"], manifest["most_parallel"]
        if not all(type(limit) is int and 0 < limit < 2**31 for limit in limits):
            raise ValueError("it is not said how many heads a word can have")
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
        if "threshold" in manifest:  # older models have one for all sets
            thresholds = np.full(len(sets[0]) - 1, float(manifest["threshold"]), dtype=np.float32)
        else:
            thresholds = arrays["thresholds"]
        if thresholds.shape != (len(sets[0]) - 1,) or thresholds.dtype != np.float32:
            raise ValueError("each set of labels has a threshold")
        if not np.isfinite(thresholds).all():
            raise ValueError("the thresholds are not finite")
        return cls(*what, *limits, part(arrays, "network."), thresholds)


def beside_sizes(settings: NeuralGraphSettings, sets: int) -> tuple[int, int, int] | None:
    """Return the sizes of the second pass, if there is one."""
    return (settings.beside_size, ROLES, sum(embedding_blocks(sets))) if settings.beside_size else None


class NeuralGraphTrainer(NetworkTrainer):
    """Learns which arcs there are, each on its own, and the labels of those that are."""

    settings: NeuralGraphSettings

    def __init__(self, graphs: Graphs, settings: NeuralGraphSettings, init: NeuralGraphModel | None) -> None:
        self.graphs = graphs.numbered(init.labels if init is not None else [])
        self.single_root = graphs.single_roots(settings, init.single_root if init is not None else None)
        known = (init.most_heads, init.most_parallel) if init is not None else (1, 1)
        self.most_heads, self.most_parallel = map(max, graphs.most_arcs(), known)
        self.join_arcs(init)
        beside = beside_sizes(settings, len(self.sets))
        super().__init__(graphs.corpus, settings, init, len(self.sets), beside=beside)

    def join_arcs(self, init: NeuralGraphModel | None) -> None:
        """Make one arc of those between the same two words, with a set of labels."""
        numbers: dict[tuple[int, ...], int] = {}
        if init is not None:
            for begin, end in zip(init.set_starts[:-1].tolist(), init.set_starts[1:].tolist(), strict=True):
                numbers[tuple(init.set_labels[begin:end].tolist())] = len(numbers)
        arcs = ordered(self.graphs.arcs)
        pairs: dict[tuple[int, int, int], list[int]] = {}
        sentence = np.repeat(np.arange(len(arcs.starts) - 1), np.diff(arcs.starts))
        columns = (sentence, arcs.dependents, arcs.heads, arcs.labels)
        for where, dependent, head, label in zip(*(column.tolist() for column in columns), strict=True):
            pairs.setdefault((where, dependent, head), []).append(label)
        rows = [(*pair, numbers.setdefault(tuple(sorted(names)), len(numbers))) for pair, names in pairs.items()]
        self.pairs = np.array(rows, dtype=np.int32).reshape(-1, 4)
        self.pair_starts = np.searchsorted(self.pairs[:, 0], np.arange(len(arcs.starts)))
        self.sets = list(numbers)
        places = Arcs(arcs.starts, self.pairs[:, 2], self.pairs[:, 1], self.pairs[:, 3])
        before = init.set_places if init is not None else None
        self.set_places = Graphs(self.graphs.corpus, places, [""] * len(numbers)).label_places(before)

    def take_over(self, init: Trained) -> None:
        """Begin with the weights of a trained model; embeddings of its sets of labels come before those of new ones."""
        super().take_over(init)
        before, own = init.network.beside, self.network.beside
        if before is None or own is None:
            return
        at = there = 0
        old = embedding_blocks(before.output.bias.value.size - 1)
        for known, size in zip(old, embedding_blocks(len(self.sets)), strict=True):
            own.known.table.value[at : at + known] = before.known.table.value[there : there + known]
            at, there = at + size, there + known

    def gradient(self, vectors: Array, starts: Starts, sentences: Starts) -> tuple[Array, int, int]:
        """Return the gradient of the vectors, how many arcs there are, and how many decisions are wrong."""
        rows = [self.pairs[self.pair_starts[each] : self.pair_starts[each + 1]] for each in sentences.tolist()]
        owner = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
        _, dependents, heads, sets = np.concatenate(rows).T
        words, sizes = int(starts[-1]) - len(rows), np.diff(starts)
        network = self.network
        first = first_pass(network, vectors, starts, self.single_root, self.set_places, FLOOR)
        arcs = first.arcs
        gold = np.zeros(len(arcs.scores), dtype=np.int32)  # the set of labels of each arc and 1, or 0 for no arc
        gold[arcs.places[owner] + dependents * sizes[owner] + heads] = sets + 1
        gradient = np.zeros_like(vectors)
        if network.beside is not None:
            cells = arcs.places[first.sentences] + first.dependents * sizes[first.sentences] + first.heads
            again = second_pass(network, vectors, first)
            choice_loss(again.scores, gold[cells], BESIDE_WEIGHT / words)
            gradient += network.beside.backward(vectors, again)
        _, wrong = arc_loss(arcs.scores, starts, arcs.places, (gold > 0).astype(np.uint8), 1 / words, CHOICE_WEIGHT)
        below, above = ((starts[owner] + each).astype(np.int32) for each in (dependents, heads))
        named = network.labels.forward(vectors, below, above)
        _, misnamed = choice_loss(named.scores, np.ascontiguousarray(sets), LABEL_WEIGHT / words)
        gradient += network.arcs.backward(vectors, arcs)
        gradient += network.labels.backward(vectors, named)
        return gradient, 2 * len(below), wrong + misnamed

    def model(self) -> NeuralGraphModel:
        """Return what has been learned, as a model."""
        ends = np.cumsum([0, *map(len, self.sets)]).astype(np.int64)
        flat = np.array([label for names in self.sets for label in names], dtype=np.int32)
        return NeuralGraphModel(
            self.settings,
            self.features,
            self.attributes,
            self.graphs.names,
            ends,
            flat,
            self.set_places,
            self.single_root,
            self.most_heads,
            self.most_parallel,
            self.network.stored(),
            np.zeros(len(self.sets), dtype=np.float32),
        )
