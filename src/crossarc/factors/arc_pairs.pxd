from crossarc.core.typedefs cimport hash_t, int32_t, int64_t, label_t, offset_t, score_t, token_t, uint8_t, weight_t

from crossarc.decode.projective cimport Eisner
from crossarc.decode.second_order cimport Carreras, PartScores, Reattacher
from crossarc.decode.undirected cimport Undirected
from crossarc.factors.arcs cimport ArcKeys, ArcScores, Factors, LabelScores, Part, TreeFactors, Words
from crossarc.learning.scorers cimport MOST_KEYS, Scorer


# The keys of the features of pairs of arcs.
cdef enum:
    # Kinds of pairs of arcs, as in crossarc.features.edges.TRIPLES.
    SIBLINGS
    GRANDCHILDREN
    PAIR_SLOTS = 8          # what the third word of a pair can be, by direction of the arc


cdef class PartKeys:
    cdef Words words
    cdef ArcKeys arcs
    cdef int32_t counts[2]              # of templates, by kind
    cdef int32_t bare_counts[2]         # and of those that are used where the third word is missing
    cdef const int32_t[::1] bare        # their numbers among those of their kind, siblings first
    cdef int32_t side_count
    cdef const int32_t[:, ::1] sides    # by template, siblings first: those of the three words
    cdef hash_t[:, ::1] side_hashes     # by word: each bundle of things that are looked at from it
    cdef hash_t[:, :, ::1] word_keys    # by word, behind the last one none; by place among the three; by template
    cdef hash_t salts[PAIR_SLOTS]
    cdef hash_t base[MOST_KEYS]         # what the first two words say
    cdef hash_t buffers[2][MOST_KEYS]
    cdef int32_t current                # the buffer that was filled last

    cdef int reserve(self, token_t n) except -1
    cdef void prepare(self) noexcept nogil
    cdef void begin(self, int32_t kind, token_t first, token_t second) noexcept nogil
    cdef int32_t fill(self, int32_t kind, token_t third, int32_t slot) noexcept nogil

    cdef inline const hash_t* keys(self) noexcept nogil:
        """The keys that were filled in last."""
        return self.buffers[self.current]


# Scores of candidate arcs and pairs of them.
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


# The arcs that a first-order model keeps.
cdef class Candidates:
    cdef TreeFactors coarse             # which scores all arcs
    cdef PartScores parts               # whose arcs are chosen
    cdef int32_t most                   # heads of a word that are kept; 0 for all
    cdef score_t margin                 # how far below the best head others are kept
    cdef readonly int64_t words_seen    # so many were parsed, for the object's whole life
    cdef readonly int64_t arcs_kept     # with so many candidate arcs
    cdef uint8_t[::1] keep              # by word: whether it is a candidate head of the word at hand

    cdef int reserve(self, token_t n) except -1
    cdef void keep_best(self, token_t d, int32_t most) noexcept nogil
    cdef int choose(self, const token_t** trees, int32_t count) except -1 nogil


# The trees that moves start from.
cdef enum:
    MOST_STARTS = 8


cdef class StartTrees:
    cdef TreeFactors coarse
    cdef bint from_coarse               # whether the tree of the coarse model is one
    cdef Undirected undirected          # finds one without directions by its scores; else None
    cdef score_t[::1] joined            # those of both directions together
    cdef const token_t[:, ::1] given    # by start and node of all sentences: the heads of given trees
    # Of the sentence at hand.
    cdef int32_t count
    cdef token_t[:, ::1] trees

    cdef int reserve(self, token_t n) except -1
    cdef int find(self, offset_t sentence) except -1 nogil


# Trees by pairs of arcs.
cdef class SecondOrderFactors(Factors):
    cdef TreeFactors coarse             # which scores all arcs, to keep a few
    cdef PairScores scores
    cdef PartKeys part_keys             # these three belong to the scores
    cdef PartScores parts
    cdef LabelScores labels             # None if labels come after the tree
    cdef Carreras chart
    cdef Eisner fallback                # finds a projective tree where pruning leaves none
    cdef Reattacher reattacher          # None for projective trees
    cdef Candidates candidates
    cdef StartTrees starts              # that moves also start from
    cdef score_t threshold              # the least gain of a move
    cdef readonly int64_t moves         # so many words were moved, for the object's whole life
    # Of the sentence at hand.
    cdef offset_t sentence              # its first row
    cdef token_t[:, ::1] trees          # the tree found and the one that is tried
    cdef int32_t[:, ::1] choices        # by tree and word: which of the labels of its arc
    cdef label_t[:, ::1] found          # by tree and word: the label
    cdef token_t[:, ::1] context        # by word: its sibling, its dependents between, beyond and past its head

    cdef int choose_arcs(self) except -1 nogil
    cdef int score_parts(self) except -1 nogil
    cdef int solve(self) except -1 nogil
    cdef void begin_with(self, const token_t* start, int32_t tree) noexcept nogil
    cdef int try_start(self, const token_t* start) except -1 nogil
    cdef void name_choices(self, int32_t tree) noexcept nogil
    cdef int add_arc(self, token_t h, token_t d) except -1 nogil
    cdef int use(self, Scorer coarse, Scorer scorer, Scorer pair_scorer) except -1
    cdef void find_context(self, const token_t* heads) noexcept nogil
