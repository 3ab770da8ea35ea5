# The keys of the features of arcs: see arc_keys.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, token_t
from crossarc.factors.words cimport Words
from crossarc.learning.scorer cimport MOST_KEYS

cdef enum:
    MOST_BETWEEN = 64       # kinds of words between two that are looked at
    MOST_PASSING = 4        # templates that look at them, as in crossarc.features.edges


cdef struct Between:
    # The words between two: for each template that looks at them, the kinds that there are.
    int32_t counts[MOST_PASSING]
    hash_t kinds[MOST_PASSING][MOST_BETWEEN]


cdef inline void clear(Between* between) noexcept nogil:
    """Begin with two words side by side."""
    cdef int32_t t
    for t in range(MOST_PASSING):
        between.counts[t] = 0


cdef class ArcKeys:
    cdef Words words
    cdef bint undirected
    cdef bint distances                 # whether each class of them has weights of its own
    cdef int32_t single_count, pair_count, first_distance, plain_pairs
    cdef const int32_t[:, ::1] atoms
    cdef const int32_t[::1] sides
    cdef const int32_t[:, ::1] singles
    cdef const int32_t[:, ::1] pairs
    # Of the sentence at hand.
    cdef hash_t[:, ::1] single_keys     # by word: the key of each template of one end
    cdef hash_t[:, ::1] left_keys       # by word: its part of the key of each template of both ends, on the left
    cdef hash_t[:, ::1] right_keys      # and on the right
    cdef hash_t keys[MOST_KEYS]

    cdef int reserve(self, token_t n) except -1
    cdef hash_t side_hash(self, token_t word, int32_t side) noexcept nogil
    cdef void prepare(self) noexcept nogil
    cdef int32_t end_keys(self, int32_t end, token_t word) noexcept nogil
    cdef int32_t plain_keys(self, token_t i, token_t j) noexcept nogil
    cdef void pass_word(self, Between* between, token_t word) noexcept nogil
    cdef int32_t between_keys(self, token_t i, token_t j, const Between* between, int32_t t,
                              int32_t filled) noexcept nogil
    cdef int32_t pair_keys(self, token_t i, token_t j, const Between* between) noexcept nogil
    cdef int32_t keys_of(self, token_t h, token_t d) noexcept nogil
