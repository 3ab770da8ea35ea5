"""States of transition parsers: their memory and their arcs."""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from crossarc.core.typedefs cimport label_t, token_t, uint64_t

cdef enum:
    ARRAYS = 9 + 4 * OUTER      # arrays of one entry a node in the block, besides the two of sets
    ARC_ARRAYS = 5              # arrays of one entry an arc


cdef inline size_t block_size(size_t nodes, size_t set_words) noexcept nogil:
    """The bytes of all arrays of a state that have entries for nodes."""
    return nodes * (2 * set_words * sizeof(uint64_t) + ARRAYS * sizeof(token_t))


cdef int reserve_state(State* state, token_t n, token_t set_words) except -1 nogil:
    """Lay the arrays out for n words and sets of labels of `set_words` 64-bit words; the old contents are lost.

    A state must be zeroed before its first use. The arrays stay close together even after longer sentences, so that
    one call copies them all. There is room for n + 1 arcs; `reserve_arcs` makes more.
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
    state.arc_first = at + 5 * nodes
    state.left_count = at + 6 * nodes
    state.right_count = at + 7 * nodes
    state.group = at + 8 * nodes
    state.lefts = at + 9 * nodes
    state.rights = state.lefts + OUTER * nodes
    state.left_labels = state.rights + OUTER * nodes
    state.right_labels = state.left_labels + OUTER * nodes
    state.arcs = 0
    return reserve_arcs(state, n + 1)


cdef int reserve_arcs(State* state, token_t count) except -1 nogil:
    """Make room for so many arcs in all; those in the list stay. Called between moves, never in one."""
    cdef State old = state[0]
    if count <= state.arc_room:
        return 0
    state.arc_memory = <token_t*>malloc(<size_t>count * ARC_ARRAYS * sizeof(token_t))
    if state.arc_memory == NULL:
        state.arc_memory = old.arc_memory
        raise MemoryError
    state.arc_room = count
    state.arc_head = state.arc_memory
    state.arc_dependent = state.arc_memory + <size_t>count
    state.arc_label = state.arc_memory + 2 * <size_t>count
    state.arc_next = state.arc_memory + 3 * <size_t>count       # two entries an arc
    copy_arcs(state, &old)
    free(old.arc_memory)
    return 0


cdef inline void copy_arcs(State* target, const State* source) noexcept nogil:
    """Copy the arcs in use, which the target has room for."""
    cdef size_t size = <size_t>source.arcs * sizeof(token_t)
    if size > 0:
        memcpy(target.arc_head, source.arc_head, size)
        memcpy(target.arc_dependent, source.arc_dependent, size)
        memcpy(target.arc_label, source.arc_label, size)
        memcpy(target.arc_next, source.arc_next, 2 * size)


cdef void release_state(State* state) noexcept nogil:
    free(state.memory)
    free(state.arc_memory)
    state.memory = state.arc_memory = NULL
    state.room = state.arc_room = 0


cdef void reset_state(State* state, token_t n) noexcept nogil:
    """Empty the stacks and the arcs and put n words into the buffer; the first stack in memory is the active one."""
    cdef token_t node
    cdef token_t i
    state.n = n
    if state.stack > state.stack2:
        state.stack, state.stack2 = state.stack2, state.stack
    state.depth = state.depth2 = state.front = state.arcs = state.moves = state.roots = 0
    state.left = 0
    state.unshifted = False
    state.last_move = -1
    state.end = n
    for node in range(n):
        state.queue[node] = node + 1
    for node in range(n + 1):
        state.heads[node] = -1
        state.labels[node] = -1
        state.arc_first[node] = -1
        state.left_count[node] = state.right_count[node] = 0
        state.group[node] = node
    for i in range((n + 1) * state.set_words):
        state.left_set[i] = state.right_set[i] = 0
    for i in range(OUTER * (n + 1)):
        state.lefts[i] = -1
        state.rights[i] = -1
        state.left_labels[i] = -1
        state.right_labels[i] = -1


cdef int copy_state(State* target, const State* source) except -1 nogil:
    """Make one state equal to another; both are laid out for the same numbers of words and labels."""
    cdef State kept
    reserve_arcs(target, source.arcs)
    kept = target[0]
    memcpy(kept.memory, source.memory, block_size(<size_t>source.n + 1, source.set_words))
    kept.n = source.n
    kept.depth = source.depth
    kept.depth2 = source.depth2
    kept.front = source.front
    kept.end = source.end
    kept.left = source.left
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
    copy_arcs(target, source)
    return 0


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
    """Put a label into a set; -1 is no label."""
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


cdef inline token_t append_arc(State* state, token_t head, token_t dependent, label_t label) noexcept nogil:
    """Put an arc at the end of the list, which has room for it; returns its number."""
    cdef token_t k = state.arcs
    state.arc_head[k] = head
    state.arc_dependent[k] = dependent
    state.arc_label[k] = label
    state.arcs += 1
    state.roots += head == 0
    state.group[find_group(state, dependent)] = find_group(state, head)
    return k


cdef void add_arc(State* state, token_t head, token_t dependent, label_t label) noexcept nogil:
    """Make a node the only head of another."""
    append_arc(state, head, dependent, label)
    state.heads[dependent] = head
    state.labels[dependent] = label
    note_neighbour(state, head, dependent, label)


cdef void add_link(State* state, token_t a, token_t b, label_t label) noexcept nogil:
    """Link two nodes without saying which is the head."""
    add_head(state, min(a, b), max(a, b), label)
    note_neighbour(state, max(a, b), min(a, b), label)


cdef void add_head(State* state, token_t head, token_t dependent, label_t label) noexcept nogil:
    """Make a node one of the heads of another."""
    cdef token_t k = append_arc(state, head, dependent, label)
    state.arc_next[2 * k] = state.arc_first[head]
    state.arc_next[2 * k + 1] = state.arc_first[dependent]
    state.arc_first[head] = state.arc_first[dependent] = k
    note_neighbour(state, head, dependent, label)


cdef void add_further_head(State* state, token_t head, token_t dependent, label_t label) noexcept nogil:
    """Make a node one of the heads of another and the last of them."""
    add_head(state, head, dependent, label)
    state.heads[dependent] = head
    state.labels[dependent] = label
