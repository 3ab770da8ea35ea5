# A decoder over a matrix: an algorithm with the memory it works in. See decoder.pyx.
from libc.math cimport INFINITY

from crossarc.core.typedefs cimport score_t, token_t

cdef enum Outcome:
    SOLVED = 0
    NO_TREE = 1             # some words can be reached from node 0 by no allowed arcs
    NO_SINGLE_ROOT = 2      # there are trees, but each hangs several words from node 0
    NO_PROJECTIVE_TREE = 3
    NOT_CONNECTED = 4       # an undirected graph in several pieces
    NOT_SYMMETRIC = 5
    BAD_SCORE = 6           # NaN, infinite or too large
    NO_MEMORY = 7

# Sums of this size over any sentence stay finite.
cdef extern from *:
    """
    #define CROSSARC_LARGEST 1e300
    """
    const score_t LARGEST "CROSSARC_LARGEST"

cdef enum:
    MOST_HEADS = 1 << 28    # in the k best trees of a batch


cdef class Decoder:
    cdef readonly bint single_root
    cdef token_t room
    cdef int reserve(self, token_t n) except -1
    cdef Outcome solve(self, const score_t* scores, Py_ssize_t stride, token_t n, token_t* heads) noexcept nogil


cdef class Matrices:
    cdef readonly bint single
    cdef readonly Py_ssize_t size
    cdef readonly token_t width
    cdef readonly token_t longest
    cdef readonly object array
    cdef readonly object lengths
    cdef const score_t* data
    cdef const token_t* words
    cdef const score_t[:, ::1] one
    cdef const score_t[:, :, ::1] many
    cdef const token_t[::1] words_view
    cdef token_t length(self, Py_ssize_t sentence) noexcept nogil
    cdef const score_t* matrix(self, Py_ssize_t sentence) noexcept nogil


cdef bint is_sound(const score_t* scores, Py_ssize_t stride, token_t n) noexcept nogil


cdef inline bint is_sound_score(score_t score) noexcept nogil:
    """Whether a score is -inf or of a size that can be summed."""
    return -LARGEST < score < LARGEST or score == -INFINITY


cdef inline score_t highest(const score_t* row, token_t begin, token_t end) noexcept nogil:
    """The greatest entry in begin..end-1; NaN does not count. Eight running maxima leave no branch to guess."""
    cdef score_t most[8]
    cdef token_t h = begin, j
    for j in range(8):
        most[j] = -INFINITY
    while h + 8 <= end:
        for j in range(8):
            most[j] = row[h + j] if row[h + j] > most[j] else most[j]
        h += 8
    while h < end:
        most[0] = row[h] if row[h] > most[0] else most[0]
        h += 1
    for j in range(4):
        most[j] = most[j + 4] if most[j + 4] > most[j] else most[j]
    most[0] = most[2] if most[2] > most[0] else most[0]
    most[1] = most[3] if most[3] > most[1] else most[1]
    return most[1] if most[1] > most[0] else most[0]


cdef inline token_t place_of(const score_t* row, token_t begin, token_t end, score_t value) noexcept nogil:
    """The first place of a value in begin..end-1; the last of them all if another thread has removed it."""
    cdef token_t h = begin, j
    cdef bint here = False
    while h + 8 <= end:
        for j in range(8):
            here |= row[h + j] == value
        if here:
            break
        h += 8
    while h < end - 1 and row[h] != value:
        h += 1
    return h


cdef inline token_t best_of(const score_t* row, token_t begin, token_t end, score_t* best) noexcept nogil:
    """The first place of the greatest entry in begin..end-1 and its value; -1 if all are -inf or NaN."""
    best[0] = highest(row, begin, end)
    return -1 if best[0] == -INFINITY else place_of(row, begin, end, best[0])


cdef inline score_t best_sum(const score_t* a, const score_t* b, token_t size) noexcept nogil:
    """The greatest a[k] + b[k]."""
    cdef score_t p = -INFINITY, q = -INFINITY, r = -INFINITY, s = -INFINITY, x
    cdef token_t k = 0
    while k + 4 <= size:
        x = a[k] + b[k]
        p = x if x > p else p
        x = a[k + 1] + b[k + 1]
        q = x if x > q else q
        x = a[k + 2] + b[k + 2]
        r = x if x > r else r
        x = a[k + 3] + b[k + 3]
        s = x if x > s else s
        k += 4
    while k < size:
        x = a[k] + b[k]
        p = x if x > p else p
        k += 1
    p = q if q > p else p
    r = s if s > r else r
    return r if r > p else p


cdef inline token_t best_split(const score_t* a, const score_t* b, token_t size) noexcept nogil:
    """The first k with the greatest a[k] + b[k]; the last one if none compares, as NaN does not."""
    cdef score_t best = best_sum(a, b, size)
    cdef token_t k = 0
    while k < size - 1 and a[k] + b[k] != best:
        k += 1
    return k
