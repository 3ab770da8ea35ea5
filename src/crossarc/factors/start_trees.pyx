"""The trees that moves start from besides that of the chart: given ones, and those of the first-order model."""
import numpy as np

from crossarc.core.typedefs cimport int32_t, offset_t, score_t, token_t
from crossarc.decode.decoder cimport SOLVED
from crossarc.decode.undirected cimport Undirected
from crossarc.factors.arcs cimport TreeFactors


cdef class StartTrees:
    """Gathers the trees named in `starts`, "coarse" and "undirected", and those in `given`, if there are any."""

    def __init__(self, TreeFactors coarse, starts, bint single_root):
        self.coarse = coarse
        self.given = None
        self.from_coarse = "coarse" in starts
        self.undirected = Undirected(single_root, "prim") if "undirected" in starts else None

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.trees = np.full((MOST_STARTS, n + 1), -1, dtype=np.int32)
        if self.undirected is not None:
            self.undirected.reserve(n)
            self.joined = np.zeros((n + 1) * (n + 1))
        return 0

    cdef int find(self, offset_t sentence) except -1 nogil:
        """Gather the trees of the sentence whose first row is given."""
        cdef token_t i, j, n = self.coarse.words.n
        cdef Py_ssize_t stride = n + 1
        cdef const score_t* matrix = &self.coarse.arc_scores.matrix[0]
        cdef int32_t row
        self.count = 0
        if self.given is not None:
            for row in range(<int32_t>self.given.shape[0]):
                for i in range(n + 1):
                    self.trees[row, i] = self.given[row, sentence + i]
            self.count = <int32_t>self.given.shape[0]
        if self.from_coarse:
            for i in range(n + 1):
                self.trees[self.count, i] = self.coarse.tree[i]
            self.count += 1
        if self.undirected is not None:
            for i in range(1, n + 1):
                self.joined[i * stride] = matrix[i * stride]
                for j in range(1, i):
                    self.joined[i * stride + j] = self.joined[j * stride + i] = (
                        matrix[i * stride + j] + matrix[j * stride + i]) / 2
            if self.undirected.solve(&self.joined[0], stride, n, &self.trees[self.count, 0]) == SOLVED:
                self.count += 1
        return 0
