"""The sum over all trees, and how likely each arc is (Koo, Globerson, Carreras and Collins 2007), without subtraction.

By the matrix-tree theorem the sum of the weights of all trees, a weight being the product of exp(score) of its arcs, is
the determinant of a Laplacian: what can be a word's head is in its row, and their sum on the diagonal. The usual
elimination subtracts there, and loses every digit when cycles weigh far more than the arcs out of them. This one
subtracts nothing: it keeps the weights apart from the sum, eliminates a word by joining each arc into it to each arc
out of it, and computes the diagonal again as a sum (Grassmann, Taksar and Heyman 1985). All numbers are sums of
products of positive numbers, so each is right to nearly the last digit. Each row is divided by its greatest weight
first. If numbers still become too small, the computation is done again with logarithms.

Marginals come from a walk that goes from a word to a random head, then from there to a head of it, and so on. The
probability that h is the head of d is proportional to the weight of that arc times the probability that a walk from h
reaches node 0 before d. Those take an elimination of all words but d. For all d together, halves of the words are
eliminated, then halves of the rest, and so on, so that all of it is O(n^3).

Single root: weigh arcs from node 0 with an infinitely small unit, and keep of everything the first order that is not
zero. `root` holds the weights without the unit, `faint` those with it. The sum over trees then begins with those of
one such arc. Without the restriction all is in `root`.
"""
from libc.math cimport INFINITY, exp, log, log1p
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport score_t, token_t

from crossarc.decode.decoder cimport Matrices

from crossarc.decode.decoder import sum_over_trees


# Products of two numbers no smaller than this can be told from zero.
cdef score_t SMALLEST = 1e-140


cdef struct Log:
    score_t log             # of the number


ctypedef fused number:
    score_t
    Log


cdef inline number plus(number a, number b) noexcept nogil:
    cdef number result
    cdef score_t high, low
    if number is Log:
        high = a.log if a.log > b.log else b.log
        low = b.log if a.log > b.log else a.log
        result.log = high if low == -INFINITY else high + log1p(exp(low - high))
    else:
        result = a + b
    return result


cdef inline number times(number a, number b) noexcept nogil:
    cdef number result
    if number is Log:
        result.log = a.log + b.log
    else:
        result = a * b
    return result


cdef inline number over(number a, number b) noexcept nogil:
    cdef number result
    if number is Log:
        result.log = a.log - b.log
    else:
        result = a / b
    return result


cdef inline number from_log(number like, score_t value) noexcept nogil:
    cdef number result
    if number is Log:
        result.log = value
    else:
        result = exp(value)
    return result


cdef inline score_t to_log(number a) noexcept nogil:
    if number is Log:
        return a.log
    else:
        return log(a)


cdef inline bint is_zero(number a) noexcept nogil:
    if number is Log:
        return a.log == -INFINITY
    else:
        return a == 0


cdef inline bint is_tiny(number a) noexcept nogil:
    if number is Log:
        return False
    else:
        return a < SMALLEST and a > 0


cdef inline number dot(const number* a, const number* b, token_t size, number zero) noexcept nogil:
    """The sum of a[j] b[j], in four parts that do not wait for each other."""
    cdef number p = zero, q = zero, r = zero, s = zero
    cdef token_t j = 0
    while j + 4 <= size:
        p = plus(p, times(a[j], b[j]))
        q = plus(q, times(a[j + 1], b[j + 1]))
        r = plus(r, times(a[j + 2], b[j + 2]))
        s = plus(s, times(a[j + 3], b[j + 3]))
        j += 4
    while j < size:
        p = plus(p, times(a[j], b[j]))
        j += 1
    return plus(plus(p, q), plus(r, s))


