from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.system cimport Gold, TransitionSystem, first_child, list_children, next_child
from crossarc.transitions.state cimport Arc, State, arc_to, shift, stack_at


cdef class ArcStandard(TransitionSystem):
    """Projective trees, arc-standard (Nivre 2004).

    start      ([0], 1 ... n, {})
    SHIFT      (S, i|B, A)    =>  (S|i, B, A)
    LEFT-ARC   (S|i|j, B, A)  =>  (S|j, B, A + j->i)     if i is not 0
    RIGHT-ARC  (S|i|j, B, A)  =>  (S|i, B, A + i->j)     with one root: if i is 0, only as the last move
    end        ([0], [], A)

    Costs are exact on the gold path; off it SHIFT counts only the arc between the two topmost nodes.
    """

    def __cinit__(self, **options):
        self.name = "arc-standard"
        self.moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC")
        self.labelled = (False, True, True)
        self.root_on_stack = True
        self.covers = "projective"

    cdef bint is_final(self, const State* state) noexcept nogil:
        return state.front >= state.end and state.depth <= 1

    cdef uint32_t legal(self, State* state) noexcept nogil:
        return shift_or_right_arc(state, self.single_root) | (state.depth > 2) << LEFT_ARC

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        if move == LEFT_ARC:
            return arc_to(stack_at(state, 0), stack_at(state, 1))
        return arc_to(stack_at(state, 1) if move == RIGHT_ARC else -1, stack_at(state, 0))

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        if move == SHIFT:
            shift(state)
            return
        state.depth -= 1
        if move == LEFT_ARC:
            state.stack[state.depth - 1] = state.stack[state.depth]

    cdef void prepare(self, Gold* gold) noexcept nogil:
        list_children(gold)

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Attach a word as soon as it has all its dependents."""
        cdef token_t top = stack_at(state, 0)
        cdef token_t second = stack_at(state, 1)
        if second > 0 and gold.heads[second] == top and not count_waiting(state, gold, second):
            return LEFT_ARC
        if second >= 0 and gold.heads[top] == second and not count_waiting(state, gold, top):
            if not (self.single_root and second == 0 and state.front < state.end):
                return RIGHT_ARC
        return self.cheapest(state, gold, SHIFT)

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        cdef token_t top = stack_at(state, 0)
        cdef token_t second = stack_at(state, 1)
        costs[SHIFT] = costs[LEFT_ARC] = costs[RIGHT_ARC] = 0
        if second < 0:
            return
        # A head that is still on the stack or in the buffer is lost; node 0 always is there.
        costs[LEFT_ARC] = count_waiting(state, gold, second)
        if second > 0 and gold.heads[second] != top:
            costs[LEFT_ARC] += gold.heads[second] == 0 or state.heads[gold.heads[second]] < 0
        costs[RIGHT_ARC] = count_waiting(state, gold, top)
        if gold.heads[top] != second:
            costs[RIGHT_ARC] += gold.heads[top] == 0 or state.heads[gold.heads[top]] < 0
        if gold.heads[top] == second or (second > 0 and gold.heads[second] == top):
            costs[SHIFT] = not waits_in_buffer(state, gold, top)
            if self.single_root and second == 0:
                costs[SHIFT] = 0


cdef inline token_t count_waiting(const State* state, const Gold* gold, token_t node) noexcept nogil:
    """The gold dependents of a node that have no head yet."""
    cdef token_t child = first_child(gold, node)
    cdef token_t count = 0
    while child >= 0:
        count += state.heads[child] < 0
        child = next_child(gold, child)
    return count


cdef inline bint waits_in_buffer(const State* state, const Gold* gold, token_t node) noexcept nogil:
    """Whether the buffer has a gold dependent of a node."""
    cdef token_t child = first_child(gold, node)
    while child >= 0:
        if state.front < state.end and child >= state.queue[state.front]:
            return True
        child = next_child(gold, child)
    return False
