# Trees by the scores of their arcs: see arcs.pyx. Rounds build on it.
from crossarc.core.typedefs cimport hash_t, int32_t, int64_t, label_t, offset_t, score_t, token_t, uint8_t
from crossarc.decode.spanning cimport KBest
from crossarc.factors.arc_scores cimport ArcScores, LengthLimits
from crossarc.factors.keys cimport ArcKeys
from crossarc.factors.parts cimport Factors
from crossarc.factors.tree_search cimport TreeSearch
from crossarc.learning.scorers cimport Scorer


cdef class TreeFactors(Factors):
    cdef ArcKeys keys
    cdef LengthLimits limits
    cdef ArcScores arc_scores
    cdef TreeSearch search
    cdef const uint8_t[:, ::1] forbidden    # arcs of the sentence at hand that cannot be, by [dependent, head]; or None
    cdef bint sparse                    # whether only the edges that limits allow are scored, without a matrix
    cdef readonly int64_t arcs          # so many between words there were, for the object's whole life
    cdef readonly int64_t pruned        # and so many of them lengths left out
    cdef readonly int64_t unpruned      # sentences that had no tree without them
    cdef KBest k_best
    cdef token_t[:, ::1] trees          # while learning: the best, the best first
    cdef score_t[::1] totals

    cdef inline score_t* cell(self, token_t h, token_t d) noexcept nogil:
        """The score of an arc."""
        return &self.arc_scores.matrix[d * <Py_ssize_t>(self.words.n + 1) + h]

    cdef inline bint has_arc(self, const token_t* heads, token_t h, token_t d) noexcept nogil:
        """Whether a tree has an arc, or without directions the edge."""
        return heads[d] == h or (self.keys.undirected and h > 0 and heads[h] == d)

    cdef int use(self, Scorer scorer) except -1
    cdef void add_labels(self) noexcept nogil
    cdef bint solve_arcs(self, token_t* heads) noexcept nogil
    cdef int try_tree(self, token_t* heads) except -1 nogil
    cdef void count_arcs(self, int64_t pruned) noexcept nogil
    cdef bint find_tree(self, token_t* heads) except -1 nogil
    cdef const label_t* labels_of(self, const token_t* heads) noexcept nogil
    cdef int add_slots(self, const hash_t* keys, int32_t count, int32_t direction, int32_t kind) except -1 nogil
    cdef int add_arc(self, token_t h, token_t d) except -1 nogil
    cdef offset_t count_wrong(self, const token_t* heads) noexcept nogil
    cdef object matrix_of(self, const int32_t[:, ::1] tokens)
