from crossarc.core.typedefs cimport label_t, token_t, uint32_t
from crossarc.transitions.plan cimport (
    ALL_ROOTS, NO_ROOTS, UNCROSSED_ROOTS, cost_of_link, count_ahead, count_behind, gold_between, orient_links,
    plan_arcs,
)
from crossarc.transitions.state cimport State, add_link, buffer_at, connected, stack_at, start_with_root
from crossarc.transitions.system cimport Gold, TransitionSystem

cdef enum:
    SHIFT, REDUCE, ARC


cdef class PlanarUndirected(TransitionSystem):
    """Planar trees without directions (Gomez-Rodriguez and Fernandez-Gonzalez 2012).

    start      ([], 0 ... n, {})
    SHIFT      (S, i|B, A)    =>  (S|i, B, A)
    REDUCE     (S|i, B, A)    =>  (S, B, A)
    ARC        (S|i, j|B, A)  =>  (S|i, j|B, A + i-j)    if i, j are not connected; with one root: 0 takes one link
    end        (S, [], A)

    The oracle makes the links of the gold tree, those of node 0 with `root_links="uncrossed"` only where they cross no
    other. With "none", as in the paper's figure, the buffer begins with word 1. `finish` orients away from node 0.
    Costs are exact on the gold path.
    """

    def __cinit__(self, **options):
        self.name = "planar-undirected"
        self.moves = ("SHIFT", "REDUCE", "ARC")
        self.labelled = (False, False, True)
        self.directed = False
        # Planar with all its root arcs is projective.
        self.covers = "projective" if self.all_root_links else "planar"

    cdef void start(self, State* state) noexcept nogil:
        if self.reads_root:
            start_with_root(state)

    cdef uint32_t legal(self, State* state) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef uint32_t moves = 1 << SHIFT
        if i < 0:
            return moves
        moves |= 1 << REDUCE
        if not connected(state, i, j) and not (self.single_root and i == 0 and state.roots):
            moves |= 1 << ARC
        return moves

    cdef void apply(self, State* state, token_t move, label_t label) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        if move == SHIFT:
            state.stack[state.depth] = j
            state.depth += 1
            state.front += 1
        elif move == REDUCE:
            state.depth -= 1
        else:
            add_link(state, i, j, label)

    cdef void finish(self, State* state, label_t root_label) noexcept nogil:
        orient_links(state, self.single_root, root_label)

    cdef void prepare(self, Gold* gold) noexcept nogil:
        plan_arcs(
            gold, 1, ALL_ROOTS if self.all_root_links else UNCROSSED_ROOTS if self.reads_root else NO_ROOTS
        )

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """Arcs as soon as they can be; REDUCE to reach those of the first word further down."""
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        cdef token_t dependent
        if i < 0:
            return SHIFT
        dependent = gold_between(state, gold, i, j, self.single_root)
        if dependent >= 0:
            return ARC
        return REDUCE if count_behind(state, gold, j, 0, self.single_root) else SHIFT

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        costs[SHIFT] = count_behind(state, gold, j, 0, self.single_root)
        costs[REDUCE] = costs[ARC] = 0
        if i >= 0:
            costs[REDUCE] = count_ahead(state, gold, i, j, 0, self.single_root)
            costs[ARC] = cost_of_link(state, gold, i, j, self.single_root, False)

    cdef label_t gold_label(self, State* state, const Gold* gold, token_t move) noexcept nogil:
        cdef token_t i = stack_at(state, 0)
        cdef token_t j = buffer_at(state, 0)
        if move == ARC and gold.heads[i] == j:
            return gold.labels[i]
        return gold.labels[j] if move == ARC and gold.heads[j] == i else -1
