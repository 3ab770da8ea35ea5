"""Local enhancement of a tree by directed scores (Levi, Reichart and Rappoport 2016, section 4).

A move turns one arc round: where t leads u and u leads v, t comes to lead v and v to lead u; the other dependents of u
stay with u. A round makes the one move that gains most, if any gains. O(n) a round.
"""
from functools import partial

import numpy as np

from libc.math cimport INFINITY

from crossarc.core.typedefs cimport int64_t, score_t, token_t

from crossarc.decode.decoder cimport Matrices

from crossarc.decode.constraints import constrained
from crossarc.decode.decoder import check_all, share
from crossarc.errors import DecodeError
from crossarc.structure import describe_fault


cdef int64_t improve(token_t* heads, const score_t* scores, Py_ssize_t stride, token_t n, int64_t rounds,
                     const token_t* required) noexcept nogil:
    """Make up to `rounds` moves; gives how many. Words with a required head (NULL if none has) keep that head."""
    cdef token_t t, u, v, best
    cdef score_t before, after, gain, best_gain
    cdef int64_t made = 0
    while made < rounds:
        best = -1
        best_gain = 0
        for v in range(1, n + 1):
            u = heads[v]
            if u == 0 or required != NULL and (required[u] >= 0 or required[v] >= 0):
                continue
            t = heads[u]
            before = scores[u * stride + t] + scores[v * stride + u]
            after = scores[v * stride + t] + scores[u * stride + v]
            if after == -INFINITY:
                continue
            gain = after - before
            if gain > best_gain:
                best_gain = gain
                best = v
        if best < 0:
            break
        u = heads[best]
        heads[best] = heads[u]
        heads[u] = best
        made += 1
    return made


def enhance(heads, scores, lengths=None, *, rounds=5, required=None, forbidden=None, threads=1):
    """Heads of trees improved by directed scores, one turned arc a round: the paper makes 5 rounds.

    Shapes are those of `mst`; `rounds=None` goes on until nothing gains. A word keeps the head that `required` gives
    it, and no move makes an arc that is forbidden or whose score is -inf. The number of words under node 0 stays.
    Threads share a batch.

    >>> import numpy as np
    >>> scores = np.array([[0, 0, 0], [5, 0, 1], [4, 3, 0]])
    >>> enhance([-1, 2, 0], scores).tolist()                    # 4 + 1 becomes 5 + 3
    [-1, 0, 1]
    """
    cdef Matrices matrices = Matrices(scores, lengths)
    cdef Py_ssize_t s
    check_all(matrices)
    if rounds is not None and (not isinstance(rounds, int) or rounds < 0):
        raise DecodeError(f"rounds must be a number, or None to go on until nothing gains, not {rounds!r}")
    trees = np.array(heads, dtype=np.int32, ndmin=2)
    if trees.shape != (matrices.size, matrices.width):
        raise DecodeError(f"heads of the shape {np.shape(heads)} do not go with scores of the shape "
                          f"{matrices.array.shape}")
    needed = None
    if required is not None or forbidden is not None:
        barred = constrained(matrices.array, matrices.lengths, required, forbidden)     # checks both
        if forbidden is not None:
            barred = constrained(matrices.array, matrices.lengths, None, forbidden)
            matrices = Matrices(barred, lengths)
        if required is not None:
            needed = np.array(required, dtype=np.int32, ndmin=2)
    for s in range(matrices.size):
        fault = describe_fault(trees[s, :matrices.length(s) + 1])
        if fault:
            raise DecodeError(f"{'' if matrices.single else f'sentence {s}: '}heads are no tree: {fault}")
    most = -1 if rounds is None else rounds
    share(threads, matrices.size, lambda: partial(improve_some, matrices, trees, needed, most))
    return trees[0] if matrices.single else trees


def improve_some(Matrices matrices, token_t[:, ::1] trees, const token_t[:, ::1] fixed, int64_t rounds,
                 Py_ssize_t begin, Py_ssize_t end):
    """Improve the trees of some sentences; rounds of -1 go on until nothing gains."""
    cdef Py_ssize_t s
    cdef token_t n
    cdef int64_t most
    with nogil:
        for s in range(begin, end):
            n = matrices.length(s)
            # Moves gain, so none comes back; the bound is for sums that rounding makes equal.
            most = 4 * <int64_t>n * n if rounds < 0 else rounds
            improve(&trees[s, 0], matrices.matrix(s), matrices.width, n, most,
                    &fixed[s, 0] if fixed is not None else NULL)
