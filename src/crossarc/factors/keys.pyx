"""The keys of the features of arcs and labels, as crossarc.features.edges describes them.

All that depends on one word alone is hashed once a sentence; a pair of words then needs one addition a template.
"""
import numpy as np

from libc.stdlib cimport abs
from libc.string cimport memset

from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, int32_t, token_t


cdef enum:
    # The addresses of a label template after those of the two ends.
    GRAND = 2
    SIB = 3
    CHILD = 4
    DISTANCE = 5
    # How an atom of a template looks at a word: itself, its dependents, or their number; as `VIA` of the templates.
    VIA_CHILDREN = 1
    VIA_NUMBER = 3
    MANY = 3                # dependents from so many on count as so many
    NO_SIBLING = -1
    SALT = 27               # keys that see dependents are unlike all others


cdef class Words:
    """The attributes of node 0 and the words 1 to n, one column for each attribute of a feature model."""

    def __init__(self, int32_t columns):
        self.columns = columns


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

    cdef int32_t plain_keys(self, token_t i, token_t j, hash_t* keys) noexcept nogil:
        """Write the keys of the templates of both ends i < j, without those with words between; return how many."""
        cdef int32_t t
        cdef const hash_t* left = &self.left_keys[i, 0]
        cdef const hash_t* right = &self.right_keys[j, 0]
        for t in range(self.plain_pairs):
            keys[t] = left[t] + right[t]
        for t in range(self.first_distance, self.plain_pairs):
            keys[t] += finished(<hash_t>(j - i))
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
        cdef int32_t t, filled = self.plain_keys(i, j, self.keys)
        for t in range(self.pair_count - self.plain_pairs):
            filled = self.between_keys(i, j, between, t, filled)
        return filled

    cdef int32_t keys_of(self, token_t h, token_t d) noexcept nogil:
        """The keys of all features of one arc, or of those of both ends of an undirected edge."""
        cdef token_t i = min(h, d), j = max(h, d), w
        cdef int32_t t, total = 0, direction = 1 if h < d else 2
        cdef Between between
        for t in range(self.plain_keys(i, j, self.keys)):
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


cdef class LabelKeys:
    """The label templates of a feature model at work on one sentence at a time.

    Templates are left out that look at more than there is: the whole "tree", "dependents", or "ends", the arc alone.
    """

    def __init__(self, model, Words words, see):
        self.words = words
        self.distances = model.distances
        hidden = {"tree": (), "dependents": (GRAND, SIB), "ends": (GRAND, SIB, CHILD)}[see]
        self.numbers = np.flatnonzero(~np.isin(model.labels[:, :, 0], hidden).any(axis=1)).astype(np.int32)
        self.cells = np.ascontiguousarray(model.labels[self.numbers])
        self.templates, self.widest = self.cells.shape[:2]

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.kin = np.zeros((n + 1, 4), dtype=np.int32)
        self.previous = np.zeros(n + 1, dtype=np.int32)
        return 0

    cdef void find_kin(self, const token_t* heads) noexcept nogil:
        """The siblings and outermost dependents of all words, of which some may have no head (-1)."""
        cdef token_t d, h
        memset(&self.kin[0, 0], -1, (<size_t>self.words.n + 1) * 4 * sizeof(token_t))
        memset(&self.previous[0], -1, (<size_t>self.words.n + 1) * sizeof(token_t))
        for d in range(1, self.words.n + 1):
            h = heads[d]
            if h < 0:
                continue
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
            state = (4 * <hash_t>self.numbers[t] + side) * <hash_t>0x9E3779B97F4A7C15
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


cdef class DependentKeys:
    """The templates with dependents of a feature model at work; keys go to those of `arcs`, behind them.

    Templates with the labels of dependents are left out unless these are `labelled`.
    """

    def __init__(self, model, ArcKeys arcs, bint labelled):
        self.words = arcs.words
        self.arcs = arcs
        self.singles, self.pairs = model.late_singles, model.late_pairs
        if not labelled:
            plain = np.array([(model.atoms[i:j, 0] != LABEL).all() for i, j in zip(model.sides, model.sides[1:])])
            self.singles = model.late_singles[plain[model.late_singles[:, 1]]]
            own = plain[model.late_pairs[:, :2]].all(axis=1) & (model.late_pairs[:, 3] != LABEL)
            self.pairs = model.late_pairs[own]
        self.single_count, self.pair_count = self.singles.shape[0], self.pairs.shape[0]

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.children = np.zeros((n + 1, 3), dtype=np.int32)
        self.heads = np.zeros(n + 1, dtype=np.int32)
        self.labels = np.zeros(n + 1, dtype=np.int32)
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
            state = mix(state, self.attribute(seen, self.arcs.atoms[a, 0]))
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
            if column == NO_SIBLING:
                self.arcs.keys[filled] = key
                filled += 1
                continue
            for side in range(2):
                sibling = left_sibling if side else right_sibling
                if sibling > 0 and self.pairs[t, 2] & directions & (1 << side):
                    # Templates that differ in this column alone have the same key so far.
                    about = (4 * <hash_t>column + 1 + side) * <hash_t>0x9E3779B97F4A7C15
                    self.arcs.keys[filled] = key + finished(mix(about, self.attribute(sibling, column)))
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
