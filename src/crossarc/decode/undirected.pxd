# The best undirected tree of a matrix; see undirected.pyx.
from crossarc.core.typedefs cimport score_t, token_t

from crossarc.decode.decoder cimport Decoder, Outcome
from crossarc.decode.edges cimport Edge, Spanner


cdef class Undirected(Decoder):
    cdef readonly object method
    cdef readonly object seed
    cdef Spanner spanner
    cdef Edge* edges
    cdef token_t edge_room
    cdef token_t* memory
    cdef score_t* weight
    cdef token_t join(self, const score_t* scores, Py_ssize_t stride, token_t begin, token_t n, token_t* left,
                      token_t* right) noexcept nogil
    cdef int reserve_edges(self, token_t n, token_t m) except -1
    cdef token_t span(self, token_t m, token_t n, token_t* left, token_t* right) noexcept nogil
    cdef Outcome solve_edges(self, token_t m, const score_t* roots, token_t n, token_t* heads) noexcept nogil
