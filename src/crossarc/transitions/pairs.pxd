# Arcs between i, the top of the stack or the last node of a list, and j, the first node of the buffer, with i < j.
# The systems that make them number their moves alike: SHIFT, then REDUCE (of a stack) or NO-ARC (of a list), then
# LEFT-ARC and RIGHT-ARC, or ARC in undirected ones.
from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.graph_arcs cimport missing_arc
from crossarc.transitions.system cimport (
    Gold, TransitionSystem, cost_of_left_arc, cost_of_link, cost_of_right_arc, gold_between,
)
from crossarc.transitions.state cimport Arc, State, arc_to, connected

cdef enum:
    SHIFT = 0
    REDUCE = 1
    NO_ARC = 1
    LEFT_ARC = 2
    RIGHT_ARC = 3
    ARC = 2


cdef inline uint32_t legal_arcs(TransitionSystem system, State* state, token_t i, token_t j) noexcept nogil:
    """The legal moves among the arcs: i, j are not connected and the dependent has no head, or 0 is free."""
    if connected(state, i, j):
        return 0
    if system.directed:
        return (state.heads[i] < 0) << LEFT_ARC | (state.heads[j] < 0) << RIGHT_ARC
    return 0 if system.single_root and i == 0 and state.roots else 1 << ARC


cdef inline Arc arc_between(TransitionSystem system, token_t i, token_t j, token_t move) noexcept nogil:
    """The arc that a move makes; none for a move that is not an arc."""
    if not system.directed:
        return arc_to(i, j) if move == ARC else arc_to(-1, -1)
    if move == LEFT_ARC:
        return arc_to(j, i)
    return arc_to(i, j) if move == RIGHT_ARC else arc_to(-1, -1)


cdef inline token_t gold_arc(TransitionSystem system, State* state, const Gold* gold, token_t i,
                             token_t j) noexcept nogil:
    """The move that makes the gold arc between i and j, -1 if there is none or it cannot be built now."""
    cdef token_t dependent = gold_between(state, gold, i, j, system.single_root) if i >= 0 else -1
    if dependent < 0:
        return -1
    return RIGHT_ARC if system.directed and dependent == j else LEFT_ARC


cdef inline token_t missing_move(const State* state, const Gold* gold, uint32_t moves, token_t i,
                                 token_t j) noexcept nogil:
    """The move of some that makes a missing arc of a gold graph between i and j, -1 if there is none."""
    if moves >> LEFT_ARC & 1 and missing_arc(state, gold, j, i) >= 0:
        return LEFT_ARC
    return RIGHT_ARC if moves >> RIGHT_ARC & 1 and missing_arc(state, gold, i, j) >= 0 else -1


cdef inline void cost_arcs(TransitionSystem system, State* state, const Gold* gold, token_t i, token_t j,
                           token_t* costs) noexcept nogil:
    """The cost of each arc between i and j, for systems with stacks."""
    if system.directed:
        costs[LEFT_ARC] = cost_of_left_arc(state, gold, i, j)
        costs[RIGHT_ARC] = cost_of_right_arc(state, gold, i, j)
    else:
        costs[ARC] = cost_of_link(state, gold, i, j, system.single_root, False)
