# Heads from the edges of an undirected tree; see orientation.pyx.
from crossarc.core.typedefs cimport token_t

cdef enum:
    ORIENT_SCRATCH = 5      # arrays of n + 1 tokens that `orient_tree` needs


cdef bint orient_tree(const token_t* left, const token_t* right, token_t n, token_t* heads,
                      token_t* scratch) noexcept nogil
