"""Scores of the arcs of a sentence, all of them or some.

See crossarc.factors.arcs for the features. A feature has sixteen weights: eight for arcs to the right and eight for
arcs to the left, one of them for all distances and one for each class of distances. They are kept in the same tables as
those of the transition parsers, with these sixteen in the place of actions.
"""
import numpy as np

from libc.math cimport INFINITY

from crossarc.core.typedefs cimport hash_t, int32_t, int64_t, score_t, token_t
from crossarc.decode.undirected cimport Edge
from crossarc.learning.scorers cimport MOST_KEYS, Scorer


# In the order of `Combination`.
COMBINATIONS = ("none", "mean", "product", "max", "min")


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

    cdef int64_t count_pruned(self) noexcept nogil:
        """How many arcs between words are left out."""
        cdef token_t h, d
        cdef int64_t count = 0
        if self.pruning:
            for d in range(1, self.words.n + 1):
                for h in range(1, self.words.n + 1):
                    count += h != d and not self.allow(h, d)
        return count


cdef class ArcScores:
    """Keys and limits at work with weights: the scores of arcs, or of edges, as a matrix or as a list.

    `combine` makes the score of an edge from those of its two arcs.
    """

    def __init__(self, Words words, ArcKeys keys, LengthLimits limits, combine):
        self.words = words
        self.keys = keys
        self.limits = limits
        self.combine = COMBINATIONS.index(combine)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.keys.reserve(n)
        self.alone = np.zeros((2, n + 1, SLOTS), dtype=np.float32)
        return 0

    cdef int reserve_matrix(self, token_t n) except -1:
        """Make room for the scores of all arcs of sentences of up to n words."""
        self.matrix = np.zeros((n + 1) * (n + 1))
        return 0

    cdef void sum_alone(self, Scorer weights, int32_t end, token_t word, int32_t count) noexcept nogil:
        """Keep the sum of the weights of the keys filled in as that of templates of one end, the word."""
        cdef int32_t t
        self.score_row(weights, count)
        for t in range(SLOTS):
            self.alone[end, word, t] = self.row[t]

    cdef void sum_all_alone(self, Scorer weights) noexcept nogil:
        """Do the same for all words as either end."""
        cdef token_t w
        cdef int32_t end
        for w in range(self.words.n + 1):
            for end in range(2):
                self.sum_alone(weights, end, w, self.keys.end_keys(end, w))

    cdef void fill_matrix(self, Scorer weights) noexcept nogil:
        """Score all arcs of the sentence at hand; -inf for those that cannot be."""
        cdef token_t i, j, n = self.words.n
        cdef bint there, back
        cdef Py_ssize_t stride = n + 1
        cdef Between between
        cdef score_t* matrix = &self.matrix[0]
        cdef hash_t ahead[MOST_KEYS]
        self.sum_all_alone(weights)
        for i in range(n + 1):
            matrix[i] = -INFINITY
            matrix[i * stride + i] = -INFINITY
            clear(&between)
            for j in range(i + 1, n + 1):
                if j > i + 1:
                    self.keys.pass_word(&between, j - 1)
                there = self.limits.allow(i, j)
                back = i > 0 and self.limits.allow(j, i)
                if not there:
                    matrix[j * stride + i] = -INFINITY
                if not back:
                    matrix[i * stride + j] = -INFINITY
                if not there and not back:
                    continue
                if j < n:
                    weights.warm(ahead, self.keys.plain_keys(i, j + 1, ahead))
                self.score_row(weights, self.keys.pair_keys(i, j, &between))
                if self.keys.undirected:
                    matrix[j * stride + i] = self.edge_score(i, j)
                    if back:
                        matrix[i * stride + j] = matrix[j * stride + i]
                    continue
                if there:
                    matrix[j * stride + i] = self.arc_score(i, j)
                if back:
                    matrix[i * stride + j] = self.arc_score(j, i)

    cdef void score_pair(self, Scorer weights, token_t i, token_t j, score_t* there, score_t* back) noexcept nogil:
        """The scores of the arcs between two nodes i < j, to the right and to the left; -inf if they cannot be."""
        cdef Between between
        cdef token_t w
        clear(&between)
        for w in range(i + 1, j):
            self.keys.pass_word(&between, w)
        self.score_row(weights, self.keys.pair_keys(i, j, &between))
        there[0] = self.arc_score(i, j) if self.limits.allow(i, j) else -INFINITY
        back[0] = self.arc_score(j, i) if i > 0 and self.limits.allow(j, i) else -INFINITY

    cdef score_t join(self, score_t there, score_t back) noexcept nogil:
        """The score of an edge by those of an arc and its reverse."""
        if self.combine == MEAN:
            return (there + back) / 2
        if self.combine == PRODUCT:
            return there * back * self.unit if there > -INFINITY else there     # what cannot be cannot be both ways
        return max(there, back) if self.combine == GREATEST else min(there, back)

    cdef token_t fill_edges(self, Scorer weights, Edge* edges, score_t* roots, bint with_roots) noexcept nogil:
        """Score the edges between words that limits allow, by right and then left end; return how many.

        `roots` gets the scores of node 0's edges, by word; with `with_roots` they are among the others too. Edges that
        are not allowed are not looked at, so that the time is that of the edges that are left.
        """
        cdef token_t i, j, k, first, m = 0
        cdef Between between
        cdef Between before         # all words between node 0 and the word at hand
        self.sum_all_alone(weights)
        clear(&before)
        for j in range(1, self.words.n + 1):
            clear(&between)
            if j > 1:
                self.keys.pass_word(&before, j - 1)
            self.score_row(weights, self.keys.pair_keys(0, j, &before))
            roots[j] = self.edge_score(0, j) if self.keys.undirected else self.arc_score(0, j)
            if with_roots:
                edges[m].left = 0
                edges[m].right = j
                edges[m].weight = roots[j]
                m += 1
            first = m
            for i in range(j - 1, self.limits.first_neighbour(j) - 1, -1):
                if i < j - 1:
                    self.keys.pass_word(&between, i + 1)
                if not self.limits.allow(i, j):
                    continue
                self.score_row(weights, self.keys.pair_keys(i, j, &between))
                edges[m].left = i
                edges[m].right = j
                if self.keys.undirected:
                    edges[m].weight = self.edge_score(i, j)
                else:
                    edges[m].weight = self.join(self.arc_score(i, j), self.arc_score(j, i))
                m += 1
            for k in range((m - first) // 2):       # they were met from the nearest on
                edges[first + k], edges[m - 1 - k] = edges[m - 1 - k], edges[first + k]
        return m
