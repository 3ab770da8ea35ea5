"""The epochs of a training, whatever is learned: their order, their progress, the best model, and where it stands."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from crossarc.parsers.checkpoint import Checkpoint
from crossarc.parsers.settings import Settings
from crossarc.parsers.treemodel import Arrays, TreeModel, quick_scores
from crossarc.treebank.sentence import Sentence

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


M = TypeVar("M", bound=TreeModel)


class Lessons(ABC, Generic[M]):
    """What a parser learns from, sentence by sentence, and what it has learned so far."""

    weights: Any  # with `to_arrays`, for checkpoints
    lengths: NDArray[np.int64]  # the words of each sentence
    shuffle: np.random.Generator
    continued: bool = False  # whether the first weights are those of a trained model

    @abstractmethod
    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; gives how many decisions were made and how many of them were wrong."""

    @abstractmethod
    def model(self) -> M:
        """What has been learned, as a model."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> Any:
        """The weights of a checkpoint."""

    @abstractmethod
    def restore_model(self, manifest: dict[str, Any], arrays: Arrays) -> M:
        """The best model of a checkpoint."""

    def begin(self, epoch: int) -> None:
        """Make ready for an epoch."""

    def completed(self, model: M, las: float, dev: list[Sentence]) -> M:
        """The best model so far, which scores so on a development set, with all that is worth knowing of it."""
        return model

    def finished(self, best: M, last: M, epoch: Epoch, dev: list[Sentence]) -> M:
        """The best model with what is worth knowing of it in the end; `last` is that of the last epoch.

        Nothing is learned any more.
        """
        return best


def run_epochs(
    lessons: Lessons[M],
    settings: Settings,
    dev: list[Sentence],
    report: Callable[[Epoch], None],
    progress: Callable[[Progress], None],
    checkpoint: Checkpoint | None,
) -> M:
    """Learn for some epochs; gives the model that was best on a development set, or the last if there is none."""
    epochs: list[Epoch] = []
    best: M | None = None
    last: M | None = None
    best_las = 0.0

    def finish(epoch: Epoch) -> None:
        """Score the model as it is now if that is of use, keep it if it is the best, and report."""
        nonlocal best, best_las, last
        if dev or epoch.number == settings.epochs:
            last = lessons.model()
            las, uas = quick_scores(last, dev) if dev else (None, None)
            epoch = replace(epoch, las=las, uas=uas)
            if best is None or (las or 0.0) > best_las:
                best_las = las or 0.0
                best = lessons.completed(last, best_las, dev) if dev else last
        epochs.append(epoch)
        report(epoch)

    stand = checkpoint.read(lessons.restore) if checkpoint is not None else None
    if stand is not None:
        lessons.weights = stand.weights
        best_las = stand.best_las
        best = lessons.restore_model(*stand.best) if stand.best is not None else None
        for row in stand.epochs:
            epochs.append(Epoch(*row))
            report(epochs[-1])
    elif lessons.continued and dev:
        finish(Epoch(0, 0.0))
    for number in range(1, settings.epochs + 1):
        order = lessons.shuffle.permutation(len(lessons.lengths))
        if epochs and number <= epochs[-1].number:
            continue
        lessons.begin(number)
        begin = time.perf_counter()
        words = decisions = wrong = 0
        for chunk in chunks(order, lessons.lengths):
            made, bad = lessons.learn(chunk)
            words += int(lessons.lengths[chunk].sum())
            decisions += made
            wrong += bad
            seconds = time.perf_counter() - begin
            share = 100 * wrong / max(1, decisions)
            progress(Progress(number, words, int(lessons.lengths.sum()), share, seconds))
        finish(Epoch(number, share, seconds=seconds))
        if checkpoint is not None and number < settings.epochs:
            checkpoint.write(
                lessons.weights,
                [(each.number, each.wrong, each.las, each.uas) for each in epochs],
                best.to_arrays() if best is not None else None,
                best_las,
            )
    assert best is not None
    assert last is not None
    return lessons.finished(best, last, epochs[-1], dev) if dev else best


def chunks(order: NDArray[np.int64], lengths: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The order of sentences in pieces of some words each, after which others may have a word."""
    words = np.cumsum(lengths[order])
    return np.split(order, np.flatnonzero(np.diff(words // CHUNK_WORDS)) + 1)
