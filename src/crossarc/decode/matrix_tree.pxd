# Sums over all trees; see matrix_tree.pyx.
from crossarc.core.typedefs cimport score_t, token_t


cdef struct Level:
    # A square of weights between `size` words, and what is left of it when the first `gone` in its order are
    # eliminated. The order of the work is that of `words` from the place `shift` on, then round.
    token_t size
    token_t gone
    token_t shift
    token_t* words
    void* given
    void* given_root
    void* given_faint
    void* work
    void* root
    void* faint
    void* total
    void* escape            # the probabilities to reach node 0 before the word in question, without the unit
    void* faint_escape      # and with it


cdef struct Sums:
    token_t n
    Level levels[34]
    score_t* highest        # by word: what its scores were lowered by
    score_t* memory
    score_t* marginals      # the result, stride n + 1
    score_t partition       # its logarithm


cdef class MatrixTree:
    cdef Sums sums
    cdef token_t* words


cdef void compute(Sums* sums, const score_t* scores, Py_ssize_t stride, token_t n, bint single_root,
                  bint arcs) noexcept nogil
