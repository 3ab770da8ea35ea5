"""Crossing arcs, by a sweep from left to right over the places where arcs begin and end.

Arcs are drawn above the words and opened and closed on the way, at each place first closed, then opened, the
longer first. When an arc closes after those that opened later and close at the same place, the arcs that are
open and opened later are exactly those that cross it, so no pair is looked at that does not cross.
"""
import numpy as np

from crossarc.core.sorting cimport sort_by
from crossarc.core.typedefs cimport offset_t, token_t


cdef void take_tree_arcs(Space* space, bint root) noexcept nogil:
    """The arcs of a tree, each named by its dependent, in sweep order; those of node 0 only with `root`."""
    cdef token_t d
    space.m = 0
    for d in range(1, space.n + 1):
        if space.heads[d] or root:
            note_arc(space, space.heads[d], d, d)
    sort_arcs(space)


cdef void sort_arcs(Space* space) noexcept nogil:
    """Sort the arcs that were noted, in spare 0 to 2, into begin, end and name; set closing. O(n + m).

    By end, then by begin, where the order of ends is reversed; and again by end, with the later arcs first.
    """
    cdef const token_t* low = space.spare[0]
    cdef const token_t* high = space.spare[1]
    cdef token_t* by_end = space.spare[3]
    cdef token_t* bucket = space.spare[4]
    cdef token_t* order = space.spare[5]
    cdef token_t i
    sort_by(high, NULL, 0, space.m, space.n, True, bucket, by_end)
    sort_by(low, by_end, 0, space.m, space.n, True, bucket, order)
    for i in range(space.m):
        space.begin[i] = low[order[i]]
        space.end[i] = high[order[i]]
        space.name[i] = space.spare[2][order[i]]
    sort_by(space.end, NULL, 0, space.m, space.n, True, bucket, space.closing)


cdef offset_t list_crossings(Space* space, token_t* pairs) noexcept nogil:
    """Count the crossing pairs and, unless `pairs` is NULL, write their names, lesser first. O(m + pairs)."""
    cdef token_t opened = 0, closed, arc, other, last = -1
    cdef offset_t count = 0
    for closed in range(space.m):
        arc = space.closing[closed]
        opened = open_before(space, &last, opened, space.end[arc])
        other = last
        while other != arc:
            if pairs != NULL:
                pairs[2 * count] = min(space.name[arc], space.name[other])
                pairs[2 * count + 1] = max(space.name[arc], space.name[other])
            count += 1
            other = space.before[other]
        close_arc(space, &last, arc)
    return count


cdef void sort_pairs(
    token_t* pairs, token_t* scratch, offset_t count, offset_t* bucket, token_t names
) noexcept nogil:
    """Sort pairs of names below `names` by the first, then the second, in O(count + names)."""
    cdef token_t* source = pairs
    cdef token_t* target = scratch
    cdef token_t column, name
    cdef offset_t i, at
    for column in range(1, -1, -1):
        for name in range(names + 1):
            bucket[name] = 0
        for i in range(count):
            bucket[source[2 * i + column] + 1] += 1
        for name in range(names):
            bucket[name + 1] += bucket[name]
        for i in range(count):
            name = source[2 * i + column]
            at = bucket[name]
            bucket[name] += 1
            target[2 * at] = source[2 * i]
            target[2 * at + 1] = source[2 * i + 1]
        source, target = target, source


cdef object sorted_crossings(Workspace work, token_t names):
    """The pairs of crossing arcs, whose names are below `names`, as an array of shape (k, 2), sorted."""
    cdef offset_t count
    cdef token_t[:, ::1] pairs, scratch
    cdef offset_t[::1] bucket
    with nogil:
        count = list_crossings(&work.space, NULL)
    result = np.empty((count, 2), dtype=np.int32)
    if count:
        pairs = result
        scratch = np.empty_like(result)
        bucket = np.empty(names + 1, dtype=np.int64)
        with nogil:
            list_crossings(&work.space, &pairs[0, 0])
            sort_pairs(&pairs[0, 0], &scratch[0, 0], count, &bucket[0], names)
    return result


cdef bint any_crossing(Space* space) noexcept nogil:
    """Whether any two arcs cross. O(m): the open arcs are a stack as long as none do."""
    cdef token_t* stack = space.spare[0]
    cdef token_t i, top = 0
    for i in range(space.m):
        while top and stack[top - 1] <= space.begin[i]:
            top -= 1
        if top and stack[top - 1] < space.end[i]:
            return True
        stack[top] = space.end[i]
        top += 1
    return False


cdef offset_t measure_edges(Space* space, token_t* degree) noexcept nogil:
    """The greatest edge degree of a tree whose arcs, those of node 0 too, are in sweep order. O(m + pairs).

    Returns the number of crossing pairs without an arc of node 0. The components within the span of an edge whose head
    does not dominate their root are those whose root hangs outside the span: each is one arc that crosses the edge and
    has its dependent inside. An arc to either end of the edge leads to words that its head dominates.
    """
    cdef token_t* degrees = space.spare[0]
    cdef token_t opened = 0, closed, arc, other, d, last = -1
    cdef offset_t count = 0
    degree[0] = 0
    for d in range(space.n + 1):
        degrees[d] = 0
    for closed in range(space.m):
        arc = space.closing[closed]
        opened = open_before(space, &last, opened, space.end[arc])
        other = last
        while other != arc:
            if space.name[other] == space.begin[other]:
                d = space.name[arc]
                if not dominates(space, space.heads[d], space.name[other]):
                    degrees[d] += 1
            if space.name[arc] == space.end[arc]:
                d = space.name[other]
                if not dominates(space, space.heads[d], space.name[arc]):
                    degrees[d] += 1
            count += space.begin[arc] > 0
            other = space.before[other]
        close_arc(space, &last, arc)
    for d in range(1, space.n + 1):
        degree[0] = max(degree[0], degrees[d])
    return count


def crossing_pairs(heads, root=False):
    """The pairs of crossing arcs, arcs named by their dependents, as an int32 array of shape (k, 2).

    The lesser dependent comes first and the pairs are sorted. Arcs from node 0 count only with `root`. O(n + k).

    >>> crossing_pairs([-1, 3, 4, 0, 3]).tolist()
    [[1, 2]]
    >>> crossing_pairs([-1, 3, 4, 0, 3], root=True).tolist()
    [[1, 2], [2, 3]]
    """
    cdef Workspace work = hold_tree(heads)
    take_tree_arcs(&work.space, root)
    return sorted_crossings(work, work.space.n + 1)


def is_planar(heads, root=False):
    """Whether no two arcs cross, leaving out those of node 0 unless `root`. O(n).

    With the arcs of node 0, planar is projective.

    >>> is_planar([-1, 3, 0, 2]), is_planar([-1, 3, 0, 2], root=True)
    (True, False)
    """
    cdef Workspace work = hold_tree(heads)
    take_tree_arcs(&work.space, root)
    return not any_crossing(&work.space)


def edge_degree(heads):
    """The greatest degree of any edge (Kuhlmann and Nivre 2006); 0 for projective trees only.

    The degree of an edge is the number of components that the words strictly within its span form among
    themselves and whose root the head of the edge does not dominate. O(n + crossing pairs).

    >>> edge_degree([-1, 2, 0, 2]), edge_degree([-1, 3, 4, 0, 3])
    (0, 1)
    """
    cdef Workspace work = hold_tree(heads)
    cdef token_t degree
    with nogil:
        take_tree_arcs(&work.space, True)
        measure_edges(&work.space, &degree)
    return degree