cdef bint eliminate(Level* level, token_t gone, number zero) noexcept nogil:
    """Eliminate the first words of the work; False if numbers are too small for that."""
    cdef number* work = <number*>level.work
    cdef number* root = <number*>level.root
    cdef number* faint = <number*>level.faint
    cdef number* total = <number*>level.total
    cdef Py_ssize_t m = level.size
    cdef token_t i, j, k
    cdef number* row
    cdef number* other
    cdef number sum_, share_
    level.gone = gone
    for k in range(gone):
        row = work + k * m
        sum_ = root[k]
        for j in range(k + 1, level.size):
            sum_ = plus(sum_, row[j])
            if is_tiny(row[j]):
                return False
        if is_tiny(root[k]) or is_tiny(faint[k]):
            return False
        total[k] = sum_
        for i in range(k + 1, level.size):
            other = work + i * m
            if is_zero(other[k]):
                continue
            if is_tiny(other[k]):
                return False
            if is_zero(sum_):               # only node 0 is left as head of k, and its arc is sure
                root[i] = plus(root[i], other[k])
                continue
            share_ = over(other[k], sum_)
            for j in range(k + 1, level.size):
                other[j] = plus(other[j], times(share_, row[j]))
            root[i] = plus(root[i], times(share_, root[k]))
            faint[i] = plus(faint[i], times(share_, faint[k]))
    return True


cdef bint finish(Sums* sums, token_t depth, number zero) noexcept nogil:
    """The marginals of the one word that is left at a depth: the way back through all eliminations."""
    cdef Level* level = &sums.levels[depth]
    cdef Level* below
    cdef token_t n = sums.n, d = level.words[0], k, p, m, h
    cdef Py_ssize_t size
    cdef const number* row
    cdef number* escape = <number*>level.escape
    cdef number* faint_escape = <number*>level.faint_escape
    cdef number one = from_log(zero, 0), value, sum_ = zero
    cdef bint bright = False
    cdef score_t* result = sums.marginals + d * <Py_ssize_t>(n + 1)
    escape[0] = faint_escape[0] = zero
    level.shift = 0
    while depth:
        below = level
        depth -= 1
        level = &sums.levels[depth]
        m = level.size
        size = m
        escape = <number*>level.escape
        faint_escape = <number*>level.faint_escape
        for k in range(below.size):
            p = k - below.shift
            if p < 0:
                p += below.size
            escape[level.gone + k] = (<number*>below.escape)[p]
            faint_escape[level.gone + k] = (<number*>below.faint_escape)[p]
        for k in range(level.gone - 1, -1, -1):
            row = <number*>level.work + k * size
            value = (<number*>level.total)[k]
            if is_zero(value):
                escape[k] = one
                faint_escape[k] = zero
                bright = True
                continue
            if not is_zero((<number*>level.root)[k]):
                bright = True
            escape[k] = zero
            if bright:
                escape[k] = over(
                    plus((<number*>level.root)[k], dot(row + k + 1, escape + k + 1, m - k - 1, zero)), value)
            faint_escape[k] = over(
                plus((<number*>level.faint)[k], dot(row + k + 1, faint_escape + k + 1, m - k - 1, zero)), value)
            if is_tiny(escape[k]) or is_tiny(faint_escape[k]):
                return False
    # Now the level is the first, whose words are 1..n.
    row = <number*>level.given + (d - 1) * <Py_ssize_t>n
    for bright in range(1, -1, -1):
        escape = <number*>(level.escape if bright else level.faint_escape)
        sum_ = (<number*>(level.given_root if bright else level.given_faint))[d - 1]
        result[0] = to_log(sum_)
        for h in range(1, n + 1):
            result[h] = -INFINITY
            if h != d:
                p = h - 1 - level.shift
                if p < 0:
                    p += n
                value = times(row[h - 1], escape[p])
                sum_ = plus(sum_, value)
                result[h] = to_log(value)
        if not is_zero(sum_):
            break
    for h in range(n + 1):
        result[h] = exp(result[h] - to_log(sum_))
    return True


cdef void set_out(Level* level, token_t shift, number zero) noexcept nogil:
    """Copy what is given to the work, in an order that begins at `shift`."""
    cdef token_t m = level.size
    cdef Py_ssize_t size = m
    cdef token_t i, p, tail = m - shift
    level.shift = shift
    for p in range(m):
        i = p + shift
        if i >= m:
            i -= m
        memcpy(<number*>level.work + p * size, <number*>level.given + i * size + shift, tail * sizeof(number))
        memcpy(<number*>level.work + p * size + tail, <number*>level.given + i * size, shift * sizeof(number))
        (<number*>level.root)[p] = (<number*>level.given_root)[i]
        (<number*>level.faint)[p] = (<number*>level.given_faint)[i]


