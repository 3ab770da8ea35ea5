"""Sentences in, sentences with tags and lemmas out: UPOS, XPOS, FEATS and LEMMA as a treebank has them.

Words are tagged in two rounds. The first gives each word its first tag, UPOS if the treebank has it. The second gives
it all its tags at once, as one label, and sees the first tags of the words on both sides. It learns from first tags
that are predicted (jackknifed), since these are what it gets. Lemmas come last, from forms and labels.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import ROOT
from crossarc.errors import CrossarcError
from crossarc.features.attributes import Attributes
from crossarc.features.templates import load_model
from crossarc.parsers.columns import filled_columns_of, given_tags
from crossarc.tagging.labels import Columns, Ints, Labels, is_filled, stored_table, table_arrays
from crossarc.tagging.lemmas import Lemmatizer
from crossarc.tagging.rounds import GIVEN, Round, RoundTrainer, columns_of
from crossarc.treebank import Sentence
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.folds import assign_folds
from crossarc.treebank.text_writing import write_columns

__all__ = ["Tagger"]

log = logging.getLogger(__name__)

TAGS = ("upos", "xpos", "feats")
COLUMNS = (*TAGS, "lemma")
FORMAT = 1  # of the arrays
FIRST_FOLDS = 5  # in which the first tags of the training data are predicted
FIRST_EPOCHS = 6  # of the first round
Steps = Callable[[int, int], None]  # is told how many steps are done, and how many there are


class Tagger:
    """Gives words the tags and lemmas that a treebank would have for them.

    `epochs` are those of the second round, `cut` is how often a feature must matter before it counts, and `cost` bounds
    how much one word changes weights. The same seed and the same treebank give the same tagger.
    """

    def __init__(self, *, epochs: int = 6, seed: int = 1, cut: int = 2, cost: float = 0.05) -> None:
        self.epochs = epochs
        self.seed = seed
        self.cut = cut
        self.cost = cost
        self.labels_: Labels | None = None
        self.attributes_ = Attributes({})
        self.first_: Round | None = None
        self.second_: Round | None = None
        self.lemmatizer_: Lemmatizer | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it learned."""
        tags = self.learned.values
        return (*tags, "lemma") if self.lemmatizer_ is not None else tuple(tags)

    @property
    def learned(self) -> Labels:
        """The labels that it learned."""
        if self.labels_ is None:
            raise CrossarcError("this tagger has not learned anything: call fit first")
        return self.labels_

    def fit(
        self,
        sentences: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        on_step: Steps = lambda done, of: None,
    ) -> Self:
        """Learn the filled columns of a treebank; with `dev`, keep the epoch that is best there.

        `on_step` is called after each step with how many are done and how many there are.
        """
        if self.epochs < 1:
            raise CrossarcError(f"{self.epochs} epochs; a tagger needs at least 1")
        corpus = Corpus.of(sentences)
        filled = filled_columns_of(corpus, COLUMNS)
        tags = [column for column in TAGS if filled[column]]
        if not any(filled.values()):
            raise CrossarcError("the sentences have neither tags nor lemmas; a tagger needs some to learn from")
        self.labels_, labels = Labels.of(corpus, tags)
        self.attributes_ = Attributes({})
        self.first_ = self.second_ = self.lemmatizer_ = None
        if filled["lemma"]:
            self.lemmatizer_ = Lemmatizer.learn(corpus, labels, self.labels_.first_tags)
        if not tags:
            return self
        models = [load_model(name) for name in ("tagging-first", "tagging")]
        names = dict.fromkeys(name for model in models for name in model.attributes if name != GIVEN)
        self.attributes_ = Attributes.fit(corpus, names)
        tokens = self.attributes_.encode(corpus)
        gold = np.where(labels >= 0, self.labels_.first_tags[labels], -1).astype(np.int32)
        self.first_, predicted = self.fit_first(
            RoundTrainer(models[0], columns_of(models[0], list(names), tokens, None), gold, corpus.starts, self.tags),
            on_step,
        )
        rows = columns_of(models[1], list(names), tokens, predicted)
        trainer = RoundTrainer(models[1], rows, labels, corpus.starts, len(self.labels_))
        self.fit_second(trainer, Corpus.of(dev) if dev is not None else None, on_step)
        return self

    @property
    def steps(self) -> int:
        """How many steps `fit` has: the first round for all and for each fold, and the epochs of the second."""
        return 1 + FIRST_FOLDS + self.epochs

    @property
    def tags(self) -> int:
        """How many first tags there are."""
        table = next(iter(self.learned.values.values()))
        return len(table) - table.reserved

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of both rounds."""
        return {"seed": self.seed, "cut": self.cut, "cost": self.cost}

    def fit_first(self, trainer: RoundTrainer, on_step: Steps) -> tuple[Round, Ints]:
        """Return the first round, and the first tags of the training data, each predicted by a round without it."""
        starts = trainer.targets.starts
        everything = np.arange(len(trainer.targets))
        numbers = np.array(assign_folds(len(everything), FIRST_FOLDS, self.seed), dtype=np.int64)
        settings = {"epochs": FIRST_EPOCHS, **self.settings}
        whole = trainer.fit(everything, **settings)
        predicted = whole.label(trainer.rows, starts)
        on_step(1, self.steps)
        of_nodes = np.repeat(numbers, np.diff(starts))
        for fold in range(1, FIRST_FOLDS + 1):
            others = np.flatnonzero(numbers != fold)
            if len(others) and len(others) < len(everything):
                found = trainer.fit(others, **settings).label(trainer.rows, starts)
                predicted = np.where(of_nodes == fold, found, predicted)
            on_step(1 + fold, self.steps)
        return whole, predicted

    def fit_second(self, trainer: RoundTrainer, dev: Corpus | None, on_step: Steps) -> None:
        """Learn the second round."""
        best, chosen = -1.0, None
        everything = np.arange(len(trainer.targets))
        for epoch, (weights, wrong) in enumerate(trainer.epochs(everything, epochs=self.epochs, **self.settings), 1):
            scores: dict[str, float] = {}
            if dev is not None or epoch == self.epochs:
                self.second_ = trainer.packed(weights)
            if dev is not None:
                scores = self.scores(dev)
                quality = sum(scores.values())
                if quality > best:
                    best, chosen = quality, self.second_
            log.info("epoch %d: %.2f%% wrong decisions, %s", epoch, 100 * wrong, scores)
            on_step(1 + FIRST_FOLDS + epoch, self.steps)
        self.second_ = chosen or self.second_

    def tag(self, sentences: Iterable[Sentence], *, keep: bool = False) -> list[Sentence]:
        """Return sentences with new tags and lemmas; with `keep`, values that are there stay.

        A word without features that has another tag keeps having none.

        Columns that the tagger did not learn stay as they are.
        """
        corpus = Corpus.of(sentences)
        if not len(corpus):
            return []
        assert corpus.sentences is not None
        return write_columns(corpus.sentences, corpus.starts, dict(self.predict(corpus, keep=keep)))

    def predict(self, corpus: Corpus, *, keep: bool = False) -> Columns:
        """Return the values of all nodes in each column, -1 where they stay: numbers, and the values by number."""
        known = self.learned
        labels, kept = self.label(corpus, keep)
        columns = known.columns(labels)
        if kept:
            there = {column: np.where(kept[column] >= 0, kept[column], columns[column][0]) for column in kept}
            labels = known.agreeing(labels, {column: (there[column], columns[column][1]) for column in kept})
        if self.lemmatizer_ is not None:
            columns["lemma"] = self.lemmatizer_.lemmas(corpus, labels)
        if keep:
            given = given_tags(corpus)
            for column, (numbers, table) in columns.items():
                columns[column] = np.where(given[column], -1, numbers).astype(np.int32), table
        return columns

    def label(self, corpus: Corpus, keep: bool) -> tuple[Ints, dict[str, Ints]]:
        """Return the labels of all nodes, and with `keep` what is known of each column already, -1 for the rest."""
        kept = {}
        if keep:
            for column, table in self.learned.values.items():
                values = corpus.strings[column]
                numbers = np.array([table[value] - table.reserved for value in values], dtype=np.int32)
                numbers = np.concatenate([np.full(values.reserved, -1, dtype=np.int32), np.maximum(-1, numbers)])
                kept[column] = np.where(is_filled(corpus, column), numbers[corpus[column]], -1).astype(np.int32)
        if self.first_ is None or self.second_ is None:
            return np.where(corpus["form"] == ROOT, -1, 0).astype(np.int32), kept
        tokens = self.attributes_.encode(corpus)
        names = list(self.attributes_.tables)
        first = self.first_.label(columns_of(self.first_.features, names, tokens, None), corpus.starts)
        if keep:
            given = kept[next(iter(self.learned.values))]
            first = np.where(given >= 0, given, first).astype(np.int32)
        return self.second_.label(columns_of(self.second_.features, names, tokens, first), corpus.starts), kept

    def evaluate(self, sentences: Iterable[Sentence]) -> dict[str, float]:
        """Return the share of the words whose tags and lemmas are right, in percent, by column."""
        return self.scores(Corpus.of(sentences))

    def scores(self, gold: Corpus) -> dict[str, float]:
        """Return the share of the words of a corpus that are right, in percent; words without a lemma do not count."""
        words = gold["form"] != ROOT
        scores = {}
        for column, (numbers, table) in self.predict(gold).items():
            names = gold.strings[column]
            counted = words & is_filled(gold, column) if column == "lemma" else words
            ids = np.array([*(names[name] for name in table), -1], dtype=np.int32)
            right = (ids[numbers] == gold[column])[counted]
            scores[column] = 100 * float(right.mean()) if len(right) else 0.0
        return scores

    def describe(self) -> dict[str, str]:
        """Return what is worth knowing of the tagger, by name."""
        described = {
            f"{column.upper()} values": f"{len(table) - table.reserved:,}"
            for column, table in self.learned.values.items()
        }
        if self.first_ is not None and self.second_ is not None:
            described["combinations of tags"] = f"{len(self.learned):,}"
            described["features"] = f"{len(self.first_.scorer):,} and {len(self.second_.scorer):,}"
        if self.lemmatizer_ is not None:
            described["rules for lemmas"] = f"{len(self.lemmatizer_.rules):,}"
        return described

    def to_arrays(self, prefix: str = "tagger.") -> dict[str, NDArray[Any]]:
        """Return what a model file keeps, with a prefix before each name."""
        has = [column in self.columns for column in COLUMNS]
        arrays = {f"{prefix}format": np.array([FORMAT, *has], dtype=np.int64), **self.learned.to_arrays(prefix)}
        for name, table in self.attributes_.tables.items():
            arrays |= table_arrays(table, f"{prefix}attributes.{name}")
        if self.first_ is not None and self.second_ is not None:
            arrays |= self.first_.to_arrays(f"{prefix}first.") | self.second_.to_arrays(f"{prefix}second.")
        if self.lemmatizer_ is not None:
            arrays |= self.lemmatizer_.to_arrays(f"{prefix}lemmas.")
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str = "tagger.") -> Tagger:
        """Return the tagger that a model file keeps; `ValueError` or `LookupError` for damaged arrays."""
        header = arrays[f"{prefix}format"]
        if header.shape != (1 + len(COLUMNS),) or header[0] != FORMAT or not header[1:].any():
            raise ValueError("the tagger is damaged or of another version")
        learned = [column for column, has in zip(COLUMNS, header[1:].tolist(), strict=True) if has]
        tagger = cls()
        tagger.labels_ = labels = Labels.from_arrays(arrays, prefix, [name for name in learned if name in TAGS])
        if labels.values:
            tagger.first_ = Round.from_arrays(arrays, f"{prefix}first.", tagger.tags, ("form",))
            tagger.second_ = Round.from_arrays(arrays, f"{prefix}second.", len(labels), ("form", GIVEN))
            names = dict.fromkeys((*tagger.first_.features.attributes, *tagger.second_.features.attributes))
            tables = {name: stored_table(arrays, f"{prefix}attributes.{name}") for name in names if name != GIVEN}
            tagger.attributes_ = Attributes(tables)
        if "lemma" in learned:
            tagger.lemmatizer_ = Lemmatizer.from_arrays(arrays, f"{prefix}lemmas.", labels.first_tags)
        return tagger
