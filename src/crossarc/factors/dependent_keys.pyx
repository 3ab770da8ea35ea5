"""The keys of features of arcs that see the dependents which either end has already.

A template with such a term has a key only where there is that dependent.
"""

import numpy as np

from libc.string cimport memset

from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, int32_t, token_t
from crossarc.factors.arc_keys cimport ArcKeys
from crossarc.factors.words cimport DEP, HEAD, finished

cdef enum:
    # How an atom of a template looks at a word: itself, its dependents, or their number; as `VIA` of the templates.
    VIA_CHILDREN = 1
    VIA_NUMBER = 3
    MANY = 3                # dependents from so many on count as so many
    SALT = 27               # these keys are unlike those of all other templates


cdef class DependentKeys:
    """The templates with dependents of a feature model at work; keys go to those of `arcs`, behind them."""

    def __init__(self, model, ArcKeys arcs):
        self.words = arcs.words
        self.arcs = arcs
        self.singles, self.pairs = model.late_singles, model.late_pairs
        self.single_count = len(model.late_singles)
        self.pair_count = len(model.late_pairs)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.children = np.zeros((n + 1, 3), dtype=np.int32)
        self.heads = np.zeros(n + 1, dtype=np.int32)
        self.following = np.zeros(n + 1, dtype=np.int32)
        self.pending = np.zeros(n + 1, dtype=np.int32)
        self.single_keys = np.zeros((n + 1, max(1, self.single_count)), dtype=np.uint64)
        self.left_keys = np.zeros((n + 1, max(1, self.pair_count)), dtype=np.uint64)
        self.right_keys = np.zeros((n + 1, max(1, self.pair_count)), dtype=np.uint64)
        return 0

    cdef void begin(self) noexcept nogil:
        """Begin with words that have no heads."""
        memset(&self.children[0, 0], 0, (<size_t>self.words.n + 1) * 3 * sizeof(token_t))
        memset(&self.heads[0], -1, (<size_t>self.words.n + 1) * sizeof(token_t))

    cdef void attach(self, token_t h, token_t d) noexcept nogil:
        """Give a word its head."""
        self.heads[d] = h
        self.children[h, 0] = min(self.children[h, 0], d) if self.children[h, 2] else d
        self.children[h, 1] = max(self.children[h, 1], d)
        self.children[h, 2] += 1

    cdef hash_t side_hash(self, token_t word, int32_t side) noexcept nogil:
        """The hash of a bundle of things that are looked at from a word; 0 if one is a dependent that is not there."""
        cdef hash_t state = 0x51ED270B + <hash_t>side * <hash_t>0x9E3779B97F4A7C15
        cdef int32_t a, via
        cdef token_t seen
        for a in range(self.arcs.sides[side], self.arcs.sides[side + 1]):
            via = self.arcs.atoms[a, 2]
            if via and self.children[word, 2] == 0:
                return 0
            if via == VIA_NUMBER:
                state = mix(state, <hash_t>min(self.children[word, 2], MANY))
                continue
            seen = self.children[word, via - VIA_CHILDREN] if via else word + self.arcs.atoms[a, 1]
            state = mix(state, self.words.attribute(seen, self.arcs.atoms[a, 0]))
        return state

    cdef void prepare_word(self, token_t word) noexcept nogil:
        """Hash what depends on one word and its dependents alone."""
        cdef int32_t t
        cdef hash_t state
        for t in range(self.single_count):
            state = self.side_hash(word, self.singles[t, 1])
            self.single_keys[word, t] = finished(mix(state, SALT + self.singles[t, 0])) if state else 0
        for t in range(self.pair_count):
            state = self.side_hash(word, self.pairs[t, 0])
            self.left_keys[word, t] = finished(mix(state, SALT)) if state else 0
            state = self.side_hash(word, self.pairs[t, 1])
            self.right_keys[word, t] = finished(mix(state, SALT + 1)) if state else 0

    cdef int32_t end_keys(self, int32_t end, token_t word, int32_t filled) noexcept nogil:
        """Add the keys of the templates of one end, the word, behind those that are there; return how many there are.
        """
        cdef int32_t t
        for t in range(self.single_count):
            if self.singles[t, 0] == end and self.single_keys[word, t]:
                self.arcs.keys[filled] = self.single_keys[word, t]
                filled += 1
        return filled

    cdef int32_t add_pair(self, token_t i, token_t j, token_t right_sibling, token_t left_sibling, int32_t directions,
                          int32_t filled) noexcept nogil:
        """Add the keys of the templates of both ends i < j, for some directions; return how many there are.

        The siblings are those that an arc to the right or to the left would have, 0 if there is none.
        """
        cdef int32_t t, side, column
        cdef token_t sibling
        cdef hash_t key, about
        if self.children[i, 2] == 0 and self.children[j, 2] == 0:
            return filled
        for t in range(self.pair_count):
            if not (self.left_keys[i, t] and self.right_keys[j, t] and self.pairs[t, 2] & directions):
                continue
            key = self.left_keys[i, t] + self.right_keys[j, t]
            column = self.pairs[t, 3]
            if column < 0:
                self.arcs.keys[filled] = key
                filled += 1
                continue
            for side in range(2):
                sibling = left_sibling if side else right_sibling
                if sibling > 0 and self.pairs[t, 2] & directions & (1 << side):
                    # Templates that differ in this column alone have the same key so far.
                    about = (4 * <hash_t>column + 1 + side) * <hash_t>0x9E3779B97F4A7C15
                    self.arcs.keys[filled] = key + finished(mix(about, self.words.attribute(sibling, column)))
                    filled += 1
        return filled

    cdef token_t sibling_of(self, token_t h, token_t d) noexcept nogil:
        """The dependent that a head has already between it and another word, the nearest to that; 0 if none."""
        cdef token_t step = 1 if h > d else -1, w = d + step
        while w != h and self.heads[w] != h:
            w += step
        return 0 if w == h else w

    cdef void link_siblings(self) noexcept nogil:
        """Link the dependents of each head, from left to right, for `pair_keys`."""
        cdef token_t w
        memset(&self.pending[0], 0, (<size_t>self.words.n + 1) * sizeof(token_t))
        for w in range(self.words.n, 0, -1):
            if self.heads[w] >= 0:
                self.following[w] = self.pending[self.heads[w]]
                self.pending[self.heads[w]] = w

    cdef int32_t pair_keys(self, token_t i, token_t j, token_t sibling, int32_t filled) noexcept nogil:
        """Add the keys of both ends i < j for either direction, where i rises from one call to the next.

        `sibling` is the last dependent of i before j.
        """
        while 0 < self.pending[j] <= i:
            self.pending[j] = self.following[self.pending[j]]
        return self.add_pair(i, j, sibling, self.pending[j] if self.pending[j] < j else 0, 3, filled)

    cdef int32_t keys_of(self, token_t h, token_t d) noexcept nogil:
        """The keys of all features of an arc that see dependents."""
        cdef token_t sibling = self.sibling_of(h, d) if self.children[h, 2] else 0
        cdef int32_t count = self.add_pair(min(h, d), max(h, d), sibling, sibling, 1 if h < d else 2, 0)
        return self.end_keys(DEP, d, self.end_keys(HEAD, h, count))
