# Trees as arrays of heads, and as links without a direction.
from crossarc.core.typedefs cimport token_t


cdef inline bint is_tree(const token_t* heads, token_t n, token_t* met) noexcept nogil:
    """Whether the heads of the words 1..n lead to node 0. O(n); `met` has n + 1 entries, heads[0] is not read."""
    cdef token_t word, node
    for word in range(1, n + 1):
        met[word] = 0
    met[0] = -1
    for word in range(1, n + 1):            # each walk ends at node 0, at what an earlier walk met, or in itself
        node = word
        while met[node] == 0:
            met[node] = word
            node = heads[node]
            if not 0 <= node <= n:
                return False
        if met[node] == word:
            return False
    return True


cdef inline void turn(token_t* heads, token_t word) noexcept nogil:
    """Turn the arc to a word from its head round: the head of the head becomes that of the word."""
    cdef token_t head = heads[word]
    heads[word] = heads[head]
    heads[head] = word


cdef inline void list_links(const token_t* left, const token_t* right, token_t m, token_t n, token_t* first,
                            token_t* following) noexcept nogil:
    """List the m links of each node 0..n, the last one first; -1 ends a list.

    Link k of v is followed by following[2k] if v is its left node, by following[2k + 1] if v is the right one.
    """
    cdef token_t v, k
    for v in range(n + 1):
        first[v] = -1
    for k in range(m):
        following[2 * k] = first[left[k]]
        following[2 * k + 1] = first[right[k]]
        first[left[k]] = first[right[k]] = k


cdef inline token_t point_away(const token_t* left, const token_t* right, const token_t* first,
                               const token_t* following, token_t root, token_t* heads, token_t* via,
                               token_t* order) noexcept nogil:
    """Make all links that lead from a root to nodes without a head (-1) point away from it.

    Sets heads and, in `via`, links of the nodes reached, lists these nodes in `order`, nearest first and after the
    root, and gives how many nodes that are. The root itself needs a head >= 0. No recursion.
    """
    cdef token_t begin = 0, end = 1, v, w, k
    order[0] = root
    while begin < end:
        v = order[begin]
        begin += 1
        k = first[v]
        while k >= 0:
            w = left[k] + right[k] - v
            if heads[w] < 0:
                heads[w] = v
                via[w] = k
                order[end] = w
                end += 1
            k = following[2 * k + (v == right[k])]
    return end
