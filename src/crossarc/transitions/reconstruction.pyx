"""Directed trees from undirected parses (Gomez-Rodriguez and Fernandez-Gonzalez 2012, section 4).

The paper looks for a minimum branching over both directions of every link and all arcs from node 0. As the links
form a forest and arcs from node 0 are costly, the only choice is the root word of each part, which decides the
directions of all links of the part. Reversing one link changes the cost by a constant, so a single walk over a part
gives the cost of each of its words as root relative to the word where the walk began.
"""
import numpy as np

from libc.stdlib cimport free, malloc

from crossarc.core.links cimport list_links, point_away
from crossarc.core.typedefs cimport score_t, token_t

from crossarc.core.arrays import as_int32
from crossarc.errors import StructureError, UnknownName


COSTS = ("first", "second")


cdef bint orient(const Links* links, token_t* heads, token_t* via, token_t* scratch, score_t* costs) noexcept nogil:
    """Set heads[0..n], and in via the link of each word with its head, -1 for an arc that is not in the parse. O(n).

    False if the links are not a forest; the heads are a tree even then. `scratch` has SCRATCH * (n + 2) entries,
    `costs` n + 1.
    """
    cdef token_t rows = links.n + 2
    cdef token_t* following = scratch + 3 * rows
    list_links(links.left, links.right, links.m, links.n, scratch, following)
    return orient_listed(links, scratch, following, heads, via, scratch + rows, scratch + 2 * rows, costs)


cdef bint orient_listed(const Links* links, const token_t* first, const token_t* following, token_t* heads,
                        token_t* via, token_t* own, token_t* order, score_t* costs) noexcept nogil:
    """The same for links that `list_links` has listed. `own` and `order` have n + 1 entries.

    `costs` may be NULL if no arc costs anything.
    """
    cdef token_t n = links.n
    cdef token_t v, w, k, t, size, best, linked = 0, parts = 0, chosen = -1, rank = -1
    for v in range(n + 1):
        heads[v] = via[v] = own[v] = -1         # own: the link of a word with node 0
    heads[0] = 0                                # no part goes through node 0
    k = first[0]
    while k >= 0:
        own[links.right[k]] = k
        k = following[2 * k]
    if links.keep_root_links:
        for v in range(1, n + 1):
            if own[v] >= 0 and heads[v] < 0:
                heads[v] = 0
                point_away(links.left, links.right, first, following, v, heads, via, order)
                via[v] = own[v]
                parts += 1
                linked += 1
                if chosen < 0:
                    chosen = v
                    rank = 2
    for v in range(1, n + 1):
        if heads[v] >= 0:
            continue
        heads[v] = 0
        size = point_away(links.left, links.right, first, following, v, heads, via, order)
        parts += 1
        best = v
        k = own[v]
        if costs != NULL:
            costs[v] = links.root[v] if links.root != NULL else 0
        for t in range(1, size):
            w = order[t]
            if own[w] >= 0:
                k = own[w]
            if costs == NULL:
                continue
            costs[w] = cost_of_root(links, w, heads[w], via[w], costs)
            # Among equals the parser's own root is best, then the leftmost word; the walk does not go left to right.
            if costs[w] < costs[best] or (costs[w] == costs[best] and (
                    own[w] >= 0 and own[best] < 0 or w < best and (own[w] >= 0) == (own[best] >= 0))):
                best = w
        if k >= 0:
            linked += 1
        turn_to(heads, via, best)
        via[best] = own[best]
        t = 2 if own[best] >= 0 else 1 if k >= 0 else 0
        if t > rank or t == rank and t == 2 and best < chosen:
            chosen = best
            rank = t
    if links.single_root:
        for v in range(1, n + 1):
            if heads[v] == 0 and v != chosen:
                heads[v] = chosen
                via[v] = -1
    heads[0] = -1
    return links.m == n - parts + linked


