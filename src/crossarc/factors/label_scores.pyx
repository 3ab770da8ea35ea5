"""The scores of labels for an arc, and the best label that the arc can have."""

import numpy as np

from libc.math cimport INFINITY

from crossarc.core.typedefs cimport int32_t, label_t, score_t, token_t, uint8_t
from crossarc.factors.label_keys cimport LabelKeys
from crossarc.learning.scorer cimport Scorer, score_room


cdef class LabelScores:
    """Keys of labels at work with weights; `places` say where a label can be: arcs from node 0 (1), others (2), both.
    """

    def __init__(self, LabelKeys keys, const uint8_t[::1] places):
        self.keys = keys
        self.places = places
        self.count = <label_t>places.shape[0]
        self.room = np.zeros(score_room(self.count), dtype=np.float32)
        self.row = &self.room[0]

    cdef void score(self, Scorer weights, token_t h, token_t d, const token_t* heads) noexcept nogil:
        """Score all labels of an arc in a tree; `heads` are NULL before there is one."""
        weights.score(self.keys.keys, self.keys.keys_of(h, d, heads), 0, self.row)

    cdef label_t best(self, token_t h) noexcept nogil:
        """The best label by the scores at hand that an arc from a head can have."""
        cdef label_t label, best = -1
        for label in range(self.count):
            if self.can_be(label, h) and (best < 0 or self.row[label] > self.row[best]):
                best = label
        return best

    cdef object table(self, Scorer weights, const int32_t[:, ::1] tokens, const token_t[::1] heads):
        """The scores of all labels for each arc of a tree, [dependent, label]; -inf for labels that cannot be."""
        cdef token_t d, n = <token_t>tokens.shape[0] - 1
        cdef label_t label
        result = np.zeros((n + 1, self.count))
        cdef score_t[:, ::1] view = result
        self.keys.reserve(n)
        with nogil:
            self.keys.words.read(&tokens[0, 0], n)
            self.keys.find_kin(&heads[0])
            for d in range(1, n + 1):
                self.score(weights, heads[d], d, &heads[0])
                for label in range(self.count):
                    view[d, label] = self.row[label] if self.can_be(label, heads[d]) else -INFINITY
        return result * weights.unit