cdef bint descend(Sums* sums, token_t depth, number zero) noexcept nogil:
    """The marginals of the words of a level: each half when the other is eliminated. No deeper than log2 n."""
    cdef Level* level = &sums.levels[depth]
    cdef Level* below = &sums.levels[depth + 1]
    cdef token_t m = level.size, turn, i, p, gone, shift
    cdef Py_ssize_t size = m
    if m == 1:
        return finish(sums, depth, zero)
    for turn in range(2):
        gone = m - m // 2 if turn else m // 2
        shift = m // 2 if turn else 0
        set_out(level, shift, zero)
        if not eliminate(level, gone, zero):
            return False
        below.size = m - gone
        for i in range(below.size):
            p = gone + i + shift
            below.words[i] = level.words[p - m if p >= m else p]
            memcpy(<number*>below.given + i * <Py_ssize_t>below.size, <number*>level.work + (gone + i) * size + gone,
                   below.size * sizeof(number))
            (<number*>below.given_root)[i] = (<number*>level.root)[gone + i]
            (<number*>below.given_faint)[i] = (<number*>level.faint)[gone + i]
        if not descend(sums, depth + 1, zero):
            return False
    return True


cdef bint add_up(Sums* sums, number zero) noexcept nogil:
    """The logarithm of the sum over all trees; False if numbers are too small."""
    cdef Level* level = &sums.levels[0]
    cdef token_t k
    cdef score_t result = 0
    cdef number value
    set_out(level, 0, zero)
    if not eliminate(level, level.size, zero):
        return False
    for k in range(level.size):
        value = (<number*>level.total)[k]
        if is_zero(value):
            value = (<number*>level.faint)[k]
        result += to_log(value) + sums.highest[k + 1]
    sums.partition = result
    return True


cdef bint weigh(Sums* sums, const score_t* scores, Py_ssize_t stride, bint single_root, number zero) noexcept nogil:
    """Set the weights of the first level, each row divided by its greatest; False if some are too small."""
    cdef Level* level = &sums.levels[0]
    cdef token_t n = sums.n, d, h
    cdef const score_t* row
    cdef number* weights
    cdef number value
    cdef score_t highest
    level.size = n
    for d in range(1, n + 1):
        level.words[d - 1] = d
        row = scores + d * stride
        highest = row[0]
        for h in range(1, n + 1):
            if h != d and row[h] > highest:
                highest = row[h]
        sums.highest[d] = highest
        weights = <number*>level.given + (d - 1) * <Py_ssize_t>n
        for h in range(1, n + 1):
            weights[h - 1] = zero
            if h != d and row[h] > -INFINITY:
                weights[h - 1] = value = from_log(zero, row[h] - highest)
                if is_zero(value) or is_tiny(value):
                    return False
        (<number*>level.given_root)[d - 1] = (<number*>level.given_faint)[d - 1] = zero
        if row[0] > -INFINITY:
            value = from_log(zero, row[0] - highest)
            if is_zero(value) or is_tiny(value):
                return False
            if single_root:
                (<number*>level.given_faint)[d - 1] = value
            else:
                (<number*>level.given_root)[d - 1] = value
    return True


cdef bint sum_trees(Sums* sums, const score_t* scores, Py_ssize_t stride, bint single_root, bint arcs,
                    number zero) noexcept nogil:
    return weigh(sums, scores, stride, single_root, zero) and (
        descend(sums, 0, zero) if arcs else add_up(sums, zero))


cdef void compute(Sums* sums, const score_t* scores, Py_ssize_t stride, token_t n, bint single_root,
                  bint arcs) noexcept nogil:
    """Marginals or the partition function of one sentence that has a tree."""
    cdef score_t zero = 0
    cdef Log log_zero
    log_zero.log = -INFINITY
    sums.n = n
    if not sum_trees(sums, scores, stride, single_root, arcs, zero):
        sum_trees(sums, scores, stride, single_root, arcs, log_zero)


