# The keys of features that see dependents found before: see dependent_keys.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, token_t
from crossarc.factors.arc_keys cimport ArcKeys
from crossarc.factors.words cimport Words


cdef class DependentKeys:
    cdef Words words
    cdef ArcKeys arcs
    cdef const int32_t[:, ::1] singles
    cdef const int32_t[:, ::1] pairs
    cdef int32_t single_count, pair_count
    # Of the sentence at hand, by word.
    cdef token_t[:, ::1] children       # the leftmost and the rightmost dependent so far, and how many there are
    cdef token_t[::1] heads             # so far; -1 for words that have none
    cdef token_t[::1] following         # the next dependent of the same head, 0 if there is none
    cdef token_t[::1] pending           # while pairs are passed: the first dependent behind the left word
    cdef hash_t[:, ::1] single_keys     # as in ArcKeys; 0 where a dependent that is looked at is not there
    cdef hash_t[:, ::1] left_keys
    cdef hash_t[:, ::1] right_keys

    cdef int reserve(self, token_t n) except -1
    cdef void begin(self) noexcept nogil
    cdef void attach(self, token_t h, token_t d) noexcept nogil
    cdef hash_t side_hash(self, token_t word, int32_t side) noexcept nogil
    cdef void prepare_word(self, token_t word) noexcept nogil
    cdef int32_t end_keys(self, int32_t end, token_t word, int32_t filled) noexcept nogil
    cdef int32_t add_pair(self, token_t i, token_t j, token_t right_sibling, token_t left_sibling, int32_t directions,
                          int32_t filled) noexcept nogil
    cdef token_t sibling_of(self, token_t h, token_t d) noexcept nogil
    cdef void link_siblings(self) noexcept nogil
    cdef int32_t pair_keys(self, token_t i, token_t j, token_t sibling, int32_t filled) noexcept nogil
    cdef int32_t keys_of(self, token_t h, token_t d) noexcept nogil
