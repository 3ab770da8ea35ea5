"""The keys of the features of arcs, as crossarc.features.edges describes them.

All that depends on one word alone is hashed once a sentence; what is left to do for a pair of words is an addition a
template.
"""

import numpy as np

from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, int32_t, token_t
from crossarc.factors.words cimport HEAD, Words, finished


cdef class ArcKeys:
    """The arc templates of a feature model at work on one sentence at a time.

    With `undirected` features do not know which end is the head, only which is on the left.
    """

    def __init__(self, model, Words words, bint undirected):
        self.words = words
        self.undirected = undirected
        self.distances = model.distances
        self.atoms, self.sides, self.singles, self.pairs = model.atoms, model.sides, model.singles, model.pairs
        if undirected:      # a template of either end is one of any end
            self.singles = np.array([[HEAD, side] for side in dict.fromkeys(model.singles[:, 1].tolist())],
                                    dtype=np.int32).reshape(-1, 2)
        self.single_count = len(self.singles)
        self.pair_count = len(model.pairs)
        self.first_distance = int((model.pairs[:, 3] == 0).sum())
        self.plain_pairs = int((model.pairs[:, 3] != 1).sum())

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.single_keys = np.zeros((n + 1, max(1, self.single_count)), dtype=np.uint64)
        self.left_keys = np.zeros((n + 1, max(1, self.pair_count)), dtype=np.uint64)
        self.right_keys = np.zeros((n + 1, max(1, self.pair_count)), dtype=np.uint64)
        return 0

    cdef hash_t side_hash(self, token_t word, int32_t side) noexcept nogil:
        """The hash of a bundle of things that are looked at from a word."""
        cdef hash_t state = 0x51ED270B + <hash_t>side * <hash_t>0x9E3779B97F4A7C15
        cdef int32_t a
        for a in range(self.sides[side], self.sides[side + 1]):
            state = mix(state, self.words.attribute(word + self.atoms[a, 1], self.atoms[a, 0]))
        return state

    cdef void prepare(self) noexcept nogil:
        """Hash all that depends on one word alone."""
        cdef token_t w
        cdef int32_t t
        cdef hash_t salt
        for w in range(self.words.n + 1):
            for t in range(self.single_count):
                salt = 1 + self.singles[t, 0]
                self.single_keys[w, t] = finished(mix(self.side_hash(w, self.singles[t, 1]), salt))
            for t in range(self.pair_count):
                salt = 3 + 8 * self.pairs[t, 3] + 32 * self.pairs[t, 4]
                self.left_keys[w, t] = finished(mix(self.side_hash(w, self.pairs[t, 0]), salt))
                self.right_keys[w, t] = finished(mix(self.side_hash(w, self.pairs[t, 1]), salt + 1))

    cdef int32_t end_keys(self, int32_t end, token_t word) noexcept nogil:
        """Fill in the keys of all templates of one end, the word; return how many."""
        cdef int32_t t, filled = 0
        for t in range(self.single_count):
            if self.singles[t, 0] == end:
                self.keys[filled] = self.single_keys[word, t]
                filled += 1
        return filled

    cdef int32_t plain_keys(self, token_t i, token_t j) noexcept nogil:
        """The keys of the templates of both ends i < j, but for those with words between."""
        cdef int32_t t
        cdef const hash_t* left = &self.left_keys[i, 0]
        cdef const hash_t* right = &self.right_keys[j, 0]
        for t in range(self.plain_pairs):
            self.keys[t] = left[t] + right[t]
        for t in range(self.first_distance, self.plain_pairs):
            self.keys[t] += finished(<hash_t>(j - i))
        return self.plain_pairs

    cdef void pass_word(self, Between* between, token_t word) noexcept nogil:
        """Add one more word between, for each template the kind of it, if it is new."""
        cdef int32_t t, k, count
        cdef hash_t kind
        for t in range(self.pair_count - self.plain_pairs):
            kind = finished(self.words.attribute(word, self.pairs[self.plain_pairs + t, 4]))
            count = between.counts[t]
            k = 0
            while k < count and between.kinds[t][k] != kind:
                k += 1
            if k == count < MOST_BETWEEN:
                between.kinds[t][k] = kind
                between.counts[t] += 1

    cdef int32_t between_keys(self, token_t i, token_t j, const Between* between, int32_t t,
                              int32_t filled) noexcept nogil:
        """The keys of a template with words between, one for each kind of word, behind those that are there."""
        cdef hash_t both = self.left_keys[i, self.plain_pairs + t] + self.right_keys[j, self.plain_pairs + t]
        cdef int32_t k
        for k in range(between.counts[t]):
            self.keys[filled + k] = both + between.kinds[t][k]
        return filled + between.counts[t]

    cdef int32_t pair_keys(self, token_t i, token_t j, const Between* between) noexcept nogil:
        """The keys of the templates of both ends i < j, for either direction."""
        cdef int32_t t, filled = self.plain_keys(i, j)
        for t in range(self.pair_count - self.plain_pairs):
            filled = self.between_keys(i, j, between, t, filled)
        return filled

    cdef int32_t keys_of(self, token_t h, token_t d) noexcept nogil:
        """The keys of all features of one arc, or of those of both ends of an undirected edge."""
        cdef token_t i = min(h, d), j = max(h, d), w
        cdef int32_t t, total = 0, direction = 1 if h < d else 2
        cdef Between between
        for t in range(self.plain_keys(i, j)):
            if self.undirected or self.pairs[t, 2] & direction:
                self.keys[total] = self.keys[t]
                total += 1
        clear(&between)
        for w in range(i + 1, j):
            self.pass_word(&between, w)
        for t in range(self.pair_count - self.plain_pairs):
            if self.undirected or self.pairs[self.plain_pairs + t, 2] & direction:
                total = self.between_keys(i, j, &between, t, total)
        if self.undirected:
            return total
        for t in range(self.single_count):
            self.keys[total] = self.single_keys[h if self.singles[t, 0] == HEAD else d, t]
            total += 1
        return total
