"""The transition parser: a system, a feature model and weights, learned from a treebank."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError
from crossarc.features.attributes import ATTRIBUTES, Attributes
from crossarc.features.templates import FeatureModel, load_model, parse_model
from crossarc.learning.weights import Weights, unpack
from crossarc.parsers.checkpoint import Checkpoint
from crossarc.parsers.modelfile import pack_strings, unpack_strings
from crossarc.parsers.settings import Settings
from crossarc.transforms.pseudo_projective import PseudoProjective
from crossarc.transitions.registry import get_system
from crossarc.transitions.search import Greedy, collect_actions
from crossarc.transitions.system import TransitionSystem
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

Arrays = dict[str, NDArray[Any]]
PLACE = np.dtype([("check", "u4"), ("start", "u4")])
CELL = np.dtype([("action", "u2"), ("weight", "i2")])
BATCH_WORDS = 20_000
CHUNK_WORDS = 1_000  # learned from in one go: some hundredths of a second, so that an interrupt is heard


@dataclass(frozen=True)
class Epoch:
    """How an epoch went: the share of wrong decisions, and the scores on the development set if there is one.

    `seconds` is the time it learned for, 0 for one that was finished before the training was resumed. Epoch 0 is the
    model that a training starts from.
    """

    number: int
    wrong: float
    las: float | None = None
    uas: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Progress:
    """How far an epoch is: words learned from so far and in all, and the share of wrong decisions up to here."""

    epoch: int
    words: int
    of: int
    wrong: float
    seconds: float


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
    keys: NDArray[np.uint32]
    unit: float

    def search(self) -> Greedy:
        """The search over this model's system and features."""
        system = system_of(self.settings, self.single_root)
        return Greedy(system, self.features, self.moves, self.move_labels, len(ATTRIBUTES))

    def parse_corpus(self, corpus: Corpus) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Heads and labels of all nodes of a corpus."""
        tokens = self.attributes.encode(corpus)
        heads = np.full(len(tokens), -1, dtype=np.int32)
        labels = np.full(len(tokens), -1, dtype=np.int32)
        how = self.settings.reconstruction
        if len(corpus):
            self.search().parse(
                self.places,
                self.cells,
                tokens,
                corpus.starts,
                heads,
                labels,
                self.root_label,
                how != "naive",
                how == "label-first",
            )
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

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """What the model file keeps."""
        arrays: Arrays = {
            "moves": self.moves,
            "move_labels": self.move_labels,
            "places": self.places.view(np.uint32).reshape(-1, 2),
            "cells": self.cells.view(np.uint16).reshape(-1, 2),
            "keys": self.keys,
        }
        for name, table in self.attributes.tables.items():
            arrays[f"strings.{name}"], arrays[f"offsets.{name}"] = pack_strings(list(table))
        manifest = {
            "kind": "transition",
            "settings": self.settings.model_dump(),
            "labels": self.labels,
            "root_label": self.root_label,
            "single_root": self.single_root,
            "unit": self.unit,
            "features": self.features.text,
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
            arrays["keys"],
            float(manifest["unit"]),
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
    *,
    progress: Callable[[Progress], None] = lambda progress: None,
    init: TransitionModel | None = None,
    checkpoint: Checkpoint | None = None,
) -> TransitionModel:
    """Learn from sentences with trees; with a development set the best epoch is kept, else the last.

    The labels, words and actions of `init`, whose weights are the first, keep their numbers; new ones come behind them.
    """
    if not train:
        raise CrossarcError("there is no sentence to learn from")
    if settings.transform != "none":
        train = projective(train, PseudoProjective(settings.transform))
    corpus = Corpus.of(train)
    heads, starts = corpus["head"], corpus.starts
    table = corpus.strings["deprel"]
    labels = corpus["deprel"] - table.reserved  # without the two reserved ids; node 0 has none
    names = list(table)
    if init is not None:
        names = list(dict.fromkeys([*init.labels, *names]))
        numbers = {name: number for number, name in enumerate(names)}
        labels = np.array([*(numbers[name] for name in table), -1], dtype=np.int32)[labels]
    root_label = int(np.bincount(labels[heads == 0], minlength=len(names)).argmax())
    several = any(len(sentence.roots) > 1 for sentence in train) or (init is not None and not init.single_root)
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
    if init is not None:
        moves, move_labels = united(init.moves, init.move_labels, moves, move_labels)
    attributes = Attributes.fit(corpus, init.attributes if init is not None else None)
    tokens = attributes.encode(corpus)
    features = load_model(settings.features) if init is None else init.features
    greedy = Greedy(system, features, moves, move_labels, len(ATTRIBUTES))
    weights = Weights(len(moves), settings.cut)
    if init is not None:
        weights.start_from(*unpack(init.places, init.cells, init.keys, init.unit))
        # As if they had held for so many steps already: the average then moves from the old weights towards the new.
        weights.now = max(1, min(2**30, int(settings.inertia * settings.epochs * int(counts.sum()))))
    shuffle = np.random.default_rng(settings.seed)
    epochs: list[Epoch] = []
    best: tuple[float, TransitionModel] | None = None

    def finish(epoch: Epoch) -> None:
        """Score the model as it is now if that is of use, keep it if it is the best, and report."""
        nonlocal best
        if dev or epoch.number == settings.epochs:
            packed = weights.pack(settings.prune)
            model = TransitionModel(
                settings, features, attributes, names, root_label, single_root, moves, move_labels, *packed
            )
            las, uas = quick_scores(model, dev) if dev else (None, None)
            epoch = replace(epoch, las=las, uas=uas)
            if best is None or (las or 0.0) > best[0]:
                best = (las or 0.0, model)
        epochs.append(epoch)
        report(epoch)

    stand = checkpoint.read(len(moves), settings.cut) if checkpoint is not None else None
    if stand is not None:
        weights = stand.weights
        best = (stand.best_las, TransitionModel.from_arrays(*stand.best)) if stand.best is not None else None
        for row in stand.epochs:
            epochs.append(Epoch(*row))
            report(epochs[-1])
    elif init is not None and dev:
        finish(Epoch(0, 0.0))
    for number in range(1, settings.epochs + 1):
        order = shuffle.permutation(len(train))
        if epochs and number <= epochs[-1].number:
            continue
        explore = settings.explore if number > settings.static_epochs else 0.0
        weights.random = (2 * (settings.seed * 1_000 + number) + 1) % 2**64
        begin = time.perf_counter()
        words = decisions = wrong = 0
        for chunk in chunks(order, np.diff(starts) - 1):
            made, bad = greedy.train(weights, tokens, heads, labels, starts, chunk, explore)
            words += int((np.diff(starts)[chunk] - 1).sum())
            decisions += made
            wrong += bad
            seconds = time.perf_counter() - begin
            share = 100 * wrong / max(1, decisions)
            progress(Progress(number, words, len(heads) - len(train), share, seconds))
        finish(Epoch(number, share, seconds=seconds))
        if checkpoint is not None and number < settings.epochs:
            checkpoint.write(
                weights,
                [(each.number, each.wrong, each.las, each.uas) for each in epochs],
                best[1].to_arrays() if best is not None else None,
                best[0] if best is not None else 0.0,
            )
    assert best is not None
    return best[1]


def united(
    moves: NDArray[np.int32], labels: NDArray[np.int32], more_moves: NDArray[np.int32], more_labels: NDArray[np.int32]
) -> list[NDArray[np.int32]]:
    """The moves and labels of some actions and behind them those of others that are not among them."""
    first = list(zip(moves.tolist(), labels.tolist(), strict=True))
    more = zip(more_moves.tolist(), more_labels.tolist(), strict=True)
    actions = np.array(list(dict.fromkeys([*first, *more])), dtype=np.int32)
    return [np.ascontiguousarray(column) for column in actions.T]


def chunks(order: NDArray[np.int64], lengths: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The order of sentences in pieces of some words each, after which others may have a word."""
    words = np.cumsum(lengths[order])
    return np.split(order, np.flatnonzero(np.diff(words // CHUNK_WORDS)) + 1)


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
