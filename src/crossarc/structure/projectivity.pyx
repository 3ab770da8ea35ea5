"""Projections: which edges are projective, which gaps a subtree leaves, and whether subtrees interleave.

An edge h -> d is projective when h dominates every word between the two; node 0 dominates all. The projection
of a node is the set of words it dominates, itself among them.
"""
import numpy as np

from crossarc.core.sorting cimport sort_by
from crossarc.core.typedefs cimport token_t


cdef token_t mark_non_projective(Space* space) noexcept nogil:
    """Set non_projective[d] for each word whose edge is non-projective and count them. Linear.

    Only the run of words around a head that it dominates matters: an edge is projective when the dependent lies in it.
    Bottom-up, a run grows by whole runs. Those were joined below h if h dominates one word of them, so each joining is
    done once in the whole tree; `other` leads from either end of a run to its other end.
    """
    cdef token_t* non_projective = space.non_projective
    cdef token_t* other = space.spare[0]
    cdef token_t v, d, t, i, left, right, count = 0
    for v in range(space.n + 1):
        other[v] = v
        non_projective[v] = 0
    for t in range(space.n, 0, -1):
        v = space.order[t]
        if space.first[v] == space.first[v + 1]:
            continue
        left = right = v
        while right < space.n and dominates(space, v, right + 1):
            right = other[right + 1]
        while left > 1 and dominates(space, v, left - 1):
            left = other[left - 1]
        other[left] = right
        other[right] = left
        for i in range(space.first[v], space.first[v + 1]):
            d = space.child[i]
            if d < left or d > right:
                non_projective[d] = 1
                count += 1
    return count


cdef token_t count_gaps(Space* space) noexcept nogil:
    """Set gaps[v] for every node and give the greatest. O(n log depth).

    A projection has as many blocks as words, less the pairs of neighbours that lie in it; a pair k - 1, k
    lies in the projections of its lowest common ancestor and of all above. That ancestor is found while the
    later of the two in preorder is visited, by bisection of the path down to it.
    """
    cdef token_t* joined = space.gaps
    cdef token_t* path = space.spare[0]             # places, by depth
    cdef token_t t, v, u, side, low, high, middle, best = 0
    for v in range(space.n + 1):
        joined[v] = 0
    for t in range(space.n + 1):
        v = space.order[t]
        path[space.depth[v]] = t
        for side in range(-1, 2, 2):
            u = v + side
            if u < 0 or u > space.n or space.place[u] > t:
                continue
            low = 0
            high = space.depth[v]
            while low < high:                       # the deepest node of the path at or before u
                middle = (low + high + 1) >> 1
                if path[middle] <= space.place[u]:
                    low = middle
                else:
                    high = middle - 1
            joined[space.order[path[low]]] += 1
    for t in range(space.n, 0, -1):
        v = space.order[t]
        joined[space.heads[v]] += joined[v]
    for v in range(space.n + 1):
        space.gaps[v] = space.size[v] - joined[v] - 1
        best = max(best, space.gaps[v])
    return best


cdef inline void add(token_t* sums, token_t size, token_t at) noexcept nogil:
    at += 1
    while at <= size:
        sums[at] += 1
        at += at & -at


cdef inline token_t total(const token_t* sums, token_t before) noexcept nogil:
    cdef token_t result = 0
    while before > 0:
        result += sums[before]
        before -= before & -before
    return result


cdef inline token_t count_met(const Space* space, const token_t* sums, token_t node) noexcept nogil:
    """How many of the words that a node dominates the sweep has met."""
    return total(sums, space.place[node] + space.size[node]) - total(sums, space.place[node])


