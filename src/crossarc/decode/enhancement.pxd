# Local enhancement of a tree; see enhancement.pyx.
from crossarc.core.typedefs cimport int64_t, score_t, token_t

cdef int64_t improve(token_t* heads, const score_t* scores, Py_ssize_t stride, token_t n,
                     int64_t rounds) noexcept nogil
