# Sparse vectors of features, the differences between right and wrong structures; see differences.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, score_t, weight_t
from crossarc.learning.weights cimport Weights

cdef struct Feature:
    hash_t key
    int32_t action
    int32_t place               # where `places` has it


cdef class Differences:
    cdef Feature* features
    cdef weight_t* values       # by feature, its value in each vector
    cdef int32_t* places        # open addressing from hashes to features, numbered from 1; 0 where free
    cdef hash_t mask
    cdef int32_t size
    cdef int32_t room
    cdef int32_t vectors        # how many are in use
    cdef int32_t most_vectors

    cdef void begin(self, int32_t vectors) noexcept nogil
    cdef int grow(self, Py_ssize_t needed) except -1 nogil
    cdef hash_t find(self, hash_t key, int32_t action) noexcept nogil
    cdef int add(self, const hash_t* keys, int32_t count, int32_t action, int32_t vector,
                 weight_t value) except -1 nogil
    cdef int settle(self, Weights weights, score_t* products) except -1 nogil
    cdef int apply(self, Weights weights, const score_t* steps) except -1 nogil
