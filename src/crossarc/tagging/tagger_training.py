"""Training of the tagger: the first round as preparation, the second one epoch after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays, part, prefixed
from crossarc.components.training import Trainer
from crossarc.features.attributes import Attributes
from crossarc.features.templates import load_model
from crossarc.learning.scorers import Weights
from crossarc.tagging.labels import Ints, Labels
from crossarc.tagging.lemmas import Lemmatizer
from crossarc.tagging.rounds import GIVEN, Round, RoundTrainer, columns_of
from crossarc.tagging.tagger_model import Rounds, TaggerModel, count_of_tags
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.folds import assign_folds

FIRST_FOLDS = 5  # in which the first tags of the training data are predicted
FIRST_EPOCHS = 6  # of the first round
Steps = Callable[[int, int], None]  # is told how many steps are done, and how many there are


class TaggerTrainer(Trainer):
    """Learns the second round, from first tags that were predicted by a round without the sentence.

    The first round is learned before the first epoch, and is part of the training state. `on_step` is told how many of
    its steps are done.
    """

    def __init__(
        self,
        corpus: Corpus,
        tags: Sequence[str],
        *,
        has_lemmas: bool,
        epochs: int,
        seed: int,
        cut: int,
        cost: float,
        on_step: Steps,
    ) -> None:
        self.epochs = epochs
        self.seed = seed
        self.on_step = on_step
        self.settings: dict[str, Any] = {"seed": seed, "cut": cut, "cost": cost}
        self.shuffle = np.random.default_rng(seed)
        self.starts = corpus.starts
        self.sizes = np.diff(corpus.starts) - 1
        self.labels, self.gold = Labels.of(corpus, tags)
        self.lemmatizer = Lemmatizer.learn(corpus, self.gold, self.labels.first_tags) if has_lemmas else None
        self.models = [load_model(name) for name in ("tagging-first", "tagging")]
        names = dict.fromkeys(name for model in self.models for name in model.attributes if name != GIVEN)
        self.attributes = Attributes.fit(corpus, names)
        self.tokens = self.attributes.encode(corpus)
        self.first: Round | None = None

    def begin(self, epoch: int) -> None:
        """Learn the first round, unless that was done before."""
        if self.first is None:
            self.go_on(*self.fit_first())

    def fit_first(self) -> tuple[Round, Ints]:
        """Return the first round, and the first tags of the training data, each predicted by a round without it."""
        gold = np.where(self.gold >= 0, self.labels.first_tags[self.gold], -1).astype(np.int32)
        rows = columns_of(self.models[0], list(self.attributes.tables), self.tokens, None)
        trainer = RoundTrainer(self.models[0], rows, gold, self.starts, count_of_tags(self.labels), **self.settings)
        everything = np.arange(len(self.sizes))
        numbers = np.array(assign_folds(len(everything), FIRST_FOLDS, self.seed), dtype=np.int64)
        whole = trainer.fit(everything, FIRST_EPOCHS)
        predicted = whole.label(rows, self.starts)
        self.on_step(1, 1 + FIRST_FOLDS)
        of_nodes = np.repeat(numbers, np.diff(self.starts))
        for fold in range(1, FIRST_FOLDS + 1):
            others = np.flatnonzero(numbers != fold)
            if len(others) and len(others) < len(everything):
                found = trainer.fit(others, FIRST_EPOCHS).label(rows, self.starts)
                predicted = np.where(of_nodes == fold, found, predicted)
            self.on_step(1 + fold, 1 + FIRST_FOLDS)
        return whole, predicted

    def go_on(self, first: Round, predicted: Ints) -> None:
        """Prepare the second round, which sees the first tags that were predicted."""
        self.first, self.predicted = first, predicted
        rows = columns_of(self.models[1], list(self.attributes.tables), self.tokens, predicted)
        self.second = RoundTrainer(self.models[1], rows, self.gold, self.starts, len(self.labels), **self.settings)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many words they have and how many of them were wrong."""
        return self.second.learn(sentences)

    def model(self) -> TaggerModel:
        """Return the learned model."""
        assert self.first is not None
        rounds = Rounds(self.attributes, self.first, self.second.packed())
        return TaggerModel(self.labels, rounds, self.lemmatizer)

    def state(self) -> Arrays:
        """Return the weights of both rounds and the predicted first tags, for a checkpoint."""
        assert self.first is not None
        first, second = self.first.scorer.to_arrays(), self.second.weights.to_arrays()
        return prefixed(first, "first.") | prefixed(second, "second.") | {"predicted": self.predicted}

    def restore(self, arrays: Arrays) -> None:
        """Go on from the weights and tags of a checkpoint."""
        count = count_of_tags(self.labels)
        self.go_on(Round.stored(self.models[0].text, part(arrays, "first."), count, ("form",)), arrays["predicted"])
        second = part(arrays, "second.")
        self.second.weights = Weights.from_arrays(second, len(self.labels), self.settings["cut"])
