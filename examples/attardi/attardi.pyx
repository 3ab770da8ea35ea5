"""Attardi's transition system as a package of its own: the system and a preset, which entry points make known."""
from crossarc.core.typedefs cimport CROSSARC_PXD_VERSION, token_t, uint32_t
from crossarc.transitions.state cimport Arc, State, arc_to, shift, stack_at
from crossarc.transitions.system cimport Gold, TransitionSystem, is_complete, list_children

from crossarc.core import PXD_VERSION
from crossarc.parsers import Preset

if PXD_VERSION != CROSSARC_PXD_VERSION:
    raise ImportError("attardi was built with another version of crossarc; build it again")

PRESET = Preset(
    family="moves",
    builds="nearly all",
    notes="arcs that skip a word of the stack",
    settings={"system": "attardi", "features": "stack", "explore": 0.0},
)


cdef enum:
    SHIFT, LEFT, RIGHT, LEFT_2, RIGHT_2


cdef class Attardi(TransitionSystem):
    """Trees of degree 2 (Attardi 2006), in the form of Cohen, Gomez-Rodriguez and Satta (2011).

    start      ([0], 1 ... n, {})
    SHIFT      (S, i|B, A)      =>  (S|i, B, A)
    LEFT       (S|i|j, B, A)    =>  (S|j, B, A + j->i)       if i is not 0
    RIGHT      (S|i|j, B, A)    =>  (S|i, B, A + i->j)       with one root: if i is 0, only as the last move
    LEFT-2     (S|i|j|k, B, A)  =>  (S|j|k, B, A + k->i)     if i is not 0
    RIGHT-2    (S|i|j|k, B, A)  =>  (S|i|j, B, A + i->k)     with one root: if i is not 0
    end        ([0], [], A)

    The oracle makes a gold arc as soon as its dependent has all its own dependents. That never loses an arc: the
    dependent is needed no more, and without it the other nodes of the stack are as near to each other, or nearer. So
    it rebuilds each tree that some moves can build.
    """

    def __cinit__(self, **options):
        self.name = "attardi"
        self.moves = ("SHIFT", "LEFT", "RIGHT", "LEFT-2", "RIGHT-2")
        self.labelled = (False, True, True, True, True)
        self.root_on_stack = True
        self.memory = "stack"
        self.covers = "degree 2"

    cdef bint is_final(self, const State* state) noexcept nogil:
        return state.front >= state.end and state.depth <= 1

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef bint shifts = state.front < state.end
        # The depth at which the head is not node 0, which is at the bottom.
        cdef uint32_t moves = (state.depth > 2) << LEFT | (state.depth > 3) << LEFT_2
        moves |= shifts << SHIFT | (state.depth > 1 + (self.single_root and shifts)) << RIGHT
        return moves | (state.depth > 2 + self.single_root) << RIGHT_2

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        cdef token_t top = stack_at(state, 0)
        cdef token_t other = stack_at(state, 2 if move in (LEFT_2, RIGHT_2) else 1)
        if move == SHIFT:
            return arc_to(-1, -1)
        return arc_to(top, other) if move in (LEFT, LEFT_2) else arc_to(other, top)

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        if move == SHIFT:
            shift(state)
            return
        state.depth -= 1
        # What is above a dependent on the left moves down.
        if move == LEFT_2:
            state.stack[state.depth - 2] = state.stack[state.depth - 1]
        if move in (LEFT, LEFT_2):
            state.stack[state.depth - 1] = state.stack[state.depth]

    cdef void prepare(self, Gold* gold) noexcept nogil:
        list_children(gold)

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        cdef uint32_t moves = self.legal(state)
        cdef token_t move
        cdef Arc arc
        for move in range(LEFT, RIGHT_2 + 1):
            if moves >> move & 1:
                arc = self.arc_of(state, move)
                if gold.heads[arc.dependent] == arc.head and is_complete(state, gold, arc.dependent):
                    return move
        # Without words in the buffer the tree is not of degree 2, and RIGHT leads to an end.
        return SHIFT if moves >> SHIFT & 1 else RIGHT
