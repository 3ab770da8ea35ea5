"""Maximum spanning arborescences of dense graphs (Chu and Liu 1965; Edmonds 1967) in O(n^2), with an exact single root.

Every word takes its best head. Where that makes a cycle, the cycle becomes one part, and an arc into it is worth what
the tree gains by breaking the cycle there: its own score less that of the cycle's arc into the same word. The search
grows one path of parts, from dependent to head (Gabow, Galil, Spencer and Tarjan 1986), until it meets itself, which
gives a cycle, or a part that hangs from node 0 already. A cycle of k parts costs k rows of n and leaves k - 1 parts
fewer, so the cost is O(n^2). Only rows are merged: heads stay words, and those inside a part are marked NaN in its row,
which no comparison prefers.

Single root: count each arc from node 0 as one unit that no sum of scores outweighs, that is, compare pairs
(arcs from node 0, score), the first entry before the second. Edmonds' proof needs no more of weights than that they
can be added, subtracted and ordered, which such pairs can. The tree that is best by pairs has the fewest arcs from
node 0 and among those trees the best score. The pairs never have to be stored: a part that takes its arc from node 0
is done, so cycles hold other arcs only, and reduced arcs from node 0 keep the unit. So it suffices that a part looks
at node 0 when no other node can be its head. No score is lowered, and large ones are as exact as small ones.
"""
from libc.math cimport INFINITY, NAN
from libc.stdlib cimport free

from crossarc.core.allocation cimport renew
from crossarc.core.links cimport is_tree
from crossarc.core.typedefs cimport score_t, token_t

from crossarc.decode.decoder cimport NO_SINGLE_ROOT, NO_TREE, SOLVED, Decoder, Outcome, best_of, highest, place_of

from crossarc.decode.decoder import decode


cdef enum:
    BY_PART = 10            # arrays of 2 n + 2 tokens
    BY_WORD = 4             # arrays of n + 1 tokens
    UNSEEN = -1
    DONE = -2


cdef int reserve_parts(Parts* parts, token_t n) except -1:
    """Make room for n words. Pages of rows that no cycle uses are never touched."""
    cdef size_t size = <size_t>n + 1
    cdef size_t reals = size * size + 2 * size
    cdef token_t* at
    renew(<void**>&parts.memory, reals * sizeof(score_t) + (2 * BY_PART + BY_WORD) * size * sizeof(token_t))
    parts.value = parts.memory
    at = <token_t*>(parts.value + 2 * size)
    parts.head = at
    parts.final = at + 2 * size
    parts.first = at + 4 * size
    parts.next = at + 6 * size
    parts.words = at + 8 * size
    parts.last = at + 10 * size
    parts.size = at + 12 * size
    parts.tag = at + 14 * size
    parts.place = at + 16 * size
    parts.entry = at + 18 * size
    parts.following = at + 20 * size
    parts.label = at + 21 * size
    parts.owner = at + 22 * size
    parts.path = at + 23 * size
    parts.rows = <score_t*>(at + 24 * size)
    return 0


cdef void hold_matrix(Parts* parts, const score_t* scores, Py_ssize_t stride, token_t n) noexcept nogil:
    parts.scores = scores
    parts.stride = stride
    parts.n = n
    parts.count = n + 1


cdef bint choose_greedily(Parts* parts, bint single_root, token_t* heads) noexcept nogil:
    """Give words their best heads, and parts their best heads other than node 0; return whether that is a tree."""
    cdef token_t n = parts.n
    cdef const score_t* row
    cdef score_t best, other
    cdef token_t d, h, roots = 0
    cdef bint headless = False
    for d in range(1, n + 1):
        row = parts.scores + d * parts.stride
        best = highest(row, 1, d)
        other = highest(row, d + 1, n + 1)
        h = -1
        if other > best:
            best = other
            h = place_of(row, d + 1, n + 1, best)
        elif best > -INFINITY:
            h = place_of(row, 1, d, best)
        parts.head[d] = h
        parts.value[d] = best
        if row[0] >= best:
            h = 0
            roots += 1
        headless |= row[0] == -INFINITY and best == -INFINITY
        heads[d] = h
    return not headless and roots > 0 and not (single_root and roots > 1) and is_tree(heads, n, parts.place)


cdef inline bint choose(Parts* parts, token_t part, bint single_root) noexcept nogil:
    """Set the arc of a part; False if there is none. A word's best head other than node 0 is known."""
    cdef const score_t* row = row_of(parts, part)
    if part > parts.n:
        parts.head[part] = best_of(row, 1, parts.n + 1, &parts.value[part])
    if parts.head[part] < 0 or not single_root and row[0] >= parts.value[part]:
        parts.head[part] = 0
        parts.value[part] = row[0]
    return parts.value[part] > -INFINITY


