"""Pseudo-projective parsing: non-projective trees for parsers that build projective ones (Nivre and Nilsson 2005).

`encode` lifts non-projective edges, the shortest first, until the tree is projective, and says in the labels where
they were; a parser trained on such trees learns to build the labels, and `decode` puts the edges back.

In the Head encoding a lifted edge labelled l, whose head had the label h, becomes `l↑h`. For labels of the data that
have that arrow themselves, `↑` is written `⇡1` and `⇡` is written `⇡0`, so that every label comes back as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.errors import StructureError, UnknownName
from crossarc.structure.workspace import checked_heads
from crossarc.transforms.lifting import lift, reattach

MARK = "↑"
ESCAPE = "⇡"

Heads = NDArray[np.int32]


class Encoding(Protocol):
    """How lifts are written into labels, and where they lead back to."""

    def mark(self, heads: Heads, labels: Sequence[str], lifted: Heads, passed: NDArray[np.bool_]) -> list[str]:
        """The labels of the lifted tree; `passed` says from which words edges were lifted away on their way up."""

    def restore(self, heads: Heads, labels: Sequence[str]) -> tuple[Heads, list[str]]:
        """The heads and labels that a marked tree stands for."""


class HeadEncoding:
    """A lifted edge has the label of its first head in its own: `l↑h`."""

    def mark(self, heads: Heads, labels: Sequence[str], lifted: Heads, passed: NDArray[np.bool_]) -> list[str]:
        """Each label escaped, those of lifted edges with that of the head they had."""
        marked = [escape(label) for label in labels]
        for word in np.flatnonzero(lifted != heads).tolist():
            marked[word] = f"{escape(labels[word])}{MARK}{escape(labels[heads[word]])}"
        return marked

    def restore(self, heads: Heads, labels: Sequence[str]) -> tuple[Heads, list[str]]:
        """Each marked edge below the first word, breadth-first from its head, that has the label in the mark."""
        parts = [split(label) for label in labels]
        own = [label for label, _ in parts]
        if all(target is None for _, target in parts):
            return reattach(heads, np.zeros(len(own), np.int32), np.full(len(own), -1)), own  # checks that it is a tree
        ids: dict[str, int] = {}
        numbers = [ids.setdefault(label, len(ids)) for label in own]
        targets = [-1 if target is None else ids.get(target, -1) for _, target in parts]
        return reattach(heads, numbers, targets), own


# Further encodings are one class and one line here.
ENCODINGS: dict[str, Encoding] = {"head": HeadEncoding()}


def escape(label: str) -> str:
    """The label without arrows that could be taken for marks.

    >>> escape("obj"), escape("a↑⇡b")
    ('obj', 'a⇡1⇡0b')
    """
    if MARK in label or ESCAPE in label:
        return label.replace(ESCAPE, ESCAPE + "0").replace(MARK, ESCAPE + "1")
    return label


def unescape(label: str) -> str:
    """The label that `escape` was given."""
    return label.replace(ESCAPE + "1", MARK).replace(ESCAPE + "0", ESCAPE) if ESCAPE in label else label


def split(label: str) -> tuple[str, str | None]:
    """The label itself, and what is behind its mark if it has one.

    >>> split("obj↑conj"), split("obj")
    (('obj', 'conj'), ('obj', None))
    """
    own, mark, target = label.partition(MARK)
    return unescape(own), unescape(target) if mark else None


class PseudoProjective:
    """The pseudo-projective transform: `encode` trees before training, `decode` what the parser builds.

    Heads and labels have n + 1 entries; those of node 0 are -1 and not looked at.

    >>> transform = PseudoProjective("head")
    >>> heads, labels = transform.encode([-1, 3, 4, 0, 3], ["", "det", "obj", "root", "conj"])
    >>> heads.tolist(), labels
    ([-1, 3, 3, 0, 3], ['', 'det', 'obj↑conj', 'root', 'conj'])
    >>> heads, labels = transform.decode(heads, labels)
    >>> heads.tolist(), labels
    ([-1, 3, 4, 0, 3], ['', 'det', 'obj', 'root', 'conj'])
    """

    def __init__(self, encoding: str = "head") -> None:
        if encoding not in ENCODINGS:
            raise UnknownName("pseudo-projective encoding", encoding, ENCODINGS)
        self.encoding = encoding

    def encode(self, heads: ArrayLike, labels: Sequence[str]) -> tuple[Heads, list[str]]:
        """The heads of a projective tree and labels that say what was lifted. O(n) and O(n) a lift."""
        given = self.checked(heads, labels)
        lifted, passed = lift(given)
        return lifted, ENCODINGS[self.encoding].mark(given, labels, lifted, passed)

    def decode(self, heads: ArrayLike, labels: Sequence[str]) -> tuple[Heads, list[str]]:
        """The heads with marked edges put back, and labels without marks; edges with nowhere to go stay. O(n) each."""
        return ENCODINGS[self.encoding].restore(self.checked(heads, labels), labels)

    def plain(self, label: str) -> str:
        """Return a label without its mark."""
        return split(label)[0]

    def is_marked(self, label: str) -> bool:
        """Return whether a label says that its edge was lifted."""
        return MARK in label

    def count_marks(self, labels: Sequence[str]) -> int:
        """How many labels say that their edge was lifted."""
        return sum(map(self.is_marked, labels))

    def checked(self, heads: ArrayLike, labels: Sequence[str]) -> Heads:
        """The heads as an array, if there are as many labels."""
        array: Heads = checked_heads(heads)
        if len(labels) != len(array):
            raise StructureError(f"{len(array)} heads have {len(labels)} labels; give one each, node 0 included")
        return array
