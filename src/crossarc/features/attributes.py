"""The attributes of tokens as integers, which templates can use besides the parser's state.

Some take a name or a length in brackets: `feats[Case]` is the value of one morphological feature, `feats[*]` stands for
each of the most frequent ones, and `suffix[2]` is the last two letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError, UnknownName
from crossarc.features.encoding import SOURCES, Attribute, encode
from crossarc.treebank.corpus import Corpus


def features_of(feats: str) -> dict[str, str]:
    """The morphological features of a word; the value of a feature without one is its name.

    >>> features_of("Case=Nom|Number[psor]=Sing|refl")
    {'Case': 'Nom', 'Number[psor]': 'Sing', 'refl': 'refl'}
    """
    pairs = (part.partition("=") for part in feats.split("|") if part != "_")
    return {name: value or name for name, _, value in pairs}


TREE_HEAD = "tree_head"  # the head of a word in a given tree, which addresses step to
ATTRIBUTES = tuple(name for name in SOURCES if name != TREE_HEAD)
EACH = "feats[*]"
BRACKETS = re.compile(r"(\w+)\[(.*)\]")
FEATURE_NAME = re.compile(r"[^][|=.+,\s]+(\[[^][|=.+,\s]+\])?")
# The stand-ins of an attribute that is the same for all words of a treebank: the first that is not. Suffixes say
# much of what tags say, and prefixes of what lemmas say.
STAND_INS = {
    "xpos": ("upos", "suffix"),
    "upos": ("xpos", "suffix[2]"),
    "feats": ("suffix[4]",),
    "lemma": ("prefix[5]",),
}


def check_attribute(name: str, others: tuple[str, ...] = ()) -> None:
    """Refuse unknown attributes of tokens; `others` are valid in the same place."""
    match = BRACKETS.fullmatch(name)
    base, inside = (name, None) if match is None else match.groups()
    if base not in ATTRIBUTES:
        raise UnknownName("attribute", name, (*others, *ATTRIBUTES, "feats[NAME]", EACH))
    if inside is None:
        return
    if base == "feats":
        if inside != "*" and not FEATURE_NAME.fullmatch(inside):
            raise CrossarcError(
                f"{name}: the brackets take the name of one feature, as in feats[Case], or * for the most frequent"
            )
    elif base not in ("prefix", "suffix"):
        raise CrossarcError(f"{name}: only feats, prefix and suffix take brackets, as in feats[Case] and suffix[2]")
    elif inside not in set("123456789"):
        raise CrossarcError(f"{name}: the brackets take a number of letters from 1 to 9")


def implies(name: str, other: str) -> bool:
    """Whether the value of one attribute determines that of another."""
    base, _, length = name.partition("[")
    other_base, _, other_length = other.partition("[")
    if base in ("form", "lower"):
        return other_base in ("prefix", "suffix") or (base == "form" and other_base in ("lower", "shape"))
    return base in ("prefix", "suffix") and base == other_base and (length or "3") > (other_length or "3")


class Attributes:
    """The ids of attributes, made from the training data and never changed afterwards.

    `encode` gives one row per node with the ids of these attributes; strings that were not in training are `UNKNOWN`.
    """

    def __init__(self, tables: dict[str, StringTable]) -> None:
        self.tables = tables
        self.attributes = [Attribute(name) for name in tables]

    @classmethod
    def fit(cls, corpus: Corpus, names: Iterable[str] = ATTRIBUTES, known: Attributes | None = None) -> Attributes:
        """Number the values in a corpus, after those that are known already."""
        return cls({name: values_of(corpus, name, known.tables[name] if known else ()) for name in names})

    def encode(self, corpus: Corpus) -> NDArray[np.int32]:
        """The ids of the attributes of all nodes of a corpus; the heads of a given tree are numbers of nodes."""
        rows = encode(corpus, self.attributes, list(self.tables.values()))
        if TREE_HEAD in self.tables:
            rows[:, list(self.tables).index(TREE_HEAD)] = corpus["head"]
        return rows


def values_of(corpus: Corpus, name: str, known: Iterable[str] = ()) -> StringTable:
    """The values of an attribute in a corpus, after those that are known already."""
    attribute, table = Attribute(name), StringTable(known)
    if name == TREE_HEAD:
        return table
    attribute.collect(corpus.strings[attribute.column], table)
    return table


def commonest_features(corpus: Corpus, most: int) -> list[str]:
    """The names of the most frequent morphological features, the most frequent first."""
    table = corpus.strings["feats"]
    counts: Counter[str] = Counter()
    occurrences = np.bincount(corpus["feats"], minlength=len(table)).tolist()
    for number, feats in enumerate(table, table.reserved):
        counts.update(dict.fromkeys(features_of(feats), occurrences[number]))
    return sorted(counts, key=lambda name: (-counts[name], name))[:most]


def choose_attributes(corpus: Corpus, names: Iterable[str]) -> dict[str, str | None]:
    """For each attribute the one to use in its place: itself if it distinguishes words of the corpus.

    An attribute that is the same for all words is replaced by one of `STAND_INS`, or None if all of these are the same
    too. XPOS tags that are only other names of UPOS tags are replaced by them.
    """
    result: dict[str, str | None] = {}
    for name in names:
        choices = (name, *STAND_INS.get(name, ()))
        result[name] = next((choice for choice in choices if distinct(corpus, choice) > 1), None)
    if TREE_HEAD in result:
        result[TREE_HEAD] = TREE_HEAD
    if result.get("xpos") == "xpos" and distinct(corpus, "upos") > 1 and one_to_one(corpus, "xpos", "upos"):
        result["xpos"] = "upos"
    return result


def distinct(corpus: Corpus, name: str) -> int:
    """How many values an attribute has in a corpus."""
    table = values_of(corpus, name)
    return len(table) - table.reserved


def one_to_one(corpus: Corpus, column: str, other: str) -> bool:
    """Whether each of two columns determines the other."""
    pairs = np.unique(np.stack([corpus[column], corpus[other]]), axis=1)
    return bool(len(np.unique(pairs[0])) == pairs.shape[1] == len(np.unique(pairs[1])))
