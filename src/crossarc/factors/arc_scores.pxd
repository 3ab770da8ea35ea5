# The scores of arcs, and which arcs are scored: see arc_scores.pyx.
from libc.stdlib cimport abs

from crossarc.core.typedefs cimport int32_t, int64_t, score_t, token_t, weight_t
from crossarc.decode.undirected cimport Edge
from crossarc.factors.keys cimport DEP, HEAD, ArcKeys, Words, distance_class
from crossarc.learning.scorers cimport Scorer

cdef enum:
    SLOTS = 16              # weights of an arc feature
    ALL = 7                 # the slot for all distances, in either direction; those before it are for classes


# How the scores of an arc and its reverse become that of an edge, for undirected decoders; as in COMBINATIONS.
cdef enum Combination:
    NONE
    MEAN
    PRODUCT
    GREATEST
    LEAST


cdef class LengthLimits:
    cdef Words words
    cdef const int32_t[:, ::1] lengths
    cdef token_t[::1] reach             # by tag: the greatest length of any arc of such a word
    cdef int32_t tag                    # the column; -1 if arcs of any length can be
    cdef bint pruning                   # whether the sentence at hand has only the arcs that lengths leave

    cdef inline bint allow(self, token_t h, token_t d) noexcept nogil:
        """Whether an arc is not longer than those of training between such tags."""
        return (not self.pruning or h == 0
                or abs(h - d) <= self.lengths[self.words.value(h, self.tag), self.words.value(d, self.tag)])

    cdef inline token_t first_neighbour(self, token_t j) noexcept nogil:
        """The leftmost word that an edge to a word can come from."""
        return max(1, j - self.reach[self.words.value(j, self.tag)])

    cdef void begin(self) noexcept nogil
    cdef bint allow_tree(self, const token_t* heads) noexcept nogil
    cdef token_t count_edges(self) noexcept nogil
    cdef int64_t count_pruned(self) noexcept nogil


cdef class ArcScores:
    cdef Words words
    cdef ArcKeys keys
    cdef LengthLimits limits
    cdef Combination combine
    cdef score_t unit                   # what a score of 1 stands for: products must be of true scores
    cdef weight_t[:, :, ::1] alone      # by end and word: the sum of the weights of templates of one end
    cdef score_t[::1] matrix            # of the sentence at hand, n + 1 by n + 1, by dependent and head
    cdef weight_t row[SLOTS + 8]        # what the keys of both ends say, with the room that scorers ask for

    cdef inline score_t slot_score(self, const weight_t* row, int32_t direction, int32_t kind) noexcept nogil:
        """What a row says about an arc."""
        cdef score_t score = row[8 * direction + ALL]
        return score + row[8 * direction + kind] if self.keys.distances else score

    cdef inline score_t arc_score(self, token_t h, token_t d) noexcept nogil:
        """The score of an arc by the row, that of both its ends together, and by each end alone."""
        cdef int32_t direction = h > d, kind = distance_class(abs(h - d))
        return (
            self.slot_score(self.row, direction, kind) + self.slot_score(&self.alone[HEAD, h, 0], direction, kind)
            + self.slot_score(&self.alone[DEP, d, 0], direction, kind)
        )

    cdef inline score_t edge_score(self, token_t i, token_t j) noexcept nogil:
        """The same of an edge without a direction, i < j."""
        cdef int32_t kind = distance_class(j - i)
        return (
            self.slot_score(self.row, 0, kind) + self.slot_score(&self.alone[0, i, 0], 0, kind)
            + self.slot_score(&self.alone[0, j, 0], 1, kind)
        )

    cdef inline void score_row(self, Scorer weights, int32_t count) noexcept nogil:
        """Let the keys that are filled in make the row."""
        weights.score(self.keys.keys, count, 0, self.row)

    cdef int reserve(self, token_t n) except -1
    cdef int reserve_matrix(self, token_t n) except -1
    cdef void sum_alone(self, Scorer weights, int32_t end, token_t word, int32_t count) noexcept nogil
    cdef void sum_all_alone(self, Scorer weights) noexcept nogil
    cdef void fill_matrix(self, Scorer weights) noexcept nogil
    cdef void score_pair(self, Scorer weights, token_t i, token_t j, score_t* there, score_t* back) noexcept nogil
    cdef token_t fill_edges(self, Scorer weights, Edge* edges, score_t* roots, bint with_roots) noexcept nogil
    cdef score_t join(self, score_t there, score_t back) noexcept nogil
