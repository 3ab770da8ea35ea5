from crossarc.core.typedefs cimport label_t, token_t, uint32_t
from crossarc.transitions.plan cimport (
    NO_ROOTS, cost_of_left_arc, cost_of_right_arc, count_ahead, count_behind, gold_between, plan_arcs,
)
from crossarc.transitions.state cimport State, add_arc, buffer_at, connected, stack_at
from crossarc.transitions.system cimport Gold, TransitionSystem

cdef enum:
    SHIFT, REDUCE, LEFT_ARC, RIGHT_ARC


cdef class Planar(TransitionSystem):
    """Planar trees (Gomez-Rodriguez and Nivre 2010).

    start      ([], 1 ... n, {})
    SHIFT      (S, i|B, A)    =>  (S|i, B, A)
    REDUCE     (S|i, B, A)    =>  (S, B, A)
    LEFT-ARC   (S|i, j|B, A)  =>  (S|i, j|B, A + j->i)   if i has no head and i, j are not connected
    RIGHT-ARC  (S|i, j|B, A)  =>  (S|i, j|B, A + i->j)   if j has no head and i, j are not connected
    end        (S, [], A)

    Words left without a head go under node 0, or with one root that of the largest part, which takes the others. Costs
    count the arcs that a move makes impossible by itself; that is exact on the gold path.
    """

    def __cinit__(self, **options):
        self.name = "planar"
        self.moves = ("SHIFT", "REDUCE", "LEFT-ARC", "RIGHT-ARC")
        self.labelled = (False, False, True, True)
        self.joins_buffer = True
        self.covers = "planar"

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef uint32_t moves = 1 << SHIFT
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
            state.front += 1
        elif move == REDUCE:
            state.depth -= 1
        elif move == LEFT_ARC:
            add_arc(state, j, i, label)
        else:
            add_arc(state, i, j, label)

    cdef void prepare(self, Gold* gold) noexcept nogil:
        plan_arcs(gold, 1, NO_ROOTS)

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Arcs as soon as they can be; REDUCE to reach those of the first word further down."""
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef token_t dependent
        if i < 0:
            return SHIFT
        dependent = gold_between(state, gold, i, j, False)
        if dependent >= 0:
            return LEFT_ARC if dependent == i else RIGHT_ARC
        return REDUCE if count_behind(state, gold, j, 0, False) else SHIFT

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        costs[SHIFT] = count_behind(state, gold, j, 0, False)
        costs[REDUCE] = costs[LEFT_ARC] = costs[RIGHT_ARC] = 0
        if i >= 0:
            costs[REDUCE] = count_ahead(state, gold, i, j, 0, False)
            costs[LEFT_ARC] = cost_of_left_arc(state, gold, i, j)
            costs[RIGHT_ARC] = cost_of_right_arc(state, gold, i, j)

    cdef label_t gold_label(self, State* state, const Gold* gold, token_t move) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        if move == LEFT_ARC and gold.heads[i] == j:
            return gold.labels[i]
        return gold.labels[j] if move == RIGHT_ARC and gold.heads[j] == i else -1
