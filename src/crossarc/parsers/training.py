"""How a transition parser is trained: the data as arrays, a learner, epochs, and where a training stands."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError
from crossarc.features.attributes import Attributes
from crossarc.features.templates import FeatureModel, choose_templates, fit_model, load_model
from crossarc.learning.hashed import HashedWeights
from crossarc.learning.instances import number_features
from crossarc.learning.liblinear import learn_liblinear
from crossarc.learning.libsvm import learn_libsvm
from crossarc.learning.packed import PackedWeights
from crossarc.learning.updates import MaximumEntropy, Mira, Perceptron, UpdateRule
from crossarc.learning.weights import Weights
from crossarc.parsers.checkpoint import Checkpoint
from crossarc.parsers.settings import AT_ONCE, Settings
from crossarc.parsers.transition import (
    Stages,
    TransitionModel,
    search_of,
    system_of,
    tag_column,
)
from crossarc.parsers.treemodel import Arrays, quick_scores
from crossarc.transforms.pseudo_projective import PseudoProjective
from crossarc.transitions.search import Greedy, collect_actions
from crossarc.transitions.system import TransitionSystem
from crossarc.transitions.two_stage import StageWeights, TwoStage
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

CHUNK_WORDS = 1_000  # learned from in one go: some hundredths of a second, so that an interrupt is heard
# Of fast search: the templates of each stage, and the sentences by which they are weighed.
MOVE_TEMPLATES, LABEL_TEMPLATES = 80, 50
WEIGHED_SENTENCES = 2_000
SPLIT_WORDS = 500  # a part of speech with so many words gets a support vector machine of its own

# Attributes, heads and labels of all nodes, and where sentences begin.
Material = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]


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
        if labelled:
            counts[move, kinds] = 0  # arcs that the oracle makes for want of a right one, in trees it cannot build
        # A move that the oracle never makes may be the only legal one in a state of the parser's own making.
        if not counts[move].any():
            counts[move, int(counts[:, :kinds].sum(axis=0).argmax()) if labelled else kinds] = 1
    moves, move_labels = (each.astype(np.int32) for each in np.nonzero(counts))
    move_labels[move_labels == kinds] = -1
    if init is not None:
        moves, move_labels = united(init.moves, init.move_labels, moves, move_labels)
    features = fit_model(load_model(settings.features), corpus) if init is None else init.features
    attributes = Attributes.fit(corpus, features.attributes, init.attributes if init is not None else None)
    tokens = attributes.encode(corpus)
    data = (tokens, heads, labels, starts)
    shuffle = np.random.default_rng(settings.seed)
    stages: Stages | None = None
    if settings.fast:
        features, stages = choose_stages(system, features, moves, move_labels, data, shuffle.permutation(len(train)))
        attributes = Attributes.fit(corpus, features.attributes)
        data = (attributes.encode(corpus), heads, labels, starts)
    search = search_of(settings, system, features, moves, move_labels, stages)
    squares = settings.learner == "maxent"
    weights: Weights | StageWeights = Weights(len(moves), settings.cut, squares)
    if settings.fast:
        weights = StageWeights(HashedWeights(len(system.moves)), Weights(len(moves), settings.cut))
    elif init is not None and isinstance(init.weights, PackedWeights):
        weights = Weights.of(len(moves), init.weights.unpack(), settings.cut, squares)
        # As if they had held for so many steps already: the average then moves from the old weights towards the new.
        steps = int(counts.sum()) if settings.beam == 1 else len(train)
        weights.now = int(settings.inertia * settings.epochs * steps)
    epochs: list[Epoch] = []
    best: TransitionModel | None = None
    best_las = 0.0

    def finish(epoch: Epoch, vectors: Arrays | None = None) -> None:
        """Score the model as it is now if that is of use, keep it if it is the best, and report."""
        nonlocal best, best_las
        if dev or epoch.number == settings.epochs:
            tables = (moves, move_labels, weights.pack(settings.prune))
            model = TransitionModel(settings, features, attributes, names, root_label, single_root, *tables)
            model = replace(model, stages=stages, vectors=vectors)
            las, uas = quick_scores(model, dev) if dev else (None, None)
            epoch = replace(epoch, las=las, uas=uas)
            if best is None or (las or 0.0) > best_las:
                best_las = las or 0.0
                best = model
                if dev and vectors is None and isinstance(weights, Weights):
                    best = model.with_storage(weights, best_las, dev)
        epochs.append(epoch)
        report(epoch)

    def restore(arrays: Arrays) -> Weights | StageWeights:
        """The weights of a checkpoint."""
        if settings.fast:
            return StageWeights.from_arrays(arrays, len(system.moves), len(moves), settings.cut)
        return Weights.from_arrays(arrays, len(moves), settings.cut, squares)

    if settings.learner in AT_ONCE:
        weights, vectors, wrong = learn_at_once(search, data, settings, features)
        finish(Epoch(1, 100 * wrong), vectors)
        assert best is not None
        return best
    stand = checkpoint.read(restore) if checkpoint is not None else None
    if stand is not None:
        weights = stand.weights
        best_las = stand.best_las
        best = TransitionModel.from_arrays(*stand.best) if stand.best is not None else None
        for row in stand.epochs:
            epochs.append(Epoch(*row))
            report(epochs[-1])
    elif init is not None and dev:
        finish(Epoch(0, 0.0))
    rule = update_rule(settings)
    for number in range(1, settings.epochs + 1):
        order = shuffle.permutation(len(train))
        if epochs and number <= epochs[-1].number:
            continue
        explore = settings.explore if number > settings.static_epochs else 0.0
        weights.random = (2 * (settings.seed * 1_000 + number) + 1) % 2**64
        begin = time.perf_counter()
        words = decisions = wrong = 0
        for chunk in chunks(order, np.diff(starts) - 1):
            made, bad = search.train(weights, rule, *data, chunk, explore)  # type: ignore[arg-type]
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
                best.to_arrays() if best is not None else None,
                best_las,
            )
    assert best is not None
    return best


def united(
    moves: NDArray[np.int32], labels: NDArray[np.int32], more_moves: NDArray[np.int32], more_labels: NDArray[np.int32]
) -> list[NDArray[np.int32]]:
    """The moves and labels of some actions and behind them those of others that are not among them."""
    first = list(zip(moves.tolist(), labels.tolist(), strict=True))
    more = zip(more_moves.tolist(), more_labels.tolist(), strict=True)
    actions = np.array(list(dict.fromkeys([*first, *more])), dtype=np.int32)
    return [np.ascontiguousarray(column) for column in actions.T]


def choose_stages(
    system: TransitionSystem,
    features: FeatureModel,
    moves: NDArray[np.int32],
    labels: NDArray[np.int32],
    data: Material,
    order: NDArray[np.int64],
) -> tuple[FeatureModel, Stages]:
    """The templates that weigh most after a first epoch with all of them, those for moves before those for labels."""
    count = len(features.templates)
    search = TwoStage(system, features, moves, labels, len(features.attributes), count, 0)
    weights = StageWeights(HashedWeights(len(system.moves)), Weights(len(moves)))
    search.train(weights, Perceptron(), *data, order)
    move_gains, label_gains = search.weigh(weights, *data, WEIGHED_SENTENCES)
    for_moves = set(np.argsort(-move_gains, kind="stable")[:MOVE_TEMPLATES].tolist())
    for_labels = set(np.argsort(-label_gains, kind="stable")[:LABEL_TEMPLATES].tolist())
    parts = [sorted(part) for part in (for_moves - for_labels, for_moves & for_labels, for_labels - for_moves)]
    return choose_templates(features, [place for part in parts for place in part]), (len(for_moves), len(parts[0]))


def learn_at_once(
    search: Greedy, data: Material, settings: Settings, features: FeatureModel
) -> tuple[Weights, Arrays | None, float]:
    """Learn from all decisions of the static oracle; gives weights, or the support vectors of LIBSVM, and errors."""
    tag = tag_column(features)
    words = np.bincount(data[0][:, tag] + 1 if tag >= 0 else [0])
    group_of = np.zeros(len(words), dtype=np.int32)  # the rare ones are together in group 0
    if settings.learner == "libsvm":
        often = np.flatnonzero(words >= SPLIT_WORDS)
        group_of[often] = np.arange(1, len(often) + 1)
    matrix, actions, groups = search.instances(*data, tag, group_of)
    keys, rows = number_features(matrix, settings.cut)
    count, cost = search.action_count, settings.cost or 0.0
    if settings.learner == "libsvm":
        vectors, wrong = learn_libsvm(keys, rows, actions, groups, group_of, cost=cost)
        return Weights(count), vectors, wrong
    weights, wrong = learn_liblinear(keys, rows, actions, count=count, cost=cost, seed=settings.seed)
    return weights, None, wrong


def update_rule(settings: Settings) -> UpdateRule:
    """How a learner that learns decision by decision changes its weights."""
    if settings.learner == "mira":
        return Mira(settings.cost or 0.0)
    if settings.learner == "maxent":
        return MaximumEntropy(settings.learning_rate, settings.l2)
    return Perceptron()


def chunks(order: NDArray[np.int64], lengths: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The order of sentences in pieces of some words each, after which others may have a word."""
    words = np.cumsum(lengths[order])
    return np.split(order, np.flatnonzero(np.diff(words // CHUNK_WORDS)) + 1)


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
