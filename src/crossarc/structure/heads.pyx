"""Heads as a tree: whether they form one, what is wrong if not, and the order in which the kernels walk it."""
import numpy as np

from crossarc.core.sorting cimport sort_by
from crossarc.core.typedefs cimport token_t

from crossarc.errors import StructureError
from crossarc.treebank.validation import cycles_of, describe_cycle


cdef bint arrange(Space* space) noexcept nogil:
    """Fill first, child, order, place, size and depth; False if the heads are not a tree."""
    cdef const token_t* heads = space.heads
    cdef token_t n = space.n
    cdef token_t* first = space.first
    cdef token_t* child = space.child
    cdef token_t* order = space.order
    cdef token_t* stack = space.spare[0]
    cdef token_t v, t, i, top

    for v in range(1, n + 1):
        if not 0 <= heads[v] <= n or heads[v] == v:
            return False
    sort_by(heads, NULL, 1, n + 1, n, False, first, child)
    t = 0
    top = 1
    stack[0] = 0
    space.depth[0] = 0
    while top:
        top -= 1
        v = stack[top]
        space.place[v] = t
        order[t] = v
        t += 1
        space.size[v] = 1
        if v:
            space.depth[v] = space.depth[heads[v]] + 1
        for i in range(first[v + 1] - 1, first[v] - 1, -1):
            stack[top] = child[i]
            top += 1
    if t <= n:                                      # the rest hangs from a cycle
        return False
    for t in range(n, 0, -1):
        v = order[t]
        space.size[heads[v]] += space.size[v]
    return True


cdef token_t greatest_depth(Space* space) noexcept nogil:
    """The depth of the deepest word of an arranged tree."""
    cdef token_t v, best = 0
    for v in range(1, space.n + 1):
        best = max(best, space.depth[v])
    return best


cdef Workspace hold_tree(object heads):
    """The tree of one sentence, arranged in a workspace of its own; heads that are not a tree are an error."""
    cdef Workspace work = Workspace()
    cdef bint good
    work.hold(heads)
    with nogil:
        good = arrange(&work.space)
    if not good:
        raise StructureError(describe_fault(np.asarray(work.held)))
    return work


def describe_fault(heads):
    """The reason why the heads are not a tree, with the word at fault; an empty string when they are a tree."""
    array = checked_heads(heads)
    n = array.shape[0] - 1
    for word, head in enumerate(array.tolist()):
        if not word:
            continue
        if head == -1:
            return f"word {word} has no head"
        if not 0 <= head <= n:
            return describe_range(word, head, n)
        if head == word:
            return f"word {word} is its own head"
    cycles = find_cycles(array)
    return describe_cycle(cycles[0]) if cycles else ""


def find_cycles(heads):
    """The cycles of any heads; some heads may be missing (-1). O(n).

    Each begins at its leftmost word and goes from head to dependent; they are in order of that word.

    >>> find_cycles([-1, 0, 4, 2, 3, 5, -1])
    [[2, 3, 4], [5]]
    """
    array = checked_heads(heads)
    n = array.shape[0] - 1
    wrong = np.flatnonzero((array < -1) | (array > n))
    if wrong.size:
        raise StructureError(describe_range(wrong[0], array[wrong[0]], n))
    return sorted(cycles_of(array.tolist()))


def depths(heads):
    """The number of arcs from node 0 to each node, as an int32 array of n + 1 entries. O(n).

    >>> depths([-1, 2, 0, 2, 3]).tolist()
    [0, 2, 1, 2, 3]
    """
    cdef Workspace work = hold_tree(heads)
    return work.copy_of(work.space.depth)