cdef bint nests_well(Space* space) noexcept nogil:
    """Whether no two disjoint subtrees interleave. O(n log n), less when there are no gaps.

    Two disjoint subtrees interleave only if the two subtrees of siblings above them do. Siblings interleave when their
    spans overlap without one holding the other, or when the outer one has words within the span of the inner one. For
    the latter the inner one need only be compared with the next sibling around it, since the span of that one holds it.
    The words in question are counted for all such pairs in one sweep, with a Fenwick tree over places.
    """
    cdef token_t n = space.n
    cdef token_t* low = space.spare[0]
    cdef token_t* high = space.spare[1]
    cdef token_t* by_low = space.spare[2]
    cdef token_t* by_high = space.spare[3]
    cdef token_t* bucket = space.spare[4]
    cdef token_t* family = space.spare[5]           # like child, but by the left end of the span
    cdef token_t* around = space.spare[6]
    cdef token_t* inside = space.spare[7]
    cdef token_t* stack = space.spare[8]
    cdef token_t* sums = space.spare[9]
    cdef token_t v, h, t, i, p, top, a, at_low, at_high, asked = 0

    for v in range(n + 1):
        low[v] = high[v] = v
        around[v] = -1
    for t in range(n, 0, -1):
        v = space.order[t]
        h = space.heads[v]
        low[h] = min(low[h], low[v])
        high[h] = max(high[h], high[v])
    sort_by(low, NULL, 1, n + 1, n, False, bucket, by_low)
    sort_by(space.heads, by_low, 0, n, n, False, bucket, family)
    for h in range(n + 1):
        top = 0
        for i in range(space.first[h], space.first[h + 1]):
            v = family[i]
            while top and high[stack[top - 1]] < low[v]:
                top -= 1
            if top:
                if high[v] > high[stack[top - 1]]:
                    return False
                around[v] = stack[top - 1]
                asked += 1
            stack[top] = v
            top += 1
    if not asked:
        return True

    sort_by(high, NULL, 1, n + 1, n, False, bucket, by_high)
    for v in range(n + 2):
        sums[v] = 0
    at_low = at_high = 0
    for p in range(1, n + 1):
        while at_low < n and low[by_low[at_low]] == p:
            v = by_low[at_low]
            at_low += 1
            a = around[v]
            if a >= 0:
                inside[v] = count_met(space, sums, a)
        add(sums, n + 1, space.place[p])
        while at_high < n and high[by_high[at_high]] == p:
            v = by_high[at_high]
            at_high += 1
            a = around[v]
            if a >= 0 and inside[v] != count_met(space, sums, a):
                return False
    return True


def is_projective(heads):
    """Whether every edge is projective. O(n).

    >>> is_projective([-1, 2, 0, 2]), is_projective([-1, 3, 4, 0, 3])
    (True, False)
    """
    cdef Workspace work = hold_tree(heads)
    return mark_non_projective(&work.space) == 0


def non_projective_mask(heads):
    """A boolean array of n + 1 entries: whether the edge to each node is non-projective. O(n)."""
    cdef Workspace work = hold_tree(heads)
    mark_non_projective(&work.space)
    return work.copy_of(work.space.non_projective).astype(np.bool_)


def non_projective_edges(heads):
    """The dependents of the non-projective edges, left to right, as an int32 array. O(n).

    >>> non_projective_edges([-1, 3, 4, 0, 3]).tolist()
    [2]
    """
    return np.flatnonzero(non_projective_mask(heads)).astype(np.int32)


def gap_degrees(heads):
    """The number of gaps in the projection of each node, as an int32 array of n + 1 entries. O(n log depth).

    >>> gap_degrees([-1, 3, 4, 0, 3]).tolist()
    [0, 0, 0, 0, 1]
    """
    cdef Workspace work = hold_tree(heads)
    count_gaps(&work.space)
    return work.copy_of(work.space.gaps)


def gap_degree(heads):
    """The greatest number of gaps in any projection; 0 for projective trees only. O(n log depth)."""
    return int(gap_degrees(heads).max())


def is_well_nested(heads):
    """Whether no two disjoint subtrees interleave (Bodirsky, Kuhlmann and Mohl 2005). O(n log n).

    >>> is_well_nested([-1, 3, 4, 0, 3]), is_well_nested([-1, 0, 0, 1, 2])
    (True, False)
    """
    cdef Workspace work = hold_tree(heads)
    return nests_well(&work.space)
