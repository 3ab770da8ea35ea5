"""The directed tree that an undirected one is when seen from node 0 (Levi, Reichart and Rappoport 2016, section 4)."""
import numpy as np

from crossarc.core.typedefs cimport token_t

from crossarc.errors import DecodeError


cdef bint point_away(const token_t* left, const token_t* right, token_t n, token_t* heads,
                     token_t* scratch) noexcept nogil:
    """Set heads[0..n] so that all n edges point away from node 0; False if they are no tree. O(n), no recursion."""
    cdef token_t* first = scratch                   # the edges of v: neighbour[first[v]] .. neighbour[first[v + 1] - 1]
    cdef token_t* order = scratch + (n + 2)
    cdef token_t* neighbour = scratch + 2 * (n + 2)
    cdef token_t v, w, k, i, begin = 0, end = 1
    for v in range(n + 2):
        first[v] = 0
    for k in range(n):
        first[left[k]] += 1
        first[right[k]] += 1
    for v in range(1, n + 1):
        first[v] += first[v - 1]
    first[n + 1] = first[n]
    for k in range(n):                              # from ends to begins
        first[left[k]] -= 1
        neighbour[first[left[k]]] = right[k]
        first[right[k]] -= 1
        neighbour[first[right[k]]] = left[k]
    for v in range(1, n + 1):
        heads[v] = -1
    heads[0] = -1
    order[0] = 0
    while begin < end:
        v = order[begin]
        begin += 1
        for i in range(first[v], first[v + 1]):
            w = neighbour[i]
            if w and heads[w] < 0:
                heads[w] = v
                order[end] = w
                end += 1
    return end == n + 1


def orient(edges):
    """The heads of the tree with these n edges over the nodes 0..n, pointing away from node 0. O(n).

    >>> orient([(1, 2), (2, 0), (3, 1)]).tolist()
    [-1, 2, 0, 1]
    """
    array = np.asarray(edges)
    if array.size == 0:
        array = np.empty((0, 2), dtype=np.int32)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise DecodeError(f"edges must be pairs of integers, of shape (n, 2), not {array.dtype} {array.shape}")
    n = len(array)
    wrong = np.flatnonzero(((array < 0) | (array > n)).any(axis=1))
    if wrong.size:
        raise DecodeError(f"edge {wrong[0]} is {array[wrong[0]].tolist()}; {n} edges make a tree of the nodes 0..{n}")
    heads = np.empty(n + 1, dtype=np.int32)
    cdef token_t[:, ::1] ends = np.ascontiguousarray(array.T, dtype=np.int32)
    cdef token_t[::1] view = heads
    cdef token_t[::1] scratch = np.empty(ORIENT_SCRATCH * (n + 2), dtype=np.int32)
    cdef token_t size = n
    cdef bint good = True
    if n == 0:
        return np.array([-1], dtype=np.int32)
    with nogil:
        good = point_away(&ends[0, 0], &ends[1, 0], size, &view[0], &scratch[0])
    if not good:
        lost = np.flatnonzero(heads[1:] < 0) + 1
        raise DecodeError(f"the edges are no tree: they do not join node {lost[0]} with node 0")
    return heads