cdef inline score_t cost_of_root(const Links* links, token_t w, token_t v, token_t k,
                                 const score_t* costs) noexcept nogil:
    """The cost of w as root of its part, given the cost of its neighbour v by link k."""
    cdef score_t cost = costs[v]
    if links.turn != NULL:
        cost += links.turn[k] if v < w else -links.turn[k]
    if links.root != NULL:
        cost += links.root[w] - links.root[v]
    return cost


cdef void turn_to(token_t* heads, token_t* via, token_t root) noexcept nogil:
    """Make another word the root of its part: the links from it up to the old root change direction."""
    cdef token_t v = root, above = 0, by = -1, next_above, next_by
    while v:
        next_above = heads[v]
        next_by = via[v]
        heads[v] = above
        via[v] = by
        above = v
        by = next_by
        v = next_above


def naive(n, left, right, labels, *, single_root=False, root_label=0, loose_label=None):
    """Heads and labels of n words from links that begin at node 0: they point away from it (section 4.1). O(n).

    `left`, `right` and `labels` describe the links, left < right. A part without a link to node 0 is rooted at its
    leftmost word, which hangs from node 0 under `root_label`, or with `single_root` from the root word under
    `loose_label` (`root_label` if not given). Gives two int32 arrays of n + 1 entries, the first of each -1.

    >>> heads, labels = naive(4, [0, 1, 2], [2, 2, 3], [5, 6, 7], root_label=9)
    >>> heads.tolist(), labels.tolist()
    ([-1, 2, 0, 2, 0], [-1, 6, 5, 7, 9])
    """
    left, right, labels = checked_links(n, left, right, labels)
    heads, via = oriented(n, left, right, None, None, True, single_root)
    return heads, labelled(heads, via, labels, labels, root_label, loose_label)


def label_based(n, left, right, labels, *, costs="second", single_root=False, root_label=0, loose_label=None):
    """Heads and labels of n words where labels say which way their links should point (section 4.2). O(n).

    The label X comes as 2 X if the head should be the right node, 2 X + 1 if the left one; the result has X. With
    the first table of costs the links of node 0 stay; with the second, every part gets the root where most
    annotations are followed, and of equal words the one that was linked to node 0 is taken, then the leftmost. With
    `single_root` one of several root words stays under node 0: one that was linked to it, else that of the first
    part that was, else the first; the others hang from it.

    >>> links = [0, 1, 2], [1, 2, 3], [11, 12, 14]          # 0 - 1 - 2 - 3, but 2 would like to lead 1, and 3 to lead 2
    >>> [label_based(3, *links, costs=costs)[0].tolist() for costs in ("first", "second")]
    [[-1, 0, 1, 2], [-1, 2, 3, 0]]
    """
    if costs not in COSTS:
        raise UnknownName("table of costs", costs, COSTS)
    left, right, labels = checked_links(n, left, right, labels)
    turn = (labels & 1) * 2.0 - 1.0
    heads, via = oriented(n, left, right, turn, None, costs == "first", single_root)
    plain = labels >> 1
    return heads, labelled(heads, via, plain, plain, root_label, loose_label)


def score_based(n, left, right, leftward, rightward, leftward_costs, rightward_costs, *, root_costs=None,
                single_root=False, root_label=0, loose_label=None):
    """Heads and labels of n words at the least cost of their arcs, each given both ways. O(n).

    A link has the label `leftward` and `leftward_costs` if its head is the right node, else `rightward` and
    `rightward_costs`. As in the second table of `label_based`, links of node 0 settle ties only; `root_costs`, n + 1
    of them, say what it costs to hang a word from node 0.

    >>> heads, labels = score_based(2, [1], [2], [5], [6], [0.5], [1.5])
    >>> heads.tolist(), labels.tolist()
    ([-1, 2, 0], [-1, 5, 0])
    """
    left, right, leftward = checked_links(n, left, right, leftward)
    rightward = checked_links(n, left, right, rightward)[2]
    turn = checked_costs(leftward_costs, len(left), "leftward_costs")
    turn = turn - checked_costs(rightward_costs, len(left), "rightward_costs")
    roots = None if root_costs is None else checked_costs(root_costs, n + 1, "root_costs")
    heads, via = oriented(n, left, right, turn, roots, False, single_root)
    return heads, labelled(heads, via, leftward, rightward, root_label, loose_label)


