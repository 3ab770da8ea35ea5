from crossarc.core.typedefs cimport label_t, token_t, uint32_t
from crossarc.transitions.pairs cimport ARC
from crossarc.transitions.system cimport (
    Gold, TransitionSystem, cost_of_link, first_child, is_open, list_children, look_back, next_child, orient_links,
)
from crossarc.transitions.state cimport State, buffer_at


cdef class CovingtonUndirected(Covington):
    """All trees without directions, list-based (Gomez-Rodriguez and Fernandez-Gonzalez 2012).

    start      ([], [], 0 ... n, {})
    SHIFT      (L1, L2, i|B, A)    =>  (L1 L2|i, [], B, A)
    NO-ARC     (L1|i, L2, B, A)    =>  (L1, i|L2, B, A)
    ARC        (L1|i, L2, j|B, A)  =>  (L1, i|L2, j|B, A + i-j)    if i, j are not connected; with one root: 0 takes one
    end        (L1, L2, [], A)

    The lists hold the nodes in order, so the last node of L1 determines both. In sentences of over 1,000 words the
    system looks back 500 words, over 4,000 words fewer (`look_back`). With `root_links="none"`, as in the paper's
    figure, the buffer begins with word 1; `root_links="all"` and `"uncrossed"` are the same.
    `finish` directs the links away from node 0. Costs are exact except for SHIFT off the gold path, which counts every
    link in reach, even two that would close a cycle.
    """

    def __cinit__(self, **options):
        self.name = "covington-undirected"
        self.moves = ("SHIFT", "NO-ARC", "ARC")
        self.labelled = (False, False, True)
        self.directed = self.joins_buffer = self.exact_costs = False
        self.first_node = 0
        self.none_left = -1 if self.reads_root else 0

    cdef void start(self, State* state) noexcept nogil:
        TransitionSystem.start(self, state)
        state.left = self.none_left

    cdef void finish(self, State* state, label_t root_label) noexcept nogil:
        orient_links(state, self.single_root, root_label)

    cdef void prepare(self, Gold* gold) noexcept nogil:
        cdef token_t node
        list_children(gold)
        for node in range(gold.n + 1):
            gold.extra[node] = 0 if self.reads_root or gold.heads[node] > 0 else -1
        gold.extra[0] = -1

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Links as soon as they can be made; NO-ARC as long as the first node has others further back."""
        cdef token_t i = state.left
        cdef token_t j = buffer_at(state, 0)
        cdef uint32_t moves = self.legal(state)
        if moves & 1 << ARC and (gold.heads[i] == j or gold.heads[j] == i):
            return ARC
        return NO_ARC if moves & 1 << NO_ARC and count_links_back(state, gold, j, self.single_root) else SHIFT

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        cdef token_t i = state.left
        cdef token_t j = buffer_at(state, 0)
        cdef uint32_t moves = self.legal(state)
        costs[SHIFT] = count_links_back(state, gold, j, self.single_root)
        costs[NO_ARC] = costs[ARC] = 0
        if moves & 1 << ARC:
            costs[NO_ARC] = gold.heads[i] == j or gold.heads[j] == i
            costs[ARC] = cost_of_link(state, gold, i, j, self.single_root, True)


cdef token_t count_links_back(State* state, const Gold* gold, token_t j, bint one_root) noexcept nogil:
    """The gold links between the first node and the first list that can still be made."""
    cdef token_t child = first_child(gold, j)
    cdef token_t head = gold.heads[j]
    cdef token_t least = j - look_back(state.n)
    cdef token_t count = 0
    if least <= head <= state.left:
        count += head >= 0 and is_open(state, gold, j, one_root)
    while 0 <= child <= state.left:
        count += child >= least and is_open(state, gold, child, one_root)
        child = next_child(gold, child)
    return count
