"""Graphs in which words have several heads: the best tree, and then the arcs that raise its score.

McDonald and Pereira (2006), "Online Learning of Approximate Dependency Parsing Algorithms". The best graph in which
every word has any number of heads and no arcs form a cycle is hard to find. Their approximation takes the best tree
and adds the best arc that raises the score and closes no cycle, until there is none. An arc that cannot be added
now can never be added later. So one pass over the arcs with positive scores, the best first, does the same.

Whether an arc from h to d closes a cycle is one bit: d is among the nodes above h. Each node has the set of nodes above
it. A new arc puts all nodes above h above all nodes below d, and each node gets each of these sets at most once.
"""
import numpy as np

from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memset

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport label_t, score_t, token_t, uint16_t, uint64_t, uint8_t

from crossarc.decode.spanning import mst
from crossarc.core.arrays import copied
from crossarc.decode.decoder import checked_array, checked_count, copies, share
from crossarc.decode.labels import best_labels
from crossarc.errors import DecodeError, UnknownName


CYCLES = ("forbid", "allow")
cdef enum:
    MOST = 0xFFFF           # arcs from one word to another


cdef int order_arcs(const void* a, const void* b) noexcept nogil:
    """Whether an arc comes before another: by score, then by dependent, head and label."""
    cdef const Arc* one = <const Arc*>a
    cdef const Arc* other = <const Arc*>b
    if one.score != other.score:
        return 1 if one.score < other.score else -1
    if one.dependent != other.dependent:
        return 1 if one.dependent > other.dependent else -1
    if one.head != other.head:
        return 1 if one.head > other.head else -1
    return (one.label > other.label) - (one.label < other.label)


cdef inline bint has_bit(const uint64_t* bits, token_t place) noexcept nogil:
    return bits[place >> 6] >> (place & 63) & 1


