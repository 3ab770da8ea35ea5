"""The transition parser: a system, a feature model and weights, learned from a treebank."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError
from crossarc.features.attributes import ATTRIBUTES, Attributes
from crossarc.features.templates import FeatureModel, load_model, parse_model
from crossarc.learning.liblinear import learn_liblinear
from crossarc.learning.libsvm import learn_libsvm
from crossarc.learning.support import ARRAYS as SUPPORT
from crossarc.learning.support import SupportVectors, check_arrays
from crossarc.learning.updates import MaximumEntropy, Mira, Perceptron, UpdateRule
from crossarc.learning.weights import Weights
from crossarc.parsers.modelfile import pack_strings, unpack_strings
from crossarc.parsers.settings import AT_ONCE, Settings
from crossarc.transforms.pseudo_projective import PseudoProjective
from crossarc.transitions.registry import get_system
from crossarc.transitions.search import Greedy, collect_actions
from crossarc.transitions.system import TransitionSystem
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

if TYPE_CHECKING:
    from crossarc.learning.weights import Rows

Arrays = dict[str, NDArray[Any]]
PLACE = np.dtype([("check", "u4"), ("start", "u4")])
CELL = np.dtype([("action", "u2"), ("weight", "i2")])
BATCH_WORDS = 20_000
UPOS = ATTRIBUTES.index("upos")
SPLIT_WORDS = 500  # a part of speech with so many words gets a support vector machine of its own


@dataclass(frozen=True)
class Epoch:
    """How an epoch went: the share of wrong decisions, and the scores on the development set if there is one."""

    number: int
    wrong: float
    las: float | None = None
    uas: float | None = None


@dataclass(frozen=True)
class Storage:
    """What it cost to leave out small weights and to round the others: LAS on the development set, and bytes."""

    exact_las: float
    las: float
    exact_bytes: int
    bytes: int


@dataclass(frozen=True, eq=False)
class TransitionModel:
    """All that a trained transition parser is."""

    settings: Settings
    features: FeatureModel
    attributes: Attributes
    labels: list[str]
    root_label: int
    single_root: bool
    moves: NDArray[np.int32]
    move_labels: NDArray[np.int32]
    places: NDArray[Any]
    cells: NDArray[Any]
    storage: Storage | None = None
    vectors: Arrays | None = None  # of LIBSVM, which has no weights
    exact: Weights | None = None  # to be asked instead of the packed ones

    def search(self) -> Greedy:
        """The search over this model's system and features."""
        system = system_of(self.settings, self.single_root)
        return Greedy(system, self.features, self.moves, self.move_labels, len(ATTRIBUTES))

    def parse_corpus(self, corpus: Corpus) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Heads and labels of all nodes of a corpus."""
        tokens = self.attributes.encode(corpus)
        heads = np.full(len(tokens), -1, dtype=np.int32)
        labels = np.full(len(tokens), -1, dtype=np.int32)
        if not len(corpus):
            return heads, labels
        how = self.settings.reconstruction
        search = self.search()
        data = (tokens, corpus.starts, heads, labels, self.root_label)
        turns = (how != "naive", how == "label-first")
        if self.exact is not None:
            search.parse_by(self.exact, *data, UPOS, *turns)
        elif self.vectors is not None:
            search.parse_by(SupportVectors(self.vectors, len(self.moves)), *data, UPOS, *turns)
        else:
            search.parse(self.places, self.cells, *data, *turns)
        return heads, labels

    def trees_of(self, corpus: Corpus) -> tuple[NDArray[np.int32], list[str]]:
        """Heads and names of labels of all nodes of a corpus, the transform undone."""
        heads, labels = self.parse_corpus(corpus)
        names = [*self.labels, ""]  # -1, the label of node 0, is the last
        strings = [names[label] for label in labels.tolist()]
        if self.settings.transform != "none":
            transform = PseudoProjective(self.settings.transform)
            starts = corpus.starts.tolist()
            for begin, end in pairwise(starts):
                heads[begin:end], strings[begin:end] = transform.decode(heads[begin:end], strings[begin:end])
        return heads, strings

    def parse_batch(self, sentences: list[Sentence]) -> list[Sentence]:
        """The sentences with new heads and labels."""
        corpus = Corpus.of(sentences)
        heads, strings = self.trees_of(corpus)
        starts = corpus.starts.tolist()
        return [
            sentence.replace(heads=heads[begin:end], deprels=strings[begin:end])
            for sentence, begin, end in zip(sentences, starts, starts[1:], strict=False)
        ]

    def parse(self, sentences: Iterable[Sentence], threads: int = 1) -> Iterator[Sentence]:
        """Parse a stream, in order; with several threads a few batches are under way at a time."""
        stream = batches(sentences)
        if threads <= 1:
            for batch in stream:
                yield from self.parse_batch(batch)
            return
        with ThreadPoolExecutor(threads) as pool:
            waiting = [pool.submit(self.parse_batch, batch) for batch in islice(stream, 2 * threads)]
            while waiting:
                done = waiting.pop(0).result()
                waiting += [pool.submit(self.parse_batch, batch) for batch in islice(stream, 1)]
                yield from done

    def with_storage(self, exact: Rows, las: float, dev: list[Sentence]) -> TransitionModel:
        """The model, with what it cost to store these weights as it does."""
        weights = Weights.of(len(self.moves), *exact)
        exact_las, _ = quick_scores(replace(self, exact=weights), dev)
        places, cells, _ = weights.pack(0.0)
        # Without rounding a cell would be of 32 bits and its action.
        storage = Storage(exact_las, las, places.nbytes + 2 * cells.nbytes, self.places.nbytes + self.cells.nbytes)
        return replace(self, storage=storage)

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """What the model file keeps."""
        arrays: Arrays = {
            "moves": self.moves,
            "move_labels": self.move_labels,
            "places": self.places.view(np.uint32).reshape(-1, 2),
            "cells": self.cells.view(np.uint16).reshape(-1, 2),
        }
        for name, array in (self.vectors or {}).items():
            arrays[f"support.{name}"] = array
        for name, table in self.attributes.tables.items():
            arrays[f"strings.{name}"], arrays[f"offsets.{name}"] = pack_strings(list(table))
        manifest = {
            "kind": "transition",
            "settings": self.settings.model_dump(),
            "labels": self.labels,
            "root_label": self.root_label,
            "single_root": self.single_root,
            "features": self.features.text,
            "storage": asdict(self.storage) if self.storage else None,
        }
        return manifest, arrays

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> TransitionModel:
        """The model that a file keeps."""
        settings = Settings(**manifest["settings"])
        tables = {
            name: StringTable(unpack_strings(arrays[f"strings.{name}"], arrays[f"offsets.{name}"]))
            for name in ATTRIBUTES
        }
        model = cls(
            settings,
            parse_model(manifest["features"], settings.features),
            Attributes(tables),
            manifest["labels"],
            manifest["root_label"],
            manifest["single_root"],
            arrays["moves"],
            arrays["move_labels"],
            arrays["places"].reshape(-1).view(PLACE),
            arrays["cells"].reshape(-1).view(CELL),
            Storage(**manifest["storage"]) if manifest["storage"] else None,
            {name: arrays[f"support.{name}"] for name in SUPPORT} if settings.learner == "libsvm" else None,
        )
        model.check()
        return model

    def check(self) -> None:
        """Refuse tables that would lead native code astray, with `ValueError`: it follows them without looking."""
        starts = self.places["start"]
        actions = len(self.moves)
        system = system_of(self.settings, self.single_root)
        kinds = len(self.labels) * (1 if self.settings.reconstruction == "naive" else 2)
        sound = (
            len(starts).bit_count() == 1
            and not starts.all()  # a search for a key must come to an end
            # A row has a cell with its size, which is at most the number of actions, and so many cells behind it.
            and self.cells["action"].max(initial=0) <= actions
            and int(starts.max(initial=0)) + actions < len(self.cells)
            and set(self.moves.tolist()) == set(range(len(system.moves)))
            and len(self.move_labels) == actions
            and -1 <= self.move_labels.min(initial=0) <= self.move_labels.max(initial=0) < kinds
            and 0 <= self.root_label < len(self.labels)
        )
        if not sound:
            raise ValueError("the tables of the model do not fit together")
        if self.vectors is not None:
            check_arrays(self.vectors, actions)


def batches(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Sentences in lists of some thousand words, all of one format."""
    batch: list[Sentence] = []
    words = 0
    for sentence in sentences:
        if batch and (words >= BATCH_WORDS or sentence.format != batch[0].format):
            yield batch
            batch, words = [], 0
        batch.append(sentence)
        words += len(sentence) + 1
    if batch:
        yield batch


