# The keys of the features of arcs and labels: see arc_keys.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, token_t

cdef enum:
    MOST_KEYS_HERE = 512    # as many as are scored at a time: 128 templates and some with words between
    MOST_BETWEEN = 64       # kinds of words between two that are looked at
    WIDEST = 6
    HEAD = 0
    DEP = 1
    GRAND = 2
    SIB = 3
    CHILD = 4
    DISTANCE = 5

cdef inline int32_t distance_class(token_t distance) noexcept nogil:
    """Each distance up to five on its own, up to ten, and more."""
    return distance - 1 if distance <= 5 else 5 if distance <= 10 else 6


cdef inline hash_t finished(hash_t state) noexcept nogil:
    """A hash whose every bit depends on all that went into it, so that sums of two are good hashes too."""
    state = (state ^ (state >> 32)) * <hash_t>0xD6E8FEB86659FD93
    return state ^ (state >> 32)


cdef class ArcKeys:
    cdef bint undirected
    cdef bint joint
    cdef bint distances                 # whether each class of them has weights of its own
    cdef int32_t columns
    cdef int32_t single_count, pair_count, first_distance, plain_pairs, label_templates
    cdef const int32_t[:, ::1] atoms
    cdef const int32_t[::1] sides
    cdef const int32_t[:, ::1] singles
    cdef const int32_t[:, ::1] pairs
    cdef const int32_t[:, :, ::1] label_cells
    # Of the sentence at hand.
    cdef token_t n
    cdef const int32_t* tokens
    cdef hash_t[:, ::1] single_keys     # by word: the key of each template of one end
    cdef hash_t[:, ::1] left_keys       # by word: its part of the key of each template of both ends, on the left
    cdef hash_t[:, ::1] right_keys      # and on the right
    cdef token_t[:, ::1] kin            # by word: siblings on the left and right, outermost dependents on either side
    cdef token_t[::1] previous
    cdef hash_t keys[MOST_KEYS_HERE]

    cdef inline hash_t attribute(self, token_t word, int32_t column) noexcept nogil:
        """What a word is, as something to hash; nothing where there is no word."""
        if word < 0 or word > self.n:
            return 0
        return <hash_t>(self.tokens[<Py_ssize_t>word * self.columns + column] + 2)

    cdef hash_t side_hash(self, token_t word, int32_t side) noexcept nogil
    cdef void prepare(self, const int32_t* tokens, token_t n) noexcept nogil
    cdef int32_t plain_keys(self, token_t i, token_t j) noexcept nogil
    cdef int32_t between_keys(self, token_t i, token_t j, const hash_t* kinds, int32_t count, int32_t t,
                              int32_t filled) noexcept nogil
    cdef int32_t add_kind(self, token_t word, int32_t column, hash_t* kinds, int32_t count) noexcept nogil
    cdef int32_t arc_keys(self, token_t h, token_t d) noexcept nogil
    cdef void find_kin(self, const token_t* heads) noexcept nogil
    cdef int32_t label_keys(self, token_t h, token_t d, const token_t* heads) noexcept nogil
