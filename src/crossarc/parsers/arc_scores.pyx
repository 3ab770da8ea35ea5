"""Scores of the arcs of a sentence, all of them or some.

See crossarc.parsers.arc_keys for the features. A feature has sixteen weights: eight for arcs to the right and
eight for arcs to the left, one of them for all distances and one for each class of distances. They are kept in the same
tables as those of the transition parsers, with these sixteen in the place of actions.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport abs

from crossarc.core.typedefs cimport hash_t, int32_t, int64_t, score_t, token_t, weight_t
from crossarc.decode.edges cimport Edge
from crossarc.learning.scorer cimport Scorer, score_room
from crossarc.parsers.arc_keys cimport MOST_BETWEEN, ArcKeys

# In the order of `Combination`.
COMBINATIONS = ("none", "mean", "product", "max", "min")


cdef class ArcScores(ArcKeys):
    """A feature model and its weights at work: the scores of arcs, or of edges, as a matrix.

    `lengths`, by the tags of head and dependent in the column `tag`, leaves longer arcs out.
    """

    def __init__(self, model, int32_t columns, int32_t labels, bint undirected, combine, bint joint, lengths,
                 int32_t tag):
        super().__init__(model, columns, undirected, joint)
        self.combine = COMBINATIONS.index(combine)
        self.label_count = labels
        self.tag = tag if lengths is not None else -1
        self.lengths = lengths if lengths is not None else np.zeros((1, 1), dtype=np.int32)
        self.reach = np.max(self.lengths, axis=1)
        self.scores_room = np.zeros(score_room(max(SLOTS, labels)), dtype=np.float32)

    def reserve(self, token_t n):
        """Make room for sentences of up to n words."""
        super().reserve(n)
        self.alone = np.zeros((2, n + 1, SLOTS), dtype=np.float32)

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

    cdef void sum_alone(self, Scorer weights, int32_t end, token_t word,
                        int32_t count) noexcept nogil:
        """Keep the sum of the weights of the keys filled in as that of templates of one end, the word."""
        cdef int32_t t
        weights.score(self.keys, count, 0, &self.scores_room[0])
        for t in range(SLOTS):
            self.alone[end, word, t] = self.scores_room[t]

    cdef void sum_all_alone(self, Scorer weights) noexcept nogil:
        """The same for all words as either end."""
        cdef token_t w
        cdef int32_t end
        for w in range(self.n + 1):
            for end in range(2):
                self.sum_alone(weights, end, w, self.single_keys_of(end, w))

    cdef void fill_matrix(self, Scorer weights) noexcept nogil:
        """The scores of all arcs of the sentence that was prepared; -inf where none can be."""
        cdef token_t i, j, n = self.n
        cdef bint there, back
        cdef Py_ssize_t stride = n + 1
        cdef int32_t t, filled, between = self.pair_count - self.plain_pairs
        cdef hash_t kinds[4][MOST_BETWEEN]
        cdef int32_t counts[4]
        cdef score_t* matrix = &self.matrix[0]
        cdef weight_t* row = &self.scores_room[0]
        self.sum_all_alone(weights)
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
                weights.score(self.keys, filled, 0, &self.scores_room[0])
                if self.undirected:
                    matrix[j * stride + i] = self.edge_score(row, i, j)
                    if back:
                        matrix[i * stride + j] = matrix[j * stride + i]
                    continue
                if there:
                    matrix[j * stride + i] = self.arc_score(row, i, j)
                if back:
                    matrix[i * stride + j] = self.arc_score(row, j, i)

    cdef void score_pair(self, Scorer weights, token_t i, token_t j, score_t* there,
                         score_t* back) noexcept nogil:
        """The scores of the arcs between two nodes i < j, to the right and to the left; -inf where none can be."""
        cdef hash_t kinds[MOST_BETWEEN]
        cdef int32_t t, count, filled = self.plain_keys(i, j)
        cdef token_t w
        for t in range(self.plain_pairs, self.pair_count):
            count = 0
            for w in range(i + 1, j):
                count = self.add_kind(w, self.pairs[t, 4], kinds, count)
            filled = self.between_keys(i, j, kinds, count, t, filled)
        weights.score(self.keys, filled, 0, &self.scores_room[0])
        there[0] = self.arc_score(&self.scores_room[0], i, j) if self.survives(i, j) else -INFINITY
        back[0] = self.arc_score(&self.scores_room[0], j, i) if i > 0 and self.survives(j, i) else -INFINITY

    # ---- edges that lengths leave

    cdef score_t join_scores(self, score_t there, score_t back) noexcept nogil:
        """The score of an edge by those of an arc and its reverse."""
        if self.combine == MEAN:
            return (there + back) / 2
        if self.combine == PRODUCT:
            return there * back * self.unit if there > -INFINITY else there     # what cannot be cannot be both ways
        return max(there, back) if self.combine == GREATEST else min(there, back)

    cdef inline token_t first_neighbour(self, token_t j) noexcept nogil:
        """The leftmost word that an edge to a word can come from."""
        return max(1, j - self.reach[self.tokens[<Py_ssize_t>j * self.columns + self.tag]])

    cdef token_t count_edges(self) noexcept nogil:
        """How many edges between words lengths leave. They are the same in both directions."""
        cdef token_t i, j, count = 0
        for j in range(2, self.n + 1):
            for i in range(self.first_neighbour(j), j):
                count += self.survives(i, j)
        return count

    cdef token_t fill_edges(self, Scorer weights, Edge* edges, score_t* roots,
                            bint with_roots) noexcept nogil:
        """The edges between words that lengths leave, with their scores, by right and then left end; gives how many.

        `roots` gets the scores of node 0's edges, by word; with `with_roots` they are among the others too. What
        lengths leave out is not looked at, so that the time is that of the edges that are left.
        """
        cdef token_t i, j, k, first, m = 0
        cdef int32_t t, filled, between = self.pair_count - self.plain_pairs
        cdef hash_t kinds[4][MOST_BETWEEN]
        cdef hash_t root_kinds[4][MOST_BETWEEN]
        cdef int32_t counts[4]
        cdef int32_t root_counts[4]
        cdef weight_t* row = &self.scores_room[0]
        self.sum_all_alone(weights)
        for t in range(between):
            root_counts[t] = 0
        for j in range(1, self.n + 1):
            filled = self.plain_keys(0, j)
            for t in range(between):
                counts[t] = 0
                if j > 1:
                    root_counts[t] = self.add_kind(j - 1, self.pairs[self.plain_pairs + t, 4], root_kinds[t],
                                                   root_counts[t])
                filled = self.between_keys(0, j, root_kinds[t], root_counts[t], self.plain_pairs + t, filled)
            weights.score(self.keys, filled, 0, &self.scores_room[0])
            roots[j] = self.edge_score(row, 0, j) if self.undirected else self.arc_score(row, 0, j)
            if with_roots:
                edges[m].left = 0
                edges[m].right = j
                edges[m].weight = roots[j]
                m += 1
            first = m
            for i in range(j - 1, self.first_neighbour(j) - 1, -1):
                for t in range(between):
                    if i < j - 1:
                        counts[t] = self.add_kind(i + 1, self.pairs[self.plain_pairs + t, 4], kinds[t], counts[t])
                if not self.survives(i, j):
                    continue
                filled = self.plain_keys(i, j)
                for t in range(between):
                    filled = self.between_keys(i, j, kinds[t], counts[t], self.plain_pairs + t, filled)
                weights.score(self.keys, filled, 0, &self.scores_room[0])
                edges[m].left = i
                edges[m].right = j
                if self.undirected:
                    edges[m].weight = self.edge_score(row, i, j)
                else:
                    edges[m].weight = self.join_scores(self.arc_score(row, i, j), self.arc_score(row, j, i))
                m += 1
            for k in range((m - first) // 2):       # they were met from the nearest on
                edges[first + k], edges[m - 1 - k] = edges[m - 1 - k], edges[first + k]
        return m
