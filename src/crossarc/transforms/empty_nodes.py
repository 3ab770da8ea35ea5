"""Empty nodes (8.1) as marks in labels, for parsers that build graphs over words.

A path through empty nodes becomes one arc, as in the IWPT 2020 shared task, and its label names the empty nodes: the
path 3 -conj-> 8.1 -nsubj-> 5 becomes 3 -conj>8.1>nsubj-> 5. Nodes after the last word have a number only, and the
first of these none: `conj>2>nsubj` and `conj>nsubj`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, islice, pairwise

from crossarc.transforms.marks import Marks
from crossarc.transforms.pseudo_projective import ESCAPE
from crossarc.treebank.empty_nodes import Path, find_paths
from crossarc.treebank.graph import Arc

STEP = ">"
MARKS = Marks({STEP: "6"})
DIGIT = ESCAPE + "7"  # before labels in paths that begin with a digit, which could be taken for numbers of nodes
NUMBER = re.compile(r"(?:(\d{1,6})\.)?(\d{1,6})")
# Paths of one sentence: their number can grow exponentially with that of empty nodes.
PATH_LIMIT = 10_000


class EmptyNodes:
    """Writes empty nodes into labels, and makes them again from the labels.

    Words have the numbers 1 to n and empty nodes the numbers after n, in order; `ids` has the ids of the empty nodes.
    An empty node without a path from word to word does not come back. `losses` counts such nodes and their arcs. The
    cost is that of the paths.

    >>> empty = EmptyNodes()
    >>> arcs = empty.encode(4, [(0, 2, "root"), (2, 5, "conj"), (5, 3, "nsubj"), (5, 4, "obj")], ["3.1"])
    >>> arcs
    [(0, 2, 'root'), (2, 3, 'conj>3.1>nsubj'), (2, 4, 'conj>3.1>obj')]
    >>> empty.decode(4, arcs)
    ([(0, 2, 'root'), (2, 5, 'conj'), (5, 3, 'nsubj'), (5, 4, 'obj')], ['3.1'])
    """

    def __init__(self) -> None:
        self.losses: Counter[str] = Counter()
        self.marks = MARKS

    def restorable(self, n: int, arcs: Iterable[Arc], ids: Sequence[str]) -> list[Arc]:
        """The arcs that come back, in the same numbering."""
        given = list(arcs)
        if not ids:
            return given
        kept: dict[Arc, None] = {}
        for path in islice(find_paths(n, given), PATH_LIMIT):
            kept.update(dict.fromkeys(arcs_of(path)))
        met = {node for arc in kept for node in arc[:2] if node > n}
        self.losses["empty_nodes_lost"] += len(ids) - len(met)
        self.losses["empty_arcs_lost"] += len(set(given)) - len(kept)
        return list(kept)

    def encode(self, n: int, arcs: Iterable[Arc], ids: Sequence[str]) -> list[Arc]:
        """The arcs between words, with paths through empty nodes in the labels."""
        return self.join(n, self.restorable(n, arcs, ids), ids)

    def join(self, n: int, arcs: Iterable[Arc], ids: Sequence[str]) -> list[Arc]:
        """The arcs between words for arcs that all come back."""
        if not ids:
            return [(head, dependent, MARKS.escape(label)) for head, dependent, label in arcs]
        names = {n + 1 + k: short_name(n, name) for k, name in enumerate(ids)}
        paths = islice(find_paths(n, arcs), PATH_LIMIT)
        return list(dict.fromkeys((path.head, path.dependent, join(path, names)) for path in paths))

    def decode(self, n: int, arcs: Iterable[Arc]) -> tuple[list[Arc], list[str]]:
        """The arcs with those of empty nodes, and the ids of these nodes, which are numbered from 1 after each word."""
        paths = [(head, *split(n, label), dependent) for head, dependent, label in arcs]
        nodes = sorted({node for _, passed, _, _ in paths for node in passed})
        numbers = {node: n + 1 + k for k, node in enumerate(nodes)}
        found: dict[Arc, None] = {}
        for head, passed, labels, dependent in paths:
            path = Path(head, tuple(numbers[node] for node in passed), tuple(labels), dependent)
            found.update(dict.fromkeys(arcs_of(path)))
        ids = [f"{node[0]}.{number}" for group in group_nodes(nodes) for number, node in enumerate(group, 1)]
        return list(found), ids

    def is_plain(self, label: str) -> bool:
        """Whether a label asks nothing of `decode`."""
        return MARKS.is_plain(label)


def group_nodes(nodes: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The nodes, in order, by the word before them."""
    return [list(group) for _, group in groupby(nodes, key=lambda node: node[0])]


def arcs_of(path: Path) -> list[Arc]:
    """The arcs of a path."""
    steps = pairwise((path.head, *path.empty, path.dependent))
    return [(head, dependent, label) for (head, dependent), label in zip(steps, path.labels, strict=True)]


def short_name(n: int, name: str) -> str:
    """The name of an empty node in labels: without the number of the last word, and without 1 alone."""
    before, _, number = name.partition(".")
    return name if before != str(n) else "" if number == "1" else number


def join(path: Path, names: dict[int, str]) -> str:
    """The label of a path."""
    if not path.empty:
        return MARKS.escape(path.labels[0])
    parts = [escape_step(path.labels[0])]
    for node, label in zip(path.empty, path.labels[1:], strict=True):
        if names[node]:
            parts.append(names[node])
        parts.append(escape_step(label))
    return STEP.join(parts)


def escape_step(label: str) -> str:
    """A label of a path, which can be taken neither for two labels nor for a number."""
    return DIGIT * label[:1].isdigit() + MARKS.escape(label)


def split(n: int, label: str) -> tuple[list[tuple[int, int]], list[str]]:
    """The empty nodes that a label names, each by the word before it and its number there, and the labels.

    >>> split(9, "conj>8.1>nsubj>obj")
    ([(8, 1), (9, 1)], ['conj', 'nsubj', 'obj'])
    """
    if STEP not in label:
        return [], [MARKS.unescape(label)]
    first, *rest = label.split(STEP)
    nodes: list[tuple[int, int]] = []
    labels = [first]
    node = n, 1
    for part in rest:
        if found := NUMBER.fullmatch(part):
            node = min(int(found[1] or n), n), max(int(found[2]), 1)
            continue
        if node in nodes:  # only in labels that a parser made up: go on from there
            place = nodes.index(node)
            del nodes[place:], labels[place + 1 :]
        nodes.append(node)
        labels.append(part)
        node = n, 1
    return nodes, [MARKS.unescape(each.removeprefix(DIGIT)) for each in labels]
