"""The best tree of a sentence by a decoder, and trees made better by reversing arcs."""
import numpy as np

from libc.math cimport INFINITY

from crossarc.core.links cimport turn
from crossarc.core.typedefs cimport int32_t, score_t, token_t
from crossarc.decode.decoder cimport LARGEST, SOLVED, Decoder, is_sound, is_sound_score
from crossarc.decode.undirected cimport Undirected
from crossarc.learning.scorers cimport Scorer

from crossarc.errors import UnsoundScores


cdef int refuse_scores() except -1 nogil:
    """Raise the error about scores that no search can use."""
    with gil:
        raise UnsoundScores


cdef class TreeSearch:
    """A decoder at work on the matrix of all arcs, or on the edges that limits allow."""

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

    cdef int check(self) except -1 nogil:
        """Refuse a matrix that cannot be searched: decoders take only sound scores."""
        if not is_sound(&self.scores.matrix[0], self.scores.words.n + 1, self.scores.words.n):
            refuse_scores()
        return 0

    cdef bint solve(self, token_t* heads) except -1 nogil:
        """Set the heads of the best tree by the matrix; False if there is none."""
        cdef token_t i, j, n = self.scores.words.n
        cdef Py_ssize_t stride = n + 1
        cdef const score_t* matrix = &self.scores.matrix[0]
        self.check()
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
        if not is_sound(&self.joined[0], stride, n):
            refuse_scores()
        return self.decoder.solve(&self.joined[0], stride, n, heads) == SOLVED

    cdef token_t solve_edges(self, Scorer weights, token_t* heads) except -2 nogil:
        """Score the edges that limits allow and set the heads of their best tree.

        Return the number of edges between words, or -1 if there is no tree.
        """
        cdef bint with_roots = not self.edge_decoder.single_root
        cdef token_t i, n = self.scores.words.n
        cdef token_t m = self.scores.fill_edges(weights, self.edge_decoder.edges, &self.root_scores[0], with_roots)
        cdef bint sound = True
        for i in range(m):
            sound &= is_sound_score(self.edge_decoder.edges[i].weight)
        for i in range(1, n + 1):
            sound &= is_sound_score(self.root_scores[i])
        if not sound:
            refuse_scores()
        if self.edge_decoder.solve_edges(m, &self.root_scores[0], n, heads) != SOLVED:
            return -1
        return m - n if with_roots else m


cdef class Enhancer:
    """Local enhancement of trees by the scores of arcs, as `crossarc.decode.enhance` does it by a matrix.

    Only arcs that a move would take away or bring in are scored: three for each word, and after a move those near it.
    """

    def __init__(self, ArcScores scores):
        self.scores = scores

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.reversals = np.zeros((3, n + 1))
        return 0

    cdef void score_head(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil:
        """Note the scores of the arc to a word from its head, and of that arc reversed."""
        cdef score_t there = 0, back = 0
        self.scores.score_pair(weights, min(heads[d], d), max(heads[d], d), &there, &back)
        self.reversals[0, d] = there if heads[d] < d else back
        self.reversals[1, d] = back if heads[d] < d else there

    cdef void score_turn(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil:
        """Note the score of the arc to a word from its head's head, if that is there."""
        cdef score_t there = 0, back = 0
        cdef token_t t
        if heads[d] > 0:
            t = heads[heads[d]]
            self.scores.score_pair(weights, min(t, d), max(t, d), &there, &back)
            self.reversals[2, d] = there if t < d else back

    cdef int enhance(self, Scorer weights, token_t* heads, int32_t rounds) except -1 nogil:
        """Reverse up to so many arcs of a tree, the one that gains most each time."""
        cdef token_t u, v, w, best, n = self.scores.words.n
        cdef score_t gain, best_gain
        self.scores.sum_all_alone(weights)
        for v in range(1, n + 1):
            self.score_head(weights, heads, v)
            self.score_turn(weights, heads, v)
        while rounds > 0:
            best = -1
            best_gain = 0
            for v in range(1, n + 1):
                u = heads[v]
                if u == 0 or self.reversals[2, v] == -INFINITY or self.reversals[1, v] == -INFINITY:
                    continue
                gain = (self.reversals[2, v] + self.reversals[1, v]) - (self.reversals[0, u] + self.reversals[0, v])
                if not -LARGEST < gain < LARGEST:
                    refuse_scores()
                if gain > best_gain:
                    best_gain = gain
                    best = v
            if best < 0:
                return 0
            u = heads[best]
            turn(heads, best)
            self.score_head(weights, heads, best)
            self.score_head(weights, heads, u)
            for w in range(1, n + 1):
                if w == best or heads[w] == best or heads[w] == u:
                    self.score_turn(weights, heads, w)
            rounds -= 1
        return 0
