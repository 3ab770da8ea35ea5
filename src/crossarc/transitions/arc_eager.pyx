from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.system cimport Gold, TransitionSystem, first_child, is_on_stack, list_children, next_child
from crossarc.transitions.state cimport Arc, State, arc_to, buffer_at, shift, stack_at


cdef enum:
    REDUCE = 3
    UNSHIFT = 4


cdef class ArcEager(TransitionSystem):
    """Projective trees, arc-eager (Nivre 2003; oracle of Goldberg and Nivre 2012).

    start      ([0], 1 ... n, {})
    SHIFT      (S, i|B, A)    =>  (S|i, B, A)             if i did not come back by UNSHIFT
    LEFT-ARC   (S|i, j|B, A)  =>  (S, j|B, A + j->i)      if i is not 0 and has no head
    RIGHT-ARC  (S|i, j|B, A)  =>  (S|i|j, B, A + i->j)    with one root: not from 0 if that has a dependent
    REDUCE     (S|i, B, A)    =>  (S, B, A)               if i has a head; with one root: if that is not 0
    UNSHIFT    (S|i, [], A)   =>  (S, [i], A)             if i has no head
    end        (S, [], A) once every word has a head

    UNSHIFT (Nivre and Fernandez-Gonzalez 2014) brings words without a head back at the end, so the result is a tree.
    With one root, the root word stays on the stack so that later words can attach to it. Costs are exact for the arcs
    that can be built before the first UNSHIFT.
    """

    def __cinit__(self, **options):
        self.name = "arc-eager"
        self.moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "REDUCE", "UNSHIFT")
        self.labelled = (False, True, True, False, False)
        self.root_on_stack = True
        self.covers = "projective"
        self.exact_costs = True

    cdef bint is_final(self, const State* state) noexcept nogil:
        return state.front >= state.end and state.arcs == state.n

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef token_t top = stack_at(state, 0)
        cdef bint headed = top == 0 or state.heads[top] >= 0
        cdef uint32_t moves = 0
        if top > 0 and headed and not (self.single_root and state.heads[top] == 0):
            moves |= 1 << REDUCE
        if state.front >= state.end:
            return moves if headed else 1 << UNSHIFT
        if not state.unshifted:
            moves |= 1 << SHIFT
        if not headed:
            moves |= 1 << LEFT_ARC
        if top > 0 or not (self.single_root and state.roots):
            moves |= 1 << RIGHT_ARC
        return moves

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        if move == LEFT_ARC:
            return arc_to(buffer_at(state, 0), stack_at(state, 0))
        return arc_to(stack_at(state, 0) if move == RIGHT_ARC else -1, buffer_at(state, 0))

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        if move == SHIFT or move == RIGHT_ARC:
            shift(state)
            return
        if move == UNSHIFT:
            state.front -= 1
            state.queue[state.front] = stack_at(state, 0)
            state.unshifted = True
        state.depth -= 1

    cdef void prepare(self, Gold* gold) noexcept nogil:
        list_children(gold)

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """LEFT-ARC and RIGHT-ARC when they are gold; REDUCE when the first word belongs with a node further down."""
        cdef token_t top = stack_at(state, 0)
        cdef token_t first = buffer_at(state, 0)
        cdef uint32_t moves = self.legal(state)
        if first < 0:
            return REDUCE if moves & 1 << REDUCE else UNSHIFT
        if moves & 1 << LEFT_ARC and gold.heads[top] == first:
            return self.cheapest(state, gold, LEFT_ARC)
        if moves & 1 << RIGHT_ARC and gold.heads[first] == top:
            return self.cheapest(state, gold, RIGHT_ARC)
        if moves & 1 << REDUCE and not count_later(state, gold, top, first) and (
            count_below(state, gold, first, self.single_root) or not moves & 1 << SHIFT
        ):
            return REDUCE
        return self.cheapest(state, gold, SHIFT)

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        """An arc can be built while one end is in the buffer, the other there or stacked, and the dependent is free."""
        cdef token_t top = stack_at(state, 0)
        cdef token_t first = buffer_at(state, 0)
        cdef token_t lost, root
        costs[SHIFT] = costs[LEFT_ARC] = costs[RIGHT_ARC] = costs[REDUCE] = costs[UNSHIFT] = 0
        if first < 0:
            return
        costs[REDUCE] = count_later(state, gold, top, first)
        costs[LEFT_ARC] = costs[REDUCE] + (gold.heads[top] > first and not state.unshifted)
        lost = count_below(state, gold, first, self.single_root)
        costs[SHIFT] = lost
        costs[RIGHT_ARC] = lost + (gold.heads[first] > first and not state.unshifted) - (
            gold.heads[first] == top and (top > 0 or not (self.single_root and state.roots))
        )
        if self.single_root and top == 0:
            # The one arc from node 0 goes to this word or to a later one.
            root = first_child(gold, 0)
            while root >= 0:
                if root > first:
                    costs[RIGHT_ARC] += 1
                    break
                root = next_child(gold, root)


cdef inline token_t count_later(const State* state, const Gold* gold, token_t node, token_t first) noexcept nogil:
    """The gold dependents of a node in the buffer, which begins with `first`; an unshifted word is alone there."""
    cdef token_t child = first_child(gold, node)
    cdef token_t count = 0
    while child >= 0:
        count += child == first or (child > first and not state.unshifted)
        child = next_child(gold, child)
    return count


cdef inline token_t count_below(const State* state, const Gold* gold, token_t first, bint one_root) noexcept nogil:
    """The gold arcs between the first word of the buffer and the stack that can still be built."""
    cdef token_t head = gold.heads[first]
    cdef token_t child = first_child(gold, first)
    cdef token_t count = head < first and is_on_stack(state.stack, state.depth, head)
    if head == 0 and one_root and state.roots:
        count = 0
    while 0 <= child < first:
        # Words that were read and have no head are on the stack.
        count += state.heads[child] < 0
        child = next_child(gold, child)
    return count
