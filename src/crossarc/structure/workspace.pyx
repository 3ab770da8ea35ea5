"""The memory that the kernels of a call share: one block, carved into arrays, grown but never shrunk."""
import numpy as np

from libc.stdlib cimport free
from libc.string cimport memcpy

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport token_t

from crossarc.core.arrays import copied
from crossarc.errors import StructureError


cdef enum:
    NAMED = 15


def checked_heads(heads):
    """Heads as a contiguous int32 copy of n + 1 entries, the first -1; not checked to be a tree."""
    array = copied(heads, "heads", StructureError)
    if array.ndim != 1 or array.shape[0] == 0:
        raise StructureError(f"heads must be one row of n + 1 entries, not an array of shape {array.shape}")
    if array.dtype.kind not in "iu":
        raise StructureError(f"heads must be integers, not {array.dtype}")
    if array[0] != -1:
        raise StructureError(f"heads[0] must be -1, since node 0 has no head; it is {array[0]}")
    if array.dtype == np.int32:
        return array
    wide = np.flatnonzero((array < -1) | (array >= array.shape[0]))
    if wide.size:
        raise StructureError(describe_range(int(wide[0]), int(array[wide[0]]), array.shape[0] - 1))
    return array.astype(np.int32)


def describe_range(word, head, n):
    """The sentence that says a head lies outside the sentence."""
    return f"word {word} has head {head}, which is not in the sentence of {n} words"


cdef class Workspace:
    """Arrays for sentences of up to `room` nodes or arcs."""

    def __cinit__(self):
        self.space.memory = NULL
        self.space.room = 0

    def __dealloc__(self):
        free(self.space.memory)

    cdef token_t reserve(self, token_t size) except -1:
        """Make room for `size` nodes or arcs. What the arrays held is lost."""
        cdef Space* space = &self.space
        cdef token_t** arrays[NAMED]
        cdef token_t* at
        cdef size_t i
        cdef size_t stride = <size_t> size + 2      # one entry more than nodes for offsets, one for open ends
        if size <= self.space.room:
            return 0
        self.space.room = 0
        renew(<void**>&self.space.memory, (NAMED + SPARES) * stride * sizeof(token_t))
        at = self.space.memory
        arrays[:] = [
            &space.first, &space.child, &space.order, &space.place, &space.size, &space.depth, &space.non_projective,
            &space.gaps, &space.begin, &space.end, &space.name, &space.closing, &space.before, &space.after,
            &space.plane,
        ]
        for i in range(NAMED + SPARES):
            (arrays[i] if i < NAMED else &space.spare[i - NAMED])[0] = at + i * stride
        self.space.room = size
        return 0

    cdef token_t hold(self, object heads) except -1:
        """Take the heads of one sentence, checked in shape only, and make room for it; return n."""
        self.held = checked_heads(heads)
        self.space.heads = &self.held[0]
        self.space.n = <token_t> self.held.shape[0] - 1
        self.reserve(self.space.n + 1)
        return self.space.n

    cdef object copy_of(self, const token_t* values):
        """Values of the nodes 0..n as an array."""
        result = np.empty(self.space.n + 1, dtype=np.int32)
        cdef token_t[::1] view = result
        memcpy(&view[0], values, (self.space.n + 1) * sizeof(token_t))
        return result