def train_model(
    train: list[Sentence],
    dev: list[Sentence],
    settings: Settings,
    report: Callable[[Epoch], None] = lambda epoch: None,
) -> TransitionModel:
    """Learn from sentences with trees; with a development set the best epoch is kept, else the last."""
    if not train:
        raise CrossarcError("there is no sentence to learn from")
    if settings.transform != "none":
        train = projective(train, PseudoProjective(settings.transform))
    corpus = Corpus.of(train)
    heads, starts = corpus["head"], corpus.starts
    table = corpus.strings["deprel"]
    labels = corpus["deprel"] - table.reserved  # without the two reserved ids; node 0 has none
    names = list(table)
    root_label = int(np.bincount(labels[heads == 0], minlength=len(names)).argmax())
    several = any(len(sentence.roots) > 1 for sentence in train)
    single_root = (not several) if settings.single_root == "auto" else settings.single_root
    system = system_of(settings, single_root)
    kinds = len(names)
    if settings.reconstruction != "naive":
        # Every label says on which side the head is: 2 X for the right, 2 X + 1 for the left.
        places = np.arange(len(heads)) - np.repeat(starts[:-1], np.diff(starts))
        labels = (2 * labels + (heads < places)).astype(np.int32)
        kinds *= 2
    counts = collect_actions(system, heads, labels, starts, kinds)
    for move, labelled in enumerate(system.labelled):
        # A move that the oracle never makes may be the only legal one in a state of the parser's own making.
        if not counts[move].any():
            counts[move, int(counts[:, :kinds].sum(axis=0).argmax()) if labelled else kinds] = 1
    moves, move_labels = (each.astype(np.int32) for each in np.nonzero(counts))
    move_labels[move_labels == kinds] = -1
    attributes = Attributes.fit(corpus)
    tokens = attributes.encode(corpus)
    features = load_model(settings.features)
    greedy = Greedy(system, features, moves, move_labels, len(ATTRIBUTES))
    weights = Weights(len(moves), settings.cut)

    def model_of(weights: Weights, vectors: Arrays | None = None) -> TransitionModel:
        places, cells, _ = weights.pack(settings.prune)
        tables = (moves, move_labels, places, cells)
        return TransitionModel(settings, features, attributes, names, root_label, single_root, *tables, vectors=vectors)

    best: tuple[float, TransitionModel, Rows | None] | None = None
    if settings.learner in AT_ONCE:
        wrong, vectors = learn_at_once(greedy, weights, tokens, heads, labels, starts, settings)
        model = model_of(Weights(len(moves)) if vectors else weights, vectors)
        las, uas = quick_scores(model, dev) if dev else (None, None)
        report(Epoch(1, 100 * wrong, las, uas))
        return model.with_storage(weights.averages(), las, dev) if las is not None and not vectors else model
    rule = update_rule(settings)
    shuffle = np.random.default_rng(settings.seed)
    for number in range(1, settings.epochs + 1):
        explore = settings.explore if number > settings.static_epochs else 0.0
        order = shuffle.permutation(len(train))
        decisions, wrong = greedy.train(
            weights, rule, tokens, heads, labels, starts, order, explore, settings.seed * 1_000 + number
        )
        if not dev and number < settings.epochs:
            report(Epoch(number, 100 * wrong / max(1, decisions)))
            continue
        model = model_of(weights)
        las, uas = quick_scores(model, dev) if dev else (None, None)
        report(Epoch(number, 100 * wrong / max(1, decisions), las, uas))
        if best is None or (las or 0.0) > best[0]:
            best = (las or 0.0, model, weights.averages() if dev else None)
    assert best is not None
    las, model, exact = best
    del weights  # two tables of them would be the most memory that training takes
    return model if exact is None else model.with_storage(exact, las, dev)


