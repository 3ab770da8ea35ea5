"""How a neural parser is trained: batches of sentences, the gradient of their loss, and Adam."""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from crossarc import decode
from crossarc.components.component import Arrays
from crossarc.components.training import Trainer
from crossarc.core.strings import StringTable
from crossarc.features.inputs import InputAttributes, InputModel, fit_input_model, frequent_values, load_input_model
from crossarc.neural.encoder import Batch, Dropout
from crossarc.neural.heads import ArcScores
from crossarc.neural.kernels import choice_loss, head_loss
from crossarc.neural.layers import Adam, Array, Ints, Starts
from crossarc.parsers.arcs.long_sentences import LONG
from crossarc.parsers.columns import check_inputs
from crossarc.parsers.networks.heads import NO_HEADS, made_heads
from crossarc.parsers.networks.model import NetworkTreeModel, nodes_of
from crossarc.parsers.networks.network import Network
from crossarc.parsers.networks.settings import NetworkSettings, NetworkTreeSettings
from crossarc.parsers.networks.vectors import read_vectors
from crossarc.parsers.trees import Trees
from crossarc.treebank.corpus import Corpus

LABEL_WEIGHT = 0.7  # of the loss of labels, if that of heads is 1
WARM_UP, DECAY = 0.05, 0.3  # shares of the training after which the rate is at its highest, and begins to fall
LEAST_STEPS = 60  # in an epoch
SMALL = 50_000  # words: smaller treebanks are learned by heart unless more is left out
LONG_PROJECTIVE = 200  # words: marginals of longer sentences take too long; those of all trees up to LONG
VECTOR_ROWS = 50_000  # of words that the treebank does not have
WORD_DROPOUT = 0.25  # how often training takes a word for an unknown one; less often if it is frequent
WORDS = ("form", "lower", "lemma")  # attributes that are left out by how rare they are


class Trained(Protocol):
    """A model with a network that training can start from."""

    @property
    def features(self) -> InputModel:
        """What the network sees of a word."""

    @property
    def attributes(self) -> InputAttributes:
        """The vocabulary."""

    @property
    def network(self) -> Network:
        """The network."""


