# The k best trees; see kbest.pyx.
from crossarc.core.typedefs cimport int8_t, int64_t, score_t, token_t

from crossarc.decode.chu_liu_edmonds cimport Parts


cdef struct Found:
    # A tree, best of a set: the trees of the set of `parent` that share its first `branch` arcs but lack the next.
    score_t score
    score_t key             # its score until it is given out, then the bound of the next set to try
    token_t parent
    token_t branch
    token_t next            # how many of the sets that it splits the rest in were tried; -1 until it is given out
    token_t free            # how many of its arcs are free, in `order`


cdef struct Search:
    token_t n
    bint single_root
    const score_t* scores
    Py_ssize_t stride
    score_t* grid           # the scores with the constraints of a set
    Parts parts
    token_t* entered        # by part: whether the arc of the part around it is its own
    int8_t* fixed           # by word: its head is required in the set at hand
    Found* found
    token_t* heads          # of each tree found, n + 1
    token_t* order          # its free words, in the order by which the rest is split
    score_t* loss           # in that order: what a tree loses at least that lacks the arc
    token_t* trial          # places in the order, the least losses first
    int64_t count
    int64_t room


cdef class KBest:
    cdef Search search
    cdef token_t room
    cdef int reserve(self, token_t n) except -1
    cdef int64_t solve(self, const score_t* scores, Py_ssize_t stride, token_t n, int64_t k, token_t* heads,
                       Py_ssize_t heads_stride, score_t* totals) noexcept nogil
