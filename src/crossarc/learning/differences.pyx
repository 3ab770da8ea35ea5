"""The features of a right structure less those of wrong ones, for learners of whole structures.

Two arcs to the same word share the features of that word alone, and one feature can be that of several arcs. So the
difference of two trees is summed feature by feature: what both have cancels, and norms and inner products are true.
"""
import numpy as np

from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from crossarc.core.allocation cimport resize
from crossarc.core.prefetch cimport prefetch
from crossarc.core.typedefs cimport hash_t, int32_t, score_t, weight_t
from crossarc.learning.scorers cimport Weights


cdef enum:
    FIRST_ROOM = 4096       # features
    AHEAD = 8               # how many features before its use a weight is asked for


cdef class Differences:
    """One vector for each wrong structure, over pairs of a feature and an action. Memory is kept between uses."""

    def __cinit__(self, int32_t vectors=1):
        self.most_vectors = self.vectors = max(1, vectors)
        self.room = FIRST_ROOM
        self.mask = 2 * FIRST_ROOM - 1
        self.features = <Feature*>malloc(FIRST_ROOM * sizeof(Feature))
        self.values = <weight_t*>malloc(<size_t>FIRST_ROOM * self.most_vectors * sizeof(weight_t))
        self.places = <int32_t*>calloc(2 * FIRST_ROOM, sizeof(int32_t))
        if self.features == NULL or self.values == NULL or self.places == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.features)
        free(self.values)
        free(self.places)

    cdef void begin(self, int32_t vectors) noexcept nogil:
        """Begin with so many vectors of zeros."""
        cdef int32_t i
        for i in range(self.size):
            self.places[self.features[i].place] = 0
        self.size = 0
        self.vectors = vectors

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
        resize(<void**>&self.values, room * self.most_vectors * sizeof(weight_t))
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

    cdef int add(self, const hash_t* keys, int32_t count, int32_t action, int32_t vector,
                 weight_t value) except -1 nogil:
        """Add to the values of some features with an action in one vector."""
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
                memset(self.values + <size_t>self.size * self.vectors, 0, self.vectors * sizeof(weight_t))
                self.size += 1
                self.places[place] = self.size
            self.values[<size_t>(self.places[place] - 1) * self.vectors + vector] += value
        return 0

    cdef int settle(self, Weights weights, score_t* products) except -1 nogil:
        """Leave out features that cancel or do not count yet, and add to the inner products of all vectors.

        Only features that the weights have met often enough change, so only they bring a margin nearer.
        """
        cdef int32_t i, r, q, kept = 0
        cdef const weight_t* row
        cdef weight_t* target
        cdef bint there
        for i in range(self.size):
            if i + AHEAD < self.size:
                prefetch(weights.slots + (self.features[i + AHEAD].key & weights.mask))
            self.places[self.features[i].place] = 0
            row = self.values + <size_t>i * self.vectors
            there = False
            for r in range(self.vectors):
                there = there or row[r] != 0
            if not there or weights.due(self.features[i].key) == NULL:
                continue
            self.features[kept] = self.features[i]
            target = self.values + <size_t>kept * self.vectors
            for r in range(self.vectors):
                target[r] = row[r]
            for r in range(self.vectors):
                if target[r] != 0:
                    for q in range(self.vectors):
                        products[r * self.vectors + q] += <score_t>target[r] * target[q]
            kept += 1
        self.size = kept
        return 0

    cdef int apply(self, Weights weights, const score_t* steps) except -1 nogil:
        """Move the weights by each vector times its step; after `settle`."""
        cdef int32_t i, r
        cdef score_t step
        for i in range(self.size):
            if i + AHEAD < self.size:
                prefetch(weights.slots + (self.features[i + AHEAD].key & weights.mask))
            step = 0
            for r in range(self.vectors):
                step += steps[r] * self.values[<size_t>i * self.vectors + r]
            if step != 0:
                weights.change(weights.claim(self.features[i].key), self.features[i].action, <weight_t>step)
        return 0

    def learn(self, Weights weights, parts, steps):
        """Move weights by vectors times steps; return the inner products of the vectors.

        `parts` are (keys, action, vector, value).
        """
        cdef const hash_t[::1] keys
        cdef const score_t[::1] view = np.ascontiguousarray(steps, dtype=np.float64)
        products = np.zeros((view.shape[0], view.shape[0]))
        cdef score_t[:, ::1] product_view = products
        if not 0 < view.shape[0] <= self.most_vectors:
            raise ValueError(f"{view.shape[0]} steps; there are 1 to {self.most_vectors} vectors")
        self.begin(<int32_t>view.shape[0])
        for keys, action, vector, value in parts:
            if not (0 <= action < weights.actions and 0 <= vector < view.shape[0] and np.asarray(keys).all()):
                raise ValueError(f"no action {action} or no vector {vector}, or a key that is 0")
            if keys.shape[0]:
                self.add(&keys[0], <int32_t>keys.shape[0], action, vector, value)
        self.settle(weights, &product_view[0, 0])
        self.apply(weights, &view[0])
        return products
