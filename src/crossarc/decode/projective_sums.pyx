"""Sums over all projective trees: marginals and the partition function by inside-outside.

The spans are those of Eisner's algorithm (eisner.pyx) with sums in the place of maxima, in the logarithm. The way back
gives every span the expected number of times that it is used; that of a span closed by an arc is how likely the arc is.
No step subtracts, so nothing is lost to rounding.
"""
from libc.math cimport INFINITY, exp, log
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from crossarc.core.typedefs cimport score_t, token_t

from crossarc.decode.decoder cimport Matrices

from crossarc.decode.decoder import sum_over_trees


cdef struct SumChart:
    # Squares of n + 1 nodes, in the logarithm, and the same again for the expected numbers.
    token_t n
    token_t begin           # the first node of the chart: 1 with a single root, whose arc is added in the end
    score_t* right          # at [i][j]: complete spans with head i
    score_t* left           # at [i][j]: complete spans with head j
    score_t* arc            # spans that an arc closes: with head i at [i][j], with head j at [j][i]
    score_t* half           # at [i][j]: the same without the arc
    score_t* right_uses
    score_t* left_uses
    score_t* arc_uses


cdef inline score_t add_log(score_t a, score_t b) noexcept nogil:
    """The logarithm of exp(a) + exp(b)."""
    if a < b:
        a, b = b, a
    return a if b == -INFINITY else a + log(1 + exp(b - a))


cdef inline score_t sum_log(const score_t* a, Py_ssize_t a_step, const score_t* b, Py_ssize_t b_step,
                            token_t size) noexcept nogil:
    """The logarithm of the sum of exp(a[k] + b[k])."""
    cdef score_t most = -INFINITY, total = 0, x
    cdef token_t k
    for k in range(size):
        x = a[k * a_step] + b[k * b_step]
        most = x if x > most else most
    if most == -INFINITY:
        return most
    for k in range(size):
        total += exp(a[k * a_step] + b[k * b_step] - most)
    return most + log(total)


cdef inline void share_uses(score_t uses, score_t whole, const score_t* a, score_t* a_uses, Py_ssize_t a_step,
                            const score_t* b, score_t* b_uses, Py_ssize_t b_step, token_t size) noexcept nogil:
    """Give the parts of a sum their shares of its uses."""
    cdef score_t part
    cdef token_t k
    if uses == 0 or whole == -INFINITY:
        return
    for k in range(size):
        part = uses * exp(a[k * a_step] + b[k * b_step] - whole)
        a_uses[k * a_step] += part
        b_uses[k * b_step] += part


cdef score_t sum_inside(SumChart* chart, const score_t* scores, Py_ssize_t stride) noexcept nogil:
    """Fill the chart; return the logarithm of the sum over all trees."""
    cdef Py_ssize_t size = chart.n + 1
    cdef token_t i, j, r, n = chart.n
    cdef score_t total = -INFINITY, half
    for j in range(chart.begin, n + 1):
        chart.right[j * size + j] = chart.left[j * size + j] = 0
        for i in range(j - 1, chart.begin - 1, -1):
            half = sum_log(chart.right + i * size + i, 1, chart.left + (i + 1) * size + j, size, j - i)
            chart.half[i * size + j] = half
            chart.arc[i * size + j] = half + scores[j * stride + i]
            chart.arc[j * size + i] = half + scores[i * stride + j] if i else -INFINITY
            chart.right[i * size + j] = sum_log(
                chart.arc + i * size + i + 1, 1, chart.right + (i + 1) * size + j, size, j - i)
            chart.left[i * size + j] = sum_log(chart.left + i * size + i, 1, chart.arc + j * size + i, 1, j - i)
    if chart.begin == 0:
        return chart.right[n]
    for r in range(1, n + 1):
        total = add_log(total, chart.left[size + r] + chart.right[r * size + n] + scores[r * stride])
    return total


