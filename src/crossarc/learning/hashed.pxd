from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, offset_t, weight_t
from crossarc.learning.scorer cimport Scorer

cdef enum:
    BITS = 20
    WIDTH = 8               # actions at most


cdef inline hash_t row_of(hash_t key) noexcept nogil:
    """The row of a key: it is not kept, so keys may share one."""
    return key >> (64 - BITS)


cdef class HashedWeights(Scorer):
    cdef int32_t width
    cdef weight_t[:, ::1] table
    cdef double[:, ::1] step_sums   # for each weight the sum of its changes, each times the steps before it
    cdef public offset_t now

    cdef void update(self, const hash_t* keys, int32_t count, int32_t action, weight_t step) noexcept nogil


cdef class PackedTable(Scorer):
    cdef readonly object table
    cdef const int16_t* data
    cdef int32_t width
