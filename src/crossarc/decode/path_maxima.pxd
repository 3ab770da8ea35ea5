# Which edges a forest makes superfluous, in linear time; see path_maxima.pyx.
from crossarc.core.typedefs cimport int64_t, token_t, uint8_t

from crossarc.decode.boruvka cimport Pick
from crossarc.decode.edges cimport Edge

cdef enum:
    # What is known of an edge before: nothing, that it stays, that it goes.
    OPEN = 0
    LIGHT = 254
    HEAVY = 255


cdef token_t drop_heavy(Edge* edges, token_t m, token_t n, const token_t* forest, token_t count, uint8_t* depths,
                        Pick* picks, token_t* part, int64_t* comparisons) noexcept nogil
