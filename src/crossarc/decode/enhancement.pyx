"""Local enhancement of a tree by directed scores (Levi, Reichart and Rappoport 2016, section 4).

A move reverses one arc: if t is the head of u and u of v, t becomes the head of v and v of u; the other dependents of u
stay with u. A round makes the one move that gains most, if any gains. O(n) a round.
"""
from functools import partial

import numpy as np

from libc.math cimport INFINITY

from crossarc.core.links cimport is_tree, turn
from crossarc.core.typedefs cimport int64_t, int8_t, score_t, token_t

from crossarc.decode.decoder cimport Matrices

from crossarc.core.arrays import as_int32, copied
from crossarc.decode.constraints import broken, constrained
from crossarc.decode.decoder import check_all, checked_array, checked_count, copies, share
from crossarc.errors import DecodeError
from crossarc.structure import describe_fault


cdef int64_t improve(token_t* heads, const score_t* scores, Py_ssize_t stride, token_t n,
                     int64_t rounds) noexcept nogil:
    """Make up to `rounds` moves; return how many. Forbidden arcs are -inf; those in the tree are removed first."""
    cdef token_t t, u, v, best
    cdef score_t before, after, gain, best_gain
    cdef int64_t made = 0
    while made < rounds:
        best = -1
        best_gain = 0
        for v in range(1, n + 1):
            u = heads[v]
            if u == 0:
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
        turn(heads, best)
        made += 1
    return made


def enhance(heads, scores, lengths=None, *, rounds=5, required=None, forbidden=None, threads=1):
    """The heads of trees improved by directed scores: each round reverses one arc.

    Shapes are those of `mst`; `rounds=None` goes on until nothing gains, and the paper makes 5 rounds. No move makes an
    arc that constraints rule out or whose score is -inf, and moves that remove such arcs come first: an undirected tree
    may have a required arc in the wrong direction. Constraints that are broken in the end are an error. The number of
    words under node 0 stays. Threads share a batch.

    >>> import numpy as np
    >>> scores = np.array([[0, 0, 0], [5, 0, 1], [4, 3, 0]])
    >>> enhance([-1, 2, 0], scores).tolist()                    # 4 + 1 becomes 5 + 3
    [-1, 0, 1]
    """
    cdef Matrices given = Matrices(checked_array(scores).copy() if rounds is None else scores, lengths)
    cdef Matrices matrices = given
    check_all(given)
    most = -1 if rounds is None else min(checked_count(rounds, "rounds", 0), 2**62)
    trees = copied(heads, "heads", DecodeError)
    if trees.dtype.kind not in "iu" or trees.shape != matrices.array.shape[:-1]:
        raise DecodeError(f"heads must be integers of the shape {matrices.array.shape[:-1]} that goes with the scores, "
                          f"not {trees.dtype} {trees.shape}")
    trees = np.atleast_2d(as_int32(trees, "heads", DecodeError))
    if required is not None or forbidden is not None:
        required, forbidden = copies(required, forbidden)
        matrices = Matrices(constrained(given.array, given.lengths, required, forbidden), given.lengths)
    valid = np.ones(matrices.size, dtype=np.int8)
    share(threads, matrices.size, lambda: partial(improve_some, matrices, trees, most, valid))
    wrong = np.flatnonzero(valid == 0)
    if wrong.size:
        fault = describe_fault(trees[wrong[0], :matrices.length(wrong[0]) + 1])
        raise DecodeError(f"{'' if matrices.single else f'sentence {wrong[0]}: '}heads are not a tree: {fault}")
    fault = broken(trees, matrices.lengths, required, forbidden)
    if fault:
        raise DecodeError(f"{'' if matrices.single else f'sentence {fault[0]}: '}the tree is against {fault[1]}, and "
                          f"{'no reversal mends' if rounds is None else f'{rounds} rounds do not mend'} that; decode "
                          "with these constraints first, or take them back")
    return trees[0] if matrices.single else trees


def improve_some(Matrices matrices, token_t[:, ::1] trees, int64_t rounds, int8_t[::1] valid, Py_ssize_t begin,
                 Py_ssize_t end):
    """Improve those of some sentences that are trees; rounds of -1 go on until nothing gains."""
    cdef token_t[::1] met = np.empty(matrices.width, dtype=np.int32)
    cdef Py_ssize_t s
    cdef token_t n
    cdef int64_t most
    with nogil:
        for s in range(begin, end):
            n = matrices.length(s)
            valid[s] = trees[s, 0] == -1 and is_tree(&trees[s, 0], n, &met[0])
            if valid[s]:
                # Moves gain, so none comes back; the bound is for sums that rounding makes equal.
                most = 4 * <int64_t>n * n if rounds < 0 else rounds
                improve(&trees[s, 0], matrices.matrix(s), matrices.width, n, most)
