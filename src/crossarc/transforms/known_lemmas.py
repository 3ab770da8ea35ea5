"""Lemmas that are certain from training: those of forms that had one lemma there, given their tags.

A form with one lemma for its first tag (UPOS) takes it; one with several takes that of its features too, if that is
one. All other forms, and those that training did not have, are left to the rules of a tagger.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.transforms.lemma_rules import SAME, apply_lemma_rule, lemma_rule

Ints = NDArray[np.int32]
ANY = -1  # features of an entry that holds for all
NARROW, WIDE = np.uint16, np.uint32  # the numbers of entries in a file: the first if they are small enough


class KnownLemmas:
    """The rules that make the known lemmas of forms.

    A row of `entries` has the number of a form, of its tag, of its features or `ANY`, and of the rule.
    """

    def __init__(self, forms: StringTable, rules: Sequence[str], entries: Ints) -> None:
        self.forms = forms
        self.rules = list(rules)
        self.entries = entries
        self.sizes = entries[:, 1:3].max(axis=0, initial=0).astype(np.int64) + 2
        keys = self.keys(entries[:, 0], entries[:, 1], entries[:, 2])
        self.order = np.argsort(keys, kind="stable")
        self.sorted_keys = keys[self.order]

    @classmethod
    def learn(cls, words: Mapping[tuple[str, int, int], set[str]], before: KnownLemmas | None = None) -> Self:
        """Learn from the lemmas of all words of a treebank by form, tag and features.

        Known lemmas of other forms are kept.

        >>> known = KnownLemmas.learn({("saw", 1, 0): {"see"}, ("saw", 2, 0): {"saw"}, ("saw", 2, 5): {"sawn"}})
        >>> form = np.array([0, 0, 0, 0], dtype=np.int32)
        >>> known.find(["saw"], form, np.array([1, 2, 2, 3]), np.array([9, 0, 9, 0])).tolist()
        [0, 1, -1, -1]
        >>> known.rules[:2]
        ['l0,2,0:ee', 'l0,0,0:']
        """
        of_tags: dict[tuple[str, int], set[str]] = defaultdict(set)
        for (form, tag, _), lemmas in words.items():
            of_tags[form, tag] |= lemmas
        found = {(form, tag, ANY): lemmas for (form, tag), lemmas in of_tags.items() if len(lemmas) == 1}
        for (form, tag, features), lemmas in words.items():
            if len(lemmas) == 1 < len(of_tags[form, tag]):
                found[form, tag, features] = lemmas
        for key, lemma in before.lemmas() if before is not None else ():
            if key[:2] not in of_tags:
                found[key] = {lemma}
        forms = StringTable(dict.fromkeys(form for form, _, _ in sorted(found)))
        rules: dict[str, int] = {}
        entries = []
        for form, tag, features in sorted(found):
            (lemma,) = found[form, tag, features]
            rule = rules.setdefault(lemma_rule(form, lemma), len(rules))
            entries.append((forms[form] - forms.reserved, tag, features, rule))
        return cls(forms, list(rules), np.array(entries, dtype=np.int32).reshape(-1, 4))

    def __len__(self) -> int:
        return len(self.entries)

    def keys(self, forms: NDArray[Any], tags: NDArray[Any], features: NDArray[Any]) -> NDArray[np.int64]:
        """Return one number for each form with its tags, -1 for those that no entry has."""
        known = (forms >= 0) & (tags >= 0) & (tags < self.sizes[0]) & (features >= ANY) & (features < self.sizes[1])
        key = (forms.astype(np.int64) * self.sizes[0] + tags) * (self.sizes[1] + 1) + features + 1
        return np.where(known, key, -1)

    def find(self, forms: Sequence[str], which: Ints, tags: Ints, features: Ints) -> Ints:
        """Return the number of the rule of each word, -1 for those without a known lemma.

        Words are given by their places in `forms`, and by the numbers of their tags and features.
        """
        rules = np.full(len(which), -1, dtype=np.int32)
        if not len(self):
            return rules
        numbers = np.array([self.forms[form] for form in forms], dtype=np.int32) - self.forms.reserved
        own = np.maximum(numbers, -1)[which]
        for each in (np.full_like(features, ANY), features):
            keys = self.keys(own, tags, each)
            places = np.minimum(np.searchsorted(self.sorted_keys, keys), len(self) - 1)
            there = (keys >= 0) & (self.sorted_keys[places] == keys)
            rules[there] = self.entries[self.order[places[there]], 3]
        return rules

    def lemmas(self) -> Iterator[tuple[tuple[str, int, int], str]]:
        """Yield the form, tag and features of each entry, and the lemma."""
        names = list(self.forms)
        for form, tag, features, rule in self.entries.tolist():
            yield (names[form], tag, features), apply_lemma_rule(self.rules[rule], names[form])

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return what a model file keeps."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, table in (("forms", self.forms), ("rules", StringTable(self.rules))):
            arrays[f"{prefix}{name}"], arrays[f"{prefix}{name}.offsets"] = table.pack()
        numbers = self.entries[:, 1:] + np.array([0, 1, 0])
        kind = NARROW if numbers.max(initial=0) <= np.iinfo(NARROW).max else WIDE
        arrays[f"{prefix}words"] = self.entries[:, 0].astype(WIDE)
        arrays[f"{prefix}entries"] = numbers.astype(kind)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Self:
        """Return what a model file keeps; `ValueError` or `LookupError` if it is damaged."""
        forms, rules = (
            StringTable.unpack(arrays[f"{prefix}{name}"], arrays[f"{prefix}{name}.offsets"])
            for name in ("forms", "rules")
        )
        words, numbers = arrays[f"{prefix}words"], arrays[f"{prefix}entries"]
        if words.dtype != WIDE or numbers.dtype not in (NARROW, WIDE) or numbers.shape != (len(words), 3):
            raise ValueError("the known lemmas are damaged")
        entries = np.concatenate([words[:, None], numbers], axis=1).astype(np.int64) - np.array([0, 0, 1, 0])
        limits = (len(forms) - forms.reserved, 2**20, 2**20, len(rules) - rules.reserved)
        if entries.size and (entries.max(axis=0) >= limits).any():
            raise ValueError("a known lemma has a form or a rule that is not there")
        for rule in rules:
            apply_lemma_rule(rule, "")  # an invalid rule is a ValueError
        if rules.has_breaks():
            raise ValueError("a rule of known lemmas has a tab or a line end")
        return cls(forms, list(rules), entries.astype(np.int32))


def lemmas_by_rules(
    forms: Sequence[str],
    which: Ints,
    chosen: Ints,
    rules: Sequence[str],
    known: KnownLemmas | None = None,
    tags: Ints | None = None,
    features: Ints | None = None,
) -> tuple[Ints, StringTable]:
    """Return the lemmas of words as numbers, and the lemmas by number: known ones, else those that rules make.

    Words are given by their places in `forms`, by the numbers of the rules chosen for them, and, for known lemmas, by
    their tags and features. Network and linear tagger both make their lemmas here.

    >>> words, rules = np.array([0, 1, 0]), np.array([0, 1, 0])
    >>> numbers, lemmas = lemmas_by_rules(["Flies", "saw"], words, rules, ["l0,3,0:y", SAME])
    >>> [list(lemmas)[number] for number in numbers]
    ['fly', 'saw', 'fly']
    """
    if known is not None and tags is not None and features is not None:
        own = known.find(forms, which, tags, features)
        chosen = np.where(own >= 0, own + len(rules), chosen)
        rules = [*rules, *known.rules]
    pairs, places = np.unique(which.astype(np.int64) * len(rules) + chosen, return_inverse=True)
    both = zip(*(each.tolist() for each in np.divmod(pairs, len(rules))), strict=True)
    made = [forms[form] if rules[rule] == SAME else apply_lemma_rule(rules[rule], forms[form]) for form, rule in both]
    table = StringTable(dict.fromkeys(made))
    numbers = np.array([table[lemma] - table.reserved for lemma in made], dtype=np.int32)
    return numbers[places.reshape(-1)], table
