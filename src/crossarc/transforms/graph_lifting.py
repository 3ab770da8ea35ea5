"""Pseudo-projective graphs: graphs with crossing arcs for parsers that build projective ones.

Nivre and Nilsson (2005) lift arcs of trees; Sagae and Tsujii (2008), section 2.3, those of graphs. The shortest arc
that crosses another one, not counting arcs of node 0, moves to the nearest head of its head, or to node 0 where there
is none, until no arcs cross. The label of a lifted arc names a label of the head that it had: `acl↑obj` is an `acl`
whose head was an `obj`. `decode` searches below the present head, breadth-first, for a word with that label; of equally
deep ones it takes the nearest to the dependent. `acl↑obj↑2` asks for the second such word. The longest arcs move first,
since they were lifted last.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError, UnknownName
from crossarc.structure import is_projective_graph
from crossarc.transforms.marks import Marks, arc_order
from crossarc.transforms.pseudo_projective import MARK
from crossarc.treebank.graph import Arc, Graph

ORDERS = ("shortest", "root-last")
MARKS = Marks({MARK: "1"})
NUMBER = re.compile("[1-9][0-9]{0,5}")
# Bounds that keep sentences of thousands of words fast. After so many lifts in one sentence arcs go to node 0 at once;
# after so many words looked at, arcs are not put back.
LIFT_LIMIT = 50_000
SEARCH_LIMIT = 2_000_000


class GraphLifting:
    """Makes graphs projective by lifting arcs, and puts the arcs back.

    With the order "shortest" the shortest crossing arc is lifted first. With "root-last" arcs that would go to node 0
    wait until only such arcs cross, so far fewer arcs end there. Equally short arcs are lifted from left to right.

    A word without a head counts as if it had an arc from node 0, so that no arc covers it. Of the labels of the old
    head, `encode` writes the one with which `decode` finds the head again, with a number only if none does without;
    the label from the nearest head comes first. Two lifted arcs never become one: if they would be equal, they get
    different numbers. `numbers` is the greatest number that is used to find
    a head; with 1 there are fewer labels, and more arcs come back at another place.

    `losses` counts lifted arcs, those that end at node 0, and those that `decode` puts elsewhere. `encode` costs
    O(arcs) a lift, `decode` O(arcs) a lifted arc.

    >>> arcs = [(2, 1, "nsubj"), (0, 2, "root"), (4, 3, "det"), (2, 4, "obj")]
    >>> arcs += [(6, 5, "case"), (2, 6, "obl"), (4, 7, "acl")]
    >>> lifting = GraphLifting()
    >>> lifted = lifting.encode(7, arcs)  # She met a man in town waiting
    >>> lifted[-1]
    (2, 7, 'acl↑obj')
    >>> lifting.decode(7, lifted) == arcs
    True
    """

    def __init__(self, order: str = "root-last", *, acyclic: bool = True, numbers: int = 1) -> None:
        if order not in ORDERS:
            raise UnknownName("order of lifting", order, ORDERS)
        if numbers < 1:
            raise CrossarcError(f"numbers = {numbers}: give the greatest number in marks, 1 for marks without numbers")
        self.numbers = numbers
        self.order = order
        self.acyclic = acyclic  # whether arcs are put back only where they close no cycle
        self.losses: Counter[str] = Counter()
        self.marks = MARKS

    def encode(self, n: int, arcs: Iterable[Arc]) -> list[Arc]:
        """The arcs of a projective graph over node 0 and n words."""
        given = sorted(((head, dependent, MARKS.escape(label)) for head, dependent, label in arcs), key=arc_order)
        heads = np.array([arc[0] for arc in given], dtype=np.int32)
        dependents = np.array([arc[1] for arc in given], dtype=np.int32)
        graph = Graph(("",) * (n + 1), heads, dependents, tuple(arc[2] for arc in given))
        if is_projective_graph(graph):
            return given
        lifter = Lifter(n, heads, dependents, root_last=self.order == "root-last")
        lifter.run()
        moved = [(head, *arc[1:]) for head, arc in zip(lifter.heads, given, strict=True)]
        self.losses["arcs_lifted"] += len(lifter.routes)
        self.losses["lifted_to_root"] += sum(lifter.heads[k] == 0 for k in lifter.routes)
        return sorted(self.mark(n, given, moved, lifter.routes), key=arc_order)

    def mark(self, n: int, given: list[Arc], moved: list[Arc], routes: dict[int, int]) -> list[Arc]:
        """The lifted arcs with marked labels; `routes` has for each of them the first head that it was lifted to."""
        search = Search(n, moved, acyclic=self.acyclic)
        used = set(moved)
        for k in search.order(routes):
            old = given[k][0]
            names = list(dict.fromkeys(search.names(old, routes[k])))
            name, number, label = next(
                each for each in marks_for(search, k, old, names, self.numbers) if (*moved[k][:2], each[2]) not in used
            )
            moved[k] = (*moved[k][:2], label)
            used.add(moved[k])
            found = search.find(k, name, number)
            self.losses["lifted_elsewhere"] += found != old
            if found is not None:
                search.move(k, found)
        return moved

    def decode(self, n: int, arcs: Iterable[Arc]) -> list[Arc]:
        """The arcs with lifted ones put back and without marks; arcs with nowhere to go stay where they are."""
        given = sorted(set(arcs), key=arc_order)
        targets: dict[int, tuple[str, int]] = {}
        plain: list[Arc] = []
        for k, (head, dependent, label) in enumerate(given):
            own, mark, target = label.partition(MARK)
            if mark:
                name, _, number = target.partition(MARK)
                targets[k] = name, int(number) if NUMBER.fullmatch(number) else 1
            plain.append((head, dependent, own))
        if targets:
            search = Search(n, plain, acyclic=self.acyclic)
            for k in search.order(targets):
                found = search.find(k, *targets[k])
                if found is not None:
                    search.move(k, found)
            plain = search.arcs
        return sorted({(head, dependent, MARKS.unescape(label)) for head, dependent, label in plain}, key=arc_order)

    def is_plain(self, label: str) -> bool:
        """Whether a label asks nothing of `decode`."""
        return MARKS.is_plain(label)


class Search:
    """A graph in which lifted arcs are moved, one after the other, to words below their heads."""

    def __init__(self, n: int, arcs: list[Arc], *, acyclic: bool) -> None:
        self.arcs = list(arcs)
        self.present = set(arcs)
        self.acyclic = acyclic
        self.looked_at = 0
        self.incoming: list[list[int]] = [[] for _ in range(n + 1)]
        self.below: list[list[int]] = [[] for _ in range(n + 1)]
        for k, (head, dependent, _) in enumerate(arcs):
            self.incoming[dependent].append(k)
            self.below[head].append(k)
        self.bare = [word for word in range(1, n + 1) if not self.incoming[word]]
        self.labels = [{arcs[k][2] for k in into} or {""} for into in self.incoming]

    def order(self, marked: Iterable[int]) -> list[int]:
        """The marked arcs, the longest first, since arcs that were lifted last are the longest ones."""

        def rank(k: int) -> tuple[int, int, int, str]:
            head, dependent, own = self.arcs[k]
            return -abs(head - dependent), dependent, head, own

        return sorted(marked, key=rank)

    def children(self, node: int) -> Iterator[int]:
        """The dependents of a node; words without a head are below node 0."""
        if not node:
            yield from self.bare
        for k in self.below[node]:
            yield self.arcs[k][1]

    def levels_below(self, start: int, without: int = -1) -> Iterator[list[int]]:
        """The nodes one step below a node, those two steps below it, and so on, each once."""
        met = {start, without}
        level = [start]
        while level:
            following = []
            for node in level:
                for child in self.children(node):
                    if child not in met:
                        met.add(child)
                        following.append(child)
            self.looked_at += len(following)
            yield following
            level = following

    def names(self, word: int, head: int) -> Iterator[str]:
        """The labels of a word, that of its arc from `head` first; a word without a head is labelled "" here."""
        into = self.incoming[word]
        yield from (self.arcs[k][2] for k in into if self.arcs[k][0] == head)
        yield from sorted(self.labels[word])

    def matches(self, k: int, name: str) -> Iterator[int]:
        """The words that have the label and can be the head of an arc: by depth, and equally deep ones by distance."""
        head, dependent, _ = self.arcs[k]
        if self.looked_at > SEARCH_LIMIT:
            return
        for level in self.levels_below(head, without=dependent):
            fit = [node for node in level if name in self.labels[node]]
            for node in sorted(fit, key=lambda node: (abs(node - dependent), node)):
                if not self.acyclic or not self.leads(dependent, node):
                    yield node

    def is_free(self, k: int, head: int) -> bool:
        """Whether an arc can go to a head where no equal arc is."""
        return (head, *self.arcs[k][1:]) not in self.present

    def find(self, k: int, name: str, number: int = 1) -> int | None:
        """The first free word among the matches, the ones before the given number left out."""
        return next((node for node in islice(self.matches(k, name), number - 1, None) if self.is_free(k, node)), None)

    def numbers(self, k: int, name: str, head: int, last: int) -> range:
        """The numbers up to the last one with which `find` returns the given head."""
        first = 1
        for number, node in enumerate(islice(self.matches(k, name), last), 1):
            free = self.is_free(k, node)
            if node == head:
                return range(first, number + 1) if free else range(0)
            if free:
                first = number + 1
        return range(0)

    def leads(self, start: int, end: int) -> bool:
        """Whether a path leads from one node to another."""
        return bool(self.below[start]) and any(end in level for level in self.levels_below(start))

    def move(self, k: int, head: int) -> None:
        """Give an arc another head."""
        old, dependent, label = self.arcs[k]
        self.below[old].remove(k)
        self.arcs[k] = (head, dependent, label)
        self.present.add(self.arcs[k])
        self.below[head].append(k)


def marks_for(search: Search, k: int, old: int, names: list[str], last: int) -> Iterator[tuple[str, int, str]]:
    """Names, numbers and labels for a lifted arc: those that lead back to its old head first, by number."""
    found = [(number, place) for place, name in enumerate(names) for number in search.numbers(k, name, old, last)]
    for number, place in (*sorted(found), *((number, 0) for number in range(1, len(search.arcs) + 2))):
        label = search.arcs[k][2] + MARK + names[place]
        yield names[place], number, label + (f"{MARK}{number}" if number > 1 else "")


class Lifter:
    """The arcs of a graph while they are lifted; words without a head have an arc from node 0 here."""

    def __init__(self, n: int, heads: NDArray[np.int32], dependents: NDArray[np.int32], *, root_last: bool) -> None:
        bare = np.setdiff1d(np.arange(1, n + 1), dependents).astype(np.int32)
        self.count = len(heads)
        self.root_last = root_last
        self.heads: list[int] = heads.tolist()
        self.dependents: list[int] = dependents.tolist()
        self.low = np.concatenate([np.minimum(heads, dependents), np.zeros_like(bare)])
        self.high = np.concatenate([np.maximum(heads, dependents), bare])
        self.into: list[list[int]] = [[] for _ in range(n + 1)]
        for k, word in enumerate(self.dependents):
            self.into[word].append(k)
        self.crossings = np.array([np.count_nonzero(self.crossed(k)) for k in range(len(self.low))])
        self.waiting = [self.rank(k) for k in range(self.count) if self.crossings[k] and self.heads[k]]
        self.passed: dict[int, set[int]] = {}  # where an arc was; with cycles it could come back there
        self.routes: dict[int, int] = {}  # the first head that an arc was lifted to

    def crossed(self, k: int) -> NDArray[np.bool_]:
        """The arcs that an arc crosses."""
        left, right = self.low[k], self.high[k]
        starts = (self.low > left) & (self.low < right) & (self.high > right)
        stops = (self.high > left) & (self.high < right) & (self.low < left)
        crossed: NDArray[np.bool_] = starts | stops
        return crossed

    def rank(self, k: int) -> tuple[bool, int, int, int]:
        """The place of an arc in the order of lifting."""
        last = self.root_last and not any(self.heads[j] for j in self.into[self.heads[k]])
        return last, int(self.high[k] - self.low[k]), int(self.low[k]), k

    def run(self) -> None:
        """Lift arcs until none cross."""
        heapify(self.waiting)
        lifts = 0
        while self.waiting:
            first = heappop(self.waiting)
            k = first[-1]
            if not self.crossings[k] or not self.heads[k]:
                continue
            if first != self.rank(k):  # the arc was lifted, or one of its head
                heappush(self.waiting, self.rank(k))
                continue
            self.move(k, self.head_above(k) if lifts < LIFT_LIMIT else 0)
            lifts += 1

    def head_above(self, k: int) -> int:
        """The nearest head of an arc's head, 0 if there is none."""
        head = self.heads[k]
        passed = self.passed.setdefault(k, {self.dependents[k]})
        passed.add(head)
        choices = (self.heads[j] for j in self.into[head] if self.heads[j] and self.heads[j] not in passed)
        return min(choices, key=lambda each: (abs(each - head), each), default=0)

    def move(self, k: int, head: int) -> None:
        """Give an arc another head, and count its crossings again."""
        word = self.dependents[k]
        self.crossings[self.crossed(k)] -= 1
        self.heads[k] = head
        self.routes.setdefault(k, head)
        self.low[k], self.high[k] = min(head, word), max(head, word)
        crossed = self.crossed(k)
        self.crossings[k] = np.count_nonzero(crossed)
        self.crossings[crossed] += 1
        changed = np.flatnonzero(crossed & (self.crossings == 1)).tolist()
        for j in (*changed, k):
            if j < self.count and self.crossings[j] and self.heads[j]:
                heappush(self.waiting, self.rank(j))
