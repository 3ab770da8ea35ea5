# Which edges a forest makes superfluous, in linear time; see path_maxima.pyx.
from crossarc.core.typedefs cimport int64_t, token_t

from crossarc.decode.edges cimport Edge

cdef token_t drop_heavy(Edge* edges, token_t m, token_t n, const token_t* forest, token_t count,
                        int64_t* comparisons) noexcept nogil
