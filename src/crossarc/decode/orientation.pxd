# Heads from the edges of an undirected tree; see orientation.pyx.
from crossarc.core.typedefs cimport token_t

cdef enum:
    ORIENT_SCRATCH = 4      # arrays of n + 2 tokens that `point_away` needs


cdef bint point_away(const token_t* left, const token_t* right, token_t n, token_t* heads,
                     token_t* scratch) noexcept nogil
