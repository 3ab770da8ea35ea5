# What turns feature keys into scores; see scorer.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, weight_t

cdef enum:
    MOST_KEYS = 512         # that are scored at a time


cdef inline int32_t padded(int32_t actions) noexcept nogil:
    """Actions in whole vectors of eight."""
    return (actions + 7) & ~7


cdef inline int32_t score_room(int32_t actions) noexcept nogil:
    """How many scores `Scorer.score` may write: whole vectors, and one that a damaged model file could ask for."""
    return padded(actions) + 1


cdef class Scorer:
    cdef readonly int32_t actions
    cdef readonly double unit

    cdef void score(self, const hash_t* keys, int32_t count, int32_t group, weight_t* out) noexcept nogil
    cdef void warm(self, const hash_t* keys, int32_t count) noexcept nogil
