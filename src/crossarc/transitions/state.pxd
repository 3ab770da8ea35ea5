# The configuration of a transition parser: one block of memory that all systems share, whatever they use of it.
from crossarc.core.typedefs cimport label_t, token_t, uint64_t

cdef enum:
    OUTER = 3       # how many dependents or linked nodes are remembered on each side, the outermost first

cdef struct State:
    token_t n               # words; node 0 is the dummy root
    token_t room            # nodes that the block has room for
    # The stack, the second (inactive) stack, and the buffer, which is queue[front .. end - 1].
    token_t* stack
    token_t depth
    token_t* stack2
    token_t depth2
    token_t* queue
    token_t front
    token_t end
    # The lists of Covington's system: list1 ends with node `left`, list2 is left + 1 .. queue[front] - 1.
    token_t left
    # What has been built. Directed systems set heads and labels, undirected ones links, of which there are `links`.
    token_t* heads          # -1 where there is none
    label_t* labels         # of the arc from the head, -1 where there is none
    token_t links
    token_t* link_left      # link k joins link_left[k] < link_right[k]
    token_t* link_right
    label_t* link_label
    token_t* link_first     # per node: the last link made with it, -1 where there is none
    token_t* link_next      # 2k for the left end of link k, 2k + 1 for the right: the link made before with that node
    # Per node and place, outermost first: dependents (or linked nodes) on either side and the labels of their arcs.
    token_t* lefts          # OUTER x (n + 1)
    token_t* rights
    label_t* left_labels
    label_t* right_labels
    token_t* left_count
    token_t* right_count
    # The labels on either side as sets of bits, `set_words` words of 64 to each node.
    uint64_t* left_set
    uint64_t* right_set
    token_t set_words
    token_t* group          # union-find over nodes: acyclicity
    token_t last_move       # -1 before the first
    token_t moves           # how many were made
    token_t roots           # arcs or links from node 0
    token_t arcs            # words that have a head
    bint unshifted          # arc-eager: the word in the buffer came back from the stack
    void* memory

cdef int reserve_state(State* state, token_t n, token_t set_words) except -1 nogil
cdef void release_state(State* state) noexcept nogil
cdef void reset_state(State* state, token_t n) noexcept nogil
cdef void start_with_root(State* state) noexcept nogil
cdef void copy_state(State* target, const State* source) noexcept nogil
cdef void add_arc(State* state, token_t head, token_t dependent, label_t label) noexcept nogil
cdef void add_link(State* state, token_t a, token_t b, label_t label) noexcept nogil


cdef inline token_t words_for(label_t labels) noexcept nogil:
    """How many words a set of so many labels takes, one at least."""
    return max(<label_t>1, (labels + 63) // 64)


cdef inline uint64_t hash_set(const uint64_t* labels, token_t set_words) noexcept nogil:
    """A set of labels as one number: itself if it is one word."""
    cdef uint64_t value = labels[0]
    cdef token_t k
    for k in range(1, set_words):
        value = (value ^ value >> 32) * <uint64_t>0x9E3779B97F4A7C15 ^ labels[k]
    return value


cdef inline token_t stack_at(const State* state, token_t i) noexcept nogil:
    """The i-th node of the stack from the top, counted from 0; -1 if there is none."""
    return state.stack[state.depth - 1 - i] if i < state.depth else -1


cdef inline token_t stack2_at(const State* state, token_t i) noexcept nogil:
    return state.stack2[state.depth2 - 1 - i] if i < state.depth2 else -1


cdef inline token_t buffer_at(const State* state, token_t i) noexcept nogil:
    """The i-th node of the buffer, counted from 0; -1 if there is none."""
    return state.queue[state.front + i] if state.front + i < state.end else -1


cdef inline token_t find_group(State* state, token_t node) noexcept nogil:
    """The representative of the nodes connected with this one."""
    while state.group[node] != node:
        state.group[node] = state.group[state.group[node]]
        node = state.group[node]
    return node


cdef inline bint connected(State* state, token_t a, token_t b) noexcept nogil:
    return find_group(state, a) == find_group(state, b)