cdef void find_uses(SumChart* chart, const score_t* scores, Py_ssize_t stride, score_t total, score_t* marginals,
                    Py_ssize_t width) noexcept nogil:
    """Set the cells [dependent][head] of `marginals`; cells of other pairs stay as they are."""
    cdef Py_ssize_t size = chart.n + 1
    cdef token_t i, j, r, n = chart.n
    cdef score_t uses
    memset(chart.right_uses, 0, 3 * size * size * sizeof(score_t))
    if chart.begin == 0:
        chart.right_uses[n] = 1
    else:
        for r in range(1, n + 1):
            uses = exp(chart.left[size + r] + chart.right[r * size + n] + scores[r * stride] - total)
            chart.left_uses[size + r] += uses
            chart.right_uses[r * size + n] += uses
            marginals[r * width] = uses
    for j in range(n, chart.begin - 1, -1):
        for i in range(chart.begin, j):
            share_uses(chart.right_uses[i * size + j], chart.right[i * size + j],
                       chart.arc + i * size + i + 1, chart.arc_uses + i * size + i + 1, 1,
                       chart.right + (i + 1) * size + j, chart.right_uses + (i + 1) * size + j, size, j - i)
            share_uses(chart.left_uses[i * size + j], chart.left[i * size + j],
                       chart.left + i * size + i, chart.left_uses + i * size + i, 1,
                       chart.arc + j * size + i, chart.arc_uses + j * size + i, 1, j - i)
            share_uses(chart.arc_uses[i * size + j] + chart.arc_uses[j * size + i], chart.half[i * size + j],
                       chart.right + i * size + i, chart.right_uses + i * size + i, 1,
                       chart.left + (i + 1) * size + j, chart.left_uses + (i + 1) * size + j, size, j - i)
            marginals[j * width + i] = chart.arc_uses[i * size + j]
            if i:
                marginals[i * width + j] = chart.arc_uses[j * size + i]


cdef class SumWorker:
    """Sums over the projective trees of the sentences of a batch."""

    cdef SumChart chart
    cdef score_t* memory
    cdef Matrices matrices
    cdef bint arcs
    cdef score_t[:, ::1] result             # the marginals of a sentence in a row, or its partition function

    def __cinit__(self, Matrices matrices, bint single_root, bint arcs, result):
        cdef size_t square = (<size_t>matrices.longest + 1) ** 2
        cdef score_t* memory = <score_t*>malloc(7 * square * sizeof(score_t))
        if memory == NULL:
            raise MemoryError
        self.memory = memory
        self.matrices = matrices
        self.arcs = arcs
        self.result = result
        self.chart.begin = 1 if single_root else 0

    def __dealloc__(self):
        free(self.memory)

    cdef void lay_out(self, token_t n) noexcept nogil:
        """The squares for n words, one after the other."""
        cdef SumChart* chart = &self.chart
        cdef Py_ssize_t square = (<Py_ssize_t>n + 1) * (n + 1)
        chart.n = n
        chart.right = self.memory
        chart.left = chart.right + square
        chart.arc = chart.left + square
        chart.half = chart.arc + square
        chart.right_uses = chart.half + square
        chart.left_uses = chart.right_uses + square
        chart.arc_uses = chart.left_uses + square

    def __call__(self, Py_ssize_t begin, Py_ssize_t end):
        cdef Py_ssize_t s, width = self.matrices.width
        cdef token_t n
        cdef score_t total
        with nogil:
            for s in range(begin, end):
                n = self.matrices.length(s)
                if n == 0:
                    continue
                self.lay_out(n)
                total = sum_inside(&self.chart, self.matrices.matrix(s), width)
                if self.arcs:
                    find_uses(&self.chart, self.matrices.matrix(s), width, total, &self.result[s, 0], width)
                else:
                    self.result[s, 0] = total


def projective_marginals(scores, lengths=None, *, single_root=True, required=None, forbidden=None, threads=1):
    """The probability of each arc, if that of a projective tree is proportional to exp(score), of others 0: O(n^3).

    Arguments are those of `eisner`. Gives float64 of the shape of the scores, at [dependent, head], 0 where no arc can
    be; the rows of words sum to 1. 1,000 words take a quarter of a minute, 5,000 half an hour and 1.4 GB.

    >>> import numpy as np
    >>> projective_marginals(np.log([[1, 1, 1], [3, 1, 1], [1, 2, 1]])).round(4).tolist()
    [[0.0, 0.0, 0.0], [0.8571, 0.0, 0.1429], [0.1429, 0.8571, 0.0]]
    """
    return sum_over_trees(eisner, SumWorker, scores, lengths, True, single_root, required, forbidden, threads)


def projective_log_partition(scores, lengths=None, *, single_root=True, required=None, forbidden=None, threads=1):
    """The logarithm of the sum of exp(score) over all projective trees: O(n^3).

    Arguments are those of `eisner`. Gives a float, or float64 of the shape (sentences,).

    >>> import numpy as np
    >>> round(np.exp(projective_log_partition(np.zeros((4, 4)))).item(), 6)         # of 9 trees, 2 have arcs that cross
    7.0
    """
    return sum_over_trees(eisner, SumWorker, scores, lengths, False, single_root, required, forbidden, threads)
