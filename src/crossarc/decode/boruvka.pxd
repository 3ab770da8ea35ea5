# One Boruvka step in pieces, for the algorithms made of it; see boruvka.pyx.
from crossarc.core.typedefs cimport int64_t, token_t

from crossarc.decode.edges cimport Edge

cdef int64_t choose_edges(const Edge* edges, token_t m, token_t n, token_t* best) noexcept nogil
cdef token_t join(const Edge* edges, token_t n, const token_t* best, token_t* up, token_t* part) noexcept nogil
cdef token_t contract(Edge* edges, token_t m, const token_t* part) noexcept nogil
cdef token_t take(const Edge* edges, token_t n, const token_t* best, token_t* chosen) noexcept nogil
