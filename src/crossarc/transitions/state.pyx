"""States of transition parsers: memory, arcs and links."""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from crossarc.core.typedefs cimport label_t, token_t, uint64_t

cdef enum:
    ARRAYS = 14 + 4 * OUTER     # arrays of one entry a node in the block, besides the two of sets


cdef inline size_t block_size(size_t nodes, size_t set_words) noexcept nogil:
    """The bytes of all arrays of a state."""
    return nodes * (2 * set_words * sizeof(uint64_t) + ARRAYS * sizeof(token_t))


cdef int reserve_state(State* state, token_t n, token_t set_words) except -1 nogil:
    """Lay the arrays out for n words and sets of labels of so many 64-bit words; what the state held is lost.

    A state must be zeroed before its first use. The arrays lie close together, whatever longer sentences came before:
    then a state is copied at once.
    """
    cdef size_t nodes = <size_t>n + 1
    cdef token_t* at
    if state.memory == NULL or state.room < n + 1 or state.set_words != set_words:
        free(state.memory)
        state.memory = malloc(block_size(nodes, set_words))
        state.room = n + 1
        state.set_words = set_words
    if state.memory == NULL:
        state.room = 0
        raise MemoryError
    # Sets first, as they need eight bytes each.
    state.left_set = <uint64_t*>state.memory
    state.right_set = state.left_set + nodes * set_words
    at = <token_t*>(state.right_set + nodes * set_words)
    state.stack = at
    state.stack2 = at + nodes
    state.queue = at + 2 * nodes
    state.heads = at + 3 * nodes
    state.labels = at + 4 * nodes
    state.link_left = at + 5 * nodes
    state.link_right = at + 6 * nodes
    state.link_label = at + 7 * nodes
    state.link_first = at + 8 * nodes
    state.link_next = at + 9 * nodes        # two entries a node
    state.left_count = at + 11 * nodes
    state.right_count = at + 12 * nodes
    state.group = at + 13 * nodes
    state.lefts = at + 14 * nodes
    state.rights = state.lefts + OUTER * nodes
    state.left_labels = state.rights + OUTER * nodes
    state.right_labels = state.left_labels + OUTER * nodes
    return 0


cdef void release_state(State* state) noexcept nogil:
    free(state.memory)
    state.memory = NULL
    state.room = 0


cdef void reset_state(State* state, token_t n) noexcept nogil:
    """An empty configuration over n words: nothing on the stacks, the words in the buffer, no arcs."""
    cdef token_t node
    cdef token_t i
    state.n = n
    state.depth = state.depth2 = state.front = state.links = state.moves = state.roots = state.arcs = 0
    state.left = 0
    state.unshifted = False
    state.last_move = -1
    state.end = n
    for node in range(n):
        state.queue[node] = node + 1
    for node in range(n + 1):
        state.heads[node] = -1
        state.labels[node] = -1
        state.link_first[node] = -1
        state.left_count[node] = state.right_count[node] = 0
        state.group[node] = node
    for i in range((n + 1) * state.set_words):
        state.left_set[i] = state.right_set[i] = 0
    for i in range(OUTER * (n + 1)):
        state.lefts[i] = -1
        state.rights[i] = -1
        state.left_labels[i] = -1
        state.right_labels[i] = -1


cdef void start_with_root(State* state) noexcept nogil:
    """Put node 0 before the words in the buffer, as the undirected systems begin."""
    cdef token_t node
    for node in range(state.n + 1):
        state.queue[node] = node
    state.end = state.n + 1


cdef void copy_state(State* target, const State* source) noexcept nogil:
    """Make one state equal to another; both are laid out for as many words and labels."""
    cdef State kept = target[0]
    memcpy(kept.memory, source.memory, block_size(<size_t>source.n + 1, source.set_words))
    kept.n = source.n
    kept.depth = source.depth
    kept.depth2 = source.depth2
    kept.front = source.front
    kept.end = source.end
    kept.left = source.left
    kept.links = source.links
    kept.last_move = source.last_move
    kept.moves = source.moves
    kept.roots = source.roots
    kept.arcs = source.arcs
    kept.unshifted = source.unshifted
    # SWITCH exchanges the two stacks by their pointers.
    if source.stack > source.stack2:
        kept.stack, kept.stack2 = max(kept.stack, kept.stack2), min(kept.stack, kept.stack2)
    else:
        kept.stack, kept.stack2 = min(kept.stack, kept.stack2), max(kept.stack, kept.stack2)
    target[0] = kept


cdef inline void insert_outer(
    token_t* nodes, label_t* labels, token_t node, label_t label, bint leftwards
) noexcept nogil:
    """Put a node among the outermost ones of its side."""
    cdef token_t i, j
    for i in range(OUTER):
        if nodes[i] < 0 or (node < nodes[i] if leftwards else node > nodes[i]):
            for j in range(OUTER - 1, i, -1):
                nodes[j] = nodes[j - 1]
                labels[j] = labels[j - 1]
            nodes[i] = node
            labels[i] = label
            return


cdef inline void add_to_set(uint64_t* labels, token_t set_words, label_t label) noexcept nogil:
    """Put a label into a set; -1, no label, is in none."""
    if label >= 0:
        labels[min(label >> 6, set_words - 1)] |= <uint64_t>1 << (label & 63)


cdef inline void note_neighbour(State* state, token_t node, token_t other, label_t label) noexcept nogil:
    """Remember `other` as a dependent of, or linked with, `node`."""
    if other < node:
        insert_outer(state.lefts + OUTER * node, state.left_labels + OUTER * node, other, label, True)
        state.left_count[node] += 1
        add_to_set(state.left_set + node * state.set_words, state.set_words, label)
    else:
        insert_outer(state.rights + OUTER * node, state.right_labels + OUTER * node, other, label, False)
        state.right_count[node] += 1
        add_to_set(state.right_set + node * state.set_words, state.set_words, label)


cdef void add_arc(State* state, token_t head, token_t dependent, label_t label) noexcept nogil:
    """Make a node the head of another."""
    state.heads[dependent] = head
    state.labels[dependent] = label
    state.roots += head == 0
    state.arcs += 1
    state.group[find_group(state, dependent)] = find_group(state, head)
    note_neighbour(state, head, dependent, label)


cdef void add_link(State* state, token_t a, token_t b, label_t label) noexcept nogil:
    """Link two nodes without saying which is the head."""
    cdef token_t k = state.links
    state.link_left[k] = min(a, b)
    state.link_right[k] = max(a, b)
    state.link_label[k] = label
    state.link_next[2 * k] = state.link_first[min(a, b)]
    state.link_next[2 * k + 1] = state.link_first[max(a, b)]
    state.link_first[a] = state.link_first[b] = k
    state.links += 1
    state.roots += a == 0 or b == 0
    state.group[find_group(state, a)] = find_group(state, b)
    note_neighbour(state, a, b, label)
    note_neighbour(state, b, a, label)
