"""The training of all components: epochs, their progress, the best model, and the training state."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from crossarc.components.checkpoint import Checkpoint, TrainingState
from crossarc.components.component import Arrays, Component, Scores
from crossarc.errors import ModelError

Kind = TypeVar("Kind", bound=Component)
CHUNK_WORDS = 1_000  # learned from in one call: some hundredths of a second, so that an interrupt takes effect soon


@dataclass(frozen=True)
class Epoch:
    """The result of an epoch: the share of wrong decisions, and the scores on the development set if there is one.

    `seconds` is the time it learned for, 0 for one that was finished before the training was resumed. Epoch 0 is the
    model that a training starts from.
    """

    number: int
    wrong: float
    scores: Scores | None = None
    seconds: float = 0.0

    @property
    def las(self) -> float | None:
        """The first score of a parser: LAS, or F of labelled arcs."""
        return next(iter(self.scores.values())) if self.scores else None

    @property
    def uas(self) -> float | None:
        """The second score of a parser: UAS, or F of unlabelled arcs."""
        return [*self.scores.values()][1] if self.scores else None


@dataclass(frozen=True)
class Progress:
    """The progress of an epoch: words learned from so far and in all, and the share of wrong decisions so far."""

    epoch: int
    words: int
    of: int
    wrong: float
    seconds: float


class Trainer(ABC):
    """The training of a component: the data, sentence by sentence, and the weights so far."""

    epochs: int  # how often it learns from all sentences
    sizes: NDArray[np.int64]  # the words of each sentence
    shuffle: np.random.Generator
    continued: bool = False  # whether the first weights are those of a trained model
    at_once: bool = False  # whether it learns from all sentences in one call

    def order(self) -> NDArray[np.int64]:
        """Return the order in which an epoch learns from the sentences; called for each epoch, finished ones too."""
        order: NDArray[np.int64] = self.shuffle.permutation(len(self.sizes))
        return order

    def begin(self, epoch: int) -> None:  # noqa: B027
        """Prepare an epoch; most trainers need nothing."""

    @abstractmethod
    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many decisions were made and how many of them were wrong."""

    @abstractmethod
    def model(self) -> Any:
        """Return the learned component."""

    @abstractmethod
    def state(self) -> Arrays:
        """Return the state of the training, for a checkpoint."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Go on from what `state` returned; `KeyError` or `ValueError` if that is impossible."""


def run_epochs(
    trainer: Trainer,
    dev: Any,
    report: Callable[[Epoch], None],
    progress: Callable[[Progress], None],
    checkpoint: Checkpoint | None,
    model_of: Callable[[dict[str, Any], Arrays], Kind],
) -> Kind:
    """Learn for some epochs; return the model that was best on a development set, or the last if there is none.

    `model_of` makes a model of what a checkpoint keeps.
    """
    state = checkpoint.read(trainer.restore, model_of) if checkpoint is not None else None
    state = state if state is not None else TrainingState()

    def finish(epoch: Epoch) -> None:
        """Score the model as it is now if that is useful, keep it if it is the best, and report."""
        if dev is not None or epoch.number == trainer.epochs:
            model: Component = trainer.model()
            quality = 0.0
            if dev is not None:
                scores = model.score(dev)
                epoch, quality = replace(epoch, scores=scores), model.quality(scores)
                model = model.scored()
            if state.best is None or quality > state.quality:
                state.best, state.quality = model, quality
        state.epochs.append((epoch.number, epoch.wrong, epoch.scores))
        report(epoch)

    for row in state.epochs:
        report(Epoch(*row))
    if not state.epochs and trainer.continued and dev is not None:
        finish(Epoch(0, 0.0))
    for number in range(1, trainer.epochs + 1):
        order = trainer.order()
        if state.epochs and number <= state.epochs[-1][0]:
            continue
        trainer.begin(number)
        begin = time.perf_counter()
        words = decisions = wrong = 0
        for chunk in [order] if trainer.at_once else chunks(order, trainer.sizes):
            made, bad = trainer.learn(chunk)
            words += int(trainer.sizes[chunk].sum())
            decisions += made
            wrong += bad
            seconds = time.perf_counter() - begin
            share = 100 * wrong / max(1, decisions)
            progress(Progress(number, words, int(trainer.sizes.sum()), share, seconds))
        finish(Epoch(number, share, seconds=seconds))
        if checkpoint is not None and number < trainer.epochs:
            checkpoint.write(trainer.state(), state)
    if state.best is None:  # after the last epoch there always is one
        raise ModelError("the checkpoint says that the training has ended, but has no model; train without resuming")
    return cast("Kind", state.best)


def chunks(order: NDArray[np.int64], sizes: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the order of sentences in pieces of some words each; between them the caller can act."""
    words = np.cumsum(sizes[order])
    return np.split(order, np.flatnonzero(np.diff(words // CHUNK_WORDS)) + 1)
