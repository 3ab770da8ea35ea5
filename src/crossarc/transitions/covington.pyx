from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.pairs cimport LEFT_ARC, NO_ARC, RIGHT_ARC, SHIFT, arc_between, legal_arcs
from crossarc.transitions.system cimport LONG, Gold, TransitionSystem, first_child, list_children, look_back, next_child
from crossarc.transitions.state cimport Arc, State, buffer_at


cdef class Covington(TransitionSystem):
    """All trees, list-based (Covington 2001; Nivre 2008; oracle of Gomez-Rodriguez and Fernandez-Gonzalez 2015).

    start      ([], [], 1 ... n, {})
    SHIFT      (L1, L2, i|B, A)    =>  (L1 L2|i, [], B, A)
    NO-ARC     (L1|i, L2, B, A)    =>  (L1, i|L2, B, A)
    LEFT-ARC   (L1|i, L2, j|B, A)  =>  (L1, i|L2, j|B, A + j->i)   if i has no head and i, j are not connected
    RIGHT-ARC  (L1|i, L2, j|B, A)  =>  (L1, i|L2, j|B, A + i->j)   if j has no head and i, j are not connected
    end        (L1, L2, [], A)

    The lists hold the words in order, so the last word of L1 determines both. In sentences of over 1,000 words the
    system looks back 500 words, over 4,000 words fewer (`look_back`).
    Words left without a head are treated as in the planar system; a gold root word that gets no head counts as an arc.
    Costs are exact: one for each gold arc out of reach, and one for each cycle that the others would close.
    """

    def __cinit__(self, **options):
        self.name = "covington"
        self.moves = ("SHIFT", "NO-ARC", "LEFT-ARC", "RIGHT-ARC")
        self.labelled = (False, False, True, True)
        self.joins_buffer = True
        self.covers = "all"
        self.memory = "lists"
        self.first_node = 1
        self.long_sentence = LONG
        self.exact_costs = True

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef token_t i = state.left
        cdef token_t j = buffer_at(state, 0)
        if i <= self.none_left or j - i > look_back(state.n):
            return 1 << SHIFT
        return 1 << SHIFT | 1 << NO_ARC | legal_arcs(self, state, i, j)

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        return arc_between(self, state.left, buffer_at(state, 0), move)

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        state.left -= 1
        if move == SHIFT:
            state.left = buffer_at(state, 0)
            state.front += 1

    cdef void prepare(self, Gold* gold) noexcept nogil:
        list_children(gold)

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Arcs as soon as they can be made; NO-ARC as long as the first word has others further back."""
        cdef token_t i = state.left
        cdef token_t j = buffer_at(state, 0)
        cdef uint32_t moves = self.legal(state)
        if moves & 1 << LEFT_ARC and gold.heads[i] == j:
            return LEFT_ARC
        if moves & 1 << RIGHT_ARC and gold.heads[j] == i:
            return RIGHT_ARC
        return NO_ARC if moves & 1 << NO_ARC and count_back(state, gold, j) else SHIFT

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        """The arcs that each move takes out of reach, less the cycle that this breaks, plus the cycle it closes."""
        cdef token_t i = state.left
        cdef token_t j = buffer_at(state, 0)
        cdef token_t last = last_of_cycle(state, gold, j)
        cdef bint to_i, to_j
        costs[SHIFT] = count_back(state, gold, j)
        # All arcs that SHIFT gives up touch j, so they lie on one cycle at most.
        if last >= 0 and (reaches_back(state, gold, j) or (last < j and state.heads[last] < 0)):
            costs[SHIFT] -= 1
        costs[NO_ARC] = costs[LEFT_ARC] = costs[RIGHT_ARC] = 0
        if i <= 0:
            return
        to_i = gold.heads[i] == j and is_in_reach(state, gold, i)
        to_j = gold.heads[j] == i and is_in_reach(state, gold, j)
        if to_i or to_j:
            costs[NO_ARC] = 1 - (last_of_cycle(state, gold, i if to_i else j) >= 0)
        # A word that gets a head leaves its cycle; a gold arc in the other direction is on the same cycle.
        if not to_i:
            costs[LEFT_ARC] = (
                (gold.heads[i] == 0 or is_in_reach(state, gold, i)) + to_j
                - (last_of_cycle(state, gold, i) >= 0) + (not to_j and has_above(state, gold, j, i))
            )
        if not to_j:
            costs[RIGHT_ARC] = (
                (gold.heads[j] == 0 or is_in_reach(state, gold, j)) + to_i
                - (last >= 0) + (not to_i and has_above(state, gold, i, j))
            )


cdef inline bint is_in_reach(const State* state, const Gold* gold, token_t d) noexcept nogil:
    """Whether the gold arc to d is not built yet and its two words will still meet while d is free."""
    cdef token_t head = gold.heads[d]
    cdef token_t j = state.queue[state.front]
    cdef token_t low = min(head, d)
    cdef token_t high = max(head, d)
    if head <= 0 or state.heads[d] >= 0 or high - low > look_back(state.n):
        return False
    return high > j or (high == j and low <= state.left)


cdef inline bint reaches_back(const State* state, const Gold* gold, token_t j) noexcept nogil:
    """Whether the gold head of the first word is further back and in reach."""
    return gold.heads[j] < j and is_in_reach(state, gold, j)


cdef token_t count_back(const State* state, const Gold* gold, token_t j) noexcept nogil:
    """The gold arcs in reach between the first word and the first list."""
    cdef token_t child = first_child(gold, j)
    cdef token_t count = reaches_back(state, gold, j)
    while 0 <= child < j:
        count += is_in_reach(state, gold, child)
        child = next_child(gold, child)
    return count


cdef inline token_t head_in_reach(const State* state, const Gold* gold, token_t node) noexcept nogil:
    """The head that a word has or may still get, -1 if there is none."""
    if state.heads[node] >= 0:
        return state.heads[node]
    return gold.heads[node] if is_in_reach(state, gold, node) else -1


cdef bint has_above(const State* state, const Gold* gold, token_t node, token_t goal) noexcept nogil:
    """Whether a word has another one above it, by its head, the head of that and so on."""
    cdef token_t steps = 0
    while node >= 0 and node != goal and steps <= gold.n:
        node = head_in_reach(state, gold, node)
        steps += 1
    return node == goal


cdef token_t last_of_cycle(const State* state, const Gold* gold, token_t node) noexcept nogil:
    """The word whose head is the given one on the cycle through it, -1 if it is on no cycle."""
    cdef token_t at = node
    cdef token_t steps = 0
    cdef token_t above
    while steps <= gold.n:
        above = head_in_reach(state, gold, at)
        if above < 0 or above == node:
            return at if above == node else -1
        at = above
        steps += 1
    return -1
