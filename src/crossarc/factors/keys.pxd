# The keys of the features of parts: see keys.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, label_t, token_t
from crossarc.learning.scorers cimport MOST_KEYS

cdef enum:
    # The ends of an arc, as in the tables of a feature model.
    HEAD = 0
    DEP = 1
    LABEL = -2              # in the place of an attribute's column: the label of a dependent
    MOST_BETWEEN = 64       # kinds of words between two that are looked at
    MOST_PASSING = 4        # templates that look at them, as in crossarc.features.edges


cdef struct Between:
    # The words between two: for each template that looks at them, the kinds that there are.
    int32_t counts[MOST_PASSING]
    hash_t kinds[MOST_PASSING][MOST_BETWEEN]


cdef inline int32_t distance_class(token_t distance) noexcept nogil:
    """The class of a distance: each up to five on its own, up to ten, and more."""
    return distance - 1 if distance <= 5 else 5 if distance <= 10 else 6


cdef inline hash_t finished(hash_t state) noexcept nogil:
    """A hash whose every bit depends on all that went into it, so that sums of two are good hashes too."""
    state = (state ^ (state >> 32)) * <hash_t>0xD6E8FEB86659FD93
    return state ^ (state >> 32)


cdef inline void clear(Between* between) noexcept nogil:
    """Begin with two words side by side."""
    cdef int32_t t
    for t in range(MOST_PASSING):
        between.counts[t] = 0


cdef class Words:
    cdef token_t n
    cdef int32_t columns
    cdef const int32_t* tokens

    cdef inline int32_t value(self, token_t word, int32_t column) noexcept nogil:
        """The number that an attribute has for a word of the sentence."""
        return self.tokens[<Py_ssize_t>word * self.columns + column]

    cdef inline hash_t attribute(self, token_t word, int32_t column) noexcept nogil:
        """The same as something to hash; 0 for places outside the sentence."""
        if word < 0 or word > self.n:
            return 0
        return <hash_t>(self.value(word, column) + 2)

    cdef inline void read(self, const int32_t* tokens, token_t n) noexcept nogil:
        """Go to a sentence of n words."""
        self.tokens = tokens
        self.n = n


cdef class ArcKeys:
    cdef Words words
    cdef bint undirected
    cdef bint distances                 # whether each class of them has weights of its own
    cdef int32_t single_count, pair_count, first_distance, plain_pairs
    cdef const int32_t[:, ::1] atoms
    cdef const int32_t[::1] sides
    cdef const int32_t[:, ::1] singles
    cdef const int32_t[:, ::1] pairs
    # Of the sentence at hand.
    cdef hash_t[:, ::1] single_keys     # by word: the key of each template of one end
    cdef hash_t[:, ::1] left_keys       # by word: its part of the key of each template of both ends, on the left
    cdef hash_t[:, ::1] right_keys      # and on the right
    cdef hash_t keys[MOST_KEYS]

    cdef int reserve(self, token_t n) except -1
    cdef hash_t side_hash(self, token_t word, int32_t side) noexcept nogil
    cdef void prepare(self) noexcept nogil
    cdef int32_t end_keys(self, int32_t end, token_t word) noexcept nogil
    cdef int32_t plain_keys(self, token_t i, token_t j, hash_t* keys) noexcept nogil
    cdef void pass_word(self, Between* between, token_t word) noexcept nogil
    cdef int32_t between_keys(self, token_t i, token_t j, const Between* between, int32_t t,
                              int32_t filled) noexcept nogil
    cdef int32_t pair_keys(self, token_t i, token_t j, const Between* between) noexcept nogil
    cdef int32_t keys_of(self, token_t h, token_t d) noexcept nogil


cdef class LabelKeys:
    cdef Words words
    cdef bint distances                 # whether they are told apart by class alone
    cdef int32_t templates
    cdef const int32_t[::1] numbers     # of the templates in the feature model
    cdef int32_t widest                 # terms of a template
    cdef const int32_t[:, :, ::1] cells
    cdef token_t[:, ::1] kin            # by word: siblings on the left and right, outermost dependents on either side
    cdef token_t[::1] previous
    cdef hash_t keys[MOST_KEYS]

    cdef int reserve(self, token_t n) except -1
    cdef void find_kin(self, const token_t* heads) noexcept nogil
    cdef int32_t keys_of(self, token_t h, token_t d, const token_t* heads) noexcept nogil


cdef class DependentKeys:
    cdef Words words
    cdef ArcKeys arcs
    cdef const int32_t[:, ::1] singles
    cdef const int32_t[:, ::1] pairs
    cdef int32_t single_count, pair_count
    # Of the sentence at hand, by word.
    cdef token_t[:, ::1] children       # the leftmost and the rightmost dependent so far, and how many there are
    cdef token_t[::1] heads             # so far; -1 for words that have none
    cdef label_t[::1] labels            # of words that have heads, if templates see them
    cdef token_t[::1] following         # the next dependent of the same head, 0 if there is none
    cdef token_t[::1] pending           # while pairs are passed: the first dependent behind the left word
    cdef hash_t[:, ::1] single_keys     # as in ArcKeys; 0 where a dependent that is looked at is not there
    cdef hash_t[:, ::1] left_keys
    cdef hash_t[:, ::1] right_keys

    cdef inline hash_t attribute(self, token_t word, int32_t column) noexcept nogil:
        """An attribute of a word or its label, as something to hash."""
        return <hash_t>(self.labels[word] + 2) if column == LABEL else self.words.attribute(word, column)

    cdef int reserve(self, token_t n) except -1
    cdef void begin(self) noexcept nogil
    cdef void attach(self, token_t h, token_t d) noexcept nogil
    cdef hash_t side_hash(self, token_t word, int32_t side) noexcept nogil
    cdef void prepare_word(self, token_t word) noexcept nogil
    cdef int32_t end_keys(self, int32_t end, token_t word, int32_t filled) noexcept nogil
    cdef int32_t add_pair(self, token_t i, token_t j, token_t right_sibling, token_t left_sibling, int32_t directions,
                          int32_t filled) noexcept nogil
    cdef token_t sibling_of(self, token_t h, token_t d) noexcept nogil
    cdef void link_siblings(self) noexcept nogil
    cdef int32_t pair_keys(self, token_t i, token_t j, token_t sibling, int32_t filled) noexcept nogil
    cdef int32_t keys_of(self, token_t h, token_t d) noexcept nogil
