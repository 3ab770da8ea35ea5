"""Kruskal's algorithm (1956): the edges by weight, each taken if it joins two trees.

Weights are sorted by their bits, eight at a time from the lowest (a radix sort), which is stable, so that equal edges
stay in the order of their names. O(m) for the sort, with eight passes at most, and O(m alpha(n)) for the trees.
"""
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport int32_t, score_t, token_t, uint64_t
from crossarc.core.union_find cimport find


cdef enum:
    DIGITS = 8
    VALUES = 256


cdef struct Sorted:
    uint64_t key
    token_t edge


cdef inline uint64_t key_of(score_t weight) noexcept nogil:
    """Unsigned integers that rise where weights fall."""
    cdef uint64_t bits
    weight += 0.0                       # -0.0 is 0.0
    memcpy(&bits, &weight, sizeof(bits))
    return bits if bits >> 63 else ~bits & ~(<uint64_t>1 << 63)


cdef Sorted* sort(Sorted* items, Sorted* spare, token_t m) noexcept nogil:
    """Sort the items by key; return which of the two arrays they are in."""
    cdef token_t counts[DIGITS][VALUES]
    cdef token_t i, v, total, count
    cdef int32_t digit
    cdef uint64_t key
    memset(counts, 0, sizeof(counts))
    for i in range(m):
        key = items[i].key
        for digit in range(DIGITS):
            counts[digit][(key >> (8 * digit)) & 255] += 1
    for digit in range(DIGITS):
        if m and counts[digit][(items[0].key >> (8 * digit)) & 255] == m:
            continue                    # all have the same digit here
        total = 0
        for v in range(VALUES):
            count = counts[digit][v]
            counts[digit][v] = total
            total += count
        for i in range(m):
            v = <token_t>((items[i].key >> (8 * digit)) & 255)
            spare[counts[digit][v]] = items[i]
            counts[digit][v] += 1
        items, spare = spare, items
    return items


cdef class Kruskal(Spanner):
    """Sort and join."""

    cdef token_t* up
    cdef Sorted* items

    def __dealloc__(self):
        free(self.up)
        free(self.items)

    cdef int reserve(self, token_t n, token_t m) except -1:
        if n > self.node_room or m > self.edge_room:
            self.node_room = self.edge_room = -1
            renew(<void**>&self.up, (<size_t>n + 1) * sizeof(token_t))
            renew(<void**>&self.items, (<size_t>m + 1) * 2 * sizeof(Sorted))
            self.node_room = n
            self.edge_room = m
        return 0

    cdef token_t span(self, Edge* edges, token_t m, token_t n, token_t* chosen) noexcept nogil:
        cdef Sorted* items = self.items
        cdef token_t i, left, right, count = 0
        for i in range(n):
            self.up[i] = i
        for i in range(m):
            items[i].key = key_of(edges[i].weight)
            items[i].edge = i
        items = sort(items, items + self.edge_room + 1, m)
        for i in range(m):
            left = find(self.up, edges[items[i].edge].left)
            right = find(self.up, edges[items[i].edge].right)
            if left != right:
                self.up[left] = right
                chosen[count] = edges[items[i].edge].place
                count += 1
                if count == n - 1:
                    break
        return count
