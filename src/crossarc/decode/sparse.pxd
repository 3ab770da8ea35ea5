# The sparse maximum spanning arborescence; see sparse.pyx.
from crossarc.core.typedefs cimport int64_t, score_t, token_t

from crossarc.decode.decoder cimport Outcome


cdef struct Heaps:
    # The arcs of the sentence at hand.
    const token_t* dependents
    const token_t* heads
    # By arc: a skew heap. What all arcs below one have gained is `pending` with it until someone looks at them.
    score_t* gain
    score_t* pending
    token_t* left
    token_t* right
    # By part: the words 1..n, then cycles made one. The heap of arcs into it, the arc it chose (-1 for the one from
    # node 0), what that gains, the part it became part of.
    token_t* heap
    token_t* arc
    score_t* value
    token_t* above
    # By part: the best arc from node 0, by the word it leads to.
    score_t* root_gain
    token_t* root_word
    # Union-find over parts, the search path, and where a part is on it.
    token_t* joined
    token_t* path
    token_t* place
    token_t* tokens
    score_t* reals
    int64_t taken                # arcs taken from heaps so far: the greater part of the work


cdef class SparseChuLiuEdmonds:
    cdef Heaps heaps
    cdef token_t word_room
    cdef token_t arc_room
    cdef int reserve(self, token_t n, token_t m) except -1
    cdef Outcome solve(self, token_t n, token_t m, const token_t* dependents, const token_t* heads,
                       const score_t* scores, bint single_root, token_t* result) noexcept nogil
