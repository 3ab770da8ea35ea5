# The best projective tree of second order; see carreras.pyx.
from crossarc.core.typedefs cimport int32_t, score_t, token_t

from crossarc.decode.decoder cimport NO_MEMORY, Outcome
from crossarc.decode.part_scores cimport PartScores


cdef struct SpanTable:
    # What the search keeps of each arc h -> m.
    score_t* memory
    size_t room             # of `memory`, in scores
    Py_ssize_t* offsets
    size_t arc_room
    score_t* open           # [open_at + label] the span between h and m, closed by the arc
    Py_ssize_t* open_at
    score_t* closed         # [closed_at + e] the same with all below m up to the end e, under the best label
    Py_ssize_t* closed_at
    score_t* best_open      # [arc] open under the best label
    score_t* childless      # [arc] open plus the score of no child beyond m, under the best label
    score_t* weights        # [weights_at + place] open plus the score of a child beyond m, under the best label
    Py_ssize_t* weights_at
    score_t* column         # [place in `outgoing`] arcs to the left: `closed` at the current end
    score_t* right          # [n + 2] half of a span: what its left node heads
    score_t* left           # [n + 2] what its right node heads
    int32_t* low            # [n + 1] by head: the place of its first arc to the left that begins at the end or after
    int32_t* stack
    size_t word_room


cdef class Carreras:
    cdef readonly bint single_root
    cdef readonly score_t score     # of the tree found
    cdef SpanTable table
    cdef Outcome solve(self, PartScores parts, token_t* heads, int32_t* choices) except? NO_MEMORY nogil
    cdef int reserve(self, PartScores parts) except -1 nogil