def learn_at_once(
    greedy: Greedy,
    weights: Weights,
    tokens: NDArray[np.int32],
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
    starts: NDArray[np.int64],
    settings: Settings,
) -> tuple[float, Arrays | None]:
    """Learn from all decisions of the static oracle; gives the share of errors, and the support vectors of LIBSVM."""
    words = np.bincount(tokens[:, UPOS] + 1)
    group_of = np.zeros(len(words), dtype=np.int32)  # the rare ones are together in group 0
    if settings.learner == "libsvm":
        often = np.flatnonzero(words >= SPLIT_WORDS)
        group_of[often] = np.arange(1, len(often) + 1)
    rows, actions, groups = greedy.instances(weights, tokens, heads, labels, starts, UPOS, group_of)
    if settings.learner == "liblinear":
        return learn_liblinear(weights, rows, actions, cost=settings.cost or 0.0, seed=settings.seed), None
    vectors, wrong = learn_libsvm(weights.averages()[0], rows, actions, groups, group_of, cost=settings.cost or 0.0)
    return wrong, vectors


def update_rule(settings: Settings) -> UpdateRule:
    """How a learner that learns decision by decision changes its weights."""
    if settings.learner == "mira":
        return Mira(settings.cost or 0.0)
    if settings.learner == "maxent":
        return MaximumEntropy(settings.learning_rate, settings.l2)
    return Perceptron()


def quick_scores(model: TransitionModel, gold: list[Sentence]) -> tuple[float, float]:
    """LAS and UAS over all words of sentences, in percent."""
    corpus = Corpus.of(gold)
    heads, strings = model.trees_of(corpus)
    table = corpus.strings["deprel"]
    labels = np.array([table[string] for string in strings], dtype=np.int32)
    words = corpus["head"] >= 0
    right = (heads == corpus["head"])[words]
    both = right & (labels == corpus["deprel"])[words]
    return 100 * float(both.mean()), 100 * float(right.mean())


def system_of(settings: Settings, single_root: bool) -> TransitionSystem:
    """The transition system of the settings; with naive reconstruction all links of the root must be made."""
    root_links: Literal["all", "uncrossed"] = "all" if settings.reconstruction == "naive" else "uncrossed"
    return get_system(settings.system, single_root=single_root, root_links=root_links)


def projective(sentences: list[Sentence], transform: PseudoProjective) -> list[Sentence]:
    """The sentences with their trees made projective, the lifts in the labels."""
    result = []
    for sentence in sentences:
        heads, labels = transform.encode(sentence.heads, sentence.deprels)
        result.append(sentence.replace(heads=heads, deprels=labels))
    return result


def digest(sentences: Iterable[Sentence]) -> str:
    """The SHA-256 of the training data as it was used."""
    result = hashlib.sha256()
    for sentence in sentences:
        result.update(sentence.raw)
    return result.hexdigest()
