"""Null arcs: words without a head, as in semantic graphs, for parsers that give each word a head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from crossarc.transforms.marks import Marks, arc_order
from crossarc.treebank.graph import Arc

NULL = "∅"
MARKS = Marks({NULL: "5"})


class NullArcs:
    """Gives each word without a head an arc labelled `∅`, and removes these arcs again.

    The head is the node before the word, or the word after it if the arc would close a cycle, or else node 0. Arcs
    between neighbours cross nothing. O(words + arcs), and O(nodes + arcs) for a word without a head but with
    dependents.

    >>> null = NullArcs()
    >>> arcs = null.encode(3, [(0, 2, "top"), (2, 1, "ARG1")])
    >>> arcs
    [(2, 1, 'ARG1'), (0, 2, 'top'), (2, 3, '∅')]
    >>> null.decode(arcs)
    [(2, 1, 'ARG1'), (0, 2, 'top')]
    """

    def __init__(self) -> None:
        self.losses: Counter[str] = Counter()
        self.marks = MARKS

    def encode(self, n: int, arcs: Iterable[Arc]) -> list[Arc]:
        """The arcs, and null arcs for the words of 1 to n that have none."""
        result = [(head, dependent, MARKS.escape(label)) for head, dependent, label in arcs]
        headed = {dependent for _, dependent, _ in result}
        if len(headed) == n:
            return result
        below: dict[int, set[int]] = {}
        for head, dependent, _ in result:
            below.setdefault(head, set()).add(dependent)
        for word in range(1, n + 1):
            if word in headed:
                continue
            reached = reachable(word, below)
            head = word - 1 if word - 1 not in reached else word + 1 if word < n and word + 1 not in reached else 0
            below.setdefault(head, set()).add(word)
            result.append((head, word, NULL))
            self.losses["null_arcs"] += 1
        return sorted(result, key=arc_order)

    def decode(self, arcs: Iterable[Arc]) -> list[Arc]:
        """The arcs without null arcs and without marks."""
        return [(head, dependent, MARKS.unescape(label)) for head, dependent, label in arcs if label != NULL]

    def is_plain(self, label: str) -> bool:
        """Whether a label asks nothing of `decode`."""
        return MARKS.is_plain(label)


def reachable(start: int, below: dict[int, set[int]]) -> set[int]:
    """The nodes to which arcs lead from a node, without itself unless it is on a cycle."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        for node in below.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found
