"""The directed tree that an undirected one is when seen from node 0 (Levi, Reichart and Rappoport 2016, section 4)."""
from functools import partial

import numpy as np

from crossarc.core.links cimport list_links, point_away
from crossarc.core.typedefs cimport int8_t, token_t

from crossarc.core.arrays import copied
from crossarc.decode.decoder import checked_lengths, share
from crossarc.errors import DecodeError


cdef bint orient_tree(const token_t* left, const token_t* right, token_t n, token_t* heads,
                      token_t* scratch) noexcept nogil:
    """Set heads[0..n] so that all n edges point away from node 0; False if they are not a tree. O(n)."""
    cdef token_t* following = scratch + 3 * (n + 1)
    cdef token_t v, count
    list_links(left, right, n, n, scratch, following)
    heads[0] = 0                            # no edge points to it
    for v in range(1, n + 1):
        heads[v] = -1
    count = point_away(left, right, scratch, following, 0, heads, scratch + (n + 1), scratch + 2 * (n + 1))
    heads[0] = -1
    return count == n + 1


def orient(edges, lengths=None, *, threads=1):
    """The heads of the tree with these n edges over the nodes 0..n, pointing away from node 0. O(n).

    A batch of edges has the shape (sentences, N, 2), and `lengths` gives how many of them each tree has; heads then
    have the shape (sentences, N + 1), with -1 in the padding. Threads share the trees.

    >>> orient([(1, 2), (2, 0), (3, 1)]).tolist()
    [-1, 2, 0, 1]
    """
    array = copied(edges, "edges", DecodeError)
    if array.size == 0 and array.ndim == 1:
        array = np.empty((0, 2), dtype=np.int32)
    if array.ndim not in (2, 3) or array.shape[array.ndim - 1] != 2 or array.dtype.kind not in "iu":
        raise DecodeError("edges must be pairs of integers, of the shape (n, 2), or (sentences, N, 2) for a batch, not "
                          f"{array.dtype} {array.shape}")
    single = array.ndim == 2
    batch = array[None] if single else array
    size, most = batch.shape[:2]
    sizes = np.full(size, most, dtype=np.int32)
    if lengths is not None:
        sizes = checked_lengths(lengths, size, most, single)
    wrong = np.argwhere(((batch < 0) | (batch > sizes[:, None, None])).any(axis=2) & (np.arange(most) < sizes[:, None]))
    if len(wrong):
        s, k = wrong[0]
        raise DecodeError(f"{'' if single else f'sentence {s}: '}edge {k} is {batch[s, k].tolist()}; {sizes[s]} edges "
                          f"make a tree of the nodes 0..{sizes[s]}")
    heads = np.full((size, most + 1), -1, dtype=np.int32)
    good = np.ones(size, dtype=np.int8)
    ends = np.ascontiguousarray(batch.transpose(0, 2, 1), dtype=np.int32)
    share(threads, size, lambda: partial(orient_some, ends, sizes, heads, good))
    wrong = np.flatnonzero(good == 0)
    if wrong.size:
        s = wrong[0]
        lost = np.flatnonzero(heads[s, 1:sizes[s] + 1] < 0) + 1
        raise DecodeError(f"{'' if single else f'sentence {s}: '}the edges are not a tree: they do not join node "
                          f"{lost[0]} with node 0")
    return heads[0] if single else heads


def orient_some(const token_t[:, :, ::1] ends, const token_t[::1] sizes, token_t[:, ::1] heads, int8_t[::1] good,
                Py_ssize_t begin, Py_ssize_t end):
    """Orient the trees of some sentences."""
    cdef token_t[::1] scratch = np.empty(ORIENT_SCRATCH * heads.shape[1], dtype=np.int32)
    cdef Py_ssize_t s
    with nogil:
        for s in range(begin, end):
            if sizes[s]:
                good[s] = orient_tree(&ends[s, 0, 0], &ends[s, 1, 0], sizes[s], &heads[s, 0], &scratch[0])
