from crossarc.core.typedefs cimport label_t, token_t, uint32_t
from crossarc.transitions.plan cimport (
    ALL_ROOTS, NO_ROOTS, UNCROSSED_ROOTS, cost_of_link, count_ahead, count_behind, gold_between, orient_links,
    plan_arcs,
)
from crossarc.transitions.state cimport State, add_link, buffer_at, connected, stack_at, start_with_root
from crossarc.transitions.system cimport Gold, TransitionSystem

cdef enum:
    SHIFT, REDUCE, ARC, SWITCH


cdef class TwoPlanarUndirected(TransitionSystem):
    """Two-planar trees without directions (Gomez-Rodriguez and Fernandez-Gonzalez 2012).

    start      ([], [], 0 ... n, {})
    SHIFT      (S0, S1, i|B, A)    =>  (S0|i, S1|i, B, A)
    REDUCE     (S0|i, S1, B, A)    =>  (S0, S1, B, A)
    ARC        (S0|i, S1, j|B, A)  =>  (S0|i, S1, j|B, A + i-j)    if i, j are not connected; with one root: 0 takes one
    SWITCH     (S0, S1, B, A)      =>  (S1, S0, B, A)              if the last move was not SWITCH
    end        (S0, S1, [], A)

    The oracle makes the links of the gold tree, those of node 0 with `root_links="uncrossed"` only where there is a
    plane for them. With "none", as in the paper's figure, the buffer begins with word 1. `finish` orients away from
    node 0. Costs are exact on the gold path.
    """

    def __cinit__(self, **options):
        self.name = "two-planar-undirected"
        self.moves = ("SHIFT", "REDUCE", "ARC", "SWITCH")
        self.labelled = (False, False, True, False)
        self.directed = False
        self.covers = "two-planar"

    cdef void start(self, State* state) noexcept nogil:
        # The stack that comes first in memory is that of plane 0.
        if state.stack > state.stack2:
            state.stack, state.stack2 = state.stack2, state.stack
        if self.reads_root:
            start_with_root(state)

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef uint32_t moves = 1 << SHIFT
        if state.last_move != SWITCH:
            moves |= 1 << SWITCH
        if i < 0:
            return moves
        moves |= 1 << REDUCE
        if not connected(state, i, j) and not (self.single_root and i == 0 and state.roots):
            moves |= 1 << ARC
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
        else:
            add_link(state, i, j, label)

    cdef void finish(self, State* state, label_t root_label) noexcept nogil:
        orient_links(state, self.single_root, root_label)

    cdef void prepare(self, Gold* gold) noexcept nogil:
        plan_arcs(
            gold, 2, ALL_ROOTS if self.all_root_links else UNCROSSED_ROOTS if self.reads_root else NO_ROOTS
        )

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Arcs as soon as they can be; REDUCE and SWITCH to reach those of the first word, this plane's before."""
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef token_t plane = state.stack > state.stack2
        cdef token_t dependent = -1
        if i >= 0:
            dependent = gold_between(state, gold, i, j, self.single_root)
        if dependent >= 0:
            return ARC
        if count_behind(state, gold, j, plane, self.single_root):
            return REDUCE
        if state.last_move == SWITCH:
            return SHIFT
        return SWITCH if count_behind(state, gold, j, 1 - plane, self.single_root) else SHIFT

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef token_t plane = state.stack > state.stack2
        cdef token_t here = count_behind(state, gold, j, plane, self.single_root)
        cdef token_t there = count_behind(state, gold, j, 1 - plane, self.single_root)
        costs[SHIFT] = here + there
        costs[SWITCH] = there == 0
        costs[REDUCE] = costs[ARC] = 0
        if i >= 0:
            costs[REDUCE] = count_ahead(state, gold, i, j, plane, self.single_root)
            costs[ARC] = cost_of_link(state, gold, i, j, self.single_root, False)

    cdef label_t gold_label(self, State* state, const Gold* gold, token_t move) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        if move == ARC and gold.heads[i] == j:
            return gold.labels[i]
        return gold.labels[j] if move == ARC and gold.heads[j] == i else -1
