"""The arcs that parsers of second order choose from: those that score best in a first-order model (coarse to fine)."""
import numpy as np

from libc.math cimport INFINITY
from libc.string cimport memset

from crossarc.core.typedefs cimport int32_t, score_t, token_t, uint8_t
from crossarc.decode.second_order cimport PartScores
from crossarc.factors.arcs cimport TreeFactors


cdef enum:
    # Longer sentences are pruned even if all heads should be kept: the time of the chart grows with n^4.
    ALL_HEADS_UP_TO = 100
    HEADS_BEYOND = 8


cdef class Candidates:
    """Keeps up to `heads` heads of each word, those at most `margin` below the best, as the arcs of `parts`.

    0 heads keep all in sentences of up to 100 words, and 8 in longer ones.
    """

    def __init__(self, TreeFactors coarse, PartScores parts, int32_t heads, score_t margin):
        self.coarse, self.parts = coarse, parts
        self.most, self.margin = heads, margin

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.keep = np.zeros(n + 1, dtype=np.uint8)
        return 0

    cdef void keep_best(self, token_t d, int32_t most) noexcept nogil:
        """Mark up to so many of the best heads of a word, by the matrix of the coarse model."""
        cdef token_t h, n = self.coarse.words.n
        cdef const score_t* row = self.coarse.cell(0, d)
        cdef token_t best[64]
        cdef int32_t count = 0, k
        most = min(most, 64)
        for h in range(n + 1):
            if row[h] == -INFINITY or (count == most and row[h] <= row[best[count - 1]]):
                continue
            k = count if count < most else most - 1
            count += count < most
            while k > 0 and row[best[k - 1]] < row[h]:
                best[k] = best[k - 1]
                k -= 1
            best[k] = h
        for k in range(count):
            self.keep[best[k]] = row[best[k]] >= row[best[0]] - self.margin / self.coarse.scorer.unit

    cdef int choose(self, const token_t** trees, int32_t count) except -1 nogil:
        """Choose the candidate arcs: the best of each word, and those of some trees, where -1 means no head."""
        cdef token_t h, d, n = self.coarse.words.n
        cdef uint8_t* keep = &self.keep[0]
        cdef int32_t a = 0, tree, heads = self.most
        cdef const score_t* row
        if heads == 0 and n > ALL_HEADS_UP_TO:
            heads = HEADS_BEYOND
        self.parts.begin(n, n * (n if heads == 0 else min(n, heads + count)))
        for d in range(1, n + 1):
            if heads == 0:
                row = self.coarse.cell(0, d)
                for h in range(n + 1):
                    keep[h] = row[h] > -INFINITY
            else:
                memset(keep, 0, n + 1)
                self.keep_best(d, heads)
            for tree in range(count):
                if trees[tree][d] >= 0:
                    keep[trees[tree][d]] = True
            keep[d] = False
            for h in range(n + 1):
                if keep[h]:
                    self.parts.heads[a] = h
                    self.parts.dependents[a] = d
                    self.parts.label_count[a] = 1
                    a += 1
        self.parts.count = a
        self.arcs_kept += a
        self.words_seen += n
        return 0
