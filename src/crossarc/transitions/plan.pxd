# What oracles know of a gold tree: its arcs in lists, and which of them a system can build, in which plane.
from crossarc.core.typedefs cimport label_t, token_t
from crossarc.transitions.state cimport State, connected
from crossarc.transitions.system cimport Gold

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
