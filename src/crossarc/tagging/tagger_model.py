"""A tagger that is ready to work: two rounds that give labels, and the lemmatizer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from crossarc.components.component import Arrays, Component, Manifest, Scores, part, prefixed
from crossarc.components.description import Described, Description
from crossarc.core.strings import ROOT
from crossarc.features.attributes import Attributes
from crossarc.parsers.columns import given_tags
from crossarc.tagging.labels import Columns, Ints, Labels, is_filled, stored_table, table_arrays
from crossarc.tagging.lemmas import Lemmatizer
from crossarc.tagging.rounds import GIVEN, Round, columns_of
from crossarc.treebank import Sentence
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.text_writing import write_columns

TAGS = ("upos", "xpos", "feats")
COLUMNS = (*TAGS, "lemma")


@dataclass(frozen=True, eq=False)
class Rounds:
    """The two rounds, and the vocabulary that their features look at."""

    attributes: Attributes
    first: Round
    second: Round


class RoundFeatures(Described):
    """The feature models of both rounds."""

    first: str
    second: str


class TaggerDescription(Description):
    """The manifest of a tagger."""

    kind: Literal["tagger"]
    columns: list[Literal["upos", "xpos", "feats", "lemma"]] = Field(min_length=1)
    features: RoundFeatures | None = None


@dataclass(frozen=True, eq=False)
class TaggerModel(Component):
    """Gives words the tags and lemmas that a treebank would have for them.

    `rounds` is None where there are no tags, and `lemmatizer` where there are no lemmas.
    """

    labels: Labels
    rounds: Rounds | None
    lemmatizer: Lemmatizer | None

    kind = "tagger"
    description = TaggerDescription

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """The columns that it learned."""
        return (*self.labels.values, "lemma") if self.lemmatizer is not None else tuple(self.labels.values)

    def parsed(self, sentences: list[Sentence], *, keep_tags: bool = False) -> list[Sentence]:
        """Return the sentences with new tags and lemmas; `keep_tags` keeps those that are there."""
        corpus = Corpus.of(sentences)
        if not len(corpus):
            return []
        assert corpus.sentences is not None
        return write_columns(corpus.sentences, corpus.starts, dict(self.predict(corpus, keep=keep_tags)))

    def predict(self, corpus: Corpus, *, keep: bool = False) -> Columns:
        """Return the values of all nodes in each column, -1 where they stay: numbers, and the values by number."""
        labels, kept = self.label(corpus, keep)
        columns = self.labels.columns(labels)
        if kept:
            there = {column: np.where(kept[column] >= 0, kept[column], columns[column][0]) for column in kept}
            labels = self.labels.agreeing(labels, {column: (there[column], columns[column][1]) for column in kept})
        if self.lemmatizer is not None:
            columns["lemma"] = self.lemmatizer.lemmas(corpus, labels)
        if keep:
            given = given_tags(corpus)
            for column, (numbers, table) in columns.items():
                columns[column] = np.where(given[column], -1, numbers).astype(np.int32), table
        return columns

    def label(self, corpus: Corpus, keep: bool) -> tuple[Ints, dict[str, Ints]]:
        """Return the labels of all nodes, and with `keep` what is known of each column already, -1 for the rest."""
        kept = {}
        if keep:
            for column, table in self.labels.values.items():
                values = corpus.strings[column]
                numbers = np.array([table[value] - table.reserved for value in values], dtype=np.int32)
                numbers = np.concatenate([np.full(values.reserved, -1, dtype=np.int32), np.maximum(-1, numbers)])
                kept[column] = np.where(is_filled(corpus, column), numbers[corpus[column]], -1).astype(np.int32)
        if self.rounds is None:
            return np.where(corpus["form"] == ROOT, -1, 0).astype(np.int32), kept
        first, second = self.rounds.first, self.rounds.second
        tokens = self.rounds.attributes.encode(corpus)
        names = list(self.rounds.attributes.tables)
        tags = first.label(columns_of(first.features, names, tokens, None), corpus.starts)
        if keep:
            given = kept[next(iter(self.labels.values))]
            tags = np.where(given >= 0, given, tags).astype(np.int32)
        return second.label(columns_of(second.features, names, tokens, tags), corpus.starts), kept

    def score(self, gold: Corpus) -> Scores:
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

    def quality(self, scores: Scores) -> float:
        """Return the sum over all columns."""
        return sum(scores.values())

    def describe(self) -> dict[str, str]:
        """Return facts about the tagger, by name."""
        described = {
            f"{column.upper()} values": f"{len(table) - table.reserved:,}"
            for column, table in self.labels.values.items()
        }
        if self.rounds is not None:
            described["combinations of tags"] = f"{len(self.labels):,}"
            described["features"] = f"{len(self.rounds.first.scorer):,} and {len(self.rounds.second.scorer):,}"
        if self.lemmatizer is not None:
            described["rules for lemmas"] = f"{len(self.lemmatizer.rules):,}"
        return described

    def to_arrays(self) -> tuple[Manifest, Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        manifest: Manifest = {"kind": self.kind, "columns": list(self.gives)}
        arrays = self.labels.to_arrays()
        if self.rounds is not None:
            rounds = {"first": self.rounds.first, "second": self.rounds.second}
            manifest["features"] = {name: each.features.text for name, each in rounds.items()}
            for name, each in rounds.items():
                arrays |= prefixed(each.scorer.to_arrays(), f"{name}.")
            for name, table in self.rounds.attributes.tables.items():
                arrays |= table_arrays(table, f"attributes.{name}")
        if self.lemmatizer is not None:
            arrays |= prefixed(self.lemmatizer.to_arrays(), "lemmas.")
        return manifest, arrays

    @classmethod
    def from_arrays(cls, manifest: Manifest, arrays: Arrays) -> TaggerModel:
        """Return the tagger of a file; `ValueError` or `LookupError` if it holds none."""
        learned = [column for column in COLUMNS if column in manifest["columns"]]
        if learned != manifest["columns"]:
            raise ValueError(f"columns are {manifest['columns']}, not in their order")
        labels = Labels.from_arrays(arrays, [name for name in learned if name in TAGS])
        rounds = None
        if labels.values:
            texts = manifest["features"]
            first = Round.stored(texts["first"], part(arrays, "first."), count_of_tags(labels), ("form",))
            second = Round.stored(texts["second"], part(arrays, "second."), len(labels), ("form", GIVEN))
            names = dict.fromkeys((*first.features.attributes, *second.features.attributes))
            tables = {name: stored_table(arrays, f"attributes.{name}") for name in names if name != GIVEN}
            rounds = Rounds(Attributes(tables), first, second)
        lemmatizer = None
        if "lemma" in learned:
            lemmatizer = Lemmatizer.from_arrays(part(arrays, "lemmas."), labels.first_tags)
        return cls(labels, rounds, lemmatizer)


def count_of_tags(labels: Labels) -> int:
    """Return how many first tags there are."""
    table = next(iter(labels.values.values()))
    return len(table) - table.reserved
