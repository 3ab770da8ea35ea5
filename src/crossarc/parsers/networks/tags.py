"""The tags that a network predicts beside trees: which there are in a treebank, and how columns are made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays
from crossarc.core.strings import ROOT, StringTable
from crossarc.neural.layers import Array
from crossarc.parsers.columns import filled_columns_of
from crossarc.parsers.model import Columns, Ints
from crossarc.parsers.networks.heads import WordHead
from crossarc.transforms.known_lemmas import KnownLemmas, lemmas_by_rules
from crossarc.transforms.lemma_rules import SAME, apply_lemma_rule, lemma_rule
from crossarc.treebank.corpus import Corpus

LEAST_RULES = 2  # words that must have a rule, or it is not learned
BLOCK_CELLS = 1_000_000  # scores of combinations at a time


@dataclass(frozen=True, eq=False)
class Tags(WordHead):
    """The values of each predicted column; those of lemmas are rules that make them from forms.

    A row of `combinations` has the values of all other columns that a word of training has; words get no other
    combination of tags. Models made before there were any have none.
    """

    values: dict[str, StringTable]
    combinations: Ints | None = None
    lemmas: KnownLemmas | None = None
    key = "tags"  # from before there were other heads

    @classmethod
    def of(cls, corpus: Corpus, names: Sequence[str], known: Tags | None) -> Tags:
        """Return the values of a treebank, those of a model to start from first; columns without any are left out."""
        columns = names if known is None else list(known.values)
        filled = filled_columns_of(corpus, columns)
        values = {}
        for column in columns:
            before = list(known.values[column]) if known is not None else []
            if before or filled[column]:
                values[column] = StringTable(dict.fromkeys([*before, *frequent(corpus, column)]))
        found = cls(values)
        gold = dict(zip(values, found.gold(corpus), strict=True))
        tags = [column for column in values if column != "lemma"]
        rows = np.stack([gold[column] for column in tags], axis=1) if tags else np.zeros((0, 0), np.int32)
        rows = rows[(rows >= 0).all(axis=1)]
        if known is not None and known.combinations is not None:
            rows = np.concatenate([known.combinations, rows])
        combinations = np.unique(rows, axis=0).astype(np.int32) if len(tags) > 1 and len(rows) else None
        if "lemma" not in values:
            return cls(values, combinations)
        words = lemmas_of(corpus, *found.keys_of_lemmas(gold, len(corpus["form"])))
        return cls(values, combinations, KnownLemmas.learn(words, known.lemmas if known is not None else None))

    def keys_of_lemmas(self, numbers: Mapping[str, Ints], nodes: int) -> tuple[Ints, Ints]:
        """Return the tag and the features of each node that known lemmas go by; 0 where there are none."""
        none = np.zeros(nodes, dtype=np.int32)
        first = next((numbers[column] for column in ("upos", "xpos") if column in self.values), none)
        return first, numbers.get("feats", none)

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

    def columns(self, corpus: Corpus, chosen: Sequence[Ints]) -> Columns:
        """Return predicted values as they are written."""
        numbers = dict(zip(self.values, chosen, strict=True))
        found: Columns = {column: (numbers[column], table) for column, table in self.values.items()}
        if "lemma" in self.values:
            rules = list(self.values["lemma"])
            keys = self.keys_of_lemmas(numbers, len(numbers["lemma"]))
            found["lemma"] = made_lemmas(corpus, numbers["lemma"], rules, self.lemmas, *keys)
        return found

    def choose(self, scores: Sequence[Array]) -> list[Ints]:
        """Return the best values of nodes in each column, by their scores; tags in a combination that training has.

        The best combination is that with the highest sum of scores, which is that of log probabilities too. Where the
        best tags of all columns are a combination, it is this, so few words need a search.
        """
        best = [each.argmax(axis=1) for each in scores]
        if self.combinations is None:
            return best
        places = [place for place, column in enumerate(self.values) if column != "lemma"]
        sizes = [self.sizes[place] for place in places]
        known = joined_numbers(self.combinations.T, sizes)  # sorted, as the rows are
        wanted = joined_numbers([best[place] for place in places], sizes)
        found = known[np.minimum(np.searchsorted(known, wanted), len(known) - 1)] == wanted
        words = np.flatnonzero(~found)
        for block in np.array_split(words, -(-len(words) * len(known) // BLOCK_CELLS) or 1):
            total = sum(scores[place][block][:, self.combinations[:, k]] for k, place in enumerate(places))
            rows = self.combinations[np.asarray(total).argmax(axis=1)]
            for k, place in enumerate(places):
                best[place][block] = rows[:, k]
        return best

    def to_arrays(self) -> Arrays:
        """Return what a model file keeps."""
        arrays: Arrays = {}
        for column, table in self.values.items():
            arrays[f"strings.{column}"], arrays[f"offsets.{column}"] = table.pack()
        if self.combinations is not None:
            arrays["combinations"] = self.combinations
        return arrays | (self.lemmas.to_arrays("lemmas.") if self.lemmas is not None else {})

    @classmethod
    def from_arrays(cls, arrays: Arrays, names: Sequence[str]) -> Tags:
        """Return the tags of a model file; `ValueError` or `LookupError` if they are damaged."""
        values = {}
        for name in names:
            if f"strings.{name}" in arrays:
                values[name] = StringTable.unpack(arrays[f"strings.{name}"], arrays[f"offsets.{name}"])
        for name, table in values.items():
            if table.has_breaks():
                raise ValueError(f"a value of {name} has a tab or a line end")
        for rule in values.get("lemma", ()):
            apply_lemma_rule(rule, "")  # a rule that is none is a ValueError
        known = KnownLemmas.from_arrays(arrays, "lemmas.") if "lemmas.words" in arrays else None
        rows = arrays.get("combinations")
        sizes = [len(table) - table.reserved for name, table in values.items() if name != "lemma"]
        if rows is None:
            return cls(values, None, known)
        if rows.dtype != np.int32 or rows.ndim != 2 or not len(rows) or rows.shape[1] != len(sizes):
            raise ValueError("the combinations of tags are damaged")
        if (rows < 0).any() or (rows >= sizes).any() or (np.diff(joined_numbers(rows.T, sizes)) <= 0).any():
            raise ValueError("the combinations of tags are damaged")
        return cls(values, rows, known)


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


def lemmas_of(corpus: Corpus, tags: Ints, features: Ints) -> dict[tuple[str, int, int], set[str]]:
    """Return the lemmas of the words of a treebank by form, tag and features."""
    pairs, places = lemma_pairs(corpus)
    there = np.flatnonzero(places >= 0)
    words: dict[tuple[str, int, int], set[str]] = {}
    for pair, tag, feature in np.unique(np.stack([places, tags, features], axis=1)[there], axis=0).tolist():
        form, lemma = pairs[pair]
        words.setdefault((form, tag, feature), set()).add(lemma)
    return words


def made_lemmas(
    corpus: Corpus, chosen: Ints, rules: list[str], known: KnownLemmas | None, tags: Ints, features: Ints
) -> tuple[Ints, StringTable]:
    """Return the lemmas of the words of a corpus for which rules are chosen, by number."""
    there = np.flatnonzero(chosen >= 0)
    forms = corpus.strings["form"]
    which = corpus["form"][there] - forms.reserved
    numbers, table = lemmas_by_rules(list(forms), which, chosen[there], rules, known, tags[there], features[there])
    result = np.full(len(chosen), -1, dtype=np.int32)
    result[there] = numbers
    return result, table


def joined_numbers(columns: Iterable[Ints], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return one number for the numbers of each row, in their order."""
    found = np.zeros(1, dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        found = found * size + column
    return found
