# The best tree by the scores of arcs: see tree_search.pyx.
from crossarc.core.typedefs cimport score_t, token_t
from crossarc.decode.decoder cimport Decoder
from crossarc.decode.undirected cimport Undirected
from crossarc.factors.arc_scores cimport ArcScores
from crossarc.learning.scorer cimport Scorer


cdef class TreeSearch:
    cdef ArcScores scores
    cdef Decoder decoder
    cdef Undirected edge_decoder        # where only the edges that limits allow are scored; else None
    cdef score_t[::1] joined
    cdef score_t[::1] root_scores

    cdef int reserve_matrix(self, token_t n) except -1
    cdef int reserve_edges(self, token_t n, token_t m) except -1
    cdef bint solve(self, token_t* heads) noexcept nogil
    cdef bint solve_edges(self, Scorer weights, token_t* heads) noexcept nogil
