"""A configuration for Python: what the oracle command prints and what tests explore."""

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from crossarc.core.typedefs cimport label_t, token_t
from crossarc.transitions.plan cimport is_gold_tree
from crossarc.transitions.state cimport State, copy_state, release_state, reserve_state, reset_state
from crossarc.transitions.system cimport MOVES, Gold, TransitionSystem

from crossarc.errors import StructureError
from crossarc.structure.trees import describe_fault
from crossarc.structure.workspace import checked_heads
from crossarc.transitions.derivation import checked_labels


cdef class Configuration:
    """A state of a system over n words, and the gold tree if there is one. Moves are numbers, as in `system.moves`.

    >>> from crossarc.transitions.arc_hybrid import ArcHybrid
    >>> c = Configuration(ArcHybrid(), [-1, 2, 0])
    >>> c.apply(c.oracle())
    >>> c.stack, c.buffer, [c.system.moves[move] for move in c.legal()]
    ([0, 1], [2], ['SHIFT', 'LEFT-ARC'])
    """
    cdef readonly TransitionSystem system
    cdef State state
    cdef Gold tree
    cdef const token_t[::1] gold_heads
    cdef const label_t[::1] gold_labels

    def __cinit__(self, TransitionSystem system, heads, labels=None):
        self.system = system
        self.gold_heads = checked_heads(heads)
        labels = np.zeros(len(heads), dtype=np.int32) if labels is None else labels
        self.gold_labels = checked_labels(labels, len(heads))
        cdef token_t n = <token_t>self.gold_heads.shape[0] - 1
        memset(&self.state, 0, sizeof(State))
        self.tree.n = n
        self.tree.heads = &self.gold_heads[0]
        self.tree.labels = &self.gold_labels[0]
        self.tree.extra = <token_t*>malloc((n + 1) * 9 * sizeof(token_t))
        if self.tree.extra == NULL:
            raise MemoryError
        self.tree.scratch = self.tree.extra + n + 1
        reserve_state(&self.state, n, 1)
        reset_state(&self.state, n)
        if not is_gold_tree(&self.tree):
            raise StructureError(describe_fault(heads))
        system.prepare(&self.tree)
        system.start(&self.state)

    def __dealloc__(self):
        free(self.tree.extra)
        release_state(&self.state)

    def copy(self):
        """The same configuration, to go another way from."""
        cdef Configuration other = Configuration(self.system, self.gold_heads, self.gold_labels)
        copy_state(&other.state, &self.state)
        return other

    def is_final(self):
        """Whether no move is left to make."""
        return bool(self.system.is_final(&self.state))

    def legal(self):
        """The legal moves."""
        cdef token_t moves = <token_t>self.system.legal(&self.state)
        return [move for move in range(MOVES) if moves >> move & 1]

    def apply(self, token_t move, label_t label=0):
        """Make a legal move."""
        if move not in self.legal():
            raise ValueError(f"{self.system.name}: {self.system.moves[move]} is not legal here")
        self.system.apply(&self.state, move, label)
        self.state.last_move = move
        self.state.moves += 1

    def finish(self, label_t root_label=0):
        """Make a tree of what was built."""
        self.system.finish(&self.state, root_label)

    def oracle(self):
        """The gold move."""
        return self.system.oracle(&self.state, &self.tree)

    def gold_label(self, token_t move):
        """The label of the gold arc that a move makes, -1 if it makes none."""
        return self.system.gold_label(&self.state, &self.tree, move)

    def costs(self):
        """The cost of each legal move, by move."""
        cdef token_t[MOVES] costs
        self.system.costs(&self.state, &self.tree, costs)
        return {move: costs[move] for move in self.legal()}

    @property
    def gold(self):
        return [self.gold_heads[k] for k in range(self.tree.n + 1)]

    @property
    def planned(self):
        """The plane of each arc as the oracle planned it; of use for planar, 2-planar and Covington systems only."""
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
    def links(self):
        return [
            (self.state.link_left[k], self.state.link_right[k], self.state.link_label[k])
            for k in range(self.state.links)
        ]
