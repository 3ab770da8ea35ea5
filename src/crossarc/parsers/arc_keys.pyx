"""The keys of the features of arcs and of their labels, as crossarc.features.edges describes them.

All that depends on one word alone is hashed once a sentence; what is left to do for a pair of words is an addition a
template.
"""

import numpy as np

from libc.stdlib cimport abs
from libc.string cimport memset

from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, int32_t, token_t


cdef class ArcKeys:
    """A feature model at work on one sentence at a time.

    With `undirected` features do not know which end is the head, only which is on the left. With `joint` labels are
    looked at before there is a tree, so by the two ends alone.
    """

    def __init__(self, model, int32_t columns, bint undirected, bint joint):
        self.columns = columns
        self.undirected = undirected
        self.joint = joint
        self.distances = model.distances
        self.atoms, self.sides, self.singles, self.pairs = model.atoms, model.sides, model.singles, model.pairs
        if undirected:      # a template of either end is one of any end
            self.singles = np.array([[HEAD, side] for side in dict.fromkeys(model.singles[:, 1].tolist())],
                                    dtype=np.int32).reshape(-1, 2)
        self.label_cells = model.labels
        if joint:
            # Siblings and the like are not known before the tree is.
            own = ~np.isin(model.labels[:, :, 0], (GRAND, SIB, CHILD)).any(axis=1)
            self.label_cells = np.ascontiguousarray(model.labels[own])
        self.single_count = len(self.singles)
        self.pair_count = len(model.pairs)
        self.first_distance = int((model.pairs[:, 3] == 0).sum())
        self.plain_pairs = int((model.pairs[:, 3] != 1).sum())
        self.label_templates = len(self.label_cells)

    def reserve(self, token_t n):
        """Make room for sentences of up to n words."""
        self.single_keys = np.zeros((n + 1, max(1, self.single_count)), dtype=np.uint64)
        self.left_keys = np.zeros((n + 1, max(1, self.pair_count)), dtype=np.uint64)
        self.right_keys = np.zeros((n + 1, max(1, self.pair_count)), dtype=np.uint64)
        self.kin = np.zeros((n + 1, 4), dtype=np.int32)
        self.previous = np.zeros(n + 1, dtype=np.int32)

    cdef hash_t side_hash(self, token_t word, int32_t side) noexcept nogil:
        """The hash of a bundle of things that are looked at from a word."""
        cdef hash_t state = 0x51ED270B + <hash_t>side * <hash_t>0x9E3779B97F4A7C15
        cdef int32_t a
        for a in range(self.sides[side], self.sides[side + 1]):
            state = mix(state, self.attribute(word + self.atoms[a, 1], self.atoms[a, 0]))
        return state

    cdef void prepare(self, const int32_t* tokens, token_t n) noexcept nogil:
        """Hash all that depends on one word alone."""
        cdef token_t w
        cdef int32_t t
        cdef hash_t salt
        self.tokens = tokens
        self.n = n
        for w in range(n + 1):
            for t in range(self.single_count):
                salt = 1 + self.singles[t, 0]
                self.single_keys[w, t] = finished(mix(self.side_hash(w, self.singles[t, 1]), salt))
            for t in range(self.pair_count):
                salt = 3 + 8 * self.pairs[t, 3] + 32 * self.pairs[t, 4]
                self.left_keys[w, t] = finished(mix(self.side_hash(w, self.pairs[t, 0]), salt))
                self.right_keys[w, t] = finished(mix(self.side_hash(w, self.pairs[t, 1]), salt + 1))

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

    cdef int32_t between_keys(self, token_t i, token_t j, const hash_t* kinds, int32_t count, int32_t t,
                              int32_t filled) noexcept nogil:
        """The keys of a template with words between, one for each kind of word, behind those that are there."""
        cdef int32_t k
        for k in range(count):
            self.keys[filled + k] = self.left_keys[i, t] + self.right_keys[j, t] + kinds[k]
        return filled + count

    cdef int32_t add_kind(self, token_t word, int32_t column, hash_t* kinds, int32_t count) noexcept nogil:
        """Add the kind of one more word between, if it is new."""
        cdef hash_t kind = finished(self.attribute(word, column))
        cdef int32_t k
        if count == MOST_BETWEEN:
            return count
        for k in range(count):
            if kinds[k] == kind:
                return count
        kinds[count] = kind
        return count + 1

    cdef int32_t arc_keys(self, token_t h, token_t d) noexcept nogil:
        """The keys of all features of one arc, or of those of both ends of an undirected edge."""
        cdef token_t i = min(h, d), j = max(h, d), w
        cdef int32_t t, count, filled, total = 0, direction = 1 if h < d else 2
        cdef hash_t kinds[MOST_BETWEEN]
        filled = self.plain_keys(i, j)
        for t in range(filled):
            if self.undirected or self.pairs[t, 2] & direction:
                self.keys[total] = self.keys[t]
                total += 1
        for t in range(self.plain_pairs, self.pair_count):
            if not (self.undirected or self.pairs[t, 2] & direction):
                continue
            count = 0
            for w in range(i + 1, j):
                count = self.add_kind(w, self.pairs[t, 4], kinds, count)
            total = self.between_keys(i, j, kinds, count, t, total)
        if self.undirected:
            return total
        for t in range(self.single_count):
            self.keys[total] = self.single_keys[h if self.singles[t, 0] == HEAD else d, t]
            total += 1
        return total

    cdef void find_kin(self, const token_t* heads) noexcept nogil:
        """The siblings and outermost dependents of all words of a tree."""
        cdef token_t d, h
        memset(&self.kin[0, 0], -1, (<size_t>self.n + 1) * 4 * sizeof(token_t))
        memset(&self.previous[0], -1, (<size_t>self.n + 1) * sizeof(token_t))
        for d in range(1, self.n + 1):
            h = heads[d]
            self.kin[d, 0] = self.previous[h]
            if self.previous[h] >= 0:
                self.kin[self.previous[h], 1] = d
            else:
                self.kin[h, 2] = d
            self.kin[h, 3] = d
            self.previous[h] = d

    cdef int32_t label_keys(self, token_t h, token_t d, const token_t* heads) noexcept nogil:
        """The keys of all features of the label of an arc; `heads` are those of the tree, if it is there."""
        cdef token_t word
        cdef int32_t t, c, address, offset
        cdef hash_t state, side = 1 if h < d else 2
        for t in range(self.label_templates):
            # A product, not a sum: small numbers are XORed in next, and must not make one template look like another.
            state = (4 * <hash_t>t + side) * <hash_t>0x9E3779B97F4A7C15
            for c in range(WIDEST):
                address = self.label_cells[t, c, 0]
                if address < 0:
                    break
                offset = self.label_cells[t, c, 1]
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
                state = mix(state, self.attribute(word, self.label_cells[t, c, 2]))
            self.keys[t] = finished(state)
        return self.label_templates
