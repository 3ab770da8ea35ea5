from crossarc.core.typedefs cimport label_t, offset_t, score_t, token_t, uint32_t

from crossarc.transitions.gold cimport Gold
from crossarc.transitions.graph_arcs cimport is_missing, missing_arc
from crossarc.transitions.state cimport Arc, State, add_arc, add_further_head, add_link, connected, reserve_arcs


# From the links of an undirected parse to heads.
cdef enum:
    SCRATCH = 5         # arrays of n + 2 tokens that `orient` needs


cdef struct Links:
    # A forest over the nodes 0..n: m <= n links with left[k] < right[k].
    token_t n
    token_t m
    const token_t* left
    const token_t* right
    # What a link costs more if its head is the right node than if it is the left one; NULL where it costs the same.
    const score_t* turn
    # What it costs to hang a word from node 0, by word; NULL where all cost the same.
    const score_t* root
    # Whether a link of node 0 stays what it is, or only settles ties.
    bint keep_root_links
    bint single_root


cdef bint orient(const Links* links, token_t* heads, token_t* via, token_t* scratch, score_t* costs) noexcept nogil
cdef bint orient_listed(const Links* links, const token_t* first, const token_t* following, token_t* heads,
                        token_t* via, token_t* own, token_t* order, score_t* costs) noexcept nogil


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
    cdef readonly str memory            # shown in derivations next to the buffer: "stack", "two stacks" or "lists"
    cdef readonly token_t first_node    # in the lists
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


cdef class Workspace:
    cdef State state
    cdef Gold gold
    cdef token_t set_words
    cdef token_t room
    cdef token_t* graph_memory  # of a gold graph
    cdef Py_ssize_t graph_room
    cdef token_t* scratch       # of reconstruction, which looks for the cheapest tree
    # Of each link: the extra cost if its head is on the right, and its label if it turns out against its annotation.
    cdef score_t* turn
    cdef label_t* turned_label
    cdef bint scored            # whether these come from scores stored while parsing, or from annotations alone

    cdef int reserve(self, token_t n) except -1 nogil
    cdef void set_gold(self, token_t n, const token_t* heads, const label_t* labels) noexcept nogil
    cdef void begin(self, TransitionSystem system, token_t n) noexcept nogil
    cdef int begin_gold(self, TransitionSystem system, token_t n, const token_t* heads,
                        const label_t* labels) except -1 nogil
    cdef int begin_graph(self, TransitionSystem system, token_t n, token_t count, const token_t* heads,
                         const token_t* dependents, const label_t* labels) except -1 nogil
    cdef void list_arc(self, token_t node, token_t arc) noexcept nogil
    cdef void resulting_tree(self, TransitionSystem system, State* state, label_t root_label, bint annotated,
                             bint keep_root_links, token_t* heads, label_t* labels) noexcept nogil
    cdef void reconstruct(self, State* state, bint keep_root_links, bint single_root,
                          label_t root_label) noexcept nogil


# The plan of oracles for a gold tree: its arcs in lists, and which of them a system can build, in which plane.
cdef enum:
    # What is planned of the arcs from node 0: none of them, those that cross nothing else, or all before any other.
    NO_ROOTS, UNCROSSED_ROOTS, ALL_ROOTS

cdef enum:
    # In sentences of more words than the one, Covington's systems look back no further than the other; in still longer
    # ones only so far that the pairs of words stay within a bound, which is a matter of seconds.
    LONG = 1_000
    LOOK_BACK = 500
    LEAST_BACK = 50
    MOST_PAIRS = 2_000_000

cdef bint is_gold_tree(const Gold* gold) noexcept nogil
cdef void list_children(Gold* gold) noexcept nogil
cdef void plan_arcs(Gold* gold, token_t planes, token_t roots) noexcept nogil
cdef token_t count_behind(State* state, const Gold* gold, token_t j, token_t plane, bint one_root) noexcept nogil
cdef token_t count_ahead(
    State* state, const Gold* gold, token_t i, token_t j, token_t plane, bint one_root
) noexcept nogil
cdef token_t cost_of_left_arc(State* state, const Gold* gold, token_t i, token_t j) noexcept nogil
cdef token_t cost_of_right_arc(State* state, const Gold* gold, token_t i, token_t j) noexcept nogil
cdef token_t cost_of_link(
    State* state, const Gold* gold, token_t i, token_t j, bint one_root, bint lists
) noexcept nogil
cdef void orient_links(State* state, bint one_root, label_t root_label) noexcept nogil


cdef inline token_t look_back(token_t n) noexcept nogil:
    """How far apart two words may be for Covington's systems to look at them, in a sentence of n words."""
    if n <= LONG:
        return n
    return max(<token_t>LEAST_BACK, min(<token_t>LOOK_BACK, <token_t>MOST_PAIRS // n))


cdef inline token_t first_child(const Gold* gold, token_t head) noexcept nogil:
    """The leftmost gold dependent of a node, -1 if it has none; after `list_children` or `plan_arcs`."""
    return gold.scratch[head]


cdef inline token_t next_child(const Gold* gold, token_t dependent) noexcept nogil:
    """The next gold dependent of the same head to the right, -1 after the last."""
    return gold.scratch[gold.n + 1 + dependent]


cdef inline bint is_complete(const State* state, const Gold* gold, token_t node) noexcept nogil:
    """Whether no gold dependent of a node waits for its head."""
    cdef token_t child = first_child(gold, node)
    while child >= 0:
        if state.heads[child] < 0:
            return False
        child = next_child(gold, child)
    return True


cdef inline bint is_open(State* state, const Gold* gold, token_t d, bint one_root) noexcept nogil:
    """Whether the gold arc to d is planned, not built, and allowed by single head, acyclicity and single root."""
    return (
        gold.extra[d] >= 0 and state.heads[d] < 0 and not connected(state, gold.heads[d], d)
        and not (one_root and gold.heads[d] == 0 and state.roots > 0)
    )


cdef inline token_t gold_between(State* state, const Gold* gold, token_t i, token_t j, bint one_root) noexcept nogil:
    """The dependent of the gold arc between two nodes if it can be built now, else -1."""
    if gold.heads[i] == j and is_open(state, gold, i, one_root):
        return i
    if gold.heads[j] == i and is_open(state, gold, j, one_root):
        return j
    return -1


cdef inline bint is_on_stack(const token_t* stack, token_t depth, token_t node) noexcept nogil:
    """Whether a node is on a stack that holds its nodes in the order of the sentence."""
    cdef token_t low = 0
    cdef token_t high = depth
    cdef token_t middle
    while low < high:
        middle = (low + high) // 2
        if stack[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low < depth and stack[low] == node


cdef class Targets:
    cdef readonly object starts             # as an array
    cdef const offset_t[::1] nodes          # where the nodes of each sentence begin, and the end
    cdef const token_t[::1] heads
    cdef const label_t[::1] labels

    cdef int begin(self, TransitionSystem system, Workspace work, Py_ssize_t s) except -1 nogil

cdef class GraphTargets(Targets):
    cdef const offset_t[::1] arcs           # where the arcs of each sentence begin, and the end
    cdef const token_t[::1] dependents


cdef class GraphSystem(TransitionSystem):
    cdef bint may_add(self, State* state, token_t head, token_t dependent) noexcept nogil
    cdef bint keeps_root(self, const State* state, token_t head, token_t dependent) noexcept nogil
    cdef token_t count_open(self, const State* state, const Gold* gold, token_t node, token_t low,
                            token_t high) noexcept nogil
    cdef token_t lost_to_root(self, const State* state, const Gold* gold, token_t head, token_t word) noexcept nogil
