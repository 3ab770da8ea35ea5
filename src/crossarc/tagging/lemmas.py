"""Lemmas by learned rules: a dictionary of forms with their tags first, then the longest known suffix.

A rule says how a lemma is made from its form (see crossarc.transforms.lemma_rules). It is looked for under the form
with all its tags, then in lower case, then with the first tag alone. The longest known suffixes come last, again with
all tags before the first alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import ROOT, StringTable
from crossarc.tagging.labels import Ints, stored_table, table_arrays
from crossarc.tagging.lemma_lookup import find_entries
from crossarc.transforms.known_lemmas import lemmas_by_rules
from crossarc.transforms.lemma_rules import SAME, apply_lemma_rule, lemma_rule
from crossarc.treebank.corpus import Corpus

LONGEST_SUFFIX = 8  # letters; as in lemma_lookup.pyx
WHOLE = "a"  # the first letter of rules that are the lemma itself, which do not help with other words


class Lemmatizer:
    """Makes lemmas from forms and labels, which stand for all tags of a word.

    `first_tags` has the number of the first tag of each label. `entries` are keys (see `form_key` and `suffix_key`),
    and `numbers` has the rule of each.
    """

    def __init__(self, first_tags: Ints, rules: Sequence[str], entries: StringTable, numbers: Ints) -> None:
        self.first_tags = first_tags
        self.rules = list(rules)
        self.entries = entries
        self.numbers = numbers

    @classmethod
    def learn(cls, corpus: Corpus, labels: Ints, first_tags: Ints) -> Lemmatizer:
        """Learn from the words of a treebank that have a lemma; `labels` are those of all nodes."""
        forms: dict[str, Counter[str]] = defaultdict(Counter)
        suffixes: dict[str, Counter[str]] = defaultdict(Counter)
        for form, lemma, label, count in counted_words(corpus, labels):
            rule, lower = rule_of(form, lemma), form.lower()
            for tag in tags_of(label, int(first_tags[label])):
                for word in dict.fromkeys((form, lower)):  # not a set, whose order differs from process to process
                    forms[form_key(tag, word)][rule] += count
                if rule[0] != WHOLE:
                    # Suffixes are for words that are not known, so a word counts once, however frequent it is.
                    for size in range(min(LONGEST_SUFFIX, len(lower)) + 1):
                        suffixes[suffix_key(tag, lower, size)][rule] += 1
        chosen = {key: commonest(counts) for key, counts in (forms | suffixes).items()}
        kept = {key: rule for key, rule in chosen.items() if chosen.get(next_key(key)) != rule}
        rules = list(dict.fromkeys([SAME, *kept.values()]))
        places = {rule: place for place, rule in enumerate(rules)}
        numbers = np.array([places[rule] for rule in kept.values()], dtype=np.int32)
        return cls(first_tags, rules, StringTable(kept), numbers)

    def lemmas(self, corpus: Corpus, labels: Ints) -> tuple[Ints, StringTable]:
        """Return the lemmas of all nodes as numbers, -1 for node 0, and the lemmas by number."""
        forms = list(corpus.strings["form"])
        reserved = corpus.strings["form"].reserved
        # Each form is decided once for each label it has.
        kinds = len(self.first_tags)
        pairs = (corpus["form"].astype(np.int64) - reserved) * kinds + labels
        words = np.flatnonzero(labels >= 0)
        distinct, places = np.unique(pairs[words], return_inverse=True)
        which, chosen = (each.astype(np.int32) for each in np.divmod(distinct, kinds))
        made, table = lemmas_by_rules(forms, which, self.find_rules(forms, which, chosen), self.rules)
        numbers = np.full(len(labels), -1, dtype=np.int32)
        numbers[words] = made[places.reshape(-1)]
        return numbers, table

    def find_rules(self, forms: list[str], which: Ints, labels: Ints) -> Ints:
        """Return the numbers of the rules of words, which are given by their forms' places and their labels."""
        raw = [form.encode() for form in forms]
        lowers = [form.lower().encode() for form in forms]
        found = find_entries(self.entries, raw, lowers, which, labels, self.first_tags)
        return np.append(self.numbers, np.int32(self.rules.index(SAME)))[found]  # entry -1 is the last

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a model file keeps."""
        arrays: dict[str, NDArray[Any]] = {"numbers": self.numbers}
        arrays |= table_arrays(StringTable(self.rules), "rules")
        return arrays | table_arrays(self.entries, "entries")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], first_tags: Ints) -> Lemmatizer:
        """Return the lemmatizer that a model file keeps; `ValueError` or `LookupError` for damaged arrays."""
        rules, entries = (stored_table(arrays, name) for name in ("rules", "entries"))
        numbers = arrays["numbers"]
        rule_count = len(rules) - rules.reserved
        if numbers.shape != (len(entries) - entries.reserved,) or numbers.dtype != np.int32 or SAME not in rules:
            raise ValueError("the tables of the lemmatizer do not fit together")
        if not 0 <= numbers.min(initial=0) <= numbers.max(initial=0) < rule_count:
            raise ValueError("the lemmatizer has no such rule")
        for rule in rules:
            apply_lemma_rule(rule, "")  # an invalid rule is a ValueError
        if rules.has_breaks():
            raise ValueError("a rule of the lemmatizer has a tab or a line end")
        return cls(first_tags, list(rules), entries, numbers)


def counted_words(corpus: Corpus, labels: Ints) -> Iterator[tuple[str, str, int, int]]:
    """Yield the distinct words that have a lemma: form, lemma, label, and how often they occur."""
    forms, lemmas = corpus.strings["form"], corpus.strings["lemma"]
    words = corpus["form"] != ROOT
    columns = np.stack([corpus["form"][words], corpus["lemma"][words], labels[words]])
    distinct, counts = np.unique(columns, axis=1, return_counts=True)
    for (form, lemma, label), count in zip(distinct.T.tolist(), counts.tolist(), strict=True):
        name, base = forms.string(form), lemmas.string(lemma)
        if base != "_" or name == "_":
            yield name, base, label, count


def rule_of(form: str, lemma: str) -> str:
    """Return the rule that makes a lemma from a form, with the case of the form where that is right.

    >>> rule_of("Anna", "Anna"), rule_of("ANNA", "Anna"), rule_of("flies", "fly")
    ('k0,0,0:', 't0,0,0:', 'l0,3,0:y')
    """
    rule = lemma_rule(form, lemma)
    same_case = f"k{rule[1:]}"
    return same_case if rule[0] == "t" and apply_lemma_rule(same_case, form) == lemma else rule


def tags_of(label: int, first_tag: int) -> tuple[str, str]:
    """Return the parts of keys for all tags of a word, and for the first tag alone."""
    return str(label), f"+{first_tag}"


def form_key(tag: str, form: str) -> str:
    """Return the key of a form with a tag."""
    return f"{tag}\t{form}"


def suffix_key(tag: str, form: str, size: int) -> str:
    """Return the key of the last letters of a form with a tag.

    >>> suffix_key("3", "flies", 2)
    '3\\t\\tes'
    """
    return f"{tag}\t\t{form[len(form) - size :]}"


def next_key(key: str) -> str:
    """Return the key that is looked for if a key is not there; an entry with the same rule need not be kept.

    >>> next_key("3\\tFlies"), next_key("3\\t\\tes")
    ('3\\tflies', '3\\t\\ts')
    """
    tag, rest = key.split("\t", 1)
    if rest.startswith("\t"):
        return f"{tag}\t\t{rest[2:]}" if len(rest) > 1 else ""
    return f"{tag}\t{rest.lower()}" if rest != rest.lower() else ""


def commonest(counts: Counter[str]) -> str:
    """Return the most frequent rule; in a tie, the one that sorts first."""
    return min(counts, key=lambda rule: (-counts[rule], rule))