cdef class MatrixTree:
    """The sums with the memory they take, for one thread."""

    def __cinit__(self, token_t n, bint arcs):
        cdef size_t total = <size_t>n + 1, size = n
        cdef score_t* at
        cdef token_t* words
        cdef Level* level
        cdef void** rows[7]
        cdef void** row
        cdef int depth
        while True:                         # each level has half the words, rounded up
            total += 2 * size * size + 7 * size
            if size <= 1 or not arcs:
                break
            size = size - size // 2
        renew(<void**>&self.sums.memory, total * sizeof(score_t))
        renew(<void**>&self.words, (2 * <size_t>n + 68) * sizeof(token_t))
        self.sums.highest = self.sums.memory
        at = self.sums.memory + n + 1
        words = self.words
        size = n
        depth = 0
        while True:
            level = &self.sums.levels[depth]
            level.words = words
            level.given = at
            level.work = at + size * size
            at += 2 * size * size
            rows[:] = [&level.given_root, &level.given_faint, &level.root, &level.faint, &level.total, &level.escape,
                       &level.faint_escape]
            for row in rows:
                row[0] = at
                at += size
            words += size
            depth += 1
            if size <= 1 or not arcs:
                break
            size = size - size // 2

    def __dealloc__(self):
        free(self.sums.memory)
        free(self.words)


cdef class Worker:
    """Sums over the trees of the sentences of a batch."""

    cdef MatrixTree trees
    cdef Matrices matrices
    cdef bint single_root
    cdef bint arcs
    cdef score_t[:, ::1] result             # the marginals of a sentence in a row, or its partition function

    def __init__(self, Matrices matrices, bint single_root, bint arcs, result):
        self.trees = MatrixTree(max(matrices.longest, 1), arcs)
        self.matrices = matrices
        self.single_root = single_root
        self.arcs = arcs
        self.result = result

    def __call__(self, Py_ssize_t begin, Py_ssize_t end):
        cdef Sums* sums = &self.trees.sums
        cdef Py_ssize_t s, width = self.matrices.width
        cdef token_t n, d
        cdef score_t* table = NULL
        if self.arcs:
            table = <score_t*>malloc(width * width * sizeof(score_t))
            if table == NULL:
                raise MemoryError
        sums.marginals = table
        with nogil:
            for s in range(begin, end):
                n = self.matrices.length(s)
                if n:
                    compute(sums, self.matrices.matrix(s), width, n, self.single_root, self.arcs)
                if not self.arcs:
                    self.result[s, 0] = sums.partition if n else 0
                    continue
                for d in range(1, n + 1):
                    memcpy(&self.result[s, d * width], table + d * <Py_ssize_t>(n + 1), (n + 1) * sizeof(score_t))
        free(table)


def marginals(scores, lengths=None, *, single_root=True, required=None, forbidden=None, threads=1):
    """The probability of each arc, if that of a tree is proportional to exp(score): by the matrix-tree theorem, O(n^3).

    Arguments are those of `mst`. Gives float64 of the shape of the scores, at [dependent, head], 0 where no arc can
    be; the rows of words sum to 1. Exact to many digits for scores of any size. 500 words take a fraction of a
    second, 5,000 some minutes and 600 MB.

    >>> import numpy as np
    >>> marginals(np.log([[1, 1, 1], [3, 1, 1], [1, 2, 1]])).round(4).tolist()      # trees of the weights 6 and 1
    [[0.0, 0.0, 0.0], [0.8571, 0.0, 0.1429], [0.1429, 0.8571, 0.0]]
    """
    return sum_over_trees(mst, Worker, scores, lengths, True, single_root, required, forbidden, threads)


def log_partition(scores, lengths=None, *, single_root=True, required=None, forbidden=None, threads=1):
    """The logarithm of the sum of exp(score) over all trees: by the matrix-tree theorem, O(n^3).

    Arguments are those of `mst`. Gives a float, or float64 of the shape (sentences,). The score of a tree less this is
    the logarithm of its probability.

    >>> import numpy as np
    >>> round(np.exp(log_partition(np.log([[1, 1, 1], [3, 1, 1], [1, 2, 1]]))).item(), 6)
    7.0
    """
    return sum_over_trees(mst, Worker, scores, lengths, False, single_root, required, forbidden, threads)
