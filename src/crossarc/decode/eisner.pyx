"""Best projective trees (Eisner 1996; 2000) in O(n^3), iterative, with an exact single root.

Spans are kept so that every maximum runs over two contiguous rows: a chart holds each span at [i][j] and again at
[j][i], or has the other direction there. No back pointers are kept: the way back visits O(n) spans and finds the best
split of each again, O(n^2) in all.

Single root: the chart is over the words alone, and the root r joins the best spans 1..r and r..n that it heads.
"""
from libc.math cimport INFINITY
from libc.stdlib cimport free

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport score_t, token_t

from crossarc.decode.decoder cimport NO_PROJECTIVE_TREE, SOLVED, Decoder, Outcome, best_split, best_sum

from crossarc.decode.decoder import decode


cdef enum Kind:
    RIGHT           # complete, the head at the left end
    LEFT            # complete, the head at the right end
    ARC_RIGHT       # closed by an arc from the left end to the right one
    ARC_LEFT


cdef void fill(Chart* chart, const score_t* scores, Py_ssize_t stride, token_t begin) noexcept nogil:
    """All spans of the nodes begin..n."""
    cdef Py_ssize_t size = chart.n + 1
    cdef token_t i, j
    cdef score_t best
    cdef score_t* right_i
    cdef score_t* left_i
    cdef score_t* arc_i
    cdef score_t* right_j
    cdef score_t* left_j
    cdef score_t* arc_j
    for j in range(begin, chart.n + 1):
        right_j = chart.right + j * size
        left_j = chart.left + j * size
        arc_j = chart.arc + j * size
        right_j[j] = left_j[j] = 0
        for i in range(j - 1, begin - 1, -1):
            right_i = chart.right + i * size
            left_i = chart.left + i * size
            arc_i = chart.arc + i * size
            best = best_sum(right_i + i, left_j + i + 1, j - i)
            arc_i[j] = best + scores[j * stride + i]
            arc_j[i] = best + scores[i * stride + j] if i else -INFINITY
            right_i[j] = right_j[i] = best_sum(arc_i + i + 1, right_j + i + 1, j - i)
            left_i[j] = left_j[i] = best_sum(left_i + i, arc_j + i, j - i)


cdef inline token_t push(token_t* stack, token_t top, Kind kind, token_t i, token_t j) noexcept nogil:
    if i == j:
        return top
    stack[3 * top] = kind
    stack[3 * top + 1] = i
    stack[3 * top + 2] = j
    return top + 1


cdef void walk_back(Chart* chart, token_t top, token_t* heads) noexcept nogil:
    """The heads of the spans on the stack."""
    cdef Py_ssize_t size = chart.n + 1
    cdef token_t* stack = chart.stack
    cdef token_t i, j, k, kind
    while top:
        top -= 1
        kind = stack[3 * top]
        i = stack[3 * top + 1]
        j = stack[3 * top + 2]
        if kind == RIGHT:
            k = i + 1 + best_split(chart.arc + i * size + i + 1, chart.right + j * size + i + 1, j - i)
            top = push(stack, top, ARC_RIGHT, i, k)
            top = push(stack, top, RIGHT, k, j)
        elif kind == LEFT:
            k = i + best_split(chart.left + i * size + i, chart.arc + j * size + i, j - i)
            top = push(stack, top, LEFT, i, k)
            top = push(stack, top, ARC_LEFT, k, j)
        else:
            if kind == ARC_RIGHT:
                heads[j] = i
            else:
                heads[i] = j
            k = i + best_split(chart.right + i * size + i, chart.left + j * size + i + 1, j - i)
            top = push(stack, top, RIGHT, i, k)
            top = push(stack, top, LEFT, k + 1, j)


cdef class Eisner(Decoder):
    """Eisner's algorithm."""

    def __dealloc__(self):
        free(self.memory)

    cdef int reserve(self, token_t n) except -1:
        cdef size_t size = <size_t>n + 1
        if n <= self.room:
            return 0
        self.room = -1
        renew(<void**>&self.memory, 3 * size * size * sizeof(score_t) + 6 * size * sizeof(token_t))
        self.chart.right = self.memory
        self.chart.left = self.memory + size * size
        self.chart.arc = self.memory + 2 * size * size
        self.chart.stack = <token_t*>(self.memory + 3 * size * size)
        self.room = n
        return 0

    cdef Outcome solve(self, const score_t* scores, Py_ssize_t stride, token_t n, token_t* heads) noexcept nogil:
        cdef Chart* chart = &self.chart
        cdef Py_ssize_t size = n + 1
        cdef score_t best = -INFINITY, score
        cdef token_t r, root = -1, top
        heads[0] = -1
        chart.n = n
        if n == 0:
            return SOLVED
        fill(chart, scores, stride, 1 if self.single_root else 0)
        if self.single_root:
            for r in range(1, n + 1):
                score = chart.left[size + r] + chart.right[r * size + n] + scores[r * stride]
                if score > best:
                    best = score
                    root = r
            if root < 0:
                return NO_PROJECTIVE_TREE
            heads[root] = 0
            top = push(chart.stack, 0, LEFT, 1, root)
            top = push(chart.stack, top, RIGHT, root, n)
        else:
            if chart.right[n] == -INFINITY:
                return NO_PROJECTIVE_TREE
            top = push(chart.stack, 0, RIGHT, 0, n)
        walk_back(chart, top, heads)
        return SOLVED


def eisner(scores, lengths=None, *, single_root=True, required=None, forbidden=None, threads=1):
    """The heads of the best projective tree: Eisner's algorithm in O(n^3).

    Arguments and result are those of `mst`. A sentence of 5,000 words takes 600 MB and a minute or two.

    >>> import numpy as np
    >>> scores = np.array([[0, 0, 0, 0, 0], [0, 0, 0, 9, 0], [0, 0, 0, 0, 9], [5, 0, 0, 0, 0], [0, 0, 0, 8, 0]])
    >>> eisner(scores).tolist()                 # the best tree, [-1, 3, 4, 0, 3], has arcs that cross
    [-1, 3, 3, 0, 3]
    """
    return decode(Eisner(single_root), scores, lengths, required, forbidden, threads)
