"""The tags that a network predicts beside trees: which there are in a treebank, and how columns are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import ROOT, StringTable
from crossarc.errors import CrossarcError
from crossarc.features.encoding import SOURCES
from crossarc.features.inputs import InputModel
from crossarc.neural.heads import TagHead
from crossarc.neural.layers import Array
from crossarc.parsers.columns import filled_columns_of
from crossarc.parsers.model import Arrays, Columns, Ints
from crossarc.transforms.lemma_rules import SAME, apply_lemma_rule, lemma_rule
from crossarc.treebank.corpus import Corpus

LEAST_RULES = 2  # words that must have a rule, or it is not learned


@dataclass(frozen=True, eq=False)
class Tags:
    """The values of each predicted column; those of lemmas are rules that make them from forms."""

    values: dict[str, StringTable]

    @classmethod
    def of(cls, corpus: Corpus, columns: Sequence[str], known: Tags | None) -> Tags:
        """Return the values of a treebank, those of a model to start from first; columns without any are left out."""
        if known is not None:
            columns = list(known.values)
        filled = filled_columns_of(corpus, columns)
        values = {}
        for column in columns:
            before = list(known.values[column]) if known is not None else []
            if before or filled[column]:
                values[column] = StringTable(dict.fromkeys([*before, *frequent(corpus, column)]))
        return cls(values)

    @property
    def sizes(self) -> list[int]:
        """How many values each column has."""
        return [len(table) - table.reserved for table in self.values.values()]

    def gold(self, corpus: Corpus) -> list[Ints]:
        """Return the numbers of the values of all nodes in each column, -1 for those that are not known."""
        found = []
        for column, table in self.values.items():
            if column == "lemma":
                pairs, places = lemma_pairs(corpus)
                names = [lemma_rule(*pair) for pair in pairs]
            else:
                names, places = list(corpus.strings[column]), corpus[column] - corpus.strings[column].reserved
            numbers = np.array([*(table[name] - table.reserved for name in names), -1], dtype=np.int32)
            found.append(np.maximum(-1, numbers[np.maximum(-1, places)]))
        return found

    def columns(self, corpus: Corpus, numbers: Sequence[Ints]) -> Columns:
        """Return predicted values as they are written."""
        found: Columns = {}
        for (column, table), chosen in zip(self.values.items(), numbers, strict=True):
            found[column] = made_lemmas(corpus, chosen, list(table)) if column == "lemma" else (chosen, table)
        return found

    def to_arrays(self) -> Arrays:
        """Return what a model file keeps."""
        arrays: Arrays = {}
        for column, table in self.values.items():
            arrays[f"tags.strings.{column}"], arrays[f"tags.offsets.{column}"] = table.pack()
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Arrays, columns: Sequence[str]) -> Tags:
        """Return the tags of a model file; `ValueError` or `LookupError` if they are damaged."""
        values = {}
        for column in columns:
            if f"tags.strings.{column}" in arrays:
                values[column] = StringTable.unpack(arrays[f"tags.strings.{column}"], arrays[f"tags.offsets.{column}"])
        for rule in values.get("lemma", ()):
            apply_lemma_rule(rule, "")  # a rule that is none is a ValueError
        return cls(values)


class TagReader:
    """Reads the tags of nodes off their vectors, batch by batch."""

    def __init__(self, nodes: int, tags: Tags, head: TagHead | None) -> None:
        self.tags, self.head = tags, head
        self.found = [np.full(nodes, -1, dtype=np.int32) for _ in tags.values]

    def read(self, nodes: NDArray[np.int64], starts: NDArray[np.int64], vectors: Array) -> None:
        """Read the tags of a batch of sentences, or of their pieces."""
        if self.head is None:
            return
        for found, scores in zip(self.found, self.head.forward(vectors), strict=True):
            found[nodes] = scores.argmax(axis=1)

    def columns(self, corpus: Corpus) -> Columns:
        """Return the tags as they are written."""
        for found in self.found:
            found[corpus.starts[:-1]] = -1
        return self.tags.columns(corpus, self.found)


def frequent(corpus: Corpus, column: str) -> list[str]:
    """Return the values of a column in the order of a treebank; of lemmas the rules that some words have."""
    if column != "lemma":
        return list(corpus.strings[column])
    pairs, places = lemma_pairs(corpus)
    counts: dict[str, int] = {SAME: LEAST_RULES}
    often = np.bincount(places[places >= 0], minlength=len(pairs)).tolist()
    for pair, count in zip(pairs, often, strict=True):
        rule = lemma_rule(*pair)
        counts[rule] = counts.get(rule, 0) + count
    return [rule for rule, count in counts.items() if count >= LEAST_RULES]


def lemma_pairs(corpus: Corpus) -> tuple[list[tuple[str, str]], Ints]:
    """Return the distinct pairs of form and lemma, and the number of that of each node; -1 without a lemma."""
    forms, lemmas = corpus.strings["form"], corpus.strings["lemma"]
    blank = lemmas["_"]
    there = (corpus["lemma"] != ROOT) & ((corpus["lemma"] != blank) | (corpus["form"] == forms["_"]))
    places = np.full(len(there), -1, dtype=np.int32)
    both = np.stack([corpus["form"][there] - forms.reserved, corpus["lemma"][there] - lemmas.reserved], axis=1)
    distinct, places[there] = np.unique(both, axis=0, return_inverse=True)
    names, bases = list(forms), list(lemmas)
    return [(names[form], bases[lemma]) for form, lemma in distinct.tolist()], places


def made_lemmas(corpus: Corpus, chosen: Ints, rules: list[str]) -> tuple[Ints, StringTable]:
    """Return the lemmas that rules make from the forms of a corpus, by number."""
    there = np.flatnonzero(chosen >= 0)
    forms = corpus.strings["form"]
    both = np.stack([corpus["form"][there] - forms.reserved, chosen[there]], axis=1)
    distinct, places = np.unique(both, axis=0, return_inverse=True)
    names = list(forms)
    lemmas = [apply_lemma_rule(rules[rule], names[form]) for form, rule in distinct.tolist()]
    table = StringTable(dict.fromkeys(lemmas))
    numbers = np.array([table[lemma] - table.reserved for lemma in lemmas], dtype=np.int32)
    result = np.full(len(chosen), -1, dtype=np.int32)
    result[there] = numbers[places.reshape(-1)]
    return result, table


def check_inputs(features: InputModel, columns: Sequence[str]) -> None:
    """Refuse a network that would see what it predicts."""
    for attribute in features.attributes:
        source = SOURCES.get(attribute.partition("[")[0])
        if source in columns:
            raise CrossarcError(
                f"setting predict: {source} is predicted and cannot be a feature too, but {features.name} looks at "
                f'{attribute}; take features = "neural-forms"'
            )
