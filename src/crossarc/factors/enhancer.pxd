# Local enhancement of trees: see enhancer.pyx.
from crossarc.core.typedefs cimport int32_t, score_t, token_t
from crossarc.factors.arc_scores cimport ArcScores
from crossarc.learning.scorer cimport Scorer


cdef class Enhancer:
    cdef ArcScores scores
    cdef score_t[:, ::1] turns          # by word: the scores of three arcs

    cdef int reserve(self, token_t n) except -1
    cdef void score_head(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil
    cdef void score_turn(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil
    cdef void enhance(self, Scorer weights, token_t* heads, int32_t rounds) noexcept nogil