cdef class GraphBuilder:
    """Makes a graph of a tree and of arcs that are offered, for one thread.

    With `single_root` node 0 keeps the one arc of the tree. Without `acyclic` arcs may form cycles.
    """

    def __init__(self, bint single_root, bint acyclic, token_t most_heads, token_t most_parallel):
        self.single_root = single_root
        self.acyclic = acyclic
        self.most_heads = most_heads
        self.most_parallel = min(most_parallel, MOST)
        self.room = -1

    def __dealloc__(self):
        free(self.above)
        free(self.parallel)
        free(self.heads)
        free(self.path)
        free(self.offers)
        free(self.arcs)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        cdef size_t size = <size_t>n + 1
        if n <= self.room:
            return 0
        self.room = -1
        self.blocks = <token_t>((size + 63) // 64)
        renew(<void**>&self.above, (size * self.blocks if self.acyclic else 1) * sizeof(uint64_t))
        renew(<void**>&self.parallel, size * size * sizeof(uint16_t))
        renew(<void**>&self.heads, size * sizeof(token_t))
        renew(<void**>&self.path, size * sizeof(token_t))
        self.room = n
        return 0

    cdef void begin(self, token_t n) noexcept nogil:
        """Go to a sentence of n words, for which no arcs are offered yet."""
        self.n = n
        self.offered = 0
        self.count = 0
        self.out_of_memory = False

    cdef void offer(self, token_t h, token_t d, label_t label, score_t score) noexcept nogil:
        """Note an arc that can be added; arcs that do not raise the score are left out."""
        cdef void* more
        if not score > 0 or h == d or (h == 0 and self.single_root):
            return
        if self.offered == self.offer_room:
            more = realloc(self.offers, (2 * self.offer_room + 64) * sizeof(Arc))
            if more == NULL:
                self.out_of_memory = True       # which `build` reports
                return
            self.offers = <Arc*>more
            self.offer_room = 2 * self.offer_room + 64
        self.offers[self.offered] = Arc(score, h, d, label)
        self.offered += 1

    cdef int build(self, const token_t* heads, const label_t* labels, const score_t* scores,
                   Py_ssize_t stride) except -1 nogil:
        """Set the arcs: those of a tree with their scores[d * stride + h], and all offered arcs that can be added."""
        cdef Py_ssize_t k, most = self.n + self.offered
        cdef token_t d
        cdef Arc arc
        cdef const Arc* next_arc
        if self.out_of_memory:
            raise MemoryError
        if most > self.arc_room:
            renew(<void**>&self.arcs, most * sizeof(Arc))
            self.arc_room = most
        memset(self.heads, 0, (<size_t>self.n + 1) * sizeof(token_t))
        memset(self.parallel, 0, (<size_t>self.n + 1) * (self.n + 1) * sizeof(uint16_t))
        for d in range(1, self.n + 1):
            arc = Arc(scores[d * stride + heads[d]], heads[d], d, labels[d])
            self.add(&arc)
        if self.offered == 0:
            return 0
        if self.acyclic:
            self.begin_above(heads)
        qsort(self.offers, self.offered, sizeof(Arc), order_arcs)
        for k in range(self.offered):
            next_arc = self.offers + k
            d = next_arc.dependent
            if (heads[d] != next_arc.head or labels[d] != next_arc.label) and self.can_add(next_arc):
                self.add(next_arc)
                if self.acyclic:
                    self.join_above(next_arc.head, d)
        return 0

    cdef void add(self, const Arc* arc) noexcept nogil:
        """Give the graph an arc."""
        self.arcs[self.count] = arc[0]
        self.count += 1
        self.heads[arc.dependent] += 1
        self.parallel[<Py_ssize_t>arc.dependent * (self.n + 1) + arc.head] += 1

    cdef void begin_above(self, const token_t* heads) noexcept nogil:
        """Set the nodes above each node of a tree."""
        cdef token_t d, w, b, top
        cdef uint64_t* row
        cdef const uint64_t* upper
        memset(self.above, 0, (<size_t>self.n + 1) * self.blocks * sizeof(uint64_t))
        self.above[0] = 1
        for d in range(1, self.n + 1):
            top = 0
            w = d
            # Those of its head come first; heads that are no tree must not lead in a circle.
            while top < self.n and not has_bit(self.above + <Py_ssize_t>w * self.blocks, w):
                self.path[top] = w
                top += 1
                w = heads[w]
            while top > 0:
                top -= 1
                upper = self.above + <Py_ssize_t>w * self.blocks
                w = self.path[top]
                row = self.above + <Py_ssize_t>w * self.blocks
                for b in range(self.blocks):
                    row[b] = upper[b]
                row[w >> 6] |= <uint64_t>1 << (w & 63)

    cdef void join_above(self, token_t h, token_t d) noexcept nogil:
        """Put all nodes above h above all nodes below d."""
        cdef const uint64_t* upper = self.above + <Py_ssize_t>h * self.blocks
        cdef uint64_t* row
        cdef token_t w, b
        if has_bit(self.above + <Py_ssize_t>d * self.blocks, h):
            return
        for w in range(1, self.n + 1):
            row = self.above + <Py_ssize_t>w * self.blocks
            if has_bit(row, d) and not has_bit(row, h):
                for b in range(self.blocks):
                    row[b] |= upper[b]

    cdef bint can_add(self, const Arc* arc) noexcept nogil:
        """Whether the graph can have one more arc."""
        cdef token_t h = arc.head, d = arc.dependent
        return (self.heads[d] < self.most_heads
                and self.parallel[<Py_ssize_t>d * (self.n + 1) + h] < self.most_parallel
                and not (self.acyclic and has_bit(self.above + <Py_ssize_t>h * self.blocks, d)))


cdef class Work:
    """The batch that threads share: trees with the best label of each arc, all scores, and the arcs to set."""

    cdef const score_t[:, :, ::1] best
    cdef const score_t[:, :, :, ::1] scores
    cdef const token_t[:, ::1] heads
    cdef const label_t[:, :, ::1] labels
    cdef const token_t[::1] lengths
    cdef uint8_t[:, :, :, ::1] found

    def __init__(self, best, scores, heads, labels, lengths, found):
        self.best, self.scores, self.heads, self.labels = best, scores, heads, labels
        self.lengths, self.found = lengths, found

    def worker(self, *options):
        """A worker that extends some trees of the batch, for one thread."""
        cdef GraphBuilder builder = GraphBuilder(*options)
        builder.reserve(<token_t>self.heads.shape[1] - 1)
        names = np.zeros(self.heads.shape[1], dtype=np.int32)
        return lambda begin, end: self.extend(builder, begin, end, names)

    def extend(self, GraphBuilder builder, Py_ssize_t begin, Py_ssize_t end, label_t[::1] names):
        """Set the arcs of the graphs of some sentences."""
        cdef Py_ssize_t s, k
        cdef token_t h, d, n
        cdef label_t label, count = <label_t>self.scores.shape[3]
        with nogil:
            for s in range(begin, end):
                n = self.lengths[s]
                builder.begin(n)
                for d in range(1, n + 1):
                    names[d] = self.labels[s, d, self.heads[s, d]]
                    for h in range(n + 1):
                        for label in range(count):
                            builder.offer(h, d, label, self.scores[s, d, h, label])
                builder.build(&self.heads[s, 0], &names[0], &self.best[s, 0, 0], self.best.shape[2])
                for k in range(builder.count):
                    self.found[s, builder.arcs[k].dependent, builder.arcs[k].head, builder.arcs[k].label] = True


def best_graph(scores, lengths=None, *, labelled=False, single_root=True, cycles="forbid", most_heads=None,
               most_parallel=1, required=None, forbidden=None, threads=1):
    """The arcs of a graph with a high score, in which words have one head or more (McDonald and Pereira 2006).

    It is the best tree, by Chu-Liu-Edmonds, and then the arcs with positive scores that close no cycle, the best first.
    The tree is exact, the rest an approximation. Cost: O(n^2) and sorting the m arcs with positive scores, O(m log m);
    each of them that joins nodes not joined before takes O(n), in the worst case O(n^3 / 64) for all.

    `scores[dependent, head]` has the shape (n + 1, n + 1), a batch (sentences, N + 1, N + 1) with `lengths`. With
    `labelled` there is one more axis: scores[dependent, head, label]. -inf forbids an arc. With `single_root` exactly
    one arc leaves node 0. With `cycles="allow"` arcs may form cycles. A word gets at most `most_heads` arcs, and at
    most `most_parallel` arcs with different labels come from the same head; None for any number. `required` gives the
    heads that words must have in the tree, -1 where they are free; `forbidden[dependent, head]` is true where an arc
    may not be. Gives booleans of the shape of the scores, true for the arcs of the graph.

    >>> import numpy as np
    >>> scores = np.array([[0, 0, 0, 0], [-9, 0, 4, 2], [5, 3, 0, -1], [-8, -2, 6, 0]])
    >>> arcs = best_graph(scores)       # 1 -> 2 would close a cycle
    >>> [(head, dependent) for dependent, head in np.argwhere(arcs).tolist()]
    [(2, 1), (3, 1), (0, 2), (2, 3)]
    """
    if not isinstance(cycles, str) or cycles not in CYCLES:
        raise UnknownName("cycles", str(cycles), CYCLES)
    required, forbidden = copies(required, forbidden)
    cells = checked_array(scores)
    if labelled:
        best, labels = best_labels(cells, threads=threads)
    else:
        best = cells
        labels = np.zeros(best.shape, dtype=np.int32)
    if lengths is not None:
        lengths = copied(lengths, "lengths", DecodeError)
    heads = mst(best, lengths, single_root=single_root, required=required, forbidden=forbidden, threads=threads)
    if forbidden is not None:
        cells = np.where(forbidden[..., None] if labelled else forbidden, -np.inf, cells)
    width = heads.shape[heads.ndim - 1]
    size = heads.size // width
    count = cells.shape[cells.ndim - 1] if labelled else 1
    most_heads = 2**31 - 1 if most_heads is None else min(checked_count(most_heads, "most_heads"), 2**31 - 1)
    most_parallel = count if most_parallel is None else checked_count(most_parallel, "most_parallel")
    words = np.full(size, width - 1) if lengths is None else np.reshape(lengths, -1)
    found = np.zeros((size, width, width, count), dtype=np.uint8)
    if size:
        work = Work(
            best.reshape(size, width, width), cells.reshape(found.shape), heads.reshape(size, width),
            labels.reshape(size, width, width), words.astype(np.int32), found)
        options = (single_root, cycles == "forbid", most_heads, min(most_parallel, count))
        share(threads, size, lambda: work.worker(*options))
    return found.view(bool).reshape(cells.shape)
