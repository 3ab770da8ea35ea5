# One Boruvka step in pieces, for the algorithms made of it; see boruvka.pyx.
from crossarc.core.typedefs cimport int64_t, score_t, token_t

from crossarc.decode.edges cimport Edge, Spanner


cdef struct Pick:
    # The edge that a node has chosen, copied so that no other memory need be visited.
    score_t weight
    token_t name            # -1 for none
    token_t place
    token_t other           # the node at its other end


cdef int64_t choose_edges(const Edge* edges, token_t m, token_t n, Pick* picks) noexcept nogil
cdef token_t take(token_t n, const Pick* picks, token_t* chosen) noexcept nogil
cdef token_t join(token_t n, const Pick* picks, token_t* part) noexcept nogil
cdef token_t contract(Edge* edges, token_t m, const token_t* part) noexcept nogil


cdef class Boruvka(Spanner):
    cdef Pick* picks
    cdef token_t* part
