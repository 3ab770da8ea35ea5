# What finds trees and labels them: see arcs.pyx. Parsers that find trees in another way build on it.
from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, score_t, token_t, uint8_t, weight_t
from crossarc.decode.decoder cimport Decoder
from crossarc.decode.kbest cimport KBest
from crossarc.decode.undirected cimport Undirected
from crossarc.learning.differences cimport Differences
from crossarc.learning.scorer cimport Scorer
from crossarc.learning.weights cimport Weights
from crossarc.parsers.arc_scores cimport ArcScores

# Where a label can be; as in label_places.py.
cdef enum:
    ON_ROOTS = 1
    ELSEWHERE = 2


cdef class ArcParser(ArcScores):
    cdef Decoder decoder
    cdef Undirected edge_decoder        # where only the edges that lengths leave are scored; else None
    cdef score_t[::1] root_scores
    cdef score_t[:, ::1] turns          # while a tree is enhanced: scores of arcs by word
    cdef score_t[::1] joined
    cdef const uint8_t[::1] label_places
    cdef label_t[::1] arc_labels        # with joint labels, of all arcs as in the matrix
    cdef score_t[::1] gold_parts        # the scores of the arcs of the gold tree, with their labels if joint
    cdef KBest kbest
    cdef int32_t rival_count
    cdef bint count_heads               # whether a right edge that points the wrong way counts as wrong
    cdef token_t[:, ::1] rivals
    cdef Differences arc_parts          # the features of gold less those of each rival
    cdef Differences label_parts        # the same of joint labels
    cdef score_t[:, ::1] products       # of these differences
    cdef score_t[::1] lacks
    cdef score_t[::1] steps

    cdef inline bint can_be(self, label_t label, token_t h) noexcept nogil:
        """Whether arcs from a head can have a label."""
        return self.label_places[label] & (ON_ROOTS if h == 0 else ELSEWHERE)

    cdef inline bint has_arc(self, const token_t* heads, token_t h, token_t d) noexcept nogil:
        """Whether a tree has an arc, or in undirected parsers the edge in any direction."""
        return heads[d] == h or (self.undirected and h > 0 and heads[h] == d)

    cdef void score_head(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil
    cdef void score_turn(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil
    cdef void enhance(self, Scorer weights, token_t* heads, int32_t rounds) noexcept nogil
    cdef bint find_sparse(self, Scorer arcs, token_t* heads) noexcept nogil
    cdef bint solve(self, token_t* heads) noexcept nogil
    cdef bint find_tree(self, Scorer arcs, Scorer labels,
                        score_t scale, token_t* heads, const token_t* right=*, const label_t* gold=*,
                        bint augment=*) noexcept nogil
    cdef void add_labels(self, Scorer labels, score_t scale, const token_t* right,
                         const label_t* gold, bint augment) noexcept nogil
    cdef int add_arc(self, token_t h, token_t d, int32_t rival, weight_t value) except -1 nogil
    cdef int add_slots(self, const hash_t* keys, int32_t count, int32_t direction, int32_t kind, int32_t rival,
                       weight_t value) except -1 nogil
    cdef label_t best_of(self, const weight_t* scores, token_t h) noexcept nogil
    cdef label_t best_label(self, Scorer weights, int32_t count, token_t h) noexcept nogil
    cdef offset_t learn_labels(self, Weights labels, const token_t* right, const label_t* gold_labels,
                               const token_t* best) except -1 nogil
    cdef bint is_wrong(self, const token_t* tree, const token_t* right, const label_t* gold, token_t d) noexcept nogil
    cdef bint is_missing(self, const token_t* tree, const token_t* right, const label_t* gold, token_t d) noexcept nogil
    cdef int add_part(self, token_t h, token_t d, label_t label, bint arc, int32_t rival,
                      weight_t value) except -1 nogil
    cdef int learn_tree(self, Weights arcs, Weights labels, const token_t* right, const label_t* gold, int32_t count,
                        score_t cost, bint augment) except -1 nogil
