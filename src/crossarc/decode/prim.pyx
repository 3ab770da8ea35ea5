"""Prim's algorithm (1957) for dense graphs: a tree grows by the best edge out of it. O(n^2)."""
from libc.math cimport INFINITY
from libc.stdlib cimport free

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport score_t, token_t


cdef inline bint has_lower_name(const token_t* names, Py_ssize_t stride, token_t v, token_t w, token_t x,
                                token_t y) noexcept nogil:
    """Whether the edge v - w comes before x - y; without names, by the greater node, then the lesser."""
    if names != NULL:
        return names[v * stride + w] < names[x * stride + y]
    return max(v, w) < max(x, y) or max(v, w) == max(x, y) and min(v, w) < min(x, y)


cdef token_t grow(const score_t* weights, const score_t* first_row, Py_ssize_t stride, token_t begin, token_t end,
                  const token_t* names, Growth* growth, token_t* left, token_t* right) noexcept nogil:
    """Find the edges left[k] - right[k] of the best forest over the nodes begin..end-1; return how many.

    Weights are symmetric, -inf where there is no edge; names too, if there are any, with the same stride. The row of
    node 0 is `first_row`.
    """
    cdef token_t* node = growth.node
    cdef token_t* inner = growth.inner
    cdef score_t* weight = growth.weight
    cdef token_t outside = end - begin, i, v, w, at, count = 0
    cdef const score_t* row
    for i in range(outside):
        node[i] = begin + i
        inner[i] = -1
        weight[i] = -INFINITY
    while outside:
        at = 0                          # the best edge, or the start of another tree
        for i in range(1, outside):
            if weight[i] > weight[at] or weight[i] == weight[at] and inner[i] >= 0 and has_lower_name(
                    names, stride, node[i], inner[i], node[at], inner[at]):
                at = i
        v = node[at]
        if inner[at] >= 0:
            left[count] = inner[at]
            right[count] = v
            count += 1
        outside -= 1
        node[at] = node[outside]
        inner[at] = inner[outside]
        weight[at] = weight[outside]
        row = weights + v * stride if v else first_row
        for i in range(outside):
            w = node[i]
            if row[w] > weight[i] or row[w] == weight[i] and inner[i] >= 0 and has_lower_name(
                    names, stride, v, w, inner[i], w):
                weight[i] = row[w]
                inner[i] = v
    return count


cdef class Prim(Spanner):
    """A square of the edges is filled first: of parallel edges the best."""

    cdef score_t* square
    cdef token_t* names
    cdef token_t* memory
    cdef Growth growth

    def __dealloc__(self):
        free(self.square)
        free(self.names)
        free(self.memory)

    cdef int reserve(self, token_t n, token_t m) except -1:
        cdef size_t size = <size_t>n + 1
        if n <= self.node_room:
            return 0
        self.node_room = -1
        renew(<void**>&self.square, (size * size + size) * sizeof(score_t))
        renew(<void**>&self.names, size * size * sizeof(token_t))
        renew(<void**>&self.memory, 4 * size * sizeof(token_t))
        self.growth.weight = self.square + size * size
        self.growth.node = self.memory
        self.growth.inner = self.memory + size
        self.node_room = n
        return 0

    cdef token_t span(self, Edge* edges, token_t m, token_t n, token_t* chosen) noexcept nogil:
        cdef token_t* left = self.memory + 2 * (<size_t>self.node_room + 1)
        cdef token_t* right = left + self.node_room + 1
        cdef Py_ssize_t size = n, cell, mirror
        cdef token_t i, count
        for cell in range(size * size):
            self.square[cell] = -INFINITY
            self.names[cell] = -1
        for i in range(m):
            cell = edges[i].left * size + edges[i].right
            mirror = edges[i].right * size + edges[i].left
            if self.names[cell] < 0 or is_better(edges[i].weight, edges[i].name, self.square[cell], self.names[cell]):
                self.square[cell] = self.square[mirror] = edges[i].weight
                self.names[cell] = self.names[mirror] = edges[i].name
        count = grow(self.square, self.square, size, 0, n, self.names, &self.growth, left, right)
        for i in range(count):
            chosen[i] = self.names[left[i] * size + right[i]]
        return count
