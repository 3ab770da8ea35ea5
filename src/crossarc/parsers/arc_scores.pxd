# The scores of arcs: see arc_scores.pyx.
from libc.stdlib cimport abs

from crossarc.core.typedefs cimport hash_t, int32_t, int64_t, score_t, token_t, weight_t
from crossarc.decode.edges cimport Edge
from crossarc.learning.scorer cimport Scorer
from crossarc.parsers.arc_keys cimport DEP, HEAD, ArcKeys, distance_class

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


cdef class ArcScores(ArcKeys):
    cdef Combination combine
    cdef score_t unit                   # what a score of 1 stands for: products must be of true scores
    cdef token_t[::1] reach             # by tag: the greatest length of any arc of such a word
    cdef const int32_t[:, ::1] lengths
    cdef int32_t tag                    # the column; -1 if arcs of any length can be
    cdef bint pruning                   # whether the sentence at hand has only the arcs that lengths leave
    cdef readonly int64_t arcs          # so many between words there were, for the parser's whole life
    cdef readonly int64_t pruned        # and so many of them were left out
    cdef readonly int64_t unpruned      # sentences that had no tree without them
    cdef int32_t label_count
    cdef weight_t[:, :, ::1] alone      # by end and word: the sum of the weights of templates of one end
    cdef score_t[::1] matrix
    cdef weight_t[::1] scores_room

    cdef inline score_t slot_score(self, const weight_t* row, int32_t direction, int32_t kind) noexcept nogil:
        """What a row has to say of an arc."""
        cdef score_t score = row[8 * direction + ALL]
        return score + row[8 * direction + kind] if self.distances else score

    cdef inline score_t arc_score(self, const weight_t* row, token_t h, token_t d) noexcept nogil:
        """The score of an arc by a row, that of both its ends together, and by each end alone."""
        cdef int32_t direction = h > d, kind = distance_class(abs(h - d))
        return (
            self.slot_score(row, direction, kind) + self.slot_score(&self.alone[HEAD, h, 0], direction, kind)
            + self.slot_score(&self.alone[DEP, d, 0], direction, kind)
        )

    cdef inline score_t edge_score(self, const weight_t* row, token_t i, token_t j) noexcept nogil:
        """The same of an edge without a direction, i < j."""
        cdef int32_t kind = distance_class(j - i)
        return (
            self.slot_score(row, 0, kind) + self.slot_score(&self.alone[0, i, 0], 0, kind)
            + self.slot_score(&self.alone[0, j, 0], 1, kind)
        )

    cdef int32_t single_keys_of(self, int32_t end, token_t word) noexcept nogil
    cdef void sum_alone(self, Scorer weights, int32_t end, token_t word,
                        int32_t count) noexcept nogil
    cdef void sum_all_alone(self, Scorer weights) noexcept nogil
    cdef void fill_matrix(self, Scorer weights) noexcept nogil
    cdef void score_pair(self, Scorer weights, token_t i, token_t j, score_t* there,
                         score_t* back) noexcept nogil
    cdef token_t first_neighbour(self, token_t j) noexcept nogil
    cdef token_t count_edges(self) noexcept nogil
    cdef token_t fill_edges(self, Scorer weights, Edge* edges, score_t* roots,
                            bint with_roots) noexcept nogil
    cdef score_t join_scores(self, score_t there, score_t back) noexcept nogil
    cdef bint survives(self, token_t h, token_t d) noexcept nogil
    cdef void count_arcs(self) noexcept nogil
