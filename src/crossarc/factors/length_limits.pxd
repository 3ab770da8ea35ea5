# Which arcs are not too long: see length_limits.pyx.
from libc.stdlib cimport abs

from crossarc.core.typedefs cimport int32_t, int64_t, token_t
from crossarc.factors.words cimport Words


cdef class LengthLimits:
    cdef Words words
    cdef const int32_t[:, ::1] lengths
    cdef token_t[::1] reach             # by tag: the greatest length of any arc of such a word
    cdef int32_t tag                    # the column; -1 if arcs of any length can be
    cdef bint pruning                   # whether the sentence at hand has only the arcs that lengths leave
    cdef int64_t arcs                   # so many between words there were, for the object's whole life
    cdef int64_t pruned                 # and so many of them were left out
    cdef int64_t unpruned               # sentences that had no tree without them

    cdef inline bint allow(self, token_t h, token_t d) noexcept nogil:
        """Whether an arc is not longer than those of training between such tags."""
        return (not self.pruning or h == 0
                or abs(h - d) <= self.lengths[self.words.value(h, self.tag), self.words.value(d, self.tag)])

    cdef inline token_t first_neighbour(self, token_t j) noexcept nogil:
        """The leftmost word that an edge to a word can come from."""
        return max(1, j - self.reach[self.words.value(j, self.tag)])

    cdef void begin(self) noexcept nogil
    cdef void lift(self) noexcept nogil
    cdef bint allow_tree(self, const token_t* heads) noexcept nogil
    cdef token_t count_edges(self) noexcept nogil
    cdef void count_arcs(self, int64_t kept=*) noexcept nogil
