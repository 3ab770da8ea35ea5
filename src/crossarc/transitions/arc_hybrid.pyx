from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.state cimport Arc, State, arc_to, buffer_at, shift, stack_at
from crossarc.transitions.system cimport Gold, TransitionSystem


cdef class ArcHybrid(TransitionSystem):
    """Projective trees, arc-hybrid (Kuhlmann, Gomez-Rodriguez and Satta 2011; oracle of Goldberg and Nivre 2013).

    start      ([0], 1 ... n, {})
    SHIFT      (S, i|B, A)    =>  (S|i, B, A)
    LEFT-ARC   (S|i, j|B, A)  =>  (S, j|B, A + j->i)     if i is not 0
    RIGHT-ARC  (S|i|j, B, A)  =>  (S|i, B, A + i->j)     with one root: if i is 0, only as the last move
    end        ([0], [], A)
    """

    def __cinit__(self, **options):
        self.name = "arc-hybrid"
        self.moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC")
        self.labelled = (False, True, True)
        self.root_on_stack = True
        self.covers = "projective"
        self.exact_costs = True

    cdef bint is_final(self, const State* state) noexcept nogil:
        return state.front >= state.end and state.depth <= 1

    cdef uint32_t legal(self, State* state) noexcept nogil:
        return (shift_or_right_arc(state, self.single_root)
                | (state.depth > 1 and state.front < state.end) << LEFT_ARC)

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        if move == LEFT_ARC:
            return arc_to(buffer_at(state, 0), stack_at(state, 0))
        return arc_to(stack_at(state, 1) if move == RIGHT_ARC else -1, stack_at(state, 0))

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        if move == SHIFT:
            shift(state)
        else:
            state.depth -= 1

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        cdef token_t top = stack_at(state, 0)
        cdef token_t i
        if state.front >= state.end:
            return RIGHT_ARC
        if top > 0 and gold.heads[top] == buffer_at(state, 0):
            return self.cheapest(state, gold, LEFT_ARC)
        if state.depth > 1 and gold.heads[top] == stack_at(state, 1):
            for i in range(state.front, state.end):
                if gold.heads[state.queue[i]] == top:
                    return self.cheapest(state, gold, SHIFT)
            if not (self.single_root and state.depth == 2):
                return RIGHT_ARC
        return self.cheapest(state, gold, SHIFT)

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        """An arc can be built as long as its dependent is on the stack or in the buffer and meets its head there."""
        cdef token_t top = stack_at(state, 0)
        cdef token_t second = stack_at(state, 1)
        cdef token_t first = buffer_at(state, 0)
        cdef token_t i, node
        cdef token_t dependents = 0     # of the top, in the buffer
        cdef token_t lost = 0
        costs[SHIFT] = costs[LEFT_ARC] = costs[RIGHT_ARC] = 0
        if top > 0:
            for i in range(state.front, state.end):
                dependents += gold.heads[state.queue[i]] == top
            # The nodes of the buffer are in the order of the sentence.
            costs[LEFT_ARC] = dependents + (gold.heads[top] > first or gold.heads[top] == second)
            costs[RIGHT_ARC] = dependents + (gold.heads[top] >= first and first > 0)
        if first > 0:
            for i in range(state.depth):
                node = state.stack[i]
                lost += node > 0 and gold.heads[node] == first
                lost += gold.heads[first] == node and i < state.depth - 1
            costs[SHIFT] = lost
