"""The best tree of a sentence by a decoder: over the matrix of all arcs, or over the edges that limits allow."""

import numpy as np

from crossarc.core.typedefs cimport int64_t, score_t, token_t
from crossarc.decode.decoder cimport SOLVED, Decoder
from crossarc.decode.undirected cimport Undirected
from crossarc.factors.arc_scores cimport NONE, ArcScores
from crossarc.learning.scorer cimport Scorer


cdef class TreeSearch:
    """A decoder at work on the scores of arcs."""

    def __init__(self, Decoder decoder, ArcScores scores):
        self.scores = scores
        self.decoder = decoder
        # Prim's algorithm goes through all pairs of words anyway.
        sparse = scores.limits.tag >= 0 and isinstance(decoder, Undirected) and decoder.method != "prim"
        self.edge_decoder = decoder if sparse else None

    cdef int reserve_matrix(self, token_t n) except -1:
        """Make room for all arcs of sentences of up to n words."""
        self.scores.reserve_matrix(n)
        self.decoder.reserve(n)
        self.joined = np.zeros((n + 1) * (n + 1) if self.scores.combine != NONE else 1)
        return 0

    cdef int reserve_edges(self, token_t n, token_t m) except -1:
        """Make room for sentences of up to n words with up to m edges."""
        self.root_scores = np.zeros(n + 1)
        self.edge_decoder.reserve_edges(n, m)
        return 0

    cdef bint solve(self, token_t* heads) noexcept nogil:
        """Set the heads of the best tree by the matrix; False if there is none."""
        cdef token_t i, j, n = self.scores.words.n
        cdef Py_ssize_t stride = n + 1
        cdef const score_t* matrix = &self.scores.matrix[0]
        heads[0] = -1
        for i in range(1, n + 1):
            heads[i] = 0        # should a decoder ever give up, what follows the heads stays within the sentence
        if self.scores.combine == NONE:
            return self.decoder.solve(matrix, stride, n, heads) == SOLVED
        for i in range(1, n + 1):
            self.joined[i * stride] = matrix[i * stride]
            for j in range(1, i):
                self.joined[i * stride + j] = self.joined[j * stride + i] = self.scores.join(
                    matrix[i * stride + j], matrix[j * stride + i])
        return self.decoder.solve(&self.joined[0], stride, n, heads) == SOLVED

    cdef bint solve_edges(self, Scorer weights, token_t* heads) noexcept nogil:
        """Score the edges that limits allow and set the heads of their best tree; False if there is none."""
        cdef bint with_roots = not self.edge_decoder.single_root
        cdef token_t n = self.scores.words.n
        cdef token_t m = self.scores.fill_edges(weights, self.edge_decoder.edges, &self.root_scores[0], with_roots)
        if self.edge_decoder.solve_edges(m, &self.root_scores[0], n, heads) != SOLVED:
            return False
        self.scores.limits.count_arcs(2 * <int64_t>(m - n * with_roots))
        return True
