from crossarc.core.typedefs cimport label_t, token_t, uint32_t
from crossarc.transitions.plan cimport (
    NO_ROOTS, cost_of_left_arc, cost_of_right_arc, count_ahead, count_behind, gold_between, plan_arcs,
)
from crossarc.transitions.state cimport State, add_arc, buffer_at, connected, stack_at
from crossarc.transitions.system cimport Gold, TransitionSystem

cdef enum:
    SHIFT, REDUCE, LEFT_ARC, RIGHT_ARC, SWITCH


cdef class TwoPlanar(TransitionSystem):
    """Two-planar trees (Gomez-Rodriguez and Nivre 2010).

    start      ([], [], 1 ... n, {})
    SHIFT      (S0, S1, i|B, A)    =>  (S0|i, S1|i, B, A)
    REDUCE     (S0|i, S1, B, A)    =>  (S0, S1, B, A)
    LEFT-ARC   (S0|i, S1, j|B, A)  =>  (S0|i, S1, j|B, A + j->i)   if i has no head and i, j are not connected
    RIGHT-ARC  (S0|i, S1, j|B, A)  =>  (S0|i, S1, j|B, A + i->j)   if j has no head and i, j are not connected
    SWITCH     (S0, S1, B, A)      =>  (S1, S0, B, A)              if the last move was not SWITCH
    end        (S0, S1, [], A)

    The oracle gives each arc one of two planes, plane 0 being that of the stack that is active first. Words left
    without a head are treated as in the planar system. Costs count the arcs that a move makes impossible in their
    planes by itself; SWITCH is free if the first word has arcs to come in the other plane. On the gold path that is
    exact.
    """

    def __cinit__(self, **options):
        self.name = "two-planar"
        self.moves = ("SHIFT", "REDUCE", "LEFT-ARC", "RIGHT-ARC", "SWITCH")
        self.labelled = (False, False, True, True, False)
        self.joins_buffer = True
        self.covers = "two-planar"

    cdef void start(self, State* state) noexcept nogil:
        # The stack that comes first in memory is that of plane 0.
        if state.stack > state.stack2:
            state.stack, state.stack2 = state.stack2, state.stack

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef uint32_t moves = 1 << SHIFT
        if state.last_move != SWITCH:
            moves |= 1 << SWITCH
        if i < 0:
            return moves
        moves |= 1 << REDUCE
        if not connected(state, i, j):
            if state.heads[i] < 0:
                moves |= 1 << LEFT_ARC
            if state.heads[j] < 0:
                moves |= 1 << RIGHT_ARC
        return moves

    cdef void apply(self, State* state, token_t move, label_t label) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        if move == SHIFT:
            state.stack[state.depth] = j
            state.depth += 1
            state.stack2[state.depth2] = j
            state.depth2 += 1
            state.front += 1
        elif move == REDUCE:
            state.depth -= 1
        elif move == SWITCH:
            state.stack, state.stack2 = state.stack2, state.stack
            state.depth, state.depth2 = state.depth2, state.depth
        elif move == LEFT_ARC:
            add_arc(state, j, i, label)
        else:
            add_arc(state, i, j, label)

    cdef void prepare(self, Gold* gold) noexcept nogil:
        plan_arcs(gold, 2, NO_ROOTS)

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Arcs as soon as they can be; REDUCE and SWITCH to reach those of the first word, this plane's before."""
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef token_t plane = state.stack > state.stack2
        cdef token_t dependent = -1
        if i >= 0:
            dependent = gold_between(state, gold, i, j, False)
        if dependent >= 0:
            return LEFT_ARC if dependent == i else RIGHT_ARC
        if count_behind(state, gold, j, plane, False):
            return REDUCE
        if state.last_move != SWITCH and count_behind(state, gold, j, 1 - plane, False):
            return SWITCH
        return SHIFT

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef token_t plane = state.stack > state.stack2
        cdef token_t here = count_behind(state, gold, j, plane, False)
        cdef token_t there = count_behind(state, gold, j, 1 - plane, False)
        costs[SHIFT] = here + there
        costs[SWITCH] = there == 0
        costs[REDUCE] = costs[LEFT_ARC] = costs[RIGHT_ARC] = 0
        if i >= 0:
            costs[REDUCE] = count_ahead(state, gold, i, j, plane, False)
            costs[LEFT_ARC] = cost_of_left_arc(state, gold, i, j)
            costs[RIGHT_ARC] = cost_of_right_arc(state, gold, i, j)

    cdef label_t gold_label(self, State* state, const Gold* gold, token_t move) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        if move == LEFT_ARC and gold.heads[i] == j:
            return gold.labels[i]
        return gold.labels[j] if move == RIGHT_ARC and gold.heads[j] == i else -1
