"""Features of a state: addresses become nodes, nodes attributes, attributes keys, each once in a state."""
from crossarc.core.typedefs cimport hash_t, int32_t, label_t, token_t
from crossarc.transitions.graph_arcs cimport count_heads
from crossarc.transitions.state cimport OUTER, State, buffer_at, hash_set, stack2_at, stack_at


# The numbering of features/templates.py.
cdef enum:
    STACK, STACK2, BUFFER, LIST1, LIST2, HEAD, LEFT, RIGHT, SIBLING_LEFT, SIBLING_RIGHT, TREE_HEAD

cdef enum:
    DEPREL, LEFT_COUNT, RIGHT_COUNT, LEFT_LABELS, RIGHT_LABELS, HEAD_COUNT, HEAD_LABELS
    DISTANCE, LINKED, ARC, LAST, TREE, FIRST_ATTRIBUTE

cdef enum:
    WIDEST = 6


cdef inline token_t link_between(const State* state, token_t a, token_t b) noexcept nogil:
    """The link between two nodes, -1 if there is none."""
    cdef token_t k = state.arc_first[a]
    while k >= 0:
        if state.arc_head[k] == b or state.arc_dependent[k] == b:
            return k
        k = state.arc_next[2 * k + (state.arc_dependent[k] == a)]
    return -1


cdef token_t sibling(const State* state, token_t node, bint leftwards) noexcept nogil:
    """The nearest node on the left, or right, of a node that is linked with the same node on the other side of both."""
    cdef token_t k = state.arc_first[node]
    cdef token_t best = -1
    cdef token_t middle, other, m
    while k >= 0:
        middle = state.arc_dependent[k] if state.arc_head[k] == node else state.arc_head[k]
        if (middle > node) == leftwards:
            m = state.arc_first[middle]
            while m >= 0:
                other = state.arc_dependent[m] if state.arc_head[m] == middle else state.arc_head[m]
                if leftwards and other < node and other > best:
                    best = other
                elif not leftwards and other > node and (best < 0 or other < best):
                    best = other
                m = state.arc_next[2 * m + (state.arc_dependent[m] == middle)]
        k = state.arc_next[2 * k + (state.arc_dependent[k] == node)]
    return best


cdef inline token_t tree_head(const Program* program, const int32_t* tokens, token_t node) noexcept nogil:
    """The head of a node in the given tree, -1 if there is none."""
    return tokens[node * program.attributes + program.tree_column] if node > 0 else -1


cdef hash_t tree_relation(const Program* program, const int32_t* tokens, token_t a, token_t b) noexcept nogil:
    """The relation of two nodes in the given tree, if it is nearer than cousins."""
    cdef token_t above_a = tree_head(program, tokens, a)
    cdef token_t above_b = tree_head(program, tokens, b)
    if above_a == b:
        return 2
    if above_b == a:
        return 3
    if above_a == above_b:
        return 4
    if tree_head(program, tokens, above_a) == b:
        return 5
    if tree_head(program, tokens, above_b) == a:
        return 6
    if tree_head(program, tokens, above_a) == above_b and above_b >= 0:
        return 7
    return 8 if tree_head(program, tokens, above_b) == above_a and above_a >= 0 else 1


cdef inline token_t resolve(const Program* program, const State* state, const int32_t* tokens, const int32_t* row,
                            const token_t* nodes) noexcept nogil:
    """The node that an address means in a state, -1 if there is none."""
    cdef int32_t place = row[2]
    cdef token_t node
    if row[0] == STACK:
        return stack_at(state, place)
    if row[0] == BUFFER:
        return buffer_at(state, place)
    if row[0] == STACK2:
        return stack2_at(state, place)
    if row[0] == LIST1:
        return state.left - place if state.left - place > 0 else -1
    if row[0] == LIST2:
        node = state.left + 1 + place
        return node if node < buffer_at(state, 0) else -1
    node = nodes[row[1]]
    if node < 0:
        return -1
    if row[0] == LEFT:
        return state.lefts[OUTER * node + place]
    if row[0] == RIGHT:
        return state.rights[OUTER * node + place]
    if row[0] == HEAD:
        return state.heads[node]
    if row[0] == TREE_HEAD:
        return tree_head(program, tokens, node)
    return sibling(state, node, row[0] == SIBLING_LEFT)


cdef inline hash_t last_action(const State* state) noexcept nogil:
    """The last move and the label of the last arc."""
    cdef label_t label = state.arc_label[state.arcs - 1] if state.arcs else -1
    return (<hash_t>(state.last_move + 1) << 32) + <hash_t>(label + 2)


cdef inline hash_t scattered(hash_t value) noexcept nogil:
    """A hash whose sums depend on all hashes in them; sums of products do not: 2 + 5 is 3 + 4."""
    value *= <hash_t>0x9E3779B97F4A7C15
    return (value ^ value >> 32) * <hash_t>0xD6E8FEB86659FD93


