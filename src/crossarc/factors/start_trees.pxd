# The trees that moves start from: see start_trees.pyx.
from crossarc.core.typedefs cimport int32_t, offset_t, score_t, token_t
from crossarc.decode.undirected cimport Undirected
from crossarc.factors.arcs cimport TreeFactors

cdef enum:
    MOST_STARTS = 8


cdef class StartTrees:
    cdef TreeFactors coarse
    cdef bint from_coarse               # whether the tree of the coarse model is one
    cdef Undirected undirected          # finds one without directions by its scores; else None
    cdef score_t[::1] joined            # those of both directions together
    cdef const token_t[:, ::1] given    # by start and node of all sentences: the heads of given trees
    # Of the sentence at hand.
    cdef int32_t count
    cdef token_t[:, ::1] trees

    cdef int reserve(self, token_t n) except -1
    cdef int find(self, offset_t sentence) except -1 nogil
