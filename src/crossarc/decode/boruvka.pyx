"""Boruvka's algorithm (1926): every node takes its best edge, nodes so joined become one, until no edge is left.

Each step at least halves the nodes that have edges, hence O(m log n). Edges within a node go; parallel ones stay, for
finding them would cost more than it saves.
"""
from libc.stdlib cimport free, malloc

from crossarc.core.typedefs cimport int64_t, token_t

from crossarc.decode.edges cimport Edge, Spanner, is_better


cdef int64_t choose_edges(const Edge* edges, token_t m, token_t n, token_t* best) noexcept nogil:
    """The best edge of every node, -1 if it has none; gives the number of comparisons."""
    cdef token_t i, v
    cdef int64_t comparisons = 0
    cdef const Edge* edge
    cdef const Edge* other
    for v in range(n):
        best[v] = -1
    for i in range(m):
        edge = edges + i
        if best[edge.left] < 0:
            best[edge.left] = i
        else:
            other = edges + best[edge.left]
            comparisons += 1
            if is_better(edge.weight, edge.name, other.weight, other.name):
                best[edge.left] = i
        if best[edge.right] < 0:
            best[edge.right] = i
        else:
            other = edges + best[edge.right]
            comparisons += 1
            if is_better(edge.weight, edge.name, other.weight, other.name):
                best[edge.right] = i
    return comparisons


cdef inline token_t other_end(const Edge* edge, token_t v) noexcept nogil:
    return edge.right if edge.left == v else edge.left


cdef token_t take(const Edge* edges, token_t n, const token_t* best, token_t* chosen) noexcept nogil:
    """The places of the chosen edges, each once; gives how many."""
    cdef token_t v, w, count = 0
    for v in range(n):
        if best[v] >= 0:
            w = other_end(edges + best[v], v)
            if best[w] != best[v] or v < w:
                chosen[count] = edges[best[v]].place
                count += 1
    return count


cdef token_t join(const Edge* edges, token_t n, const token_t* best, token_t* up, token_t* part) noexcept nogil:
    """Number the parts that chosen edges join, -1 for a node without edges; gives how many. O(n).

    As no two edges are equal, the only cycles are pairs of nodes that chose the same edge.
    """
    cdef token_t v, w, number, parts = 0
    for v in range(n):
        part[v] = -1
        if best[v] >= 0:
            w = other_end(edges + best[v], v)
            up[v] = v if best[w] == best[v] and v < w else w
            if up[v] == v:
                part[v] = parts
                parts += 1
    for v in range(n):
        if best[v] < 0:
            continue
        w = v
        while part[w] < 0:
            w = up[w]
        number = part[w]
        w = v
        while part[w] < 0:
            part[w] = number
            w = up[w]
    return parts


cdef token_t contract(Edge* edges, token_t m, const token_t* part) noexcept nogil:
    """Keep the edges between parts, renumbered; gives how many."""
    cdef token_t i, left, right, kept = 0
    for i in range(m):
        left = part[edges[i].left]
        right = part[edges[i].right]
        if left != right:
            edges[kept] = edges[i]
            edges[kept].left = left
            edges[kept].right = right
            kept += 1
    return kept


cdef class Boruvka(Spanner):
    """Steps until no edge is left."""

    cdef token_t* memory

    def __cinit__(self):
        self.memory = NULL
        self.node_room = -1

    def __dealloc__(self):
        free(self.memory)

    cdef int reserve(self, token_t n, token_t m) except -1:
        if n > self.node_room:
            free(self.memory)
            self.node_room = -1
            self.memory = <token_t*>malloc((<size_t>n + 1) * 3 * sizeof(token_t))
            if self.memory == NULL:
                raise MemoryError
            self.node_room = n
        return 0

    cdef token_t span(self, Edge* edges, token_t m, token_t n, token_t* chosen) noexcept nogil:
        cdef token_t* best = self.memory
        cdef token_t* up = best + n
        cdef token_t* part = up + n
        cdef token_t count = 0, parts
        while m:
            self.comparisons += choose_edges(edges, m, n, best)
            count += take(edges, n, best, chosen + count)
            parts = join(edges, n, best, up, part)
            m = contract(edges, m, part)
            n = parts
        return count