cdef hash_t head_labels(const State* state, token_t node) noexcept nogil:
    """The labels of the arcs to a node, in whatever order they were made."""
    cdef token_t k = state.arc_first[node]
    cdef hash_t labels = 1
    while k >= 0:
        if state.arc_dependent[k] == node:
            labels += scattered(<hash_t>(state.arc_label[k] + 2))
        k = state.arc_next[2 * k + (state.arc_dependent[k] == node)]
    return labels


cdef inline hash_t distance(token_t a, token_t b) noexcept nogil:
    """The distance of two nodes in seven classes, with its direction."""
    cdef token_t gap = b - a if b > a else a - b
    return (gap if gap < 5 else 5 if gap < 8 else 6 if gap < 15 else 7) * 2 + (b > a)


cdef inline hash_t value(const Program* program, const State* state, const int32_t* tokens, const int32_t* slot,
                         const token_t* nodes) noexcept nogil:
    """The value of a term in a state; 0 if its address has no node."""
    cdef token_t node, other
    cdef const int32_t* address
    if slot[0] == LAST:
        return last_action(state)
    node = nodes[slot[1]]
    if node < 0:
        return 0
    if slot[0] >= FIRST_ATTRIBUTE:
        return <hash_t>(tokens[node * program.attributes + slot[0] - FIRST_ATTRIBUTE] + 2)
    if slot[0] == DEPREL:
        # A node reached by a step to one side has the label of that arc, other nodes that of the arc from their head.
        address = program.addresses + 3 * slot[1]
        if address[0] == LEFT:
            return <hash_t>(state.left_labels[OUTER * nodes[address[1]] + address[2]] + 2)
        if address[0] == RIGHT:
            return <hash_t>(state.right_labels[OUTER * nodes[address[1]] + address[2]] + 2)
        return <hash_t>(state.labels[node] + 2)
    if slot[0] == LEFT_COUNT:
        return <hash_t>min(state.left_count[node], 4) + 1
    if slot[0] == RIGHT_COUNT:
        return <hash_t>min(state.right_count[node], 4) + 1
    if slot[0] == LEFT_LABELS:
        return hash_set(state.left_set + node * state.set_words, state.set_words) + 1
    if slot[0] == RIGHT_LABELS:
        return hash_set(state.right_set + node * state.set_words, state.set_words) + 1
    if slot[0] == HEAD_COUNT:
        return <hash_t>min(count_heads(state, node), 4) + 1
    if slot[0] == HEAD_LABELS:
        return head_labels(state, node)
    other = nodes[slot[2]]
    if other < 0:
        return 0
    if slot[0] == DISTANCE:
        return distance(node, other) + 1
    if slot[0] == TREE:
        return tree_relation(program, tokens, node, other)
    if state.heads[node] == other or state.heads[other] == node:
        if slot[0] == LINKED:
            return 2 + (state.heads[node] == other)
        return <hash_t>(state.labels[node] if state.heads[node] == other else state.labels[other]) + 2
    other = link_between(state, node, other)
    if other < 0:
        return 1
    if slot[0] == ARC:
        return <hash_t>(state.arc_label[other] + 2)
    # Links have no direction, and leave words without heads.
    return 2 + (state.arc_dependent[other] == node and state.heads[node] >= 0)


cdef void fill_keys(const Program* program, State* state, const int32_t* tokens, hash_t* keys) noexcept nogil:
    """The keys of all templates in a state; none is 0."""
    cdef hash_t values[MOST_SLOTS]
    fill_values(program, state, tokens, values)
    hash_values(program, values, 0, program.template_count, keys)


cdef void fill_values(const Program* program, State* state, const int32_t* tokens, hash_t* values) noexcept nogil:
    """The values of all terms in a state."""
    cdef token_t nodes[MOST_ADDRESSES]
    cdef int32_t i
    for i in range(program.address_count):
        nodes[i] = resolve(program, state, tokens, program.addresses + 3 * i, nodes)
    for i in range(program.slot_count):
        values[i] = value(program, state, tokens, program.slots + 3 * i, nodes)


cdef inline hash_t key_of(const Program* program, const hash_t* values, int32_t template) noexcept nogil:
    """The key of a template from the values of its terms; never 0."""
    cdef const int32_t* row = program.templates + WIDEST * template
    cdef hash_t key = <hash_t>(template + 1) * <hash_t>0x9E3779B97F4A7C15
    cdef int32_t k
    for k in range(WIDEST):
        if row[k] < 0:
            break
        key = (key ^ values[row[k]]) * <hash_t>0xD6E8FEB86659FD93
        key ^= key >> 32
    return key if key != 0 else 1


cdef void hash_values(const Program* program, const hash_t* values, int32_t begin, int32_t end,
                      hash_t* keys) noexcept nogil:
    """The keys of the templates from `begin` to `end`."""
    cdef int32_t i
    for i in range(begin, end):
        keys[i] = key_of(program, values, i)


cdef void hash_chosen(const Program* program, const hash_t* values, const int32_t* templates, int32_t count,
                      hash_t* keys) noexcept nogil:
    """The keys of some templates."""
    cdef int32_t i
    for i in range(count):
        keys[i] = key_of(program, values, templates[i])
