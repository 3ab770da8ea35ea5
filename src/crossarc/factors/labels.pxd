# The scores of labels: see labels.pyx.
from crossarc.core.typedefs cimport int32_t, label_t, token_t, uint8_t, weight_t
from crossarc.factors.keys cimport LabelKeys
from crossarc.learning.scorers cimport Scorer

# Where a label can be; as in crossarc.parsers.label_places.
cdef enum:
    ON_ROOTS = 1
    ELSEWHERE = 2


cdef class LabelScores:
    cdef LabelKeys keys
    cdef const uint8_t[::1] places
    cdef label_t count
    cdef weight_t[::1] room
    cdef weight_t* row                  # the scores of all labels for the arc at hand

    cdef inline bint can_be(self, label_t label, token_t h) noexcept nogil:
        """Whether arcs from a head can have a label."""
        return self.places[label] & (ON_ROOTS if h == 0 else ELSEWHERE)

    cdef void score(self, Scorer weights, token_t h, token_t d, const token_t* heads) noexcept nogil
    cdef label_t best(self, token_t h) noexcept nogil
    cdef object table(self, Scorer weights, const int32_t[:, ::1] tokens, const token_t[::1] heads)
