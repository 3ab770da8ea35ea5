"""The features of a right structure less those of a wrong one, for learners of whole structures.

Two arcs to the same word share the features of that word alone, and one feature can be that of several arcs. So the
difference of two trees is summed feature by feature: what both have cancels, and norms are true.
"""
import numpy as np

from libc.stdlib cimport calloc, free, malloc

from crossarc.core.allocation cimport resize
from crossarc.core.prefetch cimport prefetch
from crossarc.core.typedefs cimport hash_t, int32_t, score_t, weight_t
from crossarc.learning.scorers cimport Weights


cdef enum:
    FIRST_ROOM = 4096       # features
    AHEAD = 8               # how many features before its use a weight is asked for


cdef class Differences:
    """A vector over pairs of a feature and an action. Memory is kept between uses."""

    def __cinit__(self):
        self.room = FIRST_ROOM
        self.mask = 2 * FIRST_ROOM - 1
        self.features = <Feature*>malloc(FIRST_ROOM * sizeof(Feature))
        self.places = <int32_t*>calloc(2 * FIRST_ROOM, sizeof(int32_t))
        if self.features == NULL or self.places == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.features)
        free(self.places)

    cdef void begin(self) noexcept nogil:
        """Begin with zeros."""
        cdef int32_t i
        for i in range(self.size):
            self.places[self.features[i].place] = 0
        self.size = 0

    cdef hash_t find(self, hash_t key, int32_t action) noexcept nogil:
        """The place of a feature, which holds 0 if it is new."""
        cdef hash_t at = (key + <hash_t>action * <hash_t>0x9E3779B97F4A7C15) & self.mask
        cdef const Feature* feature
        while self.places[at]:
            feature = self.features + self.places[at] - 1
            if feature.key == key and feature.action == action:
                break
            at = (at + 1) & self.mask
        return at

    cdef int grow(self, Py_ssize_t needed) except -1 nogil:
        """Make room for so many features, and more."""
        cdef Py_ssize_t room = self.room
        cdef int32_t* places
        cdef int32_t i
        while room < needed:
            room *= 2
        if room > 1 << 29:
            raise MemoryError
        resize(<void**>&self.features, room * sizeof(Feature))
        places = <int32_t*>calloc(2 * room, sizeof(int32_t))
        if places == NULL:
            raise MemoryError
        free(self.places)
        self.places = places
        self.mask = 2 * room - 1
        self.room = <int32_t>room
        for i in range(self.size):
            self.features[i].place = <int32_t>self.find(self.features[i].key, self.features[i].action)
            self.places[self.features[i].place] = i + 1
        return 0

    cdef int add(self, const hash_t* keys, int32_t count, int32_t action, weight_t value) except -1 nogil:
        """Add to the values of some features with an action."""
        cdef int32_t k
        cdef hash_t place
        if self.size + count > self.room:
            self.grow(<Py_ssize_t>self.size + count)
        for k in range(count):
            place = self.find(keys[k], action)
            if self.places[place] == 0:
                self.features[self.size].key = keys[k]
                self.features[self.size].action = action
                self.features[self.size].place = <int32_t>place
                self.features[self.size].value = 0
                self.size += 1
                self.places[place] = self.size
            self.features[self.places[place] - 1].value += value
        return 0

    cdef score_t settle(self, Weights weights) noexcept nogil:
        """Leave out features that cancel or do not count yet; return the squared norm of the others.

        Only features that the weights have met often enough change, so only they bring a margin nearer.
        """
        cdef int32_t i, kept = 0
        cdef score_t norm = 0
        cdef Feature* feature
        for i in range(self.size):
            if i + AHEAD < self.size:
                prefetch(weights.slots + (self.features[i + AHEAD].key & weights.mask))
            feature = self.features + i
            self.places[feature.place] = 0
            if feature.value == 0 or weights.due(feature.key) == NULL:
                continue
            norm += <score_t>feature.value * feature.value
            self.features[kept] = feature[0]
            kept += 1
        self.size = kept
        return norm

    cdef int apply(self, Weights weights, score_t step) except -1 nogil:
        """Move the weights by the vector times a step; after `settle`."""
        cdef int32_t i
        cdef score_t change
        for i in range(self.size):
            if i + AHEAD < self.size:
                prefetch(weights.slots + (self.features[i + AHEAD].key & weights.mask))
            change = step * self.features[i].value
            if change != 0:
                weights.change(weights.claim(self.features[i].key), self.features[i].action, <weight_t>change)
        return 0

    def learn(self, Weights weights, parts, score_t step):
        """Move weights by the vector times a step; return its squared norm.

        `parts` are (keys, action, value).
        """
        cdef const hash_t[::1] keys
        cdef score_t norm
        self.begin()
        for keys, action, value in parts:
            if not (0 <= action < weights.actions and np.asarray(keys).all()):
                raise ValueError(f"no action {action}, or a key that is 0")
            if keys.shape[0]:
                self.add(&keys[0], <int32_t>keys.shape[0], action, value)
        norm = self.settle(weights)
        self.apply(weights, step)
        return norm
