"""Limits to the lengths of arcs, by the tags of their ends: longer arcs are neither scored nor found."""

import numpy as np

from crossarc.core.typedefs cimport int32_t, int64_t, token_t
from crossarc.factors.words cimport Words


cdef class LengthLimits:
    """The greatest `lengths`, by [tag of the head, tag of the dependent] in a column; None allows all arcs.

    A sentence that they leave no tree is parsed once more with all arcs.
    """

    def __init__(self, Words words, lengths, int32_t tag):
        self.words = words
        self.tag = tag if lengths is not None else -1
        self.lengths = lengths if lengths is not None else np.zeros((1, 1), dtype=np.int32)
        self.reach = np.max(self.lengths, axis=1)

    cdef void begin(self) noexcept nogil:
        """Go to a new sentence."""
        self.pruning = self.tag >= 0

    cdef void lift(self) noexcept nogil:
        """Allow all arcs of a sentence that had no tree."""
        self.pruning = False
        self.unpruned += 1

    cdef bint allow_tree(self, const token_t* heads) noexcept nogil:
        """Whether all arcs of a tree are allowed."""
        cdef token_t d
        for d in range(1, self.words.n + 1):
            if not self.allow(heads[d], d):
                return False
        return True

    cdef token_t count_edges(self) noexcept nogil:
        """How many edges between words are allowed; limits of edges are the same in both directions."""
        cdef token_t i, j, count = 0
        for j in range(2, self.words.n + 1):
            for i in range(self.first_neighbour(j), j):
                count += self.allow(i, j)
        return count

    cdef void count_arcs(self, int64_t kept=-1) noexcept nogil:
        """Count the arcs between the words of a parsed sentence, and those that were left out, unless `kept` were kept.
        """
        cdef token_t h, d, n = self.words.n
        self.arcs += <int64_t>n * (n - 1)
        if kept >= 0:
            self.pruned += <int64_t>n * (n - 1) - kept
        elif self.pruning:
            for d in range(1, n + 1):
                for h in range(1, n + 1):
                    self.pruned += h != d and not self.allow(h, d)
