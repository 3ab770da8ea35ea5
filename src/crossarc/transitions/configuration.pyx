"""A configuration for Python, for the oracle command and for tests."""
import numpy as np

from crossarc.core.typedefs cimport label_t, token_t
from crossarc.transitions.state cimport Arc, State, add_head, copy_state, reserve_arcs

from crossarc.core.arrays import as_int32
from crossarc.errors import StructureError
from crossarc.structure.trees import checked_heads, describe_fault


def checked_labels(labels, size):
    """Labels as a contiguous int32 array, one for each of `size` heads."""
    array = as_int32(labels, "labels", StructureError)
    if array.shape != (size,):
        raise StructureError(f"{size} heads need as many labels, not an array of shape {array.shape}")
    return array


cdef class Configuration:
    """A state of a system over n words, and the gold tree if there is one. Moves are numbers, as in `system.moves`.

    Systems that build graphs take the arcs of the gold graph, each as (head, dependent, label), and n instead.

    >>> from crossarc.transitions.stack_systems import ArcHybrid
    >>> c = Configuration(ArcHybrid(), [-1, 2, 0])
    >>> c.apply(c.oracle())
    >>> c.stack, c.buffer, [c.system.moves[move] for move in c.legal()]
    ([0, 1], [2], ['SHIFT', 'LEFT-ARC'])
    """
    cdef readonly TransitionSystem system
    cdef Workspace work
    cdef State* state
    cdef Gold* tree
    cdef const token_t[::1] gold_heads
    cdef const label_t[::1] gold_labels
    cdef GraphTargets graph

    def __cinit__(self, TransitionSystem system, heads=None, labels=None, *, arcs=None, token_t n=0):
        self.system = system
        self.work = Workspace(1)
        self.state = &self.work.state
        self.tree = &self.work.gold
        if system.several_heads:
            table = np.array(sorted(arcs or [], key=lambda arc: arc[1]), dtype=np.int32).reshape(-1, 3)
            heads, dependents, labels = (np.ascontiguousarray(column) for column in table.T)
            self.graph = GraphTargets(heads, dependents, labels, [0, len(table)], [0, n + 1])
            self.graph.begin(system, self.work, 0)
            return
        self.gold_heads = checked_heads(heads)
        labels = np.zeros(len(heads), dtype=np.int32) if labels is None else labels
        self.gold_labels = checked_labels(labels, len(heads))
        n = <token_t>self.gold_heads.shape[0] - 1
        self.work.reserve(n)
        self.work.set_gold(n, &self.gold_heads[0], &self.gold_labels[0])
        if not is_gold_tree(self.tree):
            raise StructureError(describe_fault(heads))
        self.work.begin_gold(system, n, &self.gold_heads[0], &self.gold_labels[0])

    def copy(self):
        """Return a copy that can go on by other moves."""
        cdef Configuration other
        if self.system.several_heads:
            other = Configuration(self.system, arcs=self.gold_arcs, n=self.tree.n)
        else:
            other = Configuration(self.system, self.gold_heads, self.gold_labels)
        copy_state(other.state, self.state)
        return other

    def is_final(self):
        """Whether no move is left to make."""
        return bool(self.system.is_final(self.state))

    def legal(self):
        """The legal moves."""
        cdef token_t moves = <token_t>self.system.legal(self.state)
        return [move for move in range(MOVES) if moves >> move & 1]

    def apply(self, token_t move, label_t label=0):
        """Make a legal move."""
        if move not in self.legal():
            raise ValueError(f"{self.system.name}: {self.system.moves[move]} is not legal here")
        make(self.system, self.state, move, label)

    def arc_of(self, token_t move):
        """The head and the dependent of the arc that a legal move makes, None if it makes none.

        A link has its left node as the head.
        """
        cdef Arc arc = self.system.arc_of(self.state, move)
        return (arc.head, arc.dependent) if arc.head >= 0 else None

    def add_head(self, token_t head, token_t dependent, label_t label=0):
        """Add an arc that no move makes; the dependent may have other heads, and other arcs from the same head."""
        if not (0 <= head <= self.state.n and 0 < dependent <= self.state.n):
            raise ValueError(f"an arc from {head} to {dependent} in a sentence of {self.state.n} words")
        if self.state.arcs == self.state.arc_room:
            reserve_arcs(self.state, 2 * self.state.arc_room)
        add_head(self.state, head, dependent, label)

    def arcs_with(self, token_t node):
        """The arcs that `add_head` and links made with a node, the last one first, as in `arcs`."""
        arcs = self.arcs
        found = []
        cdef token_t k = self.state.arc_first[node]
        while k >= 0:
            found.append(arcs[k])
            k = self.state.arc_next[2 * k + (self.state.arc_dependent[k] == node)]
        return found

    def finish(self, label_t root_label=0):
        """Make a tree or a graph of what was built."""
        reserve_arcs(self.state, self.state.arcs + self.state.n)
        self.system.finish(self.state, root_label)

    def oracle(self):
        """The gold move."""
        return self.system.oracle(self.state, self.tree)

    def gold_label(self, token_t move):
        """The label of the gold arc that a move makes, -1 if it makes none."""
        return gold_label(self.system, self.state, self.tree, move)

    def costs(self):
        """The cost of each legal move, by move."""
        cdef token_t[MOVES] costs
        self.system.costs(self.state, self.tree, costs)
        return {move: costs[move] for move in self.legal()}

    @property
    def gold(self):
        return [self.gold_heads[k] for k in range(self.tree.n + 1)]

    @property
    def gold_arcs(self):
        """The arcs of the gold graph: head, dependent, label."""
        tree = self.tree
        return [(tree.arc_heads[k], tree.arc_dependents[k], tree.arc_labels[k]) for k in range(tree.arcs)]

    @property
    def planned(self):
        """The plane of each arc as the oracle planned it, in planar, 2-planar and undirected Covington systems."""
        return [self.tree.extra[k] for k in range(self.tree.n + 1)]

    @property
    def stack(self):
        return [self.state.stack[k] for k in range(self.state.depth)]

    @property
    def stack2(self):
        return [self.state.stack2[k] for k in range(self.state.depth2)]

    @property
    def left(self):
        """The last node of the first list of Covington's systems."""
        return self.state.left

    @property
    def buffer(self):
        return [self.state.queue[k] for k in range(self.state.front, self.state.end)]

    @property
    def heads(self):
        return [self.state.heads[k] for k in range(self.state.n + 1)]

    @property
    def labels(self):
        return [self.state.labels[k] for k in range(self.state.n + 1)]

    @property
    def arcs(self):
        """All arcs, or links, in the order in which they were made: head, dependent, label."""
        return [
            (self.state.arc_head[k], self.state.arc_dependent[k], self.state.arc_label[k])
            for k in range(self.state.arcs)
        ]

    @property
    def links(self):
        """The arcs of an undirected system: the left node, the right one, label."""
        return [] if self.system.directed else self.arcs
