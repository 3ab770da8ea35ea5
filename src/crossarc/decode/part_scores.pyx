"""Scores of the parts of trees of second order over sparse candidate arcs.

An arc h -> m with a label has up to five parts, each with a score that depends on the label of this arc alone:

    arc         h -> m itself
    sibling     the child of h strictly between h and m that is nearest to m, or none
    between     the child of m strictly between h and m that is farthest from m, or none
    beyond      the child of m on the other side of m than h that is farthest from m, or none
    past        the child of m on the far side of h that is farthest from m; no score if there is none

Only arcs that cross have a part `past`. Children and siblings are candidate arcs too, so with K heads a word there are
about K scores a part.

To fill the container: `begin`, set `heads`, `dependents` and `label_count`, `index`, set `scores`.
"""
import numpy as np

cimport cython
from libc.stdlib cimport free
from libc.string cimport memset

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport int32_t, score_t, token_t

from crossarc.errors import DecodeError


@cython.final
cdef class PartScores:
    """The scores of the parts of all trees over candidate arcs of n words."""

    def __cinit__(self):
        self.arc_room = self.word_room = -1
        self.score_room = -1
        self.begin(0, 0)
        self.index()

    def __dealloc__(self):
        free(self.heads)
        free(self.dependents)
        free(self.first)
        free(self.outgoing)
        free(self.first_outgoing)
        free(self.place)
        free(self.left_count)
        free(self.label_count)
        free(self.arc_at)
        free(self.sibling_at)
        free(self.grand_at)
        free(self.scores)

    cdef int begin(self, token_t n, int32_t count) except -1 nogil:
        """Make room for arcs. The caller then sets `heads`, `dependents` (sorted) and `label_count`."""
        cdef size_t arcs, words
        if count > self.arc_room:
            self.arc_room = -1              # until all of them are there
            arcs = <size_t>count + count // 2 + 1
            renew(<void**>&self.heads, arcs * sizeof(token_t))
            renew(<void**>&self.dependents, arcs * sizeof(token_t))
            renew(<void**>&self.outgoing, arcs * sizeof(int32_t))
            renew(<void**>&self.place, arcs * sizeof(int32_t))
            renew(<void**>&self.label_count, arcs * sizeof(int32_t))
            renew(<void**>&self.arc_at, arcs * sizeof(Py_ssize_t))
            renew(<void**>&self.sibling_at, arcs * sizeof(Py_ssize_t))
            renew(<void**>&self.grand_at, arcs * sizeof(Py_ssize_t))
            self.arc_room = count + count // 2
        if n > self.word_room:
            self.word_room = -1
            words = <size_t>n + n // 2 + 2
            renew(<void**>&self.first, words * sizeof(int32_t))
            renew(<void**>&self.first_outgoing, words * sizeof(int32_t))
            renew(<void**>&self.left_count, words * sizeof(int32_t))
            self.word_room = n + n // 2
        self.n = n
        self.count = count
        return 0

    cdef int index(self) except -1 nogil:
        """Sort the arcs by head too, lay out the scores and set them to 0."""
        cdef token_t node
        cdef int32_t arc, labels
        cdef size_t room
        memset(self.first, 0, (self.n + 2) * sizeof(int32_t))
        memset(self.first_outgoing, 0, (self.n + 2) * sizeof(int32_t))
        memset(self.left_count, 0, (self.n + 1) * sizeof(int32_t))
        for arc in range(self.count):
            self.first[self.dependents[arc] + 1] += 1
            self.place[arc] = self.first_outgoing[self.heads[arc] + 1]
            self.first_outgoing[self.heads[arc] + 1] += 1
            if self.dependents[arc] < self.heads[arc]:
                self.left_count[self.heads[arc]] += 1
        for node in range(self.n + 1):
            self.first[node + 1] += self.first[node]
            self.first_outgoing[node + 1] += self.first_outgoing[node]
        self.size = 0
        for arc in range(self.count):
            self.outgoing[self.first_outgoing[self.heads[arc]] + self.place[arc]] = arc
            labels = self.label_count[arc]
            self.arc_at[arc] = self.size
            self.sibling_at[arc] = self.arc_at[arc] + labels
            self.grand_at[arc] = self.sibling_at[arc] + <Py_ssize_t>self.rank(arc) * labels
            self.size = (self.grand_at[arc]
                         + <Py_ssize_t>(FIRST_CHILD + self.outdegree(self.dependents[arc])) * labels)
        if self.size > self.score_room:
            self.score_room = -1
            room = <size_t>self.size + self.size // 2 + 1
            renew(<void**>&self.scores, room * sizeof(score_t))
            self.score_room = self.size + self.size // 2
        memset(self.scores, 0, self.size * sizeof(score_t))
        return 0

    cdef int32_t find(self, token_t head, token_t dependent) noexcept nogil:
        """The arc from one node to another, -1 if it is not a candidate."""
        cdef int32_t low = self.first[dependent], high = self.first[dependent + 1], middle
        while low < high:
            middle = low + (high - low) // 2
            if self.heads[middle] < head:
                low = middle + 1
            else:
                high = middle
        return low if low < self.first[dependent + 1] and self.heads[low] == head else -1

    def arrange(self, n, dependents, heads, labels=1):
        """Make room for candidate arcs, with all scores 0.

        Arcs are sorted by dependent, then head. `labels` is the number of labels of all arcs or of each.
        """
        cdef const token_t[::1] below = np.ascontiguousarray(dependents, dtype=np.int32)
        cdef const token_t[::1] above = np.ascontiguousarray(heads, dtype=np.int32)
        cdef const int32_t[::1] counts = np.ascontiguousarray(np.broadcast_to(labels, below.shape[0]), dtype=np.int32)
        cdef int32_t arc
        if below.shape[0] != above.shape[0]:
            raise DecodeError(f"there are {below.shape[0]} dependents but {above.shape[0]} heads")
        for arc in range(below.shape[0]):
            if not (0 < below[arc] <= n and 0 <= above[arc] <= n and below[arc] != above[arc] and counts[arc] > 0):
                raise DecodeError(f"arc {arc}, {above[arc]} -> {below[arc]} with {counts[arc]} labels, cannot be")
            if arc and (below[arc - 1], above[arc - 1]) >= (below[arc], above[arc]):
                raise DecodeError(f"arc {arc} comes too late: arcs must be sorted by dependent, then head")
        self.begin(n, below.shape[0])
        for arc in range(self.count):
            self.dependents[arc] = below[arc]
            self.heads[arc] = above[arc]
            self.label_count[arc] = counts[arc]
        self.index()

    def layout(self):
        """Where the scores of each arc, its siblings and its grandchildren begin, and how many scores there are."""
        places = np.empty((3, self.count), dtype=np.int64)
        for arc in range(self.count):
            places[0, arc] = self.arc_at[arc]
            places[1, arc] = self.sibling_at[arc]
            places[2, arc] = self.grand_at[arc]
        return (*places, self.size)

    def assign(self, values):
        """Set all scores."""
        cdef const score_t[::1] row = np.require(values, np.float64, ["C", "A"])
        cdef Py_ssize_t i
        if row.shape[0] != self.size:
            raise DecodeError(f"there are {row.shape[0]} values for {self.size} scores")
        for i in range(self.size):
            self.scores[i] = row[i]
