"""Multiword tokens: the words of a token, as the treebank splits such tokens.

Forms of the training treebank are split as in the treebank. For other forms the longest suffix decides that enough
forms have. A rule takes some characters from the end of the form, adds others to the rest, which is then the first
word, and appends the other words. No other splits are made.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

from crossarc.core.strings import StringTable

Words = tuple[str, ...]
Rule = tuple[int, str, Words]  # characters to take away, what to add to the first word, the other words
LONGEST_SUFFIX = 8
LEAST_FORMS = 3
MOST_VOTES = 3  # of a form that is seen often
SEPARATOR = "\t"


class MultiwordSplitter:
    """Gives the words of multiword tokens.

    >>> splitter = MultiwordSplitter({"du": ("de", "le")}, {"n't": (3, "", ("n't",))})
    >>> splitter.split("Du"), splitter.split("couldn't"), splitter.split("n't"), splitter.split("to")
    (('De', 'le'), ('could', "n't"), None, None)
    """

    def __init__(self, forms: Mapping[str, Words | None], suffixes: Mapping[str, Rule | None]) -> None:
        self.forms = dict(forms)
        self.suffixes = dict(suffixes)
        self.longest = max(map(len, self.suffixes), default=0)
        split = [*self.forms.values(), *(rule and (rule[1], *rule[2]) for rule in self.suffixes.values())]
        self.most_words = max((len(words) for words in split if words), default=1)  # of a token
        self.known: dict[str, Words | None] = {}

    def split(self, form: str) -> Words | None:
        """Return the words of a form, None if it is one word."""
        try:
            return self.known[form]
        except KeyError:
            words = self.find(form)
            if len(self.known) < 100_000:  # text without end has forms without end
                self.known[form] = words
            return words

    def find(self, form: str) -> Words | None:
        """Return the words of a form that was not met before."""
        if form in self.forms:
            return self.forms[form]
        lower = form.lower()
        if len(lower) != len(form):  # places in one are not places in the other
            return None
        if lower in self.forms:
            words = self.forms[lower]
            return None if words is None else with_case_of(form, words)
        for size in range(min(self.longest, len(form) - 1), 0, -1):
            if lower[-size:] in self.suffixes:
                rule = self.suffixes[lower[-size:]]
                if rule is None or rule[0] >= len(form):
                    return None
                cut, added, others = rule
                return with_case_of(form, (lower[: len(lower) - cut] + added, *others))
        return None

    @classmethod
    def learn(cls, tokens: Iterable[tuple[str, Words]], *, agreement: float = 0.9) -> MultiwordSplitter:
        """Learn from the forms of tokens and their words; a suffix decides if so many of its forms agree."""
        splits: dict[str, Counter[Words | None]] = defaultdict(Counter)
        exact: dict[str, Counter[Words | None]] = defaultdict(Counter)
        for form, words in tokens:
            found = words if len(words) > 1 else None
            exact[form][found] += 1
            splits[form.lower()][None if found is None else tuple(map(str.lower, found))] += 1
        best = {form: most_common(counts) for form, counts in splits.items()}
        if not any(best.values()) and not any(any(counts) for counts in exact.values()):
            return cls({}, {})
        forms: dict[str, Words | None] = {form: words for form, words in best.items() if words}
        for form, counts in exact.items():  # forms whose own split is not that of their lower case
            own, general = most_common(counts), best[form.lower()]
            if own != (None if general is None else with_case_of(form, general)):
                forms[form] = own
        often = {form: counts[best[form]] for form, counts in splits.items()}
        return cls(forms, suffix_rules(best, often, agreement))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a model file keeps."""
        arrays: dict[str, NDArray[Any]] = {}
        forms = [SEPARATOR.join((form, *(words or ()))) for form, words in sorted(self.forms.items())]
        suffixes = [
            SEPARATOR.join((suffix, *((str(rule[0]), rule[1], *rule[2]) if rule else ())))
            for suffix, rule in sorted(self.suffixes.items())
        ]
        for name, lines in (("forms", forms), ("suffixes", suffixes)):
            arrays[name], arrays[f"{name}_offsets"] = StringTable(lines).pack()
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> MultiwordSplitter:
        """Return the splitter that a model file keeps; `ValueError` or `LookupError` for damaged arrays."""

        def lines(name: str) -> list[list[str]]:
            table = StringTable.unpack(arrays[name], arrays[f"{name}_offsets"])
            return [line.split(SEPARATOR) for line in table]

        forms = {form: checked(tuple(words)) if words else None for form, *words in lines("forms")}
        suffixes: dict[str, Rule | None] = {}
        for suffix, *rest in lines("suffixes"):
            suffixes[suffix] = (int(rest[0]), rest[1], checked((suffix, *rest[2:]))[1:]) if rest else None
            if not suffix or (rest and int(rest[0]) < 0):
                raise ValueError("the rules of multiword tokens are damaged")
        return cls(forms, suffixes)


