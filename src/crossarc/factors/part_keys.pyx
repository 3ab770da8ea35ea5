"""The keys of the features of pairs of arcs, as crossarc.features.edges describes them.

The key of three words is the sum of three hashes, each made once a word, so that all pairs with one arc in common share
the sum of its two words.
"""
import numpy as np

from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, int32_t, token_t
from crossarc.factors.arcs cimport ArcKeys, finished


cdef hash_t SALT = 0xA0761D6478BD642F
cdef hash_t NOTHING = 0x8EBC6AF09C88C6E3


cdef class PartKeys:
    """The templates of siblings and grandchildren of a feature model at work on one sentence at a time."""

    def __init__(self, model, ArcKeys arcs):
        self.arcs = arcs
        self.words = arcs.words
        self.sides = np.concatenate([model.siblings, model.grandchildren])
        self.counts[SIBLINGS] = len(model.siblings)
        self.counts[GRANDCHILDREN] = len(model.grandchildren)
        self.side_count = len(model.sides) - 1
        for slot in range(PAIR_SLOTS):
            self.salts[slot] = finished(SALT * <hash_t>(slot + 1))
        # Without the third word, templates say the same that differ in what they look at there.
        both = (model.siblings, model.grandchildren)
        bare = [np.unique(sides[:, :2], axis=0, return_index=True)[1] for sides in both]
        self.bare = np.concatenate([np.sort(each) for each in bare]).astype(np.int32)
        self.bare_counts[SIBLINGS], self.bare_counts[GRANDCHILDREN] = map(len, bare)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.side_hashes = np.zeros((n + 2, max(1, self.side_count)), dtype=np.uint64)
        self.word_keys = np.zeros((n + 2, 3, max(1, len(self.sides))), dtype=np.uint64)
        return 0

    cdef void prepare(self) noexcept nogil:
        """Hash all that depends on one word alone."""
        cdef token_t w, none = self.words.n + 1
        cdef int32_t place, t, side, count = <int32_t>self.sides.shape[0]
        cdef hash_t state
        for w in range(none):
            for side in range(self.side_count):
                self.side_hashes[w, side] = self.arcs.side_hash(w, side)
        for side in range(self.side_count):
            self.side_hashes[none, side] = NOTHING
        for w in range(none + 1):
            for place in range(3):
                for t in range(count):
                    state = mix(self.side_hashes[w, self.sides[t, place]], SALT * <hash_t>(3 * t + place + 1))
                    self.word_keys[w, place, t] = finished(state)

    cdef void begin(self, int32_t kind, token_t first, token_t second) noexcept nogil:
        """Go to the pairs that have the first two of three words in common."""
        cdef int32_t t, begin = self.counts[SIBLINGS] if kind == GRANDCHILDREN else 0
        cdef const hash_t* one = &self.word_keys[first, 0, begin]
        cdef const hash_t* other = &self.word_keys[second, 1, begin]
        for t in range(self.counts[kind]):
            self.base[t] = one[t] + other[t]

    cdef int32_t fill(self, int32_t kind, token_t third, int32_t slot) noexcept nogil:
        """Fill in the keys of a pair, given the third word, -1 if there is none; return how many.

        Keys are told apart by the slot: what the third word is and in which direction. Those before the last stay.
        """
        cdef int32_t t, begin = self.counts[SIBLINGS] if kind == GRANDCHILDREN else 0
        cdef int32_t first = self.bare_counts[SIBLINGS] if kind == GRANDCHILDREN else 0
        cdef const hash_t* own = &self.word_keys[third if third >= 0 else self.words.n + 1, 2, begin]
        cdef hash_t salt = self.salts[slot]
        cdef hash_t* keys
        self.current = 1 - self.current
        keys = self.buffers[self.current]
        if third < 0:
            for t in range(self.bare_counts[kind]):
                keys[t] = self.base[self.bare[first + t]] + own[self.bare[first + t]] + salt
            return self.bare_counts[kind]
        for t in range(self.counts[kind]):
            keys[t] = self.base[t] + own[t] + salt
        return self.counts[kind]
