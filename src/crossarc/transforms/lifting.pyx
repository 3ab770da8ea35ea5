"""Edges lifted until a tree is projective, and put back by breadth-first search (Nivre and Nilsson 2005).

Both take one tree, or many trees one after the other, n + 1 entries each, with `starts` as `classify` has them.
"""
import numpy as np

from libc.string cimport memcpy

from crossarc.core.typedefs cimport label_t, offset_t, token_t, uint8_t
from crossarc.structure.trees cimport Space, Workspace, arrange, mark_non_projective

from crossarc.core.arrays import as_int32
from crossarc.errors import StructureError
from crossarc.structure.trees import checked_batch, describe_fault

cdef enum:
    ANY_LABEL = -2
    NO_TARGET = -1


cdef bint lift_tree(Space* space, token_t* heads, uint8_t* passed) noexcept nogil:
    """Lift the shortest (of equals the leftmost) non-projective edge until there is none; False if this is not a tree.

    A lift from h takes words from what h dominates and from no other node, so that besides the edge itself only
    those from h can change their kind. O(n) a lift.
    """
    cdef token_t n = space.n
    cdef token_t* non_projective = space.non_projective
    cdef token_t* known = space.spare[1]
    cdef token_t v, d, h, above, count, stamp = 0
    memcpy(heads, space.heads, (n + 1) * sizeof(token_t))
    if not arrange(space):
        return False
    count = mark_non_projective(space)
    if count:
        for v in range(n + 1):
            known[v] = 0
    while count:
        d = 0
        for v in range(1, n + 1):
            if non_projective[v] and (d == 0 or span(heads, v) < span(heads, d)):
                d = v
        h = heads[d]
        above = heads[h]
        heads[d] = above
        passed[h] = 1
        count -= 1
        non_projective[d] = 0
        stamp += 1
        count += update_edges(heads, n, h, non_projective, known, stamp, -1)
        if above:                                   # node 0 dominates all
            stamp += 1
            count += update_edges(heads, n, above, non_projective, known, stamp, d)
    return True


cdef inline token_t span(const token_t* heads, token_t d) noexcept nogil:
    return d - heads[d] if heads[d] < d else heads[d] - d


cdef token_t update_edges(
    const token_t* heads, token_t n, token_t h, token_t* non_projective, token_t* known, token_t stamp, token_t only,
) noexcept nogil:
    """Mark again which edges from h, or the one to `only`, are non-projective; return how many more there are."""
    cdef token_t left = h, right = h, v, count = 0
    cdef bint now
    known[h] = stamp
    known[0] = -stamp
    while right < n and is_below(heads, right + 1, known, stamp):
        right += 1
    while left > 1 and is_below(heads, left - 1, known, stamp):
        left -= 1
    for v in range(1, n + 1):
        if heads[v] == h and (only < 0 or v == only):
            now = v < left or v > right
            count += now - non_projective[v]
            non_projective[v] = now
    return count


cdef bint is_below(const token_t* heads, token_t v, token_t* known, token_t stamp) noexcept nogil:
    """Whether the node whose stamp is in `known` dominates v; what is found on the way up is kept there."""
    cdef token_t u = v, found
    while known[u] != stamp and known[u] != -stamp:
        u = heads[u]
    found = known[u]
    while known[v] != stamp and known[v] != -stamp:
        known[v] = found
        v = heads[v]
    return found == stamp


