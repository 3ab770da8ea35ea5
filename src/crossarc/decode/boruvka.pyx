"""Boruvka's algorithm (1926): nodes take their best edges, and joined nodes become one, until no edge is left.

Each step at least halves the nodes that have edges, so the cost is O(m log n). Edges within a node are removed;
parallel ones stay, since finding them would cost more than it saves.
"""
from libc.stdlib cimport free

from crossarc.core.allocation cimport renew
from crossarc.core.prefetch cimport prefetch
from crossarc.core.typedefs cimport int64_t, token_t


cdef inline void offer(const Edge* edge, Pick* pick, token_t other, int64_t* comparisons) noexcept nogil:
    """Let a node choose an edge if it is better than what it has."""
    if pick.name >= 0:
        comparisons[0] += 1
        if not is_better(edge.weight, edge.name, pick.weight, pick.name):
            return
    pick.weight = edge.weight
    pick.name = edge.name
    pick.place = edge.place
    pick.other = other


cdef int64_t choose_edges(const Edge* edges, token_t m, token_t n, Pick* picks) noexcept nogil:
    """Let every node choose its best edge; return the number of comparisons."""
    cdef token_t i, v
    cdef int64_t comparisons = 0
    for v in range(n):
        picks[v].name = -1
    for i in range(m):
        if i + AHEAD < m:
            prefetch(picks + edges[i + AHEAD].left)
            prefetch(picks + edges[i + AHEAD].right)
        offer(edges + i, picks + edges[i].left, edges[i].right, &comparisons)
        offer(edges + i, picks + edges[i].right, edges[i].left, &comparisons)
    return comparisons


cdef token_t take(token_t n, const Pick* picks, token_t* chosen) noexcept nogil:
    """Write the places of the chosen edges, each once; return how many."""
    cdef token_t v, count = 0
    for v in range(n):
        if v + AHEAD < n and picks[v + AHEAD].name >= 0:
            prefetch(picks + picks[v + AHEAD].other)
        if picks[v].name >= 0 and (picks[picks[v].other].name != picks[v].name or v < picks[v].other):
            chosen[count] = picks[v].place
            count += 1
    return count


cdef token_t join(token_t n, const Pick* picks, token_t* part) noexcept nogil:
    """Number the parts that chosen edges join, -1 for a node without edges; return how many. O(n).

    As no two edges are equal, the only cycles are pairs of nodes that chose the same edge.
    """
    cdef token_t v, w, number, parts = 0
    for v in range(n):
        part[v] = -1
        if v + AHEAD < n and picks[v + AHEAD].name >= 0:
            prefetch(picks + picks[v + AHEAD].other)
        if picks[v].name >= 0 and picks[picks[v].other].name == picks[v].name and v < picks[v].other:
            part[v] = parts
            parts += 1
    for v in range(n):
        if v + AHEAD < n and picks[v + AHEAD].name >= 0:
            prefetch(part + picks[v + AHEAD].other)
        if picks[v].name < 0:
            continue
        w = v
        while part[w] < 0:
            w = picks[w].other
        number = part[w]
        w = v
        while part[w] < 0:
            part[w] = number
            w = picks[w].other
    return parts


cdef token_t contract(Edge* edges, token_t m, const token_t* part) noexcept nogil:
    """Keep the edges between parts, renumbered; return how many."""
    cdef token_t i, left, right, kept = 0
    for i in range(m):
        if i + AHEAD < m:
            prefetch(part + edges[i + AHEAD].left)
            prefetch(part + edges[i + AHEAD].right)
        left = part[edges[i].left]
        right = part[edges[i].right]
        edges[kept] = edges[i]
        edges[kept].left = left
        edges[kept].right = right
        kept += left != right
    return kept


cdef class Boruvka(Spanner):
    """Steps until no edge is left."""

    def __dealloc__(self):
        free(self.picks)
        free(self.part)

    cdef int reserve(self, token_t n, token_t m) except -1:
        if n > self.node_room:
            self.node_room = -1
            renew(<void**>&self.picks, (<size_t>n + 1) * sizeof(Pick))
            renew(<void**>&self.part, (<size_t>n + 1) * sizeof(token_t))
            self.node_room = n
        return 0

    cdef token_t span(self, Edge* edges, token_t m, token_t n, token_t* chosen) noexcept nogil:
        cdef token_t count = 0
        while m:
            self.comparisons += choose_edges(edges, m, n, self.picks)
            count += take(n, self.picks, chosen + count)
            n = join(n, self.picks, self.part)
            m = contract(edges, m, self.part)
        return count
