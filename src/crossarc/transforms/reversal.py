"""Arc reversal: graphs with cycles for parsers that build acyclic ones (Sagae and Tsujii 2008, section 2.3).

An arc of each cycle is reversed, and its label says so: `nsubj` becomes `nsubj⇄`. Reversing marked arcs again gives the
graph back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from crossarc.errors import UnknownName
from crossarc.structure import cycles
from crossarc.transforms.marks import Marks, arc_order
from crossarc.treebank.graph import Arc, Graph

RULES = ("default", "paper")
REVERSED = "⇄"
MARKS = Marks({REVERSED: "3"})


class ArcReversal:
    """Breaks cycles by reversing arcs, each at most once.

    With the rule "default" the shortest arc is taken whose dependent has another head; of equally short ones an arc
    that is not in the tree, then the one with the leftmost dependent; if no dependent has another head, the shortest.
    With "paper" the shortest arc is taken in any case, so words can lose their only head.

    Several arcs from one word to another are reversed together. A cycle of reversed arcs, and an arc from a word to
    itself, loses an arc: `losses` counts them as "arcs_dropped". O(nodes + arcs) a cycle.

    >>> reversal = ArcReversal()
    >>> arcs = reversal.encode([(0, 1, "root"), (1, 2, "acl"), (2, 1, "nsubj")])
    >>> arcs
    [(0, 1, 'root'), (1, 2, 'acl'), (1, 2, 'nsubj⇄')]
    >>> reversal.decode(arcs)
    [(0, 1, 'root'), (2, 1, 'nsubj'), (1, 2, 'acl')]
    """

    def __init__(self, rule: str = "default") -> None:
        if rule not in RULES:
            raise UnknownName("reversal", rule, RULES)
        self.rule = rule
        self.losses: Counter[str] = Counter()
        self.marks = MARKS

    def encode(self, arcs: Iterable[Arc], tree: Sequence[int] = ()) -> list[Arc]:
        """The arcs of an acyclic graph; `tree` has the head of each word in the tree, if there is one."""
        given = list(arcs)
        nodes = tuple(map(str, range(1 + max((max(arc[:2]) for arc in given), default=0))))
        heads = np.array([arc[0] for arc in given], dtype=np.int32)
        dependents = np.array([arc[1] for arc in given], dtype=np.int32)
        labels = tuple(arc[2] for arc in given)
        turned = np.zeros(len(given), dtype=bool)
        present = np.ones(len(given), dtype=bool)
        while found := cycles(Graph(nodes, heads[present], dependents[present], labels)):
            for cycle in found:
                steps = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
                pairs = [np.flatnonzero(present & (heads == u) & (dependents == v)) for u, v in steps]
                free = [pair[~turned[pair]] for pair in pairs]
                usable = [new for new, pair in zip(free, pairs, strict=True) if len(new) == len(pair)]
                if len(cycle) > 1 and usable:
                    pair = self.choose(usable, heads, dependents, present, tree)
                    heads[pair], dependents[pair] = dependents[pair], heads[pair]
                    turned[pair] = True
                    self.losses["arcs_reversed"] += len(pair)
                else:
                    pair = self.choose(pairs, heads, dependents, present, tree)
                    present[pair] = False
                    self.losses["arcs_dropped"] += len(pair)
        return sorted(
            (
                (head, dependent, MARKS.escape(label) + (REVERSED if mark else ""))
                for head, dependent, label, mark, kept in zip(
                    heads.tolist(), dependents.tolist(), labels, turned.tolist(), present.tolist(), strict=True
                )
                if kept
            ),
            key=arc_order,
        )

    def choose(
        self,
        pairs: list[np.ndarray],
        heads: np.ndarray,
        dependents: np.ndarray,
        present: np.ndarray,
        tree: Sequence[int],
    ) -> np.ndarray:
        """The arcs between two words of a cycle that are reversed."""

        def rank(pair: np.ndarray) -> tuple[bool, int, bool, int]:
            head, dependent = int(heads[pair[0]]), int(dependents[pair[0]])
            if self.rule == "paper":
                return False, abs(head - dependent), False, dependent
            alone = not (present & (dependents == dependent) & (heads != head)).any()
            in_tree = dependent < len(tree) and tree[dependent] == head
            return alone, abs(head - dependent), in_tree, dependent

        return min(pairs, key=rank)

    def decode(self, arcs: Iterable[Arc]) -> list[Arc]:
        """The arcs with marked ones reversed again and without marks.

        An arc from node 0 stays, and so does one whose dependent would lose its last head: gold graphs have neither.
        """
        found: list[tuple[int, int, str, bool]] = []
        for head, dependent, label in arcs:
            turned = label.endswith(REVERSED)
            while label.endswith(REVERSED):
                label = label.removesuffix(REVERSED)
            found.append((head, dependent, MARKS.unescape(label), turned and head > 0 and head != dependent))
        if any(turned for *_, turned in found):
            found = keep_heads(found)
        return sorted(
            {
                (dependent, head, label) if turned else (head, dependent, label)
                for head, dependent, label, turned in found
            },
            key=arc_order,
        )

    def is_plain(self, label: str) -> bool:
        """Whether a label asks nothing of `decode`."""
        return MARKS.is_plain(label)


def keep_heads(arcs: list[tuple[int, int, str, bool]]) -> list[tuple[int, int, str, bool]]:
    """The arcs with fewer to be reversed, so that each dependent still has a head afterwards."""
    after: Counter[int] = Counter()
    turned: dict[int, list[int]] = {}  # by the dependent that they have now
    for k, (head, dependent, _, turn) in enumerate(arcs):
        after[head if turn else dependent] += 1
        if turn:
            turned.setdefault(dependent, []).append(k)
    arcs = list(arcs)
    bare = [dependent for dependent in turned if not after[dependent]]
    while bare:
        dependent = bare.pop()
        if after[dependent]:
            continue
        k = turned[dependent].pop()
        head, _, label, _ = arcs[k]
        arcs[k] = (head, dependent, label, False)
        after[dependent] += 1
        after[head] -= 1
        if not after[head] and turned.get(head):
            bare.append(head)
    return arcs
