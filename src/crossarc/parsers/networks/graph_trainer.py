"""How the neural parser of graphs is trained: on single arcs, on their labels, and on arcs beside its own trees."""

from __future__ import annotations

import numpy as np

from crossarc.errors import CrossarcError
from crossarc.neural.kernels import arc_loss, choice_loss
from crossarc.neural.layers import Array, Starts
from crossarc.parsers.arcs.graphs import ordered
from crossarc.parsers.graphs import Arcs, Graphs
from crossarc.parsers.networks.beside import embedding_blocks, first_pass, second_pass
from crossarc.parsers.networks.graphs import NetworkGraphModel, network_sizes
from crossarc.parsers.networks.model import nodes_of
from crossarc.parsers.networks.settings import NetworkGraphSettings
from crossarc.parsers.networks.trainer import LABEL_WEIGHT, NetworkTrainer, Trained

CHOICE_WEIGHT = 0.5  # of the loss of choosing one head of a word, beside that of each arc on its own
BESIDE_WEIGHT = 1.0  # of the loss of the second pass


class NetworkGraphTrainer(NetworkTrainer):
    """Learns which arcs there are, each on its own, and the labels of those that are."""

    settings: NetworkGraphSettings

    def __init__(self, graphs: Graphs, settings: NetworkGraphSettings, init: NetworkGraphModel | None) -> None:
        self.graphs = graphs.numbered(init.labels if init is not None else [])
        self.single_root = graphs.single_roots(settings, init.single_root if init is not None else None)
        known = (init.most_heads, init.most_parallel) if init is not None else (1, 1)
        self.most_heads, self.most_parallel = map(max, graphs.most_arcs(), known)
        self.join_arcs(init)
        if settings.use_tree and not (graphs.corpus["head"] >= 0).any():
            raise CrossarcError("use_tree: no sentence has a tree in HEAD; give some, or leave it out")
        sizes = network_sizes(settings, len(self.sets))
        super().__init__(graphs.corpus, settings, init, len(self.sets), **sizes)

    def join_arcs(self, init: NetworkGraphModel | None) -> None:
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
        words = self.graphs.corpus.starts[self.pairs[:, 0]] + self.pairs[:, 1]
        self.in_tree = self.graphs.corpus["head"][words] == self.pairs[:, 2]  # whether an arc is in HEAD too
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
        use_tree = self.settings.use_tree
        old = embedding_blocks(before.output.bias.value.size - 1, use_tree)
        for known, size in zip(old, embedding_blocks(len(self.sets), use_tree), strict=True):
            own.known.table.value[at : at + known] = before.known.table.value[there : there + known]
            at, there = at + size, there + known

    def gradient(self, vectors: Array, starts: Starts, sentences: Starts) -> tuple[Array, int, int]:
        """Return the gradient of the vectors, how many arcs there are, and how many decisions are wrong."""
        rows = [np.arange(self.pair_starts[each], self.pair_starts[each + 1]) for each in sentences.tolist()]
        owner = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
        pairs = np.concatenate(rows)
        _, dependents, heads, sets = self.pairs[pairs].T
        words, sizes = int(starts[-1]) - len(rows), np.diff(starts)
        network = self.network
        given = self.corpus["head"][nodes_of(sentences, self.corpus.starts)] if self.settings.use_tree else None
        first = first_pass(network, vectors, starts, given, self.single_root, self.set_places)
        arcs = first.arcs
        gold = np.zeros(len(arcs.scores), dtype=np.int32)  # the set of labels of each arc and 1, or 0 for no arc
        cells_of_gold = arcs.places[owner] + dependents * sizes[owner] + heads
        gold[cells_of_gold] = sets + 1
        cells = arcs.places[first.sentences] + first.dependents * sizes[first.sentences] + first.heads
        again = second_pass(network, vectors, first)
        choice_loss(again.scores, gold[cells], BESIDE_WEIGHT / words)
        assert network.beside is not None
        gradient = network.beside.backward(vectors, again)
        there = (gold > 0).astype(np.uint8)
        there[cells_of_gold[self.in_tree[pairs]]] = 2
        _, wrong = arc_loss(arcs.scores, starts, arcs.places, there, 1 / words, CHOICE_WEIGHT)
        below, above = ((starts[owner] + each).astype(np.int32) for each in (dependents, heads))
        named = network.labels.forward(vectors, below, above)
        _, misnamed = choice_loss(named.scores, np.ascontiguousarray(sets), LABEL_WEIGHT / words)
        gradient += network.arcs.backward(vectors, arcs)
        gradient += network.labels.backward(vectors, named)
        return gradient, 2 * len(below), wrong + misnamed

    def model(self) -> NetworkGraphModel:
        """Return what has been learned, as a model."""
        ends = np.cumsum([0, *map(len, self.sets)]).astype(np.int64)
        flat = np.array([label for names in self.sets for label in names], dtype=np.int32)
        return NetworkGraphModel(
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
