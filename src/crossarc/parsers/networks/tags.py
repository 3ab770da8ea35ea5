"""The tags that a network predicts beside trees: which there are in a treebank, and how columns are made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays
from crossarc.core.strings import ROOT, StringTable
from crossarc.errors import CrossarcError
from crossarc.features.encoding import SOURCES
from crossarc.features.inputs import InputModel
from crossarc.neural.heads import TagHead
from crossarc.neural.layers import Array
from crossarc.parsers.columns import filled_columns_of
from crossarc.parsers.model import Columns, Ints
from crossarc.transforms.known_lemmas import KnownLemmas, lemmas_by_rules
from crossarc.transforms.lemma_rules import SAME, apply_lemma_rule, lemma_rule
from crossarc.treebank.corpus import Corpus

LEAST_RULES = 2  # words that must have a rule, or it is not learned
BLOCK_CELLS = 1_000_000  # scores of combinations at a time


@dataclass(frozen=True, eq=False)
class Tags:
    """The values of each predicted column; those of lemmas are rules that make them from forms.

    A row of `combinations` has the values of all other columns that a word of training has; words get no other
    combination of tags. Models made before there were any have none.
    """

    values: dict[str, StringTable]
    combinations: Ints | None = None
    lemmas: KnownLemmas | None = None

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
        return cls(values).completed(corpus, known)

    def completed(self, corpus: Corpus, known: Tags | None = None) -> Tags:
        """Return the tags with the combinations and the known lemmas of a treebank, beside those of another model."""
        gold = dict(zip(self.values, self.gold(corpus), strict=True))
        rows = np.stack([gold[column] for column in self.tags], axis=1) if self.tags else np.zeros((0, 0), np.int32)
        rows = rows[(rows >= 0).all(axis=1)]
        if known is not None and known.combinations is not None:
            rows = np.concatenate([known.combinations, rows])
        combinations = np.unique(rows, axis=0).astype(np.int32) if len(self.tags) > 1 and len(rows) else None
        lemmas = None
        if "lemma" in self.values:
            words = lemmas_of(corpus, *self.keys_of_lemmas(gold, len(corpus["form"])))
            lemmas = KnownLemmas.learn(words, known.lemmas if known is not None else None)
        return replace(self, combinations=combinations, lemmas=lemmas)

    @property
    def tags(self) -> list[str]:
        """The columns without lemmas."""
        return [column for column in self.values if column != "lemma"]

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

    def columns(self, corpus: Corpus, numbers: Sequence[Ints]) -> Columns:
        """Return predicted values as they are written."""
        chosen = dict(zip(self.values, numbers, strict=True))
        found: Columns = {column: (chosen[column], self.values[column]) for column in self.tags}
        if "lemma" in self.values:
            rules = list(self.values["lemma"])
            keys = self.keys_of_lemmas(chosen, len(chosen["lemma"]))
            found["lemma"] = made_lemmas(corpus, chosen["lemma"], rules, self.lemmas, *keys)
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
            arrays[f"tags.strings.{column}"], arrays[f"tags.offsets.{column}"] = table.pack()
        if self.combinations is not None:
            arrays["tags.combinations"] = self.combinations
        return arrays | (self.lemmas.to_arrays("tags.lemmas.") if self.lemmas is not None else {})

    @classmethod
    def from_arrays(cls, arrays: Arrays, columns: Sequence[str]) -> Tags:
        """Return the tags of a model file; `ValueError` or `LookupError` if they are damaged."""
        values = {}
        for column in columns:
            if f"tags.strings.{column}" in arrays:
                values[column] = StringTable.unpack(arrays[f"tags.strings.{column}"], arrays[f"tags.offsets.{column}"])
        for rule in values.get("lemma", ()):
            apply_lemma_rule(rule, "")  # a rule that is none is a ValueError
        known = KnownLemmas.from_arrays(arrays, "tags.lemmas.") if "tags.lemmas.words" in arrays else None
        tags = cls(values, arrays.get("tags.combinations"), known)
        tags.check_combinations()
        return tags

    def check_combinations(self) -> None:
        """Refuse combinations of tags that there are not, with `ValueError`."""
        rows, sizes = self.combinations, [len(self.values[name]) - self.values[name].reserved for name in self.tags]
        if rows is None:
            return
        if rows.dtype != np.int32 or rows.ndim != 2 or not len(rows) or rows.shape[1] != len(sizes):
            raise ValueError("the combinations of tags are damaged")
        if (rows < 0).any() or (rows >= sizes).any() or (np.diff(joined_numbers(rows.T, sizes)) <= 0).any():
            raise ValueError("the combinations of tags are damaged")


class TagReader:
    """Reads the tags of nodes off their vectors, batch by batch."""

    def __init__(self, nodes: int, tags: Tags, head: TagHead | None) -> None:
        self.tags, self.head = tags, head
        self.found = [np.full(nodes, -1, dtype=np.int32) for _ in tags.values]

    def read(self, nodes: NDArray[np.int64], starts: NDArray[np.int64], vectors: Array, arcs: object = None) -> None:
        """Read the tags of a batch of sentences, or of their pieces."""
        if self.head is None:
            return
        for found, chosen in zip(self.found, self.tags.choose(self.head.forward(vectors)), strict=True):
            found[nodes] = chosen

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


def check_inputs(features: InputModel, columns: Sequence[str]) -> None:
    """Refuse a network that would see what it predicts."""
    for attribute in features.attributes:
        source = SOURCES.get(attribute.partition("[")[0])
        if source in columns:
            raise CrossarcError(
                f"setting predict: {source} is predicted and cannot be a feature too, but {features.name} looks at "
                f'{attribute}; take features = "neural-forms"'
            )
