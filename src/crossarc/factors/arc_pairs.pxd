# Trees by pairs of arcs: see arc_pairs.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, int64_t, label_t, offset_t, score_t, token_t, uint8_t, weight_t
from crossarc.decode.carreras cimport Carreras
from crossarc.decode.eisner cimport Eisner
from crossarc.decode.part_scores cimport PartScores
from crossarc.decode.reattach cimport Reattacher
from crossarc.decode.undirected cimport Undirected
from crossarc.factors.arc_scores cimport ArcScores
from crossarc.factors.arcs cimport TreeFactors
from crossarc.factors.labels cimport LabelScores
from crossarc.factors.part_keys cimport PartKeys
from crossarc.factors.parts cimport Factors, Part
from crossarc.learning.scorer cimport Scorer


cdef class LabelFilter:
    cdef int32_t tag                    # the column of the tags; -1 if all labels can be on all arcs
    cdef const int32_t[:, ::1] rows     # by the tags of head and dependent
    cdef const int32_t[::1] starts      # by row: where its labels begin
    cdef const label_t[::1] labels
    cdef LabelScores places

    cdef int32_t list_labels(self, token_t h, token_t d, label_t* found) noexcept nogil


cdef class SecondOrderFactors(Factors):
    cdef TreeFactors coarse             # which scores all arcs, to keep a few
    cdef ArcScores arc_scores
    cdef PartKeys part_keys
    cdef LabelScores labels             # None if labels come after the tree
    cdef LabelFilter filter
    cdef Scorer pair_scorer             # of pairs; with labels an action for each, and behind them one for any label
    cdef score_t pair_scale             # of its scores, in the unit of arcs
    cdef PartScores parts
    cdef Carreras chart
    cdef Eisner fallback                # finds a projective tree where pruning leaves none
    cdef Reattacher reattacher          # None for projective trees
    cdef bint from_coarse               # whether moves also start from the tree of the coarse model
    cdef Undirected undirected          # and from an undirected tree by its scores; else None
    cdef score_t[::1] joined            # those of both directions together
    cdef const token_t[:, ::1] given    # by start and node of all sentences: the heads of given trees
    cdef int32_t starts                 # in `trees`, behind the first two
    cdef int32_t most_heads             # of a word that are kept; 0 for all
    cdef score_t margin                 # how far below the best head others are kept
    cdef score_t threshold              # the least gain of a move
    cdef readonly int64_t words_seen    # so many were parsed, for the object's whole life
    cdef readonly int64_t arcs_kept     # with so many candidate arcs
    cdef readonly int64_t moves         # and so many were moved
    # Of the sentence at hand.
    cdef offset_t sentence              # its first row
    cdef uint8_t[::1] keep              # by word: whether it is a candidate head of the word at hand
    cdef label_t[::1] arc_labels        # the labels that each arc can have, one arc after the other
    cdef int32_t[::1] labels_at         # by arc
    cdef token_t[:, ::1] trees          # the tree found, the one that is tried, and the starts
    cdef int32_t[:, ::1] choices        # by tree and word: which of the labels of its arc
    cdef label_t[:, ::1] found          # by tree and word: the label
    cdef token_t[:, ::1] context        # by word: its sibling, its dependents between, beyond and past its head
    cdef score_t* pending               # where the scores of the pair go whose keys were filled in last; NULL if none
    cdef int32_t pending_count          # of its keys
    cdef weight_t[::1] row
    cdef weight_t[::1] label_row

    cdef int choose_arcs(self) except -1 nogil
    cdef void best_heads(self, token_t d, int32_t most, uint8_t* keep) noexcept nogil
    cdef int score_parts(self) except -1 nogil
    cdef void score_arcs(self) noexcept nogil
    cdef void next_pair(self, int32_t arc, int32_t kind, int32_t slot, token_t third, score_t* out) noexcept nogil
    cdef void score_pair(self, int32_t arc, const hash_t* keys) noexcept nogil
    cdef void score_pairs(self, int32_t arc) noexcept nogil
    cdef int solve(self) except -1 nogil
    cdef int find_starts(self) except -1 nogil
    cdef void begin_with(self, const token_t* start, int32_t tree) noexcept nogil
    cdef int try_start(self, const token_t* start) except -1 nogil
    cdef int32_t choice_of(self, int32_t arc, label_t label) noexcept nogil
    cdef void name_choices(self, int32_t tree) noexcept nogil
    cdef int add_arc(self, token_t h, token_t d) except -1 nogil
    cdef int use(self, Scorer coarse, Scorer scorer, Scorer pair_scorer) except -1
    cdef void find_context(self, const token_t* heads) noexcept nogil
