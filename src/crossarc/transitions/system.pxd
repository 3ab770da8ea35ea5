from crossarc.core.typedefs cimport label_t, token_t, uint32_t
from crossarc.transitions.gold cimport Gold
from crossarc.transitions.graph_arcs cimport is_missing, missing_arc
from crossarc.transitions.state cimport Arc, State, add_arc, add_further_head, add_link, reserve_arcs

cdef enum:
    MOVES = 8               # no system has more kinds of moves

cdef class TransitionSystem:
    cdef readonly str name
    cdef readonly tuple moves           # names as in the paper; the place is the move's number
    cdef readonly tuple labelled        # for each move, whether it takes a label
    cdef readonly bint directed
    cdef readonly bint root_on_stack    # whether the stack begins with node 0
    cdef readonly bint joins_buffer     # whether arcs of both directions have the first word of the buffer as one end
    cdef readonly str covers            # the class of trees it can build: projective, planar, two-planar or all
    cdef readonly token_t long_sentence     # longer sentences are parsed in a cheaper way; 0 if none are
    cdef readonly bint exact_costs      # whether `costs` is right in states off the gold path too
    cdef public bint single_root        # exactly one arc from node 0
    # Undirected systems: whether node 0 is in the buffer, and whether its links come before those they cross.
    cdef readonly bint reads_root
    cdef readonly bint all_root_links
    # Systems that build graphs: words may have several heads, but no more than the one, and no more arcs from one word
    # to another than the other.
    cdef readonly bint several_heads
    cdef readonly token_t most_heads
    cdef readonly token_t most_parallel
    cdef readonly bint allows_cycles
    cdef readonly token_t last_resort   # the move that is made if all labels of other moves would repeat an arc

    cdef void start(self, State* state) noexcept nogil
    cdef bint is_final(self, const State* state) noexcept nogil
    cdef uint32_t legal(self, State* state) noexcept nogil
    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil
    cdef void apply(self, State* state, token_t move) noexcept nogil
    cdef void finish(self, State* state, label_t root_label) noexcept nogil
    cdef void prepare(self, Gold* gold) noexcept nogil
    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil
    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil
    cdef token_t cheapest(self, State* state, const Gold* gold, token_t preferred) noexcept nogil

cdef token_t root_word(State* state) noexcept nogil


cdef inline int make(TransitionSystem system, State* state, token_t move, label_t label) except -1 nogil:
    """Make a legal move: add the arc that it makes, if any, and change the stacks and the buffer."""
    cdef Arc arc = system.arc_of(state, move)
    if state.arcs == state.arc_room:
        reserve_arcs(state, 2 * state.arc_room)
    system.apply(state, move)
    if arc.head >= 0:
        if system.several_heads:
            add_further_head(state, arc.head, arc.dependent, label)
        elif system.directed:
            add_arc(state, arc.head, arc.dependent, label)
        else:
            add_link(state, arc.head, arc.dependent, label)
    state.last_move = move
    state.moves += 1
    return 0


cdef inline label_t gold_label(TransitionSystem system, const State* state, const Gold* gold,
                               token_t move) noexcept nogil:
    """The label of the arc that a legal move makes if it is a gold arc, else -1; of several, the first not made yet."""
    cdef Arc arc = system.arc_of(state, move)
    cdef token_t k
    if arc.head < 0:
        return -1
    if system.several_heads:
        k = missing_arc(state, gold, arc.head, arc.dependent)
        return gold.arc_labels[k] if k >= 0 else -1
    if gold.heads[arc.dependent] == arc.head:
        return gold.labels[arc.dependent]
    return gold.labels[arc.head] if not system.directed and gold.heads[arc.head] == arc.dependent else -1


cdef inline bint costs_label(TransitionSystem system, const State* state, const Gold* gold, Arc arc, label_t wanted,
                             label_t label) noexcept nogil:
    """Whether a label is wrong on an arc whose gold label is `wanted`, -1 for an arc that is not gold."""
    if wanted < 0 or wanted == label:
        return False
    return not (system.several_heads and is_missing(state, gold, arc.head, arc.dependent, label))