def checked(words: Words) -> Words:
    """Return words if they can be those of a multiword token."""
    if len(words) < 2 or not all(words) or any("\n" in word or "\r" in word for word in words):
        raise ValueError("the words of a multiword token are damaged")
    return words


def most_common(counts: Counter[Words | None]) -> Words | None:
    """Return the most frequent split; in a tie, the split that sorts first."""
    return min(counts, key=lambda words: (-counts[words], words is None, words or ()))


def with_case_of(form: str, words: Words) -> Words:
    """Return lower-case words in the case of the form that they are the words of."""
    if sum(map(len, words)) == len(form) and "".join(words) == form.lower():
        cut, place = [], 0
        for word in words:
            cut.append(form[place : place + len(word)])
            place += len(word)
        return tuple(cut)
    if form.isupper() and len(form) > 1:
        return tuple(map(str.upper, words))
    first = words[0]
    same = 0
    while same < min(len(first), len(form)) and first[same] == form[same].lower():
        same += 1
    if same:
        return (form[:same] + first[same:], *words[1:])
    return (first[0].upper() + first[1:], *words[1:]) if form[0].isupper() else words


def rule_of(form: str, words: Words) -> Rule | None:
    """Return the rule for a split of a form, None if the first word does not begin like the form.

    >>> rule_of("dizê-lo", ("dizer", "lo"))
    (4, 'er', ('lo',))
    """
    first = words[0]
    same = 0
    while same < min(len(form), len(first)) and form[same] == first[same]:
        same += 1
    return (len(form) - same, first[same:], words[1:]) if same else None


def suffix_rules(
    forms: Mapping[str, Words | None], often: Mapping[str, int], agreement: float
) -> dict[str, Rule | None]:
    """Return for suffixes the rule that enough of their forms follow, None where enough forms are not split.

    Forms that are seen often count up to three times. A suffix without a split is kept only if it keeps a shorter one
    from splitting.
    """
    votes: dict[str, Counter[Rule | None]] = defaultdict(Counter)
    kinds: Counter[str] = Counter()  # the forms of each suffix
    for form, words in forms.items():
        rule = rule_of(form, words) if words else None
        if words and rule is None:
            continue
        for size in range(1, min(LONGEST_SUFFIX, len(form) - 1) + 1):
            votes[form[-size:]][rule] += min(MOST_VOTES, often[form])
            kinds[form[-size:]] += 1
    decided: dict[str, Rule | None] = {}
    for suffix in sorted(votes, key=len):
        counts = votes[suffix]
        rule, count = min(counts.items(), key=lambda pair: (-pair[1], repr(pair[0])))
        total = counts.total()
        if kinds[suffix] < LEAST_FORMS or count < agreement * total:
            continue
        if rule is not None and rule[0] > len(suffix):  # the rule says more than the suffix
            continue
        shorter = next((decided[suffix[k:]] for k in range(1, len(suffix)) if suffix[k:] in decided), None)
        if rule != shorter:
            decided[suffix] = rule
    return decided
