# The arcs of a state in which words may have several heads, and those of the gold graph that it has not got yet.
from crossarc.core.typedefs cimport label_t, token_t
from crossarc.transitions.gold cimport Gold
from crossarc.transitions.state cimport State, connected

cdef enum:
    # What the second stack, which these systems do not use, says of a node in a search.
    UNSEEN = -1
    LAST_SEEN = -2


cdef inline token_t arc_before(const State* state, token_t k, token_t node) noexcept nogil:
    """The arc made with a node before arc k, -1 if there is none."""
    return state.arc_next[2 * k + (state.arc_dependent[k] == node)]


cdef inline token_t count_heads(const State* state, token_t node) noexcept nogil:
    """The number of arcs to a node."""
    cdef token_t k = state.arc_first[node]
    cdef token_t count = 0
    while k >= 0:
        count += state.arc_dependent[k] == node
        k = arc_before(state, k, node)
    return count


cdef inline token_t count_arcs(const State* state, token_t head, token_t dependent) noexcept nogil:
    """The number of arcs from one node to another."""
    cdef token_t k = state.arc_first[dependent]
    cdef token_t count = 0
    while k >= 0:
        count += state.arc_head[k] == head and state.arc_dependent[k] == dependent
        k = arc_before(state, k, dependent)
    return count


cdef inline bint has_arc(const State* state, token_t head, token_t dependent, label_t label) noexcept nogil:
    """Whether there is an arc from one node to another with a label."""
    cdef token_t k = state.arc_first[dependent]
    while k >= 0:
        if state.arc_head[k] == head and state.arc_dependent[k] == dependent and state.arc_label[k] == label:
            return True
        k = arc_before(state, k, dependent)
    return False


cdef inline bint is_missing(const State* state, const Gold* gold, token_t head, token_t dependent,
                            label_t label) noexcept nogil:
    """Whether the gold graph has an arc with a label, and the state has it not."""
    cdef token_t a, k
    for a in range(gold.first[dependent], gold.first[dependent + 1]):
        k = gold.by_node[a]
        if gold.arc_heads[k] == head and gold.arc_dependents[k] == dependent and gold.arc_labels[k] == label:
            return not has_arc(state, head, dependent, label)
    return False


cdef inline token_t missing_arc(const State* state, const Gold* gold, token_t head, token_t dependent) noexcept nogil:
    """The first gold arc from one node to another that the state lacks; -1 if it has as many arcs as there are in gold.

    An arc that was made with a wrong label takes the place of a gold arc.
    """
    cdef token_t a, k, found = -1, count = 0
    for a in range(gold.first[dependent], gold.first[dependent + 1]):
        k = gold.by_node[a]
        if gold.arc_heads[k] == head and gold.arc_dependents[k] == dependent:
            count += 1
            if found < 0 and not has_arc(state, head, dependent, gold.arc_labels[k]):
                found = k
    return found if found >= 0 and count_arcs(state, head, dependent) < count else -1


cdef inline token_t count_missing(const State* state, const Gold* gold, token_t node, token_t low,
                                  token_t high) noexcept nogil:
    """The gold arcs between a node and the nodes from `low` to `high` that the state lacks."""
    cdef token_t a, k, other, count = 0
    for a in range(gold.first[node], gold.first[node + 1]):
        k = gold.by_node[a]
        other = gold.arc_heads[k] + gold.arc_dependents[k] - node
        if low <= other <= high and missing_arc(state, gold, gold.arc_heads[k], gold.arc_dependents[k]) >= 0:
            count += not has_arc(state, gold.arc_heads[k], gold.arc_dependents[k], gold.arc_labels[k])
    return count


cdef inline bint is_above(State* state, token_t node, token_t below) noexcept nogil:
    """Whether a path of arcs leads from a node down to another.

    Breadth first from the lower one upwards; the memory of the second stack links the nodes seen to a list. O(1) if the
    two are not connected at all, else at most O(the arcs above the lower one).
    """
    cdef token_t* after = state.stack2
    cdef token_t at = below, last = below
    cdef token_t k, head
    cdef bint found = node == below
    if found or not connected(state, node, below):
        return found
    after[below] = LAST_SEEN
    while at != LAST_SEEN and not found:
        k = state.arc_first[at]
        while k >= 0:
            head = state.arc_head[k]
            if head != at:
                if head == node:
                    found = True
                    break
                if after[head] == UNSEEN:
                    after[last] = head
                    after[head] = LAST_SEEN
                    last = head
            k = arc_before(state, k, at)
        at = after[at]
    at = below
    while at != LAST_SEEN:
        k = after[at]
        after[at] = UNSEEN
        at = k
    return found
