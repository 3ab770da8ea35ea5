"""Labels of enhanced dependencies without their lemmas, so that a parser has fewer labels to learn.

Enhanced Universal Dependencies write the lemma of a preposition or conjunction into labels, `nmod:of` or `conj:and`,
and in some languages the case as well, `obl:v:loc`. Both are known from words that depend on the word, and from its
features.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from crossarc.transforms.marks import Marks
from crossarc.transforms.pseudo_projective import ESCAPE
from crossarc.treebank.graph import Arc

if TYPE_CHECKING:
    from crossarc.treebank.sentence import Sentence

LEMMA, FORM, CASE = "⟨lemma⟩", "⟨form⟩", "⟨case⟩"
MARKS = Marks({"⟨": "4"})
PLACEHOLDER = re.compile(f":({LEMMA}|{FORM}|{CASE})")
# The relations, in order of preference, of the dependents from which a label may take a lemma.
SOURCES = {
    "nmod": ("case", "mark"),
    "obl": ("case", "mark"),
    "acl": ("mark", "case"),
    "advcl": ("mark", "case", "advmod"),
    "conj": ("cc",),
}
RELATIONS = {"case", "mark", "advmod", "cc", "fixed", "conj"}
# Endings of a label, the most that can be replaced first.
ENDINGS = ((LEMMA, CASE), (FORM, CASE), (CASE,), (LEMMA,), (FORM,))
UNUSABLE = re.compile(r"[|:\s]")


class LabelLemmas:
    """Replaces lemmas and cases in labels by placeholders, and fills them in again.

    `nmod:of` becomes `nmod:⟨lemma⟩`, `obl:v:loc` becomes `obl:⟨lemma⟩:⟨case⟩`, and `nmod:according_to` becomes
    `nmod:⟨form⟩`, since the lemma is "accord". A placeholder stands for the last dependent of the word that is a
    `case` or `mark`, with its `fixed` words, or for its `cc` where the label is a `conj`. If the word has none, its
    conjuncts are asked. The dependents are those of the graph itself. `encode` uses a placeholder only if `decode`
    gives the label back on the same graph. A placeholder that nothing fills is left out.

    Nodes after the words are empty nodes; their lemmas are not used. O(words + arcs).

    >>> from crossarc.treebank import Sentence
    >>> sentence = Sentence.from_columns(forms=["", "Cups", "of", "tea"], lemmas=["", "cup", "of", "tea"])
    >>> lemmas = LabelLemmas()
    >>> arcs = lemmas.encode(sentence, [(0, 1, "root"), (3, 2, "case"), (1, 3, "nmod:of")])
    >>> arcs
    [(0, 1, 'root'), (3, 2, 'case'), (1, 3, 'nmod:⟨lemma⟩')]
    >>> lemmas.decode(sentence, arcs)[-1]
    (1, 3, 'nmod:of')
    """

    def __init__(self) -> None:
        self.losses: Counter[str] = Counter()
        self.marks = MARKS

    def encode(self, sentence: Sentence, arcs: Iterable[Arc]) -> list[Arc]:
        """The arcs with placeholders in their labels."""
        given = list(arcs)
        words = None
        result = []
        for head, dependent, label in given:
            base, colon, _ = label.partition(":")
            new = MARKS.escape(label)
            if colon and base in SOURCES:
                words = words or FunctionWords(sentence, given)
                new = self.shorten(label, words.fill(head, dependent, base)) or new
            result.append((head, dependent, new))
        return result

    def shorten(self, label: str, values: dict[str, str]) -> str | None:
        """A label with placeholders that stands for the given one, None if there is none."""
        for ending in ENDINGS:
            if all(name in values for name in ending):
                text = "".join(":" + values[name] for name in ending)
                if label.endswith(text):
                    new = MARKS.escape(label.removesuffix(text)) + "".join(":" + name for name in ending)
                    if fill_in(new, values) == label:
                        return new
        return None

    def decode(self, sentence: Sentence, arcs: Iterable[Arc]) -> list[Arc]:
        """The arcs with whole labels."""
        given = list(arcs)
        words = None
        result = []
        for head, dependent, label in given:
            if "⟨" in label or ESCAPE in label:
                values: dict[str, str] = {}
                if PLACEHOLDER.search(label):
                    words = words or FunctionWords(sentence, given)
                    values = words.fill(head, dependent, label.partition(":")[0])
                label = fill_in(label, values)
            result.append((head, dependent, label))
        return result

    def is_plain(self, label: str) -> bool:
        """Whether a label asks nothing of `decode`."""
        return MARKS.is_plain(label)


def fill_in(label: str, values: dict[str, str]) -> str:
    """A label with its placeholders replaced, or left out where there is no value."""
    parts = PLACEHOLDER.split(label)
    for k in range(1, len(parts), 2):
        parts[k] = ":" + values[parts[k]] if parts[k] in values else ""
    parts[::2] = map(MARKS.unescape, parts[::2])
    return "".join(parts)


class FunctionWords:
    """The dependents of the words of a graph that can be in labels."""

    def __init__(self, sentence: Sentence, arcs: Iterable[Arc]) -> None:
        self.sentence = sentence
        self.below: dict[tuple[int, str], list[int]] = {}
        self.conjoined: dict[int, list[int]] = {}  # the words of which a word is a conjunct
        for head, dependent, label in arcs:
            base = label.partition(":")[0]
            if base in RELATIONS:
                self.below.setdefault((head, base), []).append(dependent)
                if base == "conj":
                    self.conjoined.setdefault(dependent, []).append(head)

    def fill(self, head: int, dependent: int, base: str) -> dict[str, str]:
        """The value of each placeholder that has one, for a label that begins with `base`."""
        values = {}
        word = next(self.sources(head, dependent, SOURCES.get(base, ())), None)
        if word is not None:
            phrase = [word, *sorted(self.words(word, "fixed"))]
            values = {LEMMA: "_".join(map(self.lemma, phrase)), FORM: "_".join(map(self.form, phrase))}
        case = case_of(self.sentence.feats[dependent]) if dependent <= len(self.sentence) else ""
        if case:
            values[CASE] = case
        return {name: value for name, value in values.items() if value and not UNUSABLE.search(value)}

    def sources(self, head: int, dependent: int, relations: tuple[str, ...]) -> Iterator[int]:
        """The words that a label can be filled from, the best first."""
        asked = [dependent]
        if relations == ("cc",):  # in "a, b and c" the conjunction depends on c
            others = (word for word in self.below.get((head, "conj"), ()) if word != dependent)
            asked += sorted(others, key=lambda word: (word < dependent, abs(word - dependent)))
        else:
            asked += sorted(self.conjoined.get(dependent, ()))
        for word in asked:
            for relation in relations:
                found = self.words(word, relation)
                if found:
                    yield max(found)

    def words(self, head: int, relation: str) -> list[int]:
        """The words, without empty nodes, that depend on a node."""
        n = len(self.sentence)
        return [word for word in dict.fromkeys(self.below.get((head, relation), ())) if word <= n]

    def lemma(self, word: int) -> str:
        """The lemma of a word in lower case, or its form where there is no lemma."""
        lemma = self.sentence.lemmas[word]
        return lemma.lower() if lemma != "_" else self.form(word)

    def form(self, word: int) -> str:
        """The form of a word in lower case."""
        return self.sentence.forms[word].lower()


@lru_cache(maxsize=10_000)
def case_of(feats: str) -> str:
    """The case in FEATS in lower case, "" if there is none.

    >>> case_of("Case=Loc|Number=Sing")
    'loc'
    """
    return next((feature[5:].lower() for feature in feats.split("|") if feature.startswith("Case=")), "")
