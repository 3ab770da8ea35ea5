# The configuration of a transition parser. All systems have the same one; each uses the parts that it needs.
from crossarc.core.typedefs cimport label_t, token_t, uint64_t
from crossarc.core.union_find cimport find

cdef enum:
    OUTER = 3       # dependents or linked nodes that are kept on each side, the outermost first

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
    # The arcs in the order in which they were made: arc k goes from arc_head[k] to arc_dependent[k]. A word may have
    # several heads, and two nodes several arcs. Undirected systems store each link with its left node as the head.
    token_t arcs
    token_t arc_room        # arcs that there is room for; n + 1 at least
    token_t* arc_head
    token_t* arc_dependent
    label_t* arc_label
    # Chains of the arcs of each node, for systems whose words may have several heads, or links.
    token_t* arc_first      # per node: the last arc made with it, -1 if there is none
    token_t* arc_next       # 2k for the head of arc k, 2k + 1 for its dependent: the arc made before with that node
    # The last arc to each word, which is the only one in systems whose words have one head.
    token_t* heads          # -1 if there is none
    label_t* labels         # of the arc from the head, -1 if there is none
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
    token_t roots           # arcs or links of node 0
    bint unshifted          # arc-eager: the word in the buffer came back from the stack
    void* memory
    token_t* arc_memory

cdef struct Arc:
    token_t head            # -1 if there is no arc
    token_t dependent

cdef int reserve_state(State* state, token_t n, token_t set_words) except -1 nogil
cdef void release_state(State* state) noexcept nogil
cdef void reset_state(State* state, token_t n) noexcept nogil
cdef int reserve_arcs(State* state, token_t count) except -1 nogil
cdef int copy_state(State* target, const State* source) except -1 nogil
cdef void add_arc(State* state, token_t head, token_t dependent, label_t label) noexcept nogil
cdef void add_head(State* state, token_t head, token_t dependent, label_t label) noexcept nogil
cdef void add_link(State* state, token_t a, token_t b, label_t label) noexcept nogil
cdef void add_further_head(State* state, token_t head, token_t dependent, label_t label) noexcept nogil


cdef inline token_t words_for(label_t labels) noexcept nogil:
    """The number of 64-bit words that a set of labels takes, at least one."""
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


cdef inline void push(State* state, token_t node) noexcept nogil:
    """Put a node on the stack."""
    state.stack[state.depth] = node
    state.depth += 1


cdef inline void shift(State* state) noexcept nogil:
    """Move the first node of the buffer to the stack."""
    push(state, state.queue[state.front])
    state.front += 1


cdef inline Arc arc_to(token_t head, token_t dependent) noexcept nogil:
    """The arc between two nodes; from -1, none."""
    cdef Arc arc
    arc.head = head
    arc.dependent = dependent
    return arc


cdef inline token_t find_group(State* state, token_t node) noexcept nogil:
    """The representative of the nodes connected with this one."""
    return find(state.group, node)


cdef inline bint connected(State* state, token_t a, token_t b) noexcept nogil:
    return find_group(state, a) == find_group(state, b)
