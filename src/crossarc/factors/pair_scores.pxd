# Scores of candidate arcs and pairs of them: see pair_scores.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, label_t, score_t, token_t, weight_t
from crossarc.decode.second_order cimport PartScores
from crossarc.factors.arc_scores cimport ArcScores
from crossarc.factors.labels cimport LabelScores
from crossarc.factors.part_keys cimport PartKeys
from crossarc.learning.scorers cimport Scorer

cdef enum:
    # What the third word of a pair is, for each of two directions of the arc.
    SIBLING = 0
    BETWEEN = 2
    BEYOND = 4
    PAST = 6


cdef inline int32_t region(token_t h, token_t m, token_t c) noexcept nogil:
    """Where a dependent c of m is for the arc from h to m: between them, beyond m or past h."""
    if (c > m) != (h > m):
        return BEYOND
    return BETWEEN if (c > h) == (m > h) else PAST


cdef class LabelFilter:
    cdef int32_t tag                    # the column of the tags; -1 if all labels can be on all arcs
    cdef const int32_t[:, ::1] rows     # by the tags of head and dependent
    cdef const int32_t[::1] starts      # by row: where its labels begin
    cdef const label_t[::1] labels
    cdef LabelScores places

    cdef int32_t list_labels(self, token_t h, token_t d, label_t* found) noexcept nogil


cdef class PairScores:
    cdef ArcScores arc_scores
    cdef PartKeys keys
    cdef LabelScores labels             # None if labels come after the tree
    cdef LabelFilter filter
    cdef Scorer scorer                  # of arcs
    cdef Scorer pair_scorer             # of pairs; with labels an action for each, and behind them one for any label
    cdef score_t scale                  # of its scores, in the unit of arcs
    cdef PartScores parts
    cdef label_t[::1] arc_labels        # the labels that each arc can have, one arc after the other
    cdef int32_t[::1] labels_at         # by arc
    cdef score_t* pending               # where the scores of the pair go whose keys were filled in last; NULL if none
    cdef int32_t pending_count          # of its keys
    cdef weight_t[::1] row

    cdef inline label_t label_of(self, int32_t arc, int32_t choice) noexcept nogil:
        """One of the labels that an arc can have."""
        return self.arc_labels[self.labels_at[arc] + choice]

    cdef int reserve(self, token_t n) except -1
    cdef int use(self, Scorer scorer, Scorer pair_scorer) except -1
    cdef int score(self) except -1 nogil
    cdef int list_labels(self) except -1 nogil
    cdef void score_arcs(self) noexcept nogil
    cdef void add_labels(self, int32_t arc) noexcept nogil
    cdef void score_pairs(self, int32_t arc) noexcept nogil
    cdef void next_pair(self, int32_t arc, int32_t kind, int32_t slot, token_t third, score_t* out) noexcept nogil
    cdef void score_pair(self, int32_t arc, const hash_t* keys) noexcept nogil
    cdef int32_t choice_of(self, int32_t arc, label_t label) noexcept nogil