cdef void unite(Parts* parts, token_t begin, token_t end) noexcept nogil:
    """Make the parts at begin..end-1 of the path one new part."""
    cdef token_t n = parts.n, fresh = parts.count
    cdef score_t* row = parts.rows + <Py_ssize_t>(fresh - n - 1) * (n + 1)
    cdef const score_t* main
    cdef const score_t* other
    cdef score_t main_value, value
    cdef token_t i, h, part, largest = parts.path[begin]
    for i in range(begin + 1, end):
        if parts.size[parts.path[i]] > parts.size[largest]:
            largest = parts.path[i]
    # The largest goes first: its marks are there, and only those of the smaller parts have to be made.
    main = row_of(parts, largest)
    main_value = parts.value[largest]
    parts.words[fresh] = parts.words[largest]
    parts.last[fresh] = parts.last[largest]
    parts.size[fresh] = parts.size[largest]
    parts.tag[fresh] = parts.tag[largest]
    parts.owner[parts.tag[fresh]] = fresh
    parts.first[fresh] = largest
    parts.next[largest] = -1
    for i in range(begin, end):
        part = parts.path[i]
        if part == largest:
            continue
        other = row_of(parts, part)
        value = parts.value[part]
        for h in range(n + 1):
            row[h] = other[h] - value if other[h] - value > main[h] - main_value else main[h] - main_value
        main = row
        main_value = 0
        h = parts.words[part]
        while h >= 0:
            row[h] = NAN
            parts.label[h] = parts.tag[fresh]
            h = parts.following[h]
        parts.following[parts.last[fresh]] = parts.words[part]
        parts.last[fresh] = parts.last[part]
        parts.size[fresh] += parts.size[part]
        parts.next[part] = parts.first[fresh]
        parts.first[fresh] = part
    if largest <= n:
        row[largest] = NAN
    parts.path[begin] = fresh
    parts.place[fresh] = begin
    parts.count += 1


cdef Outcome contract(Parts* parts, bint single_root) noexcept nogil:
    """Let every part choose its arc, until no cycle is left. The words have chosen greedily."""
    cdef token_t n = parts.n, start, part, top, k, roots = 0
    for k in range(1, n + 1):
        parts.words[k] = parts.last[k] = parts.tag[k] = parts.label[k] = parts.owner[k] = k
        parts.following[k] = parts.place[k] = UNSEEN
        parts.size[k] = 1
    for start in range(1, n + 1):
        part = parts.owner[parts.label[start]]
        top = 0                         # the path has the places 0..top - 1
        while parts.place[part] != DONE:
            if parts.place[part] == UNSEEN:
                parts.place[part] = top
                parts.path[top] = part
                top += 1
            else:
                k = parts.place[part]
                unite(parts, k, top)
                top = k + 1
                part = parts.path[k]
            if not choose(parts, part, single_root):
                return NO_TREE
            if parts.head[part] == 0:
                roots += 1
                break
            if parts.owner[parts.label[parts.head[part]]] == part:
                return NO_TREE          # a row that changed in the meantime
            part = parts.owner[parts.label[parts.head[part]]]
        for k in range(top):
            parts.place[parts.path[k]] = DONE
    return NO_SINGLE_ROOT if single_root and roots > 1 else SOLVED


cdef void expand(Parts* parts, token_t* heads) noexcept nogil:
    """Undo the parts, the last first: each is entered where its arc is worth most, and keeps its cycle elsewhere."""
    cdef token_t n = parts.n, part, child, entry, h, k
    cdef score_t best, value
    for k in range(1, parts.count):
        parts.final[k] = parts.head[k]
    for part in range(parts.count - 1, n, -1):
        h = parts.final[part]
        best = -INFINITY
        entry = child = parts.first[part]
        while child >= 0:
            value = row_of(parts, child)[h] - parts.value[child]
            if value > best:
                best = value
                entry = child
            child = parts.next[child]
        parts.final[entry] = h
        parts.entry[part] = entry
    for k in range(1, n + 1):
        heads[k] = parts.final[k]


cdef class ChuLiuEdmonds(Decoder):
    """Dense Chu-Liu-Edmonds."""

    def __dealloc__(self):
        free(self.parts.memory)

    cdef int reserve(self, token_t n) except -1:
        if n > self.room:
            self.room = -1
            reserve_parts(&self.parts, n)
            self.room = n
        return 0

    cdef Outcome solve(self, const score_t* scores, Py_ssize_t stride, token_t n, token_t* heads) noexcept nogil:
        cdef Outcome outcome
        heads[0] = -1
        hold_matrix(&self.parts, scores, stride, n)
        if n == 0 or choose_greedily(&self.parts, self.single_root, heads):
            return SOLVED
        outcome = contract(&self.parts, self.single_root)
        if outcome == SOLVED:
            expand(&self.parts, heads)
        return outcome


def mst(scores, lengths=None, *, single_root=True, required=None, forbidden=None, threads=1):
    """The heads of the best tree, projective or not: Chu-Liu-Edmonds in O(n^2).

    `scores[dependent, head]` for one sentence of n words has the shape (n + 1, n + 1); a batch has (sentences, N + 1,
    N + 1) and `lengths` gives the number of words of each. -inf forbids an arc. With `single_root` exactly one word
    hangs from node 0. `required` gives the heads that words must have, -1 where they are free; `forbidden` is true
    where an arc may not be. Gives int32 heads of the shape (n + 1,) or (sentences, N + 1), -1 for node 0 and padding.

    >>> import numpy as np
    >>> scores = np.array([[0, 0, 0], [9, 0, 20], [8, 30, 0]])      # each word is the other's best head
    >>> mst(scores).tolist(), mst(scores, required=[-1, -1, 0]).tolist()
    ([-1, 0, 1], [-1, 2, 0])
    """
    return decode(ChuLiuEdmonds(single_root), scores, lengths, required, forbidden, threads)