class NetworkTrainer(Trainer):
    """Learns the weights of a network from batches of sentences; what is read off its vectors is for others to say."""

    def __init__(
        self, corpus: Corpus, settings: NetworkSettings, init: Trained | None, labels: int, **how: Any
    ) -> None:
        self.settings = settings
        self.epochs = settings.epochs
        self.corpus = corpus
        self.shuffle = np.random.default_rng(settings.seed)
        self.continued = init is not None
        self.sizes = np.diff(corpus.starts) - 1
        self.features = fit_input_model(load_input_model(settings.features), corpus) if init is None else init.features
        known = init.attributes if init is not None else None
        tables, counts = frequent_values(corpus, self.features.attributes, settings.cut, known)
        words, vectors = self.pretrained(init)
        self.attributes = InputAttributes(tables, words)
        self.network = Network(settings, self.features, self.attributes, labels, vectors, **how)
        if init is not None:
            self.take_over(init)
        self.numbers = self.network.numbers(self.attributes.encode(corpus))
        self.chances = self.dropping_chances(counts)
        self.adam = Adam(self.network)
        small = int(self.sizes.sum()) < SMALL
        self.dropout = Dropout(
            parts=0.4 if small else 0.25,
            outputs=settings.dropout if settings.dropout is not None else (0.4 if small else 0.33),
        )
        self.words = 0  # learned from so far
        self.batch_words = max(1, min(settings.batch, int(self.sizes.sum()) // LEAST_STEPS))

    @abstractmethod
    def gradient(self, vectors: Array, starts: Starts, sentences: Starts) -> tuple[Array, int, int]:
        """Return the gradient of the vectors of sentences, how many decisions there are, and how many are wrong."""

    def pretrained(self, init: Trained | None) -> tuple[StringTable | None, Array | None]:
        """Return the pretrained vectors of words: those of the model to start from, or of the file in the settings."""
        if init is not None:
            own = init.network.encoder.vectors
            return init.attributes.vector_words, own.table.value if own is not None else None
        if not self.settings.vectors:
            return None, None
        return read_vectors(self.settings.vectors, self.corpus.strings["form"], VECTOR_ROWS)

    def take_over(self, init: Trained) -> None:
        """Begin with the weights of a trained model; words and labels that it does not know come behind its own."""
        before = init.network
        old, new = dict(before.parameters()), dict(self.network.parameters())
        for name, parameter in new.items():
            if parameter.table:
                continue
            value = old[name].value
            parameter.value[tuple(slice(0, size) for size in value.shape)] = value
        attributes = iter(self.features.attributes)
        for place, names in enumerate(self.features.parts.values()):
            table, source = (each.encoder.embeddings[place].table.value for each in (self.network, before))
            for number in range(len(names)):
                rows = len(init.attributes.tables[next(attributes)])
                first, there = self.network.offsets[place][number], before.offsets[place][number]
                table[first : first + rows] = source[there : there + rows]

    def dropping_chances(self, counts: list[NDArray[np.int64]]) -> list[NDArray[np.float64]]:
        """Return for each row of each table how often training takes it for an unknown word."""
        share, chances, found = WORD_DROPOUT, [], iter(counts)
        for names in self.features.parts.values():
            rows = []
            for name in names:
                often = next(found)
                rows.append(share / (share + often) if name in WORDS else np.zeros(len(often)))
                rows[-1][:2] = 0  # unknown words and node 0 stay as they are
            chances.append(np.concatenate(rows))
        if self.attributes.vector_words is not None:
            chances.append(np.zeros(len(self.attributes.vector_words)))
        return chances

    def rate(self) -> float:
        """Return the rate of the next step: up, level, and down to 0."""
        done = self.words / (self.settings.epochs * max(1, int(self.sizes.sum())))
        if done < WARM_UP:
            return self.settings.rate * max(0.01, done / WARM_UP)
        return self.settings.rate * min(1.0, max(0.0, (1 - done) / (1 - DECAY)))

    def learn(self, sentences: Starts) -> tuple[int, int]:
        """Learn from some sentences; return how many decisions there are and how many of them are wrong."""
        made = wrong = 0
        for batch in self.batches(sentences):
            if len(batch):
                found = self.learn_batch(batch)
                made, wrong = made + found[0], wrong + found[1]
                self.words += int(self.sizes[batch].sum())
        return made, wrong

    def batches(self, sentences: Starts) -> list[Starts]:
        """Return the sentences in batches of about the same number of words."""
        words = np.cumsum(self.sizes[sentences])
        count = max(1, round(float(words[-1]) / self.batch_words))
        return np.split(sentences, np.searchsorted(words, words[-1] * np.arange(1, count) / count))

    def learn_batch(self, sentences: Starts) -> tuple[int, int]:
        """Take one step; return how many decisions there are and how many of them are wrong."""
        rng = np.random.default_rng([self.settings.seed, self.adam.steps])
        nodes = nodes_of(sentences, self.corpus.starts)
        starts = np.concatenate([[0], np.cumsum(self.sizes[sentences] + 1)]).astype(np.int64)
        encoder = self.network.encoder
        vectors, done = encoder.learn_forward(self.dropped(nodes, rng), Batch(starts), self.dropout, rng)
        gradient, made, wrong = self.gradient(vectors, starts, sentences)
        encoder.backward(gradient, done)
        self.adam.step(self.rate())
        return made, wrong

    def dropped(self, nodes: Starts, rng: np.random.Generator) -> list[Ints]:
        """Return the rows of the tables for some nodes, with some words taken for unknown ones."""
        result = []
        for numbers, offsets, chances in zip(self.numbers, self.network.offsets, self.chances, strict=True):
            rows = numbers[nodes]
            unknown = rng.random(rows.shape) < chances[rows]
            result.append(np.where(unknown, offsets, rows).astype(np.int32))
        return result

    def state(self) -> Arrays:
        """Return the weights and what Adam knows of them, for a checkpoint."""
        return {**self.adam.state(), "words": np.array([self.words])}

    def restore(self, arrays: Arrays) -> None:
        """Go on from a checkpoint."""
        self.adam.restore(arrays)
        self.words = int(arrays["words"][0])


class NetworkTreeTrainer(NetworkTrainer):
    """Learns to score the arcs of trees and their labels."""

    settings: NetworkTreeSettings

    def __init__(self, trees: Trees, settings: NetworkTreeSettings, init: NetworkTreeModel | None) -> None:
        self.trees = trees.numbered(init.labels if init is not None else [])
        self.label_places = self.trees.label_places(init.label_places if init is not None else None)
        self.single_root = trees.single_roots(settings, init.single_root if init is not None else None)
        known = init.heads if init is not None else NO_HEADS
        self.heads = made_heads(settings.predict, lambda key, head, own: head.of(trees.corpus, own, known.get(key)))
        super().__init__(trees.corpus, settings, init, len(self.trees.names), heads=self.heads)
        check_inputs(self.features, settings.predicted)
        self.gold = {key: head.gold(trees.corpus) for key, head in self.heads.items()}

    def gradient(self, vectors: Array, starts: Starts, sentences: Starts) -> tuple[Array, int, int]:
        """Return the gradient of the vectors, how many decisions there are, and how many are wrong."""
        nodes = nodes_of(sentences, self.trees.starts)
        heads, labels = self.trees.heads[nodes], self.trees.labels[nodes]
        words = np.flatnonzero(heads >= 0).astype(np.int32)
        above = (np.repeat(starts[:-1], np.diff(starts)) + heads)[words].astype(np.int32)
        network = self.network
        arcs = network.arcs.forward(vectors, starts)
        wrong = self.arc_gradient(arcs, heads, len(words))
        named = network.labels.forward(vectors, words, above)
        _, misnamed = choice_loss(named.scores, labels[words], LABEL_WEIGHT / len(words))
        gradient = network.arcs.backward(vectors, arcs)
        gradient += network.labels.backward(vectors, named)
        for key, layer in network.heads.items():
            scores = layer.forward(vectors)
            wrong += layer.loss(scores, [gold[nodes] for gold in self.gold[key]], 1 / len(words))
            layer.backward(vectors, scores, gradient)
        return gradient, (2 + sum(map(len, self.gold.values()))) * len(words), wrong + misnamed

    def arc_gradient(self, arcs: ArcScores, heads: Ints, words: int) -> int:
        """Turn scores into the gradient of their loss; return how many heads are wrong.

        In very long sentences each word chooses its head on its own, whatever the loss.
        """
        if self.settings.loss == "heads":
            return head_loss(arcs.scores, arcs.starts, arcs.places, heads, 1 / words)[1]
        wrong = 0
        marginals = decode.projective_marginals if self.settings.is_projective else decode.marginals
        for sentence, (begin, end) in enumerate(pairwise(arcs.starts.tolist())):
            square, gold = arcs.square(sentence), heads[begin:end]
            if end - begin - 1 > (LONG_PROJECTIVE if self.settings.is_projective else LONG):
                starts, places = (np.array([0, size], dtype=np.int64) for size in (end - begin, square.size))
                wrong += head_loss(square.reshape(-1), starts, places, gold, 1 / words)[1]
                continue
            scores = square.astype(np.float64)
            scores[0] = 0
            np.fill_diagonal(scores, 0)
            likely = marginals(scores, single_root=self.single_root)
            wrong += int((likely[1:].argmax(axis=1) != gold[1:]).sum())
            likely[np.arange(1, end - begin), gold[1:]] -= 1
            likely[0] = 0
            np.fill_diagonal(likely, 0)
            square[:] = likely / words
        return wrong

    def model(self) -> NetworkTreeModel:
        """Return what has been learned, as a model."""
        return NetworkTreeModel(
            self.settings,
            self.features,
            self.attributes,
            self.trees.names,
            self.label_places,
            self.single_root,
            self.network.stored(),
            self.heads,
        )
