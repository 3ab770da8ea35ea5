# The weights of features that have one each: see single.pyx.
from crossarc.core.typedefs cimport hash_t, int16_t
from crossarc.learning.scorer cimport Scorer


cdef class SingleWeights(Scorer):
    cdef readonly object buckets
    cdef readonly object keys
    cdef const int16_t* bucket_data
    cdef hash_t size                    # how many buckets
