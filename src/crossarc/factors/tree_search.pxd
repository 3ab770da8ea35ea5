# Trees by the scores of arcs: see tree_search.pyx.
from crossarc.core.typedefs cimport int32_t, score_t, token_t
from crossarc.decode.decoder cimport Decoder
from crossarc.decode.undirected cimport Undirected
from crossarc.factors.arc_scores cimport ArcScores
from crossarc.learning.scorers cimport Scorer


cdef class TreeSearch:
    cdef ArcScores scores
    cdef Decoder decoder
    cdef Undirected edge_decoder        # where only the edges that limits allow are scored; else None
    cdef score_t[::1] joined
    cdef score_t[::1] root_scores

    cdef int reserve_matrix(self, token_t n) except -1
    cdef int reserve_edges(self, token_t n, token_t m) except -1
    cdef bint solve(self, token_t* heads) noexcept nogil
    cdef token_t solve_edges(self, Scorer weights, token_t* heads) noexcept nogil


cdef class Enhancer:
    cdef ArcScores scores
    cdef score_t[:, ::1] turns          # by word: the scores of three arcs

    cdef int reserve(self, token_t n) except -1
    cdef void score_head(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil
    cdef void score_turn(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil
    cdef void enhance(self, Scorer weights, token_t* heads, int32_t rounds) noexcept nogil
