# What every decoder over a matrix is: an algorithm with the memory it works in. See decoder.pyx.
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


cdef inline token_t best_of(const score_t* row, token_t begin, token_t end, score_t* best) noexcept nogil:
    """The first place of the greatest entry in begin..end-1 and its value; -1 if all are -inf or NaN.

    Four running maxima and a search for the place take no branch that depends on the scores.
    """
    cdef score_t a = -INFINITY, b = -INFINITY, c = -INFINITY, d = -INFINITY
    cdef token_t h = begin
    while h + 4 <= end:
        a = row[h] if row[h] > a else a
        b = row[h + 1] if row[h + 1] > b else b
        c = row[h + 2] if row[h + 2] > c else c
        d = row[h + 3] if row[h + 3] > d else d
        h += 4
    while h < end:
        a = row[h] if row[h] > a else a
        h += 1
    a = b if b > a else a
    c = d if d > c else c
    a = c if c > a else a
    best[0] = a
    if a == -INFINITY:
        return -1
    h = begin
    while row[h] != a:
        h += 1
    return h
