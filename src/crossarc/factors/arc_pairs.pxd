# Trees by pairs of arcs: see arc_pairs.pyx.
from crossarc.core.typedefs cimport int32_t, int64_t, label_t, offset_t, score_t, token_t
from crossarc.decode.second_order cimport Carreras, PartScores, Reattacher
from crossarc.decode.projective cimport Eisner
from crossarc.factors.arcs cimport TreeFactors
from crossarc.factors.candidates cimport Candidates
from crossarc.factors.labels cimport LabelScores
from crossarc.factors.pair_scores cimport PairScores
from crossarc.factors.part_keys cimport PartKeys
from crossarc.factors.parts cimport Factors, Part
from crossarc.factors.start_trees cimport StartTrees
from crossarc.learning.scorers cimport Scorer


cdef class SecondOrderFactors(Factors):
    cdef TreeFactors coarse             # which scores all arcs, to keep a few
    cdef PairScores scores
    cdef PartKeys part_keys             # these three are of the scores
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
