from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.graph_arcs cimport count_missing, missing_arc
from crossarc.transitions.system cimport Gold, GraphSystem
from crossarc.transitions.pairs cimport LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT, arc_between, missing_move
from crossarc.transitions.state cimport Arc, State, buffer_at, shift, stack_at


cdef class DagEager(GraphSystem):
    """Projective graphs, arc-eager with several heads (Sagae and Tsujii 2008, section 2.2).

    start      ([0], 1 ... n, {})
    SHIFT      (S, i|B, A)    =>  (S|i, B, A)
    REDUCE     (S|i, B, A)    =>  (S, B, A)               if i has a head; with one root: if that is not 0
    LEFT-ARC   (S|i, j|B, A)  =>  (S|i, j|B, A + j->i)    if i is not 0 and the arc closes no cycle
    RIGHT-ARC  (S|i, j|B, A)  =>  (S|i, j|B, A + i->j)    if the arc closes no cycle
    end        (S, [], A)

    With one root, node 0 takes one arc, to a word without a head, and this word takes no other head. Words left without
    a head get one when the search ends; without scores they go under node 0, with one root under the root word. Every
    derivation ends: SHIFT and REDUCE are made at most n times each, and between two of them at most m arcs in each
    direction.
    Costs are those of arcs whose two words do not meet any more, and of wrong arcs. A wrong arc is free if it gives a
    head to a word that will have a wrong one in any case. That gold arcs may close longer cycles with a wrong arc, and
    that a word without a head may hide the stack to the end, is left out.
    """

    def __cinit__(self, **options):
        self.name = "dag-eager"
        self.moves = ("SHIFT", "REDUCE", "LEFT-ARC", "RIGHT-ARC")
        self.labelled = (False, False, True, True)
        self.root_on_stack = True
        self.joins_buffer = True
        self.last_resort = SHIFT

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef uint32_t moves = 1 << SHIFT
        if i > 0 and state.heads[i] >= 0 and not (self.single_root and state.heads[i] == 0):
            moves |= 1 << REDUCE
        if i > 0 and self.may_add(state, j, i):
            moves |= 1 << LEFT_ARC
        if self.may_add(state, i, j):
            moves |= 1 << RIGHT_ARC
        return moves

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        return arc_between(self, stack_at(state, 0), buffer_at(state, 0), move)

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        if move == SHIFT:
            shift(state)
        elif move == REDUCE:
            state.depth -= 1

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Arcs at once; REDUCE after the last arc from the right, or if the first word belongs with a node below."""
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef uint32_t moves = self.legal(state)
        cdef token_t arc = missing_move(state, gold, moves, i, j)
        if arc >= 0:
            return arc
        if (moves >> REDUCE & 1 and not count_missing(state, gold, i, j, gold.n)
                and (state.last_move == LEFT_ARC or count_missing(state, gold, j, 0, i - 1))):
            return REDUCE
        return SHIFT

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef bint left = missing_arc(state, gold, j, i) >= 0
        cdef bint right = missing_arc(state, gold, i, j) >= 0
        cdef token_t k
        costs[REDUCE] = count_missing(state, gold, i, j, gold.n)
        costs[LEFT_ARC] = costs[RIGHT_ARC] = 0
        # A wrong arc also costs the gold arc in the other direction, and with one root those that it forbids.
        if not left:
            costs[LEFT_ARC] = right + (0 if costs[REDUCE] == 0 and self.is_lost(state, gold, i) else 1)
        if not right:
            costs[RIGHT_ARC] = left + (0 if self.is_lost(state, gold, j) else 1) + self.lost_to_root(state, gold, i, j)
        costs[SHIFT] = 0
        for k in range(state.depth):
            costs[SHIFT] += self.count_open(state, gold, j, state.stack[k], state.stack[k])

    cdef bint is_lost(self, const State* state, const Gold* gold, token_t word) noexcept nogil:
        """Whether a word will get a wrong head in any case: it has none, and does not meet its gold heads any more.

        Then a wrong arc costs nothing. It is needed to reduce a word on the stack, which hides the nodes below it.
        """
        cdef token_t a, k, head, place
        if state.heads[word] >= 0:
            return False
        for a in range(gold.first[word], gold.first[word + 1]):
            k = gold.by_node[a]
            head = gold.arc_heads[k]
            if gold.arc_dependents[k] != word or not self.keeps_root(state, head, word):
                continue
            # In the buffer, or the node under which words without a head go in the end.
            if head >= buffer_at(state, 0) or (state.heads[head] == 0 if self.single_root else head == 0):
                return False
            if word == buffer_at(state, 0):
                for place in range(state.depth):
                    if state.stack[place] == head:
                        return False
        return True
