from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.system cimport Gold, TransitionSystem, first_child, is_complete, list_children, next_child
from crossarc.transitions.state cimport State, buffer_at, stack_at


cdef enum:
    SWAP = 3


cdef class Swap(ArcStandard):
    """All trees, arc-standard with reordering (Nivre 2009; lazy oracle of Nivre, Kuhlmann and Hall 2009).

    start      ([0], 1 ... n, {})
    SHIFT      (S, i|B, A)    =>  (S|i, B, A)
    LEFT-ARC   (S|i|j, B, A)  =>  (S|j, B, A + j->i)     if i is not 0
    RIGHT-ARC  (S|i|j, B, A)  =>  (S|i, B, A + i->j)     with one root: if i is 0, only as the last move
    SWAP       (S|i|j, B, A)  =>  (S|j, i|B, A)          if 0 < i < j
    end        ([0], [], A)

    The oracle sorts the words into the order of an in-order traversal of the tree, in which it is projective, and
    swaps only where the top does not belong with the first word of the buffer to the same maximal projective component.
    """

    def __cinit__(self, **options):
        self.name = "swap"
        self.moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "SWAP")
        self.labelled = (False, True, True, False)
        self.covers = "all"

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef uint32_t moves = ArcStandard.legal(self, state)
        if state.depth > 2 and stack_at(state, 1) < stack_at(state, 0):
            moves |= 1 << SWAP
        return moves

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        if move != SWAP:
            ArcStandard.apply(self, state, move)
            return
        state.front -= 1
        state.queue[state.front] = stack_at(state, 1)
        state.depth -= 1
        state.stack[state.depth - 1] = state.stack[state.depth]

    cdef void prepare(self, Gold* gold) noexcept nogil:
        """`extra` gets the place of each word in the projective order, the third row of `scratch` its component."""
        list_children(gold)
        order_projectively(gold)
        join_projective(gold)

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        cdef token_t top = stack_at(state, 0)
        cdef token_t second = stack_at(state, 1)
        cdef token_t first = buffer_at(state, 0)
        cdef const token_t* component = gold.scratch + 2 * (gold.n + 1)
        if second > 0 and gold.heads[second] == top and is_complete(state, gold, second):
            return LEFT_ARC
        if second >= 0 and gold.heads[top] == second and is_complete(state, gold, top):
            if not (self.single_root and second == 0 and first >= 0):
                return RIGHT_ARC
        if 0 < second < top and gold.extra[top] < gold.extra[second]:
            if first < 0 or component[top] != component[first]:
                return SWAP
        return SHIFT if first >= 0 else RIGHT_ARC

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        TransitionSystem.costs(self, state, gold, costs)


cdef void order_projectively(Gold* gold) noexcept nogil:
    """Number the nodes in order: left dependents and what is below them, the node, right dependents. O(n)."""
    cdef token_t rows = gold.n + 1
    cdef token_t* size = gold.scratch + 3 * rows
    cdef token_t* begin = gold.scratch + 4 * rows
    cdef token_t* order = gold.scratch + 5 * rows
    cdef token_t found = 1
    cdef token_t place, node, child, at
    order[0] = 0
    for place in range(rows):
        size[place] = 1
        gold.extra[place] = place
    place = 0
    while place < found:
        child = first_child(gold, order[place])
        while child >= 0:
            order[found] = child
            found += 1
            child = next_child(gold, child)
        place += 1
    for place in range(found - 1, 0, -1):
        size[gold.heads[order[place]]] += size[order[place]]
    begin[0] = 0
    for place in range(found):
        node = order[place]
        at = begin[node]
        child = first_child(gold, node)
        while 0 <= child < node:
            begin[child] = at
            at += size[child]
            child = next_child(gold, child)
        gold.extra[node] = at
        at += 1
        while child >= 0:
            begin[child] = at
            at += size[child]
            child = next_child(gold, child)


cdef void join_projective(Gold* gold) noexcept nogil:
    """Name each maximal projective component, which arc-standard joins without swapping, by its top node. O(n)."""
    cdef token_t rows = gold.n + 1
    cdef token_t* component = gold.scratch + 2 * rows
    cdef token_t* waiting = gold.scratch + 3 * rows         # dependents not joined yet
    cdef token_t* stack = gold.scratch + 4 * rows
    cdef token_t depth = 0
    cdef token_t node, above
    for node in range(rows):
        waiting[node] = 0
        component[node] = node
    for node in range(1, rows):
        if gold.heads[node] >= 0:
            waiting[gold.heads[node]] += 1
    for node in range(rows):
        stack[depth] = node
        depth += 1
        while depth > 1:
            if gold.heads[stack[depth - 2]] == stack[depth - 1] and not waiting[stack[depth - 2]]:
                component[stack[depth - 2]] = stack[depth - 1]
                waiting[stack[depth - 1]] -= 1
                stack[depth - 2] = stack[depth - 1]
            elif gold.heads[stack[depth - 1]] == stack[depth - 2] and not waiting[stack[depth - 1]]:
                component[stack[depth - 1]] = stack[depth - 2]
                waiting[stack[depth - 2]] -= 1
            else:
                break
            depth -= 1
    # Each node points to the one it was joined to; point it to the last of that path.
    for node in range(rows):
        above = node
        while component[above] != above:
            component[above] = component[component[above]]
            above = component[above]
        component[node] = above
