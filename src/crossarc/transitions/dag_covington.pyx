from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.graph_arcs cimport count_missing, missing_arc
from crossarc.transitions.system cimport LONG, Gold, GraphSystem, look_back
from crossarc.transitions.pairs cimport LEFT_ARC, NO_ARC, RIGHT_ARC, SHIFT, arc_between, missing_move
from crossarc.transitions.state cimport Arc, State, buffer_at


cdef class DagCovington(GraphSystem):
    """All graphs, list-based (Covington 2001, as in Nivre 2008), with several heads.

    Sagae and Tsujii (2008, section 2.3) name such a system as an alternative to transforms.

    start      ([0], [], 1 ... n, {})
    SHIFT      (L1, L2, j|B, A)    =>  (L1 + L2|j, [], B, A)
    NO-ARC     (L1|i, L2, B, A)    =>  (L1, i|L2, B, A)              if i is not 0
    LEFT-ARC   (L1|i, L2, j|B, A)  =>  (L1|i, L2, j|B, A + j->i)     if i is not 0 and the arc closes no cycle
    RIGHT-ARC  (L1|i, L2, j|B, A)  =>  (L1|i, L2, j|B, A + i->j)     if the arc closes no cycle
    end        (L1, L2, [], A)

    Arcs leave the lists as they are, so that two words may have several. The lists hold the nodes in order, so the last
    node of L1 determines both. In sentences of over 1,000 words the system looks back 500 words, over 4,000 words fewer
    (`look_back`). With one root, node 0 takes one arc; without cycles, only to a word without a head, and this word
    takes no other head. Words left without a head get one when the search ends; without scores they go under node 0,
    with one root under the root word. Every derivation ends: there are at most n (n + 1) / 2 pairs of nodes, and m arcs
    in each direction of each.
    Costs are those of arcs whose two words do not meet any more; that a wrong arc may forbid a gold one, since the two
    would close a cycle, is left out.
    """

    def __cinit__(self, **options):
        self.name = "dag-covington"
        self.moves = ("SHIFT", "NO-ARC", "LEFT-ARC", "RIGHT-ARC")
        self.labelled = (False, False, True, True)
        self.joins_buffer = True
        self.covers = "all"
        self.memory = "lists"
        self.long_sentence = LONG
        self.last_resort = SHIFT

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef token_t i = state.left
        cdef token_t j = buffer_at(state, 0)
        cdef uint32_t moves = 1 << SHIFT
        if j - i > look_back(state.n):
            return moves
        if i > 0:
            moves |= 1 << NO_ARC
            if self.may_add(state, j, i):
                moves |= 1 << LEFT_ARC
        if self.may_add(state, i, j):
            moves |= 1 << RIGHT_ARC
        return moves

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        return arc_between(self, state.left, buffer_at(state, 0), move)

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        if move == SHIFT:
            state.left = buffer_at(state, 0)
            state.front += 1
        elif move == NO_ARC:
            state.left -= 1

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Arcs at once; NO-ARC as long as the first word has others further back."""
        cdef token_t i = state.left
        cdef token_t j = buffer_at(state, 0)
        cdef uint32_t moves = self.legal(state)
        cdef token_t arc = missing_move(state, gold, moves, i, j)
        if arc >= 0:
            return arc
        return NO_ARC if moves >> NO_ARC & 1 and count_missing(state, gold, j, 0, i - 1) else SHIFT

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        cdef token_t i = state.left
        cdef token_t j = buffer_at(state, 0)
        costs[SHIFT] = self.count_open(state, gold, j, 0, i)
        costs[NO_ARC] = self.count_open(state, gold, j, i, i)
        costs[LEFT_ARC] = missing_arc(state, gold, j, i) < 0
        costs[RIGHT_ARC] = 0
        if missing_arc(state, gold, i, j) < 0:
            costs[RIGHT_ARC] = 1 + self.lost_to_root(state, gold, i, j)
