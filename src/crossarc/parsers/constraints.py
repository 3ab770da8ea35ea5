"""Constraints on a tree: arcs that must be in it, arcs that must not be in it, and labels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.errors import CrossarcError
from crossarc.treebank.sentence import Sentence

# The marks in MISC, with --constraints or `marked_constraints`.
REQUIRED, FORBIDDEN, LABEL = "Head", "NotHead", "Deprel"


@dataclass(frozen=True)
class Constraints:
    """Conditions on the tree of one sentence; words are 1..n and node 0 is the root above them.

    >>> known = Constraints(required={2: 0}, forbidden={(3, 1)})
    >>> known.allow([-1, 2, 0, 2]), known.allow([-1, 2, 0, 1])
    (True, False)
    """

    required: Mapping[int, int] = field(default_factory=dict)  # the head that a word must have
    forbidden: Collection[tuple[int, int]] = ()  # pairs of a word and a head that it must not have
    labels: Mapping[int, str] = field(default_factory=dict)  # the label that a word must have

    def __bool__(self) -> bool:
        return bool(self.required or self.forbidden or self.labels)

    def allow(self, heads: ArrayLike) -> bool:
        """Whether a tree has all required arcs and no forbidden one."""
        heads = np.asarray(heads)
        return all(heads[word] == head for word, head in self.required.items()) and not any(
            heads[word] == head for word, head in self.forbidden
        )

    def required_heads(self, n: int) -> NDArray[np.int32] | None:
        """The argument `required` of decoders: the head of each word, -1 where it is free."""
        if not self.required:
            return None
        heads = np.full(n + 1, -1, dtype=np.int32)
        for word, head in self.required.items():
            heads[word] = head
        return heads

    def forbidden_arcs(self, n: int) -> NDArray[np.bool_] | None:
        """The argument `forbidden` of decoders: true at [word, head]."""
        if not self.forbidden:
            return None
        arcs = np.zeros((n + 1, n + 1), dtype=bool)
        for word, head in self.forbidden:
            arcs[word, head] = True
        return arcs

    def left_out(self, n: int) -> NDArray[np.bool_]:
        """Return the arcs that the constraints leave out: true at [word, head]."""
        forbidden = self.forbidden_arcs(n)
        arcs = forbidden if forbidden is not None else np.zeros((n + 1, n + 1), dtype=bool)
        for word, head in self.required.items():
            arcs[word] = True
            arcs[word, head] = False
        return arcs

    def check(self, sentence: Sentence) -> None:
        """Refuse constraints that are not about the words of a sentence, or contradict each other."""
        n = len(sentence)
        for word, head in [*self.required.items(), *self.forbidden]:
            if not (1 <= word <= n and 0 <= head <= n and word != head):
                raise CrossarcError(
                    f"{place_of(sentence)}: a constraint on the arc {head} -> {word}; arcs lead from 0..{n} to "
                    f"another word of 1..{n}"
                )
            if self.required.get(word) == head and (word, head) in self.forbidden:
                raise CrossarcError(
                    f"{place_of(sentence)}: the arc {head} -> {word} is both required and forbidden; take back one"
                )
        for word, label in self.labels.items():
            if not 1 <= word <= n or not label:
                raise CrossarcError(
                    f"{place_of(sentence)}: a constraint on the label of word {word}, {label!r}; words are 1..{n} "
                    "and labels are not empty"
                )


NONE = Constraints()
Source = Callable[[Sentence], Constraints | None]  # gives the constraints on a sentence, or None


def constraints_of(source: Source | None, sentence: Sentence) -> Constraints:
    """The constraints that a source has on a sentence, checked."""
    known = source(sentence) if source is not None else None
    if not known:
        return NONE
    known.check(sentence)
    return known


def marked_constraints(sentence: Sentence) -> Constraints | None:
    """The constraints in MISC: `Head=3`, `NotHead=1,5` and `Deprel=obj`, each on the word that it is about.

    >>> sentence = Sentence.from_columns(forms=["", "She", "sings"], misc=["", "Head=2|Deprel=nsubj", "NotHead=1"])
    >>> known = marked_constraints(sentence)
    >>> known.required, known.forbidden, known.labels
    ({1: 2}, {(2, 1)}, {1: 'nsubj'})
    """
    if sentence.format.index("misc") < 0:
        raise CrossarcError(
            f"{place_of(sentence)}: constraints stand in MISC, and {sentence.format.title} has no MISC; "
            "convert to CoNLL-U first"
        )
    if b"Head=" not in sentence.raw and b"Deprel=" not in sentence.raw:
        return None
    required: dict[int, int] = {}
    forbidden: set[tuple[int, int]] = set()
    labels: dict[int, str] = {}
    for word, misc in enumerate(sentence.misc[1:], 1):
        for mark in misc.split("|"):
            name, _, value = mark.partition("=")
            if name == REQUIRED:
                required[word] = node_of(sentence, word, mark, value)
            elif name == FORBIDDEN:
                forbidden |= {(word, node_of(sentence, word, mark, part)) for part in value.split(",")}
            elif name == LABEL:
                labels[word] = value
    return Constraints(required, forbidden, labels)


def node_of(sentence: Sentence, word: int, mark: str, text: str) -> int:
    """The node that a mark names."""
    if not (text.isascii() and text.isdigit()):
        raise CrossarcError(
            f"{place_of(sentence)}: word {word}: {mark!r} in MISC; {REQUIRED}= takes the number of a word, or 0, and "
            f"{FORBIDDEN}= some of them, separated by commas"
        )
    return int(text)


def place_of(sentence: Sentence) -> str:
    """The place of a sentence, for errors."""
    name = f" sentence {sentence.id!r}" if sentence.id else ""
    return f"{sentence.source or '<input>'}:{sentence.line}:{name or ' sentence'}"
