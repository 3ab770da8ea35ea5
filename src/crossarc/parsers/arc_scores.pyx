"""Scores of the arcs of a sentence, all of them or some.

See crossarc.parsers.arc_keys for the features. A feature has sixteen weights: eight for arcs to the right and
eight for arcs to the left, one of them for all distances and one for each class of distances. They are kept in the same
tables as those of the transition parsers, with these sixteen in the place of actions.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport abs

from crossarc.core.typedefs cimport hash_t, int32_t, int64_t, score_t, token_t, weight_t
from crossarc.learning.packed cimport Packed, padded, score_packed
from crossarc.learning.weights cimport Weights
from crossarc.parsers.arc_keys cimport MOST_BETWEEN, ArcKeys


cdef class ArcScores(ArcKeys):
    """A feature model and its weights at work: the scores of arcs, or of edges, as a matrix.

    `lengths`, by the tags of head and dependent in the column `tag`, leaves longer arcs out.
    """

    def __init__(self, model, int32_t columns, int32_t labels, bint undirected, bint joint, lengths, int32_t tag):
        super().__init__(model, columns, undirected, joint)
        self.label_count = labels
        self.tag = tag if lengths is not None else -1
        self.lengths = lengths if lengths is not None else np.zeros((1, 1), dtype=np.int32)
        width = padded(max(SLOTS, labels)) + 1
        self.whole = np.zeros(width, dtype=np.int32)
        self.scores_room = np.zeros(width, dtype=np.float32)

    def reserve(self, token_t n):
        """Make room for sentences of up to n words."""
        super().reserve(n)
        self.alone = np.zeros((2, n + 1, SLOTS), dtype=np.float32)
        self.matrix = np.zeros((n + 1) * (n + 1))

    cdef void sum_rows(self, Weights weights, const Packed* packed, const hash_t* keys, int32_t count,
                       int32_t actions) noexcept nogil:
        """The sum of the weights of all keys, into `scores_room`."""
        cdef int32_t a
        if packed == NULL:
            weights.score(keys, count, &self.scores_room[0])
            return
        score_packed(packed, keys, count, &self.whole[0])
        for a in range(actions):
            self.scores_room[a] = <weight_t>self.whole[a]

    cdef inline bint survives(self, token_t h, token_t d) noexcept nogil:
        """Whether an arc is not longer than those of training between such tags."""
        cdef const int32_t* tags = self.tokens + self.tag
        return (not self.pruning or h == 0
                or abs(h - d) <= self.lengths[tags[<Py_ssize_t>h * self.columns], tags[<Py_ssize_t>d * self.columns]])

    cdef void count_arcs(self) noexcept nogil:
        """Count the arcs between the words of a sentence that was parsed, and those that lengths left out of it."""
        cdef token_t h, d
        self.arcs += <int64_t>self.n * (self.n - 1)
        if not self.pruning:
            return
        for d in range(1, self.n + 1):
            for h in range(1, self.n + 1):
                self.pruned += h != d and not self.survives(h, d)

    cdef int32_t single_keys_of(self, int32_t end, token_t word) noexcept nogil:
        """Fill in the keys of all templates of one end, the word; gives how many."""
        cdef int32_t t, filled = 0
        for t in range(self.single_count):
            if self.singles[t, 0] == end:
                self.keys[filled] = self.single_keys[word, t]
                filled += 1
        return filled

    cdef void sum_alone(self, Weights weights, const Packed* packed, int32_t end, token_t word,
                        int32_t count) noexcept nogil:
        """Keep the sum of the weights of the keys filled in as that of templates of one end, the word."""
        cdef int32_t t
        self.sum_rows(weights, packed, self.keys, count, SLOTS)
        for t in range(SLOTS):
            self.alone[end, word, t] = self.scores_room[t]

    cdef void sum_all_alone(self, Weights weights, const Packed* packed) noexcept nogil:
        """The same for all words as either end."""
        cdef token_t w
        cdef int32_t end
        for w in range(self.n + 1):
            for end in range(2):
                self.sum_alone(weights, packed, end, w, self.single_keys_of(end, w))

    cdef void fill_matrix(self, Weights weights, const Packed* packed) noexcept nogil:
        """The scores of all arcs of the sentence that was prepared; -inf where none can be."""
        cdef token_t i, j, n = self.n
        cdef bint there, back
        cdef Py_ssize_t stride = n + 1
        cdef int32_t t, filled, between = self.pair_count - self.plain_pairs
        cdef hash_t kinds[4][MOST_BETWEEN]
        cdef int32_t counts[4]
        cdef score_t* matrix = &self.matrix[0]
        cdef weight_t* row = &self.scores_room[0]
        self.sum_all_alone(weights, packed)
        for i in range(n + 1):
            matrix[i] = -INFINITY
            matrix[i * stride + i] = -INFINITY
            for t in range(between):
                counts[t] = 0
            for j in range(i + 1, n + 1):
                for t in range(between):
                    if j > i + 1:
                        counts[t] = self.add_kind(j - 1, self.pairs[self.plain_pairs + t, 4], kinds[t], counts[t])
                there = self.survives(i, j)
                back = i > 0 and self.survives(j, i)
                if not there:
                    matrix[j * stride + i] = -INFINITY
                if not back:
                    matrix[i * stride + j] = -INFINITY
                if not there and not back:
                    continue
                filled = self.plain_keys(i, j)
                for t in range(between):
                    filled = self.between_keys(i, j, kinds[t], counts[t], self.plain_pairs + t, filled)
                self.sum_rows(weights, packed, self.keys, filled, SLOTS)
                if self.undirected:
                    matrix[j * stride + i] = self.edge_score(row, i, j)
                    if back:
                        matrix[i * stride + j] = matrix[j * stride + i]
                    continue
                if there:
                    matrix[j * stride + i] = self.arc_score(row, i, j)
                if back:
                    matrix[i * stride + j] = self.arc_score(row, j, i)

    cdef void fill_pair(self, Weights weights, const Packed* packed, token_t i, token_t j) noexcept nogil:
        """The scores of the arcs between two nodes i < j, both ways, unless they are filled in and not NaN."""
        cdef Py_ssize_t there = j * <Py_ssize_t>(self.n + 1) + i, back = i * <Py_ssize_t>(self.n + 1) + j
        cdef hash_t kinds[MOST_BETWEEN]
        cdef int32_t t, count, filled
        cdef token_t w
        if self.matrix[there] == self.matrix[there]:
            return
        filled = self.plain_keys(i, j)
        for t in range(self.plain_pairs, self.pair_count):
            count = 0
            for w in range(i + 1, j):
                count = self.add_kind(w, self.pairs[t, 4], kinds, count)
            filled = self.between_keys(i, j, kinds, count, t, filled)
        self.sum_rows(weights, packed, self.keys, filled, SLOTS)
        self.matrix[there] = self.arc_score(&self.scores_room[0], i, j) if self.survives(i, j) else -INFINITY
        self.matrix[back] = self.arc_score(&self.scores_room[0], j, i) if i > 0 and self.survives(j, i) else -INFINITY
