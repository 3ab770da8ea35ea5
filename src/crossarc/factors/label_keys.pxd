# The keys of the features of labels: see label_keys.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, token_t
from crossarc.factors.words cimport Words
from crossarc.learning.scorer cimport MOST_KEYS


cdef class LabelKeys:
    cdef Words words
    cdef bint distances                 # whether they are told apart by class alone
    cdef int32_t templates
    cdef int32_t widest                 # terms of a template
    cdef const int32_t[:, :, ::1] cells
    cdef token_t[:, ::1] kin            # by word: siblings on the left and right, outermost dependents on either side
    cdef token_t[::1] previous
    cdef hash_t keys[MOST_KEYS]

    cdef int reserve(self, token_t n) except -1
    cdef void find_kin(self, const token_t* heads) noexcept nogil
    cdef int32_t keys_of(self, token_t h, token_t d, const token_t* heads) noexcept nogil
