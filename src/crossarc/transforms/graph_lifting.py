"""Pseudo-projective graphs: graphs with crossing arcs for parsers that build projective ones.

Nivre and Nilsson (2005) lift arcs of trees; Sagae and Tsujii (2008), section 2.3, those of graphs. The shortest arc
that crosses another one, not counting arcs of node 0, moves to the nearest head of its head, or to node 0 where there
is none, until no arcs cross. The label of a lifted arc names a label of the head that it had: `acl↑obj` is an `acl`
whose head was an `obj`. `decode` searches below the present head, breadth-first, for a word with that label, and
takes the one that is nearest to the dependent of the first level that has any. It moves the longest arcs first, since
they were lifted last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import UnknownName
from crossarc.structure import is_projective_graph
from crossarc.transforms.marks import Marks, arc_order
from crossarc.transforms.pseudo_projective import MARK
from crossarc.treebank.graph import Arc, Graph

ORDERS = ("shortest", "root-last")
MARKS = Marks({MARK: "1"})
# Bounds that keep sentences of thousands of words fast. After so many lifts in one sentence arcs are lifted to node 0 at
# once; after so many words looked at, arcs are not put back.
LIFT_LIMIT = 50_000
SEARCH_LIMIT = 2_000_000


class GraphLifting:
    """Makes graphs projective by lifting arcs, and puts the arcs back.

    With the order "shortest" the shortest crossing arc is lifted first. With "root-last" arcs that would go to node 0
    wait until only such arcs cross, so far fewer arcs end there. Equally short arcs are lifted from left to right.

    A word without a head counts as if it had an arc from node 0, so that no arc covers it. Of the labels of the old
    head, `encode` writes the first one with which `decode` finds the head again; if there is none, the label of the
    nearest head of that head. Two lifted arcs that would be equal get different labels, `acl↑obj` and `acl↑obj↑2`.

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

    def __init__(self, order: str = "shortest", *, acyclic: bool = True) -> None:
        if order not in ORDERS:
            raise UnknownName("order of lifting", order, ORDERS)
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
        lifted, routes = lift(n, heads, dependents, root_last=self.order == "root-last")
        moved = [(head, *arc[1:]) for head, arc in zip(lifted, given, strict=True)]
        self.losses["arcs_lifted"] += len(routes)
        self.losses["lifted_to_root"] += sum(lifted[k] == 0 for k in routes)
        return sorted(self.mark(n, given, moved, routes), key=arc_order)

    def mark(self, n: int, given: list[Arc], moved: list[Arc], routes: dict[int, int]) -> list[Arc]:
        """The lifted arcs with marked labels; `routes` has for each of them the first head that it was lifted to."""
        search = Search(n, moved, acyclic=self.acyclic)
        used = set(moved)
        for k in search.order(routes):
            head, dependent, own = moved[k]
            old = given[k][0]
            names = list(dict.fromkeys(search.names(old, routes[k])))
            found = [search.find(k, name) for name in names]
            right = found.index(old) if old in found else 0
            label = own + MARK + names[right]
            if (head, dependent, label) in used:
                numbers = (f"{label}{MARK}{number}" for number in range(2, len(moved) + 2))
                label = next(each for each in numbers if (head, dependent, each) not in used)
            moved[k] = (head, dependent, label)
            used.add(moved[k])
            if found[right] != old:
                self.losses["lifted_elsewhere"] += 1
            if found[right] is not None:
                search.move(k, found[right])
        return moved

    def decode(self, n: int, arcs: Iterable[Arc]) -> list[Arc]:
        """The arcs with lifted ones put back and without marks; arcs with nowhere to go stay where they are."""
        given = sorted(set(arcs), key=arc_order)
        targets: dict[int, str] = {}
        plain: list[Arc] = []
        for k, (head, dependent, label) in enumerate(given):
            own, mark, target = label.partition(MARK)
            if mark:
                targets[k] = target.partition(MARK)[0]
            plain.append((head, dependent, own))
        if targets:
            search = Search(n, plain, acyclic=self.acyclic)
            for k in search.order(targets):
                found = search.find(k, targets[k])
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

    def find(self, k: int, name: str) -> int | None:
        """The word with the label that becomes the head of an arc: the least deep ones, of these the nearest."""
        head, dependent, own = self.arcs[k]
        if self.looked_at > SEARCH_LIMIT:
            return None
        for level in self.levels_below(head, without=dependent):
            fit = [node for node in level if name in self.labels[node] and (node, dependent, own) not in self.present]
            for node in sorted(fit, key=lambda node: (abs(node - dependent), node)):
                if not self.acyclic or not self.leads(dependent, node):
                    return node
        return None

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


def lift(
    n: int, heads: NDArray[np.int32], dependents: NDArray[np.int32], *, root_last: bool = False
) -> tuple[list[int], dict[int, int]]:
    """The heads after lifting, and for each lifted arc the first head that it was lifted to."""
    count = len(heads)
    bare = np.setdiff1d(np.arange(1, n + 1), dependents)
    current = heads.tolist()
    ends = dependents.tolist()
    low = np.concatenate([np.minimum(heads, dependents), np.zeros(len(bare), np.int32)])
    high = np.concatenate([np.maximum(heads, dependents), bare.astype(np.int32)])
    into: list[list[int]] = [[] for _ in range(n + 1)]
    for k, word in enumerate(ends):
        into[word].append(k)

    def crossed(k: int) -> NDArray[np.bool_]:
        left, right = low[k], high[k]
        starts = (low > left) & (low < right)
        stops = (high > left) & (high < right)
        return (starts & (high > right)) | (stops & (low < left))

    def entry(k: int) -> tuple[bool, int, int, int]:
        """What decides about the arc that is lifted next."""
        last = root_last and not any(current[j] for j in into[current[k]])
        return last, int(high[k] - low[k]), int(low[k]), k

    crossings = np.array([np.count_nonzero(crossed(k)) for k in range(len(low))])
    waiting = [entry(k) for k in range(count) if crossings[k] and current[k]]
    heapify(waiting)
    routes: dict[int, int] = {}
    passed: dict[int, set[int]] = {}
    lifts = 0
    while waiting:
        first = heappop(waiting)
        k = first[-1]
        if not crossings[k] or not current[k]:
            continue
        if first != entry(k):  # it was lifted, or its head was
            heappush(waiting, entry(k))
            continue
        head, word = current[k], ends[k]
        met = passed.setdefault(k, {word})  # in graphs with cycles an arc must not come back to where it was
        met.add(head)
        choices = (current[j] for j in into[head] if current[j] and current[j] not in met)
        above = min(choices, key=lambda each: (abs(each - head), each), default=0) if lifts < LIFT_LIMIT else 0
        lifts += 1
        crossings[crossed(k)] -= 1
        current[k] = above
        routes.setdefault(k, above)
        low[k], high[k] = min(above, word), max(above, word)
        mask = crossed(k)
        crossings[k] = np.count_nonzero(mask)
        crossings[mask] += 1
        for j in np.flatnonzero(mask & (crossings == 1)).tolist():
            if j < count and current[j]:
                heappush(waiting, entry(j))
        if crossings[k] and above:
            heappush(waiting, entry(k))
    return current, routes
