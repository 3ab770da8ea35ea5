# What scores arcs, finds trees and labels them: see arcs.pyx. Parsers that find trees in another way build on it.
from libc.stdlib cimport abs

from crossarc.core.typedefs cimport hash_t, int32_t, int64_t, label_t, offset_t, score_t, token_t, uint8_t, weight_t
from crossarc.decode.decoder cimport Decoder
from crossarc.decode.kbest cimport KBest
from crossarc.learning.packed cimport Packed
from crossarc.learning.weights cimport Weights
from crossarc.parsers.arc_keys cimport DEP, HEAD, ArcKeys, distance_class

cdef enum:
    SLOTS = 16              # weights of an arc feature
    ON_ROOTS = 1            # where a label can be; as in label_places.py
    ELSEWHERE = 2
    ALL = 7                 # the slot for all distances, in either direction; those before it are for classes

# How the scores of an arc and its reverse become that of an edge, for undirected decoders; as in COMBINATIONS.
cdef enum Combination:
    NONE
    MEAN
    PRODUCT
    GREATEST
    LEAST


cdef class ArcParser(ArcKeys):
    cdef Decoder decoder
    cdef Combination combine
    cdef score_t unit                   # what a score of 1 stands for: products must be of true scores
    cdef score_t[::1] joined
    cdef const int32_t[:, ::1] lengths
    cdef int32_t tag                    # the column; -1 if arcs of any length can be
    cdef bint pruning                   # whether the sentence at hand has only the arcs that lengths leave
    cdef readonly int64_t arcs          # so many between words there were, for the parser's whole life
    cdef readonly int64_t pruned        # and so many of them were left out
    cdef readonly int64_t unpruned      # sentences that had no tree without them
    cdef label_t[::1] arc_labels        # with joint labels, of all arcs as in the matrix
    cdef score_t[::1] gold_parts        # the scores of the arcs of the gold tree, with their labels if joint
    cdef KBest kbest
    cdef int32_t rival_count
    cdef token_t[:, ::1] rivals
    cdef score_t[:, ::1] products       # of the differences between gold and its rivals
    cdef score_t[::1] lacks
    cdef score_t[::1] steps
    cdef int32_t label_count
    cdef const uint8_t[::1] label_places
    cdef weight_t[:, :, ::1] alone      # by end and word: the sum of the weights of templates of one end
    cdef score_t[::1] matrix
    cdef int32_t[::1] whole
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

    cdef inline bint can_be(self, label_t label, token_t h) noexcept nogil:
        """Whether arcs from a head can have a label."""
        return self.label_places[label] & (ON_ROOTS if h == 0 else ELSEWHERE)

    cdef inline bint has_arc(self, const token_t* heads, token_t h, token_t d) noexcept nogil:
        """Whether a tree has an arc, or in undirected parsers the edge in any direction."""
        return heads[d] == h or (self.undirected and h > 0 and heads[h] == d)

    cdef void sum_rows(self, Weights weights, const Packed* packed, const hash_t* keys, int32_t count,
                       int32_t actions) noexcept nogil
    cdef int32_t single_keys_of(self, int32_t end, token_t word) noexcept nogil
    cdef void sum_alone(self, Weights weights, const Packed* packed, int32_t end, token_t word,
                        int32_t count) noexcept nogil
    cdef void sum_all_alone(self, Weights weights, const Packed* packed) noexcept nogil
    cdef void fill_matrix(self, Weights weights, const Packed* packed) noexcept nogil
    cdef void fill_pair(self, Weights weights, const Packed* packed, token_t i, token_t j) noexcept nogil
    cdef void enhance(self, Weights weights, const Packed* packed, token_t* heads, int32_t rounds) noexcept nogil
    cdef bint solve(self, token_t* heads) noexcept nogil
    cdef bint survives(self, token_t h, token_t d) noexcept nogil
    cdef void count_arcs(self) noexcept nogil
    cdef bint find_tree(self, Weights arcs, const Packed* packed_arcs, Weights labels, const Packed* packed_labels,
                        score_t scale, token_t* heads, const token_t* right=*, const label_t* gold=*,
                        bint augment=*) noexcept nogil
    cdef void add_labels(self, Weights labels, const Packed* packed, score_t scale, const token_t* right,
                         const label_t* gold, bint augment) noexcept nogil
    cdef int change_arc(self, Weights weights, token_t h, token_t d, weight_t step) except -1 nogil
    cdef int change_slots(self, Weights weights, const hash_t* keys, int32_t count, int32_t direction, int32_t kind,
                          weight_t step) except -1 nogil
    cdef label_t best_of(self, const weight_t* scores, token_t h) noexcept nogil
    cdef label_t best_label(self, Weights weights, const Packed* packed, int32_t count, token_t h) noexcept nogil
    cdef offset_t learn_labels(self, Weights labels, const token_t* right, const label_t* gold_labels,
                               const token_t* best) except -1 nogil
    cdef bint is_wrong(self, const token_t* tree, const token_t* right, const label_t* gold, token_t d) noexcept nogil
    cdef bint is_missing(self, const token_t* tree, const token_t* right, const label_t* gold, token_t d) noexcept nogil
    cdef int change_part(self, Weights arcs, Weights labels, token_t h, token_t d, label_t label, bint arc,
                         weight_t step) except -1 nogil
    cdef score_t product(self, Weights arcs, const token_t* one, const token_t* other, const token_t* right,
                         const label_t* gold) except? -1 nogil
    cdef int learn_tree(self, Weights arcs, Weights labels, const token_t* right, const label_t* gold, int32_t count,
                        score_t cost, bint augment) except -1 nogil
