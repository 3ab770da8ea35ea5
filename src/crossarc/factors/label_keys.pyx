"""The keys of the features of labels: an arc, and around it its grandparent, nearest siblings and outermost dependents.
"""

import numpy as np

from libc.stdlib cimport abs
from libc.string cimport memset

from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, int32_t, token_t
from crossarc.factors.words cimport DEP, HEAD, Words, distance_class, finished

cdef enum:
    # The addresses of a template after those of the two ends.
    GRAND = 2
    SIB = 3
    CHILD = 4
    DISTANCE = 5

cdef class LabelKeys:
    """The label templates of a feature model at work on one sentence at a time.

    With `ends_only` labels are looked at before there is a tree: templates that look further than the two ends of an
    arc are left out.
    """

    def __init__(self, model, Words words, bint ends_only):
        self.words = words
        self.distances = model.distances
        self.cells = model.labels
        if ends_only:
            own = ~np.isin(model.labels[:, :, 0], (GRAND, SIB, CHILD)).any(axis=1)
            self.cells = np.ascontiguousarray(model.labels[own])
        self.templates, self.widest = self.cells.shape[:2]

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.kin = np.zeros((n + 1, 4), dtype=np.int32)
        self.previous = np.zeros(n + 1, dtype=np.int32)
        return 0

    cdef void find_kin(self, const token_t* heads) noexcept nogil:
        """The siblings and outermost dependents of all words of a tree."""
        cdef token_t d, h
        memset(&self.kin[0, 0], -1, (<size_t>self.words.n + 1) * 4 * sizeof(token_t))
        memset(&self.previous[0], -1, (<size_t>self.words.n + 1) * sizeof(token_t))
        for d in range(1, self.words.n + 1):
            h = heads[d]
            self.kin[d, 0] = self.previous[h]
            if self.previous[h] >= 0:
                self.kin[self.previous[h], 1] = d
            else:
                self.kin[h, 2] = d
            self.kin[h, 3] = d
            self.previous[h] = d

    cdef int32_t keys_of(self, token_t h, token_t d, const token_t* heads) noexcept nogil:
        """The keys of all features of the label of an arc; `heads` are those of the tree, if it is there."""
        cdef token_t word
        cdef int32_t t, c, address, offset
        cdef hash_t state, side = 1 if h < d else 2
        for t in range(self.templates):
            # A product, not a sum: small numbers are XORed in next, and must not make one template look like another.
            state = (4 * <hash_t>t + side) * <hash_t>0x9E3779B97F4A7C15
            for c in range(self.widest):
                address = self.cells[t, c, 0]
                if address < 0:
                    break
                offset = self.cells[t, c, 1]
                if address == DISTANCE:
                    state = mix(state, <hash_t>(1 + (distance_class(abs(h - d)) if self.distances else abs(h - d))))
                    continue
                if address == HEAD:
                    word = h + offset
                elif address == DEP:
                    word = d + offset
                elif address == GRAND:
                    word = heads[h] if h > 0 else -1
                else:
                    word = self.kin[d, 2 * (address - SIB) + (offset > 0)]
                state = mix(state, self.words.attribute(word, self.cells[t, c, 2]))
            self.keys[t] = finished(state)
        return self.templates
