# Scores of parts as arrays over all nodes; see dense_parts.pyx.
from crossarc.core.typedefs cimport int32_t, score_t, token_t

from crossarc.decode.part_scores cimport PartScores


cdef class DenseParts:
    cdef readonly bint single
    cdef readonly bint labelled
    cdef readonly Py_ssize_t size
    cdef readonly token_t width
    cdef readonly int32_t labels
    cdef readonly object lengths
    cdef readonly object heads_shape
    cdef readonly object arrays
    cdef readonly object best           # the arcs without labels, in the shape of a batch or of one
    cdef const score_t[:, :, :, ::1] arcs
    cdef const score_t[:, :, :, :, ::1] siblings
    cdef const score_t[:, :, :, :, ::1] grandchildren
    cdef const token_t[::1] words_view
    cdef const unsigned char[:, :, ::1] allowed
    cdef token_t length(self, Py_ssize_t s) noexcept nogil
    cdef bint fill(self, Py_ssize_t s, PartScores parts) except -1 nogil
