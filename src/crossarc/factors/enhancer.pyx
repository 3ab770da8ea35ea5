"""Local enhancement of a tree by the scores of arcs, as `crossarc.decode.enhance` does it by a matrix.

Only arcs that a move would take away or bring in are scored: three for each word, and after a move those near it.
"""

import numpy as np

from libc.math cimport INFINITY

from crossarc.core.typedefs cimport int32_t, score_t, token_t
from crossarc.factors.arc_scores cimport ArcScores
from crossarc.learning.scorer cimport Scorer


cdef class Enhancer:
    """Turns arcs of trees round by the scores of a directed model."""

    def __init__(self, ArcScores scores):
        self.scores = scores

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.turns = np.zeros((3, n + 1))
        return 0

    cdef void score_head(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil:
        """Note the scores of the arc to a word from its head, and of that arc turned round."""
        cdef score_t there = 0, back = 0
        self.scores.score_pair(weights, min(heads[d], d), max(heads[d], d), &there, &back)
        self.turns[0, d] = there if heads[d] < d else back
        self.turns[1, d] = back if heads[d] < d else there

    cdef void score_turn(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil:
        """Note the score of the arc to a word from its head's head, if that is there."""
        cdef score_t there = 0, back = 0
        cdef token_t t
        if heads[d] > 0:
            t = heads[heads[d]]
            self.scores.score_pair(weights, min(t, d), max(t, d), &there, &back)
            self.turns[2, d] = there if t < d else back

    cdef void enhance(self, Scorer weights, token_t* heads, int32_t rounds) noexcept nogil:
        """Turn up to so many arcs of a tree round, the one that gains most each time."""
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
                if u == 0 or self.turns[2, v] == -INFINITY or self.turns[1, v] == -INFINITY:
                    continue
                gain = (self.turns[2, v] + self.turns[1, v]) - (self.turns[0, u] + self.turns[0, v])
                if gain > best_gain:
                    best_gain = gain
                    best = v
            if best < 0:
                return
            u = heads[best]
            heads[best] = heads[u]
            heads[u] = best
            self.score_head(weights, heads, best)
            self.score_head(weights, heads, u)
            for w in range(1, n + 1):
                if w == best or heads[w] == best or heads[w] == u:
                    self.score_turn(weights, heads, w)
            rounds -= 1
