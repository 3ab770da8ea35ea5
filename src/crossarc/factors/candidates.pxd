# The arcs that a first-order model keeps: see candidates.pyx.
from crossarc.core.typedefs cimport int32_t, int64_t, score_t, token_t, uint8_t
from crossarc.decode.second_order cimport PartScores
from crossarc.factors.arcs cimport TreeFactors


cdef class Candidates:
    cdef TreeFactors coarse             # which scores all arcs
    cdef PartScores parts               # whose arcs are chosen
    cdef int32_t most                   # heads of a word that are kept; 0 for all
    cdef score_t margin                 # how far below the best head others are kept
    cdef readonly int64_t words_seen    # so many were parsed, for the object's whole life
    cdef readonly int64_t arcs_kept     # with so many candidate arcs
    cdef uint8_t[::1] keep              # by word: whether it is a candidate head of the word at hand

    cdef int reserve(self, token_t n) except -1
    cdef void keep_best(self, token_t d, int32_t most) noexcept nogil
    cdef int choose(self, const token_t** trees, int32_t count) except -1 nogil
