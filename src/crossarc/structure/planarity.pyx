"""Planes: how many half-planes the arcs need so that within each none cross, and which arc goes where.

Two planes suffice when the graph of crossing arcs has two colours, which is decided without listing its edges. The
components of that graph are coloured one by one: those that need more planes do not disturb the rest.
"""
import numpy as np

from crossarc.core.typedefs cimport token_t
from crossarc.core.union_find cimport colour_apart, find_coloured


cdef token_t join_crossing(Space* space) noexcept nogil:
    """Join crossing arcs with opposite colours. Near-linear in the arcs, however many pairs cross.

    Leaves components in spare 0, colours relative to their representatives in spare 1, and at the
    representatives in spare 2 whether two colours do not suffice; return the number of such clashes.

    The open arcs of the sweep are kept in segments, each of one component and, while two colours suffice for it, of one
    colour. An arc that closes crosses all those opened after it: they become one segment of the other colour. If its
    own segment has arcs after it, there is no such colour, and all stay in one segment as one component.
    """
    cdef token_t* parent = space.spare[0]
    cdef token_t* colour = space.spare[1]
    cdef token_t* odd = space.spare[2]
    cdef token_t* start = space.spare[3]        # by segment: the first arc it may hold, its open arcs, one
    cdef token_t* count = space.spare[4]
    cdef token_t* member = space.spare[5]
    cdef token_t opened = 0, closed, arc, top = 0, edge, total, pick, clashes = 0, last = -1
    for arc in range(space.m):
        parent[arc] = arc
        colour[arc] = odd[arc] = 0
    for closed in range(space.m):
        arc = space.closing[closed]
        while opened < space.m and space.begin[opened] < space.end[arc]:
            open_arc(space, &last, opened)
            start[top] = member[top] = opened
            count[top] = 1
            top += 1
            opened += 1
        total = 0
        pick = -1
        edge = space.m
        while start[top - 1] > arc:
            top -= 1
            edge = start[top]
            if not count[top]:
                continue
            total += count[top]
            pick = member[top]
            if not colour_apart(parent, colour, arc, pick):
                odd[arc] = 1
                clashes += 1
        count[top - 1] -= 1
        if 0 <= space.after[arc] < edge:
            odd[arc] = 1
            clashes += 1
            count[top - 1] += total
        elif total:
            if not count[top - 1]:
                top -= 1
            start[top] = arc + 1
            count[top] = total
            member[top] = pick
            top += 1
        close_arc(space, &last, arc)
    for arc in range(space.m):
        if odd[arc]:
            odd[find_coloured(parent, colour, arc)] = 1
    return clashes


cdef token_t assign_planes(Space* space, Board* board) noexcept nogil:
    """Set plane[arc] and give the number of planes; 1 without crossings, even without arcs.

    Components of two colours: the first arc in sweep order is in plane 0. Others: first fit in sweep order,
    which is O(m planes); if that takes more than three planes, `reduce_colours` may find fewer.
    """
    cdef token_t* parent = space.spare[0]
    cdef token_t* colour = space.spare[1]
    cdef token_t* odd = space.spare[2]
    cdef token_t* base = space.spare[3]             # by representative: the colour of the first arc
    cdef token_t* innermost = space.spare[4]        # by plane: the last arc put there that may still be open
    cdef token_t* outer = space.spare[5]            # by arc: the one around it in its plane
    cdef token_t* needed = space.spare[6]           # by representative: planes taken
    cdef token_t* members = space.spare[7]
    cdef token_t planes = 1, fitted = 0, arc, a, p, other, i, j, m
    join_crossing(space)
    for arc in range(space.m):
        base[arc] = -1
        needed[arc] = 0
    for arc in range(space.m):
        a = find_coloured(parent, colour, arc)
        if odd[a]:
            p = 0
            while p < fitted:
                other = innermost[p]
                while other >= 0 and space.end[other] <= space.begin[arc]:
                    other = outer[other]
                innermost[p] = other
                if other < 0 or space.end[arc] <= space.end[other]:
                    break
                p += 1
            if p == fitted:
                innermost[p] = -1
                fitted += 1
            outer[arc] = innermost[p]
            innermost[p] = arc
            needed[a] = max(needed[a], p + 1)
        else:
            if base[a] < 0:
                base[a] = colour[arc]
            p = colour[arc] ^ base[a]
            planes = max(planes, p + 1)
        space.plane[arc] = p
    for a in range(space.m):
        if needed[a] > 3 and needed[a] <= MOST:
            m = 0
            for arc in range(space.m):
                if parent[arc] == a:
                    if m == LARGEST:
                        m += 1
                        break
                    members[m] = arc
                    m += 1
            if m <= LARGEST:
                board.m = m
                for i in range(m):
                    board.best[i] = space.plane[members[i]]
                    board.adjacent[i * m + i] = 0
                    for j in range(i):
                        board.adjacent[i * m + j] = board.adjacent[j * m + i] = (
                            space.begin[members[j]] < space.begin[members[i]] < space.end[members[j]]
                            < space.end[members[i]]
                        )
                needed[a] = reduce_colours(board, needed[a])
                for i in range(m):
                    space.plane[members[i]] = board.best[i]
        planes = max(planes, needed[a])
    return planes


def planes(heads, root=False):
    """The plane of each word's arc, from 0, as an int32 array of n + 1 entries; -1 where there is none.

    Arcs that cross lie in different planes. Two planes are used for every group of arcs that cross each
    other, directly or through others, for which two suffice. Groups of up to 512 arcs that need more get as
    few as there are, unless a search of 20,000 steps does not settle it; then, and for greater groups, the
    planes are those of first fit from left to right or the best the search found. Arcs from node 0 have a
    plane only with `root`. Near-linear for 2-planar trees.

    >>> planes([-1, 3, 4, 0, 3]).tolist()
    [-1, 0, 1, -1, 0]
    """
    cdef Workspace work = hold_tree(heads)
    cdef Colouring colouring = Colouring()
    cdef token_t arc
    take_tree_arcs(&work.space, root)
    with nogil:
        assign_planes(&work.space, &colouring.board)
    result = np.full(work.space.n + 1, -1, dtype=np.int32)
    cdef token_t[::1] view = result
    for arc in range(work.space.m):
        view[work.space.name[arc]] = work.space.plane[arc]
    return result


def plane_count(heads, root=False):
    """The number of planes that `planes` uses: 1 for planar trees, 2 for other 2-planar ones, more for others.

    >>> plane_count([-1, 2, 0]), plane_count([-1, 3, 4, 0, 3])
    (1, 2)
    """
    return max(1, int(planes(heads, root).max()) + 1)


def is_two_planar(heads, root=False):
    """Whether two planes suffice (Gomez-Rodriguez and Nivre 2010), by the colours of crossing arcs. Near-linear.

    >>> is_two_planar([-1, 3, 4, 0, 3]), is_two_planar([-1, 4, 5, 6, 0, 4, 4])
    (True, False)
    """
    cdef Workspace work = hold_tree(heads)
    take_tree_arcs(&work.space, root)
    return join_crossing(&work.space) == 0
