# Prim's algorithm over a symmetric matrix; see prim.pyx.
from crossarc.core.typedefs cimport score_t, token_t


cdef struct Growth:
    # By place among the nodes outside of the tree: the node, and its best edge into the tree.
    token_t* node
    token_t* inner
    score_t* weight


cdef token_t grow(const score_t* weights, const score_t* first_row, Py_ssize_t stride, token_t begin, token_t end,
                  const token_t* names, Growth* growth, token_t* left, token_t* right) noexcept nogil
