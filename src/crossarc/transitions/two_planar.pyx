from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.pairs cimport SHIFT
from crossarc.transitions.system cimport Gold, count_behind
from crossarc.transitions.state cimport State, buffer_at


cdef class TwoPlanar(Planar):
    """Two-planar trees (Gomez-Rodriguez and Nivre 2010).

    start      ([], [], 1 ... n, {})
    SHIFT      (S0, S1, i|B, A)    =>  (S0|i, S1|i, B, A)
    REDUCE     (S0|i, S1, B, A)    =>  (S0, S1, B, A)
    LEFT-ARC   (S0|i, S1, j|B, A)  =>  (S0|i, S1, j|B, A + j->i)   if i has no head and i, j are not connected
    RIGHT-ARC  (S0|i, S1, j|B, A)  =>  (S0|i, S1, j|B, A + i->j)   if j has no head and i, j are not connected
    SWITCH     (S0, S1, B, A)      =>  (S1, S0, B, A)              if the last move was not SWITCH
    end        (S0, S1, [], A)

    The oracle gives each arc one of two planes; the stack that is active first has plane 0. Words left without a head
    are treated as in the planar system. Costs count the arcs that a move makes impossible in their planes by itself;
    SWITCH costs nothing if the first word has arcs to come in the other plane. That is exact on the gold path.
    """

    def __cinit__(self, **options):
        self.name = "two-planar"
        self.moves = ("SHIFT", "REDUCE", "LEFT-ARC", "RIGHT-ARC", "SWITCH")
        self.labelled = (False, False, True, True, False)
        self.covers = "two-planar"
        self.memory = "two stacks"
        self.planes = 2
        self.switch = 4

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef uint32_t moves = Planar.legal(self, state)
        return moves if state.last_move == self.switch else moves | <uint32_t>1 << self.switch

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        if move == self.switch:
            state.stack, state.stack2 = state.stack2, state.stack
            state.depth, state.depth2 = state.depth2, state.depth
            return
        if move == SHIFT:
            state.stack2[state.depth2] = buffer_at(state, 0)
            state.depth2 += 1
        Planar.apply(self, state, move)

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Arcs as soon as they can be made; REDUCE, then SWITCH, to reach those of the first word."""
        cdef token_t move = Planar.oracle(self, state, gold)
        if move == SHIFT and state.last_move != self.switch and count_elsewhere(self, state, gold):
            return self.switch
        return move

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        cdef token_t elsewhere = count_elsewhere(self, state, gold)
        Planar.costs(self, state, gold, costs)
        costs[SHIFT] += elsewhere
        costs[self.switch] = elsewhere == 0


cdef inline token_t count_elsewhere(TwoPlanar system, State* state, const Gold* gold) noexcept nogil:
    """The gold arcs of the first word that can still be built in the other plane."""
    return count_behind(state, gold, buffer_at(state, 0), 1 - active_plane(state), system.single_root)
