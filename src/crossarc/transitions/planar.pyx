from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.pairs cimport REDUCE, SHIFT, arc_between, cost_arcs, gold_arc, legal_arcs
from crossarc.transitions.system cimport (
    ALL_ROOTS, NO_ROOTS, UNCROSSED_ROOTS, Gold, TransitionSystem, count_ahead, count_behind, plan_arcs,
)
from crossarc.transitions.state cimport Arc, State, buffer_at, shift, stack_at


cdef class Planar(TransitionSystem):
    """Planar trees (Gomez-Rodriguez and Nivre 2010).

    start      ([], 1 ... n, {})
    SHIFT      (S, i|B, A)    =>  (S|i, B, A)
    REDUCE     (S|i, B, A)    =>  (S, B, A)
    LEFT-ARC   (S|i, j|B, A)  =>  (S|i, j|B, A + j->i)   if i has no head and i, j are not connected
    RIGHT-ARC  (S|i, j|B, A)  =>  (S|i, j|B, A + i->j)   if j has no head and i, j are not connected
    end        (S, [], A)

    Words left without a head go under node 0; with one root, only the word on top of the largest part does, and takes
    the others. Costs count the arcs that a move makes impossible by itself; that is exact on the gold path.
    """

    def __cinit__(self, **options):
        self.name = "planar"
        self.moves = ("SHIFT", "REDUCE", "LEFT-ARC", "RIGHT-ARC")
        self.labelled = (False, False, True, True)
        self.joins_buffer = True
        self.covers = "planar"
        self.planes = 1

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        if i < 0:
            return 1 << SHIFT
        return 1 << SHIFT | 1 << REDUCE | legal_arcs(self, state, i, buffer_at(state, 0))

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        return arc_between(self, stack_at(state, 0), buffer_at(state, 0), move)

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        if move == SHIFT:
            shift(state)
        elif move == REDUCE:
            state.depth -= 1

    cdef void prepare(self, Gold* gold) noexcept nogil:
        """Plan the arcs; the directed systems leave those of node 0 to `finish`."""
        cdef token_t roots = NO_ROOTS
        if not self.directed and self.reads_root:
            roots = ALL_ROOTS if self.all_root_links else UNCROSSED_ROOTS
        plan_arcs(gold, self.planes, roots)

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Arcs as soon as they can be made; REDUCE to reach those of the first word further down."""
        cdef token_t j = buffer_at(state, 0)
        cdef token_t arc = gold_arc(self, state, gold, stack_at(state, 0), j)
        if arc >= 0:
            return arc
        return REDUCE if count_behind(state, gold, j, active_plane(state), self.single_root) else SHIFT

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef token_t plane = active_plane(state)
        costs[SHIFT] = count_behind(state, gold, j, plane, self.single_root)
        if i >= 0:
            costs[REDUCE] = count_ahead(state, gold, i, j, plane, self.single_root)
            cost_arcs(self, state, gold, i, j, costs)