def links_of(heads, labels, *, annotated=False):
    """The links of a tree in order of their dependents, as left, right and labels; with `annotated`, 2 X or 2 X + 1.

    >>> [array.tolist() for array in links_of([-1, 2, 0], [-1, 5, 6], annotated=True)]
    [[1, 0], [2, 2], [10, 13]]
    """
    above = as_int32(heads, "heads", StructureError)[1:]
    words = np.arange(1, len(above) + 1, dtype=np.int32)
    plain = as_int32(labels, "labels", StructureError)[1:]
    if annotated:
        plain = 2 * plain + (above < words)
    return np.minimum(above, words), np.maximum(above, words), plain.copy()


def checked_links(n, left, right, labels):
    """The links as int32 arrays, their nodes within the sentence and in order."""
    names = ("left", "right", "labels")
    arrays = [as_int32(array, name, StructureError) for array, name in zip((left, right, labels), names, strict=True)]
    if len({array.shape for array in arrays}) > 1 or arrays[0].ndim != 1:
        raise StructureError(f"left, right and labels must be rows of one length, not {[a.shape for a in arrays]}")
    wrong = np.flatnonzero((arrays[0] < 0) | (arrays[0] >= arrays[1]) | (arrays[1] > n))
    if wrong.size:
        place = int(wrong[0])
        raise StructureError(
            f"link {place} goes from {arrays[0][place]} to {arrays[1][place]}; links go rightwards within 0..{n}")
    return arrays


def checked_costs(costs, size, name):
    """Costs as float64, one for each, and finite."""
    array = np.asarray(costs, dtype=np.float64)
    if array.shape != (size,):
        raise StructureError(f"{name} must be a row of {size} entries, not of shape {array.shape}")
    if not np.isfinite(array).all():
        raise StructureError(f"{name}[{np.flatnonzero(~np.isfinite(array))[0]}] is not finite")
    return array


def labelled(heads, via, leftward, rightward, root_label, loose_label):
    """The labels of the links by which words hang, and for new arcs one by whether they come from node 0."""
    loose = root_label if loose_label is None else loose_label
    labels = np.where(heads == 0, root_label, loose).astype(np.int32)
    words = np.flatnonzero(via >= 0)
    link = via[words]
    labels[words] = np.where(heads[words] < words, rightward[link], leftward[link])
    labels[0] = -1
    return labels


def oriented(n, left, right, turn, roots, keep_root_links, single_root):
    """The kernel over one sentence: heads, and the link of each word or -1."""
    cdef const token_t[::1] left_view = left
    cdef const token_t[::1] right_view = right
    cdef const score_t[::1] turn_view = turn
    cdef const score_t[::1] root_view = roots
    cdef Links links
    cdef token_t* scratch
    cdef score_t* costs
    cdef bint good
    if len(left) > n:
        raise StructureError(f"{len(left)} links over {n} words form a cycle")
    heads = np.empty(n + 1, dtype=np.int32)
    via = np.empty(n + 1, dtype=np.int32)
    cdef token_t[::1] heads_view = heads
    cdef token_t[::1] via_view = via
    links.n = n
    links.m = <token_t>left_view.shape[0]
    links.left = &left_view[0] if links.m else NULL
    links.right = &right_view[0] if links.m else NULL
    links.turn = &turn_view[0] if turn is not None and links.m else NULL
    links.root = &root_view[0] if roots is not None else NULL
    links.keep_root_links = keep_root_links
    links.single_root = single_root
    scratch = <token_t*>malloc(SCRATCH * (links.n + 2) * sizeof(token_t))
    costs = <score_t*>malloc((links.n + 1) * sizeof(score_t))
    try:
        if scratch == NULL or costs == NULL:
            raise MemoryError
        with nogil:
            good = orient(&links, &heads_view[0], &via_view[0], scratch, costs)
    finally:
        free(scratch)
        free(costs)
    if not good:
        raise StructureError("the links form a cycle; links of a parse are a forest")
    return heads, via
