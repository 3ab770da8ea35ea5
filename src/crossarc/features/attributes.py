"""The attributes of tokens as integers: what templates can ask of a word besides the parser's state.

Some take a name or a length in brackets: `feats[Case]` is the value of one morphological feature, `feats[*]` stands for
each of the commonest ones, and `suffix[2]` is the last two letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import ROOT, UNKNOWN, StringTable
from crossarc.errors import CrossarcError, UnknownName
from crossarc.treebank.corpus import Corpus


def shape(form: str) -> str:
    """The form with its letters and digits made alike, runs of them cut to two: Anna2 is Xxx9.

    >>> shape("iPhone15"), shape("...")
    ('xXxx99', '...')
    """
    kinds = ["X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in form]
    return "".join(kind for place, kind in enumerate(kinds) if kinds[max(0, place - 2) : place] != [kind, kind])


def features_of(feats: str) -> dict[str, str]:
    """The morphological features of a word; what has no value is a feature of its own.

    >>> features_of("Case=Nom|Number[psor]=Sing|refl")
    {'Case': 'Nom', 'Number[psor]': 'Sing', 'refl': 'refl'}
    """
    pairs = (part.partition("=") for part in feats.split("|") if part != "_")
    return {name: value or name for name, _, value in pairs}


def feature(name: str, feats: str) -> str:
    """The value of one morphological feature of a word, "_" if the word does not have it."""
    return features_of(feats).get(name, "_")


def prefix(length: int, form: str) -> str:
    """The first letters of a form, in lower case."""
    return form[:length].lower()


def suffix(length: int, form: str) -> str:
    """The last letters of a form, in lower case."""
    return form[-length:].lower()


# Each attribute: the column it is made from, and how.
SOURCES: dict[str, tuple[str, Callable[[str], str] | None]] = {
    "form": ("form", None),
    "lower": ("form", str.lower),
    "lemma": ("lemma", None),
    "upos": ("upos", None),
    "xpos": ("xpos", None),
    "feats": ("feats", None),
    "prefix": ("form", partial(prefix, 3)),
    "suffix": ("form", partial(suffix, 3)),
    "shape": ("form", shape),
}
ATTRIBUTES = tuple(SOURCES)
EACH = "feats[*]"
BRACKETS = re.compile(r"(\w+)\[(.*)\]")
FEATURE_NAME = re.compile(r"[^][|=.+,\s]+(\[[^][|=.+,\s]+\])?")
# What stands in for an attribute that says nothing in a treebank, the first that does say something. Ends of words tell
# much of what tags do, and their beginnings what lemmas do.
STAND_INS = {
    "xpos": ("upos", "suffix"),
    "upos": ("xpos", "suffix[2]"),
    "feats": ("suffix[4]",),
    "lemma": ("prefix[5]",),
}


def check_attribute(name: str, others: tuple[str, ...] = ()) -> None:
    """Refuse a name that is no attribute of tokens; `others` are valid in the same place."""
    match = BRACKETS.fullmatch(name)
    base, inside = (name, None) if match is None else match.groups()
    if base not in SOURCES:
        raise UnknownName("attribute", name, (*others, *ATTRIBUTES, "feats[NAME]", EACH))
    if inside is None:
        return
    if base == "feats":
        if inside != "*" and not FEATURE_NAME.fullmatch(inside):
            raise CrossarcError(
                f"{name}: the brackets take the name of one feature, as in feats[Case], or * for each of the commonest"
            )
    elif base not in ("prefix", "suffix"):
        raise CrossarcError(f"{name}: only feats, prefix and suffix take brackets, as in feats[Case] and suffix[2]")
    elif inside not in set("123456789"):
        raise CrossarcError(f"{name}: the brackets take a number of letters from 1 to 9")


def source_of(name: str) -> tuple[str, Callable[[str], str] | None]:
    """The column an attribute is made from, and how; None where it is the column itself."""
    match = BRACKETS.fullmatch(name)
    if match is None:
        return SOURCES[name]
    base, inside = match.groups()
    if base == "feats":
        return "feats", partial(feature, inside)
    return "form", partial(prefix if base == "prefix" else suffix, int(inside))


def implies(name: str, other: str) -> bool:
    """Whether an attribute of a word says all that another does."""
    base, _, length = name.partition("[")
    other_base, _, other_length = other.partition("[")
    if base in ("form", "lower"):
        return other_base in ("prefix", "suffix") or (base == "form" and other_base in ("lower", "shape"))
    return base in ("prefix", "suffix") and base == other_base and (length or "3") > (other_length or "3")


class Attributes:
    """The numbering of some attributes, made from the training data and never changed after.

    `encode` gives one row a token with the ids of these attributes; strings that training did not see are `UNKNOWN`.
    """

    def __init__(self, tables: dict[str, StringTable]) -> None:
        self.tables = tables
        # What is made from a column, for its strings that training saw; -1 before one is met.
        self.made = {
            name: np.full(len(tables[source_of(name)[0]]), -1, dtype=np.int32)
            for name in tables
            if source_of(name)[1] is not None and source_of(name)[0] in tables
        }

    @classmethod
    def fit(cls, corpus: Corpus, names: Iterable[str] = ATTRIBUTES, known: Attributes | None = None) -> Attributes:
        """Number what a corpus has, behind what is known already."""
        tables = {}
        for name in names:
            column, change = source_of(name)
            strings: Iterable[str] = corpus.strings[column]
            new = strings if change is None else map(change, strings)
            tables[name] = StringTable(chain(known.tables[name] if known else (), new))
        return cls(tables)

    def encode(self, corpus: Corpus) -> NDArray[np.int32]:
        """The attributes of all nodes of a corpus, whatever numbering its own strings have."""
        rows = np.empty((len(corpus["head"]), len(self.tables)), dtype=np.int32)
        for place, name in enumerate(self.tables):
            column = source_of(name)[0]
            rows[:, place] = self.numbers(name, corpus.strings[column])[corpus[column]]
        return rows

    def numbers(self, name: str, strings: StringTable) -> NDArray[np.int32]:
        """The number that an attribute has for each string of its column."""
        table = self.tables[name]
        column, change = source_of(name)
        if change is None:
            return table.translate(strings)
        made = self.made.get(name)
        known = self.tables[column].translate(strings) if made is not None else None
        result = np.full(len(strings), -1, dtype=np.int32)
        if made is not None and known is not None:
            result = np.where(known == UNKNOWN, -1, made[known])
        result[UNKNOWN], result[ROOT] = UNKNOWN, ROOT
        for number in np.flatnonzero(result < 0).tolist():
            result[number] = table[change(strings.string(number))]
            if made is not None and known is not None and known[number] != UNKNOWN:
                made[known[number]] = result[number]
        return result


def commonest_features(corpus: Corpus, most: int) -> list[str]:
    """The names of the morphological features that the most words of a corpus have, the commonest first."""
    table = corpus.strings["feats"]
    counts: Counter[str] = Counter()
    occurrences = np.bincount(corpus["feats"], minlength=len(table)).tolist()
    for number, feats in enumerate(table, table.reserved):
        counts.update(dict.fromkeys(features_of(feats), occurrences[number]))
    return sorted(counts, key=lambda name: (-counts[name], name))[:most]


def choose_attributes(corpus: Corpus, names: Iterable[str]) -> dict[str, str | None]:
    """For each of some attributes the one to look at instead: itself if it tells words of the corpus apart.

    One that is the same for all words gives way to what stands in for it, and one that is another under new names to
    that other; None if there is nothing.
    """
    result: dict[str, str | None] = {}
    for name in names:
        choices = (name, *STAND_INS.get(name, ()))
        result[name] = next((choice for choice in choices if distinct(corpus, choice) > 1), None)
    if result.get("xpos") == "xpos" and distinct(corpus, "upos") > 1 and one_to_one(corpus, "xpos", "upos"):
        result["xpos"] = "upos"
    return result


def distinct(corpus: Corpus, name: str) -> int:
    """How many values an attribute has in a corpus."""
    column, change = source_of(name)
    strings: Iterable[str] = corpus.strings[column]
    return len(set(strings if change is None else map(change, strings)))


def one_to_one(corpus: Corpus, column: str, other: str) -> bool:
    """Whether each of two columns follows from the other."""
    pairs = np.unique(np.stack([corpus[column], corpus[other]]), axis=1)
    return bool(len(np.unique(pairs[0])) == pairs.shape[1] == len(np.unique(pairs[1])))