cdef bint reattach_tree(
    Space* space, token_t* heads, const label_t* labels, const label_t* targets, const uint8_t* passed, bint crossing,
) noexcept nogil:
    """Move each word with a target to where the searches lead, top down; False if this is not a tree.

    No search goes below the word that moves, so that no cycle can come about. O(n) for each word that has a target;
    with `crossing` O(n) for each candidate.
    """
    cdef token_t n = space.n
    cdef token_t* order = space.spare[1]
    cdef token_t* queue = space.spare[2]
    cdef token_t i, d, found
    memcpy(heads, space.heads, (n + 1) * sizeof(token_t))
    space.heads = heads
    if not arrange(space):
        return False
    order[0] = 0
    enqueue_below(space, order, 0)
    for i in range(1, n + 1):
        d = order[i]
        if targets[d] == NO_TARGET:
            continue
        found = -1
        if passed != NULL:
            found = search_path(space, queue, d, labels, targets[d], passed, crossing)
        if found < 0 and targets[d] >= 0:
            found = search(space, queue, d, labels, targets[d], crossing)
        if found >= 0:
            heads[d] = found
            arrange(space)
    return True


cdef void enqueue_below(const Space* space, token_t* order, token_t node) noexcept nogil:
    """All nodes below one, breadth-first."""
    cdef token_t begin = 0, end = 1, v, i
    order[0] = node
    while begin < end:
        v = order[begin]
        begin += 1
        for i in range(space.first[v], space.first[v + 1]):
            order[end] = space.child[i]
            end += 1


cdef token_t search(
    const Space* space, token_t* queue, token_t d, const label_t* labels, label_t target, bint crossing,
) noexcept nogil:
    """The first node of a label below the head of d, breadth-first, but not below d; -1 if there is none.

    With `crossing` it is the first from which the edge to d is non-projective, if there is one.
    """
    cdef token_t begin = 0, end = 1, found = -1
    cdef token_t v, w, i
    queue[0] = space.heads[d]
    while begin < end:
        v = queue[begin]
        begin += 1
        if begin > 1 and labels[v] == target:
            if not crossing or is_non_projective(space, v, d):
                return v
            if found < 0:
                found = v
        for i in range(space.first[v], space.first[v + 1]):
            w = space.child[i]
            if w != d:
                queue[end] = w
                end += 1
    return found


cdef token_t search_path(
    const Space* space, token_t* queue, token_t d, const label_t* labels, label_t target, const uint8_t* passed,
    bint crossing,
) noexcept nogil:
    """The deepest node of a label (or of any) that marked nodes lead to from the head of d; -1 if there is none.

    Of equally deep nodes it is the leftmost. With `crossing`, nodes from which the edge to d is non-projective go
    before others.
    """
    cdef token_t begin = 0, end = 1, found = -1
    cdef token_t v, w, i
    cdef bint crosses, best_crosses = False
    queue[0] = space.heads[d]
    while begin < end:
        v = queue[begin]
        begin += 1
        if begin > 1 and (target == ANY_LABEL or labels[v] == target):
            crosses = crossing and is_non_projective(space, v, d)
            if (
                found < 0 or crosses > best_crosses
                or crosses == best_crosses and (
                    space.depth[v] > space.depth[found] or space.depth[v] == space.depth[found] and v < found
                )
            ):
                found = v
                best_crosses = crosses
        for i in range(space.first[v], space.first[v + 1]):
            w = space.child[i]
            if w != d and passed[w]:
                queue[end] = w
                end += 1
    return found


cdef bint is_non_projective(const Space* space, token_t h, token_t d) noexcept nogil:
    """Whether an edge from h to d, both in an arranged tree, would be non-projective once d is below h."""
    cdef token_t v
    for v in range(min(h, d) + 1, max(h, d)):
        if not dominates(space, h, v) and not dominates(space, d, v):
            return True
    return False


cdef inline bint dominates(const Space* space, token_t v, token_t u) noexcept nogil:
    return space.place[v] <= space.place[u] < space.place[v] + space.size[v]


