"""Pseudo-projective parsing: non-projective trees for parsers that build projective ones (Nivre and Nilsson 2005).

`encode` lifts non-projective edges, the shortest first, until the tree is projective, and says in the labels where
they were; a parser trained on such trees learns to build the labels, and `decode` puts the edges back.

An edge labelled l is lifted from a head labelled h, and from the heads on its way up. These are on its path.

| encoding   | lifted edge | edges of the path | lifted and on a path |
|------------|-------------|-------------------|----------------------|
| `head`     | `l↑h`       | `l`               | `l↑h`                |
| `path`     | `l↑`        | `l↓`              | `l↑↓`                |
| `headpath` | `l↑h`       | `l↓`              | `l↑h↓`               |

For labels of the data that have these arrows themselves, `↑` is written `⇡1`, `⇡` is written `⇡0`, and where paths are
marked `↓` is written `⇡2`, so that every label comes back as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.errors import CrossarcError, StructureError, UnknownName
from crossarc.structure.trees import checked_heads
from crossarc.transforms.lifting import lift, reattach

MARK = "↑"
PATH_MARK = "↓"
ESCAPE = "⇡"
# The preferences among the places that a lifted edge may come from.
PREFERENCES = ("first", "non-projective")

Heads = NDArray[np.int32]


class Parts(NamedTuple):
    """The parts of a label of an encoded tree."""

    own: str
    target: str | None  # what is behind the mark of a lifted edge
    passed: bool = False  # whether the edge is on the path of a lifted one

    @property
    def is_new(self) -> bool:
        """Whether the label has a mark of any kind."""
        return self.target is not None or self.passed


@dataclass(frozen=True)
class Encoding:
    """An encoding: it writes lifts into labels, and finds the places to put edges back."""

    head: bool  # lifted edges name the label of the head they had
    path: bool  # edges on the path are marked

    def mark(self, heads: Heads, labels: Sequence[str], lifted: Heads, passed: NDArray[np.bool_]) -> list[str]:
        """The labels of the lifted tree; `passed` says from which words edges were lifted away on their way up."""
        marked = [escape(label, self.path) for label in labels]
        for word in np.flatnonzero(lifted != heads).tolist():
            marked[word] += MARK + (escape(labels[heads[word]], self.path) if self.head else "")
        if self.path:
            for word in np.flatnonzero(passed).tolist():
                marked[word] += PATH_MARK
        return marked

    def restore(self, heads: Heads, labels: Sequence[str], crossing: bool = False) -> tuple[Heads, list[str]]:
        """The heads and labels that a marked tree stands for.

        In `head`, a lifted edge goes below the first word, breadth-first from its head, that has the label in the mark.
        In `path` it goes below the deepest word that path marks lead to, in `headpath` below the deepest of these that
        has the label in the mark, or, if there is none, to where `head` puts it.
        """
        parts = [split_marks(label, self.path) for label in labels]
        own = [label for label, _, _ in parts]
        if all(target is None for _, target, _ in parts):
            return reattach(heads, np.zeros(len(own), np.int32), np.full(len(own), -1)), own  # checks that it is a tree
        ids: dict[str, int] = {}
        numbers = [ids.setdefault(label, len(ids)) for label in own]
        targets = [-1 if target is None else ids.get(target, -1) if self.head else -2 for _, target, _ in parts]
        passed = [part.passed for part in parts] if self.path else None
        return reattach(heads, numbers, targets, passed=passed, crossing=crossing), own

    def split(self, label: str) -> Parts:
        """Return the parts of a label in this encoding."""
        return split_marks(label, self.path)


ENCODINGS = {
    "head": Encoding(head=True, path=False),
    "path": Encoding(head=False, path=True),
    "headpath": Encoding(head=True, path=True),
}


@lru_cache(maxsize=10_000)
def escape(label: str, path: bool = False) -> str:
    """The label without arrows that could be taken for marks, with `path` also those of paths.

    >>> escape("obj"), escape("a↑⇡b"), escape("a↓"), escape("a↓", path=True)
    ('obj', 'a⇡1⇡0b', 'a↓', 'a⇡2')
    """
    if MARK in label or ESCAPE in label:
        label = label.replace(ESCAPE, ESCAPE + "0").replace(MARK, ESCAPE + "1")
    return label.replace(PATH_MARK, ESCAPE + "2") if path else label


def unescape(label: str) -> str:
    """The label that `escape` was given."""
    if ESCAPE not in label:
        return label
    return label.replace(ESCAPE + "2", PATH_MARK).replace(ESCAPE + "1", MARK).replace(ESCAPE + "0", ESCAPE)


def split(label: str) -> tuple[str, str | None]:
    """The label itself, and what is behind its mark if it has one.

    >>> split("obj↑conj"), split("obj")
    (('obj', 'conj'), ('obj', None))
    """
    own, mark, target = label.partition(MARK)
    return unescape(own), unescape(target) if mark else None


@lru_cache(maxsize=10_000)
def split_marks(label: str, path: bool) -> Parts:
    """Return the parts of a label, with or without path marks.

    >>> split_marks("obj↑conj↓", True)
    Parts(own='obj', target='conj', passed=True)
    """
    passed = path and label.endswith(PATH_MARK)
    own, target = split(label[: -len(PATH_MARK)] if passed else label)
    return Parts(own, target, passed)


class PseudoProjective:
    """The pseudo-projective transform: `encode` trees before training, `decode` what the parser builds.

    With a `cap`, only so many of the new labels are used, the most frequent ones in the trees given to `fit`; edges
    with other new labels are lifted and get plain labels (Johansson and Nugues 2008). With `prefer="non-projective"`,
    `decode` moves a lifted edge to a place where it is non-projective if its search finds one.

    Heads and labels have n + 1 entries; those of node 0 are -1 and not looked at.

    >>> transform = PseudoProjective("head")
    >>> heads, labels = transform.encode([-1, 3, 4, 0, 3], ["", "det", "obj", "root", "conj"])
    >>> heads.tolist(), labels
    ([-1, 3, 3, 0, 3], ['', 'det', 'obj↑conj', 'root', 'conj'])
    >>> heads, labels = transform.decode(heads, labels)
    >>> heads.tolist(), labels
    ([-1, 3, 4, 0, 3], ['', 'det', 'obj', 'root', 'conj'])
    >>> PseudoProjective("headpath").encode([-1, 3, 4, 0, 3], ["", "det", "obj", "root", "conj"])[1]
    ['', 'det', 'obj↑conj', 'root', 'conj↓']
    """

    def __init__(self, encoding: str = "head", *, cap: int | None = None, prefer: str = "first") -> None:
        if encoding not in ENCODINGS:
            raise UnknownName("pseudo-projective encoding", encoding, ENCODINGS)
        if prefer not in PREFERENCES:
            raise UnknownName("preference", prefer, PREFERENCES)
        if cap is not None and cap < 0:
            raise CrossarcError(f"cap = {cap}: give the number of new labels to keep, or None for all")
        self.encoding = encoding
        self.cap = cap
        self.prefer = prefer
        self.kept_: frozenset[str] | None = None  # the new labels that the cap leaves

    def fit(self, trees: Iterable[tuple[ArrayLike, Sequence[str]]]) -> PseudoProjective:
        """Choose the labels that the cap leaves by the heads and labels of trees; without a cap there is no need.

        >>> tree = [-1, 3, 4, 0, 3], ["", "det", "obj", "root", "conj"]
        >>> heads, labels = PseudoProjective("path", cap=1).fit([tree]).encode(*tree)
        >>> heads.tolist(), labels
        ([-1, 3, 3, 0, 3], ['', 'det', 'obj↑', 'root', 'conj'])
        """
        if self.cap is not None:
            counts = Counter(label for tree in trees for label in self.lift(*tree)[1] if self.is_new(label))
            self.kept_ = frozenset(label for label, _ in counts.most_common(self.cap))
        return self

    def encode(self, heads: ArrayLike, labels: Sequence[str]) -> tuple[Heads, list[str]]:
        """The heads of a projective tree and labels that say what was lifted. O(n) and O(n) a lift."""
        lifted, marked = self.lift(heads, labels)
        if self.cap is None:
            return lifted, marked
        if self.kept_ is None:
            raise CrossarcError(f"a transform with cap = {self.cap} has no labels to keep yet: fit it to trees first")
        for word, label in enumerate(marked):
            if label not in self.kept_ and self.is_new(label):
                marked[word] = escape(labels[word], path=ENCODINGS[self.encoding].path)
        return lifted, marked

    def lift(self, heads: ArrayLike, labels: Sequence[str]) -> tuple[Heads, list[str]]:
        """The heads of a projective tree and its labels, without a cap."""
        given = self.checked(heads, labels)
        lifted, passed = lift(given)
        return lifted, ENCODINGS[self.encoding].mark(given, labels, lifted, passed)

    def decode(self, heads: ArrayLike, labels: Sequence[str]) -> tuple[Heads, list[str]]:
        """The heads with marked edges put back, and labels without marks; edges with nowhere to go stay. O(n) each."""
        crossing = self.prefer == "non-projective"
        return ENCODINGS[self.encoding].restore(self.checked(heads, labels), labels, crossing)

    def plain(self, label: str) -> str:
        """Return a label without its marks."""
        return ENCODINGS[self.encoding].split(label).own

    def is_new(self, label: str) -> bool:
        """Return whether a label has a mark of any kind."""
        return ENCODINGS[self.encoding].split(label).is_new

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
