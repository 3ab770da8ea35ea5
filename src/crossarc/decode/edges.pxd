# Undirected edges, their order, and what a spanning forest algorithm is; see edges.pyx.
from crossarc.core.typedefs cimport int64_t, score_t, token_t

cdef enum:
    AHEAD = 16              # how many edges or nodes before its use a place in memory is asked for


cdef struct Edge:
    score_t weight
    token_t left
    token_t right
    token_t name            # settles ties: of equal edges the one with the lower name is better
    token_t place           # what an algorithm calls the edge when it gives it back


cdef inline bint is_better(score_t weight, token_t name, score_t other, token_t other_name) noexcept nogil:
    """The order of edges that all algorithms share: no two are equal, so that the best tree is unique."""
    return weight > other or weight == other and name < other_name


cdef class Spanner:
    cdef readonly int64_t comparisons
    cdef token_t node_room
    cdef token_t edge_room
    cdef int reserve(self, token_t n, token_t m) except -1
    cdef token_t span(self, Edge* edges, token_t m, token_t n, token_t* chosen) noexcept nogil