def lift(heads, starts=None):
    """The heads of projective trees, made by lifting edges, and whether each word had an edge lifted away from it.

    >>> heads, passed = lift([-1, 3, 4, 0, 3])
    >>> heads.tolist(), passed.tolist()
    ([-1, 3, 3, 0, 3], [False, False, False, False, True])
    """
    cdef Workspace work = Workspace()
    cdef const token_t[::1] view
    cdef const offset_t[::1] bounds
    cdef offset_t s, bad = -1
    flat, places = checked_trees(heads, starts, work)
    view = flat
    bounds = places
    result = np.empty_like(flat)
    passed = np.zeros(len(flat), dtype=np.bool_)
    cdef token_t[::1] out = result
    cdef uint8_t[::1] flags = passed.view(np.uint8)
    with nogil:
        for s in range(bounds.shape[0] - 1):
            work.space.heads = &view[bounds[s]]
            work.space.n = <token_t>(bounds[s + 1] - bounds[s] - 1)
            if not lift_tree(&work.space, &out[bounds[s]], &flags[bounds[s]]):
                bad = s
                break
    refuse(flat, places, bad, starts)
    return result, passed


def reattach(heads, labels, targets, starts=None, *, passed=None, crossing=False):
    """The heads of trees with each word that has a target moved to where the search finds it.

    A target is a label, -1 for words that stay, or -2 for any label. The search is breadth-first below the word's head
    and ends at the first word of that label. With `passed`, a flag for each word, a search that goes only through words
    with this flag and ends at the deepest word of that label comes first; only this search finds targets of -2. With
    `crossing`, both searches prefer words from which the edge would be non-projective.

    >>> reattach([-1, 3, 3, 0, 3], [-1, 5, 6, 7, 8], [-1, -1, 8, -1, -1]).tolist()
    [-1, 3, 4, 0, 3]
    >>> reattach([-1, 3, 3, 0, 3], [0] * 5, [-1, -1, -2, -1, -1], passed=[0, 0, 0, 0, 1]).tolist()
    [-1, 3, 4, 0, 3]
    """
    cdef Workspace work = Workspace()
    cdef const token_t[::1] view
    cdef const offset_t[::1] bounds
    cdef const label_t[::1] own = as_int32(labels, "labels", StructureError)
    cdef const label_t[::1] wanted = as_int32(targets, "targets", StructureError)
    cdef const uint8_t[::1] flags = None
    cdef const uint8_t* marks = NULL
    cdef bint prefer = crossing
    cdef offset_t s, bad = -1
    flat, places = checked_trees(heads, starts, work)
    if own.shape[0] != flat.shape[0] or wanted.shape[0] != flat.shape[0]:
        raise StructureError(f"{flat.shape[0]} heads need as many labels and targets, "
                             f"not {own.shape[0]} and {wanted.shape[0]}")
    if passed is not None:
        flags = np.array(passed, dtype=np.bool_, order="C").view(np.uint8)
        if flags.shape[0] != flat.shape[0]:
            raise StructureError(f"{flat.shape[0]} heads need as many flags, not {flags.shape[0]}")
    view = flat
    bounds = places
    result = np.empty_like(flat)
    cdef token_t[::1] out = result
    with nogil:
        for s in range(bounds.shape[0] - 1):
            work.space.heads = &view[bounds[s]]
            work.space.n = <token_t>(bounds[s + 1] - bounds[s] - 1)
            if flags is not None:
                marks = &flags[bounds[s]]
            if not reattach_tree(
                &work.space, &out[bounds[s]], &own[bounds[s]], &wanted[bounds[s]], marks, prefer,
            ):
                bad = s
                break
    refuse(flat, places, bad, starts)
    return result


def checked_trees(heads, starts, Workspace work):
    """Heads and starts as arrays that are safe for the kernels, with room in the workspace for the longest sentence."""
    if starts is None:
        work.hold(heads)
        flat = np.asarray(work.held)
        return flat, np.array([0, len(flat)], dtype=np.int64)
    flat, places = checked_batch(heads, starts)
    work.reserve(int(np.diff(places).max(initial=1)))
    return flat, places


def refuse(flat, places, bad, starts):
    """Raise the error about a sentence that is not a tree."""
    if bad >= 0:
        where = "" if starts is None else f"sentence {bad}: "
        raise StructureError(where + describe_fault(flat[places[bad]:places[bad + 1]]))
