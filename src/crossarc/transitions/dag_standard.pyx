from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.graph_arcs cimport count_heads, count_missing, is_above, missing_arc
from crossarc.transitions.system cimport Gold, GraphSystem
from crossarc.transitions.state cimport Arc, State, arc_to, shift, stack_at


cdef enum:
    LEFT_REDUCE = 1
    RIGHT_REDUCE = 2
    LEFT_ATTACH = 3
    RIGHT_ATTACH = 4
    DROP = 5


cdef class DagStandard(GraphSystem):
    """Projective graphs, shift-reduce with several heads (Sagae and Tsujii 2008, section 2.1).

    start         ([0], 1 ... n, {})
    SHIFT         (S, i|B, A)    =>  (S|i, B, A)
    LEFT-REDUCE   (S|i|j, B, A)  =>  (S|j, B, A + j->i)      if i is not 0 and the arc closes no cycle
    RIGHT-REDUCE  (S|i|j, B, A)  =>  (S|i, B, A + i->j)      if the arc closes no cycle
    LEFT-ATTACH   (S|i|j, B, A)  =>  (S|i|j, B, A + j->i)    as LEFT-REDUCE, if i may have two heads more
    RIGHT-ATTACH  (S|i|j, B, A)  =>  (S|i, j|B, A + i->j)    as RIGHT-REDUCE, if j may have two heads more
    DROP          (S|i|j, [], A) =>  (S|j or S|i, [], A)     only if no other move is legal: removes the lower one
    end           ([0], [], A)

    With one root: an arc from 0 is only made by RIGHT-REDUCE as the last move.

    Every derivation ends. Let a word have at most H heads and a pair of words at most m arcs in one direction. An
    ATTACH needs two free heads, so a word is attached at most H - 1 times, and comes back to the buffer as often at
    most. So there are at most n H times SHIFT, n times one of the three moves that remove a word from the stack, and
    (H - 1) n times one of the two others: 2 n H moves in all.

    Every derivation is complete. In the last states the buffer is empty, and two words i, j are on top. If no arc can
    be added, either there are paths between them, or m arcs, or one has H heads; then DROP removes one that has a head:
    j unless it is above i, for then i has a head. A word is removed only by a move that gives it a head, or by DROP.
    """

    def __cinit__(self, **options):
        self.name = "dag-standard"
        self.moves = ("SHIFT", "LEFT-REDUCE", "RIGHT-REDUCE", "LEFT-ATTACH", "RIGHT-ATTACH", "DROP")
        self.labelled = (False, True, True, True, True, False)
        self.root_on_stack = True
        self.last_resort = DROP

    cdef bint is_final(self, const State* state) noexcept nogil:
        return state.front >= state.end and state.depth <= 1

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef token_t j = stack_at(state, 0)
        cdef token_t i = stack_at(state, 1)
        cdef bint waiting = state.front < state.end
        cdef uint32_t moves = <uint32_t>waiting << SHIFT
        if i < 0:
            return moves
        if i == 0 and self.single_root:
            return moves if waiting else 1 << RIGHT_REDUCE
        if i > 0 and self.may_add(state, j, i):
            moves |= 1 << LEFT_REDUCE
            if count_heads(state, i) + 1 < self.most_heads:
                moves |= 1 << LEFT_ATTACH
        if self.may_add(state, i, j):
            moves |= 1 << RIGHT_REDUCE
            if count_heads(state, j) + 1 < self.most_heads:
                moves |= 1 << RIGHT_ATTACH
        return moves if moves else 1 << DROP

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        if move == LEFT_REDUCE or move == LEFT_ATTACH:
            return arc_to(stack_at(state, 0), stack_at(state, 1))
        return arc_to(stack_at(state, 1) if move == RIGHT_REDUCE or move == RIGHT_ATTACH else -1, stack_at(state, 0))

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        cdef token_t i = stack_at(state, 1)
        cdef token_t j = stack_at(state, 0)
        if move == SHIFT:
            shift(state)
        elif move != LEFT_ATTACH:
            state.depth -= 1
            if move == LEFT_REDUCE or (move == DROP and i > 0 and (state.heads[j] < 0 or is_above(state, j, i))):
                state.stack[state.depth - 1] = j
            elif move == RIGHT_ATTACH:
                state.front -= 1
                state.queue[state.front] = j

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Make arcs bottom-up: reduce a word with its last arc, attach it while it has others.

        A right arc waits until the dependent has its own dependents on the right.
        """
        cdef token_t j = stack_at(state, 0)
        cdef token_t i = stack_at(state, 1)
        cdef uint32_t moves = self.legal(state)
        cdef token_t move = SHIFT
        if i > 0 and missing_arc(state, gold, j, i) >= 0:
            move = LEFT_REDUCE if count_missing(state, gold, i, 0, gold.n) == 1 else LEFT_ATTACH
        elif i >= 0 and missing_arc(state, gold, i, j) >= 0 and not awaits_dependents(state, gold, j):
            move = RIGHT_REDUCE if count_missing(state, gold, j, 0, gold.n) == 1 else RIGHT_ATTACH
        if moves >> move & 1:
            return move
        # Off the way to the graph: graphs that are not projective, or have more heads than the limits.
        for move in range(DROP + 1):
            if moves >> move & 1:
                return move
        return SHIFT


cdef bint awaits_dependents(const State* state, const Gold* gold, token_t node) noexcept nogil:
    """Whether a node lacks a gold dependent on its right."""
    cdef token_t a, k, dependent
    for a in range(gold.first[node], gold.first[node + 1]):
        k = gold.by_node[a]
        dependent = gold.arc_dependents[k]
        if gold.arc_heads[k] == node and dependent > node and missing_arc(state, gold, node, dependent) >= 0:
            return True
    return False
