# The words of the sentence at hand, and what hashes of them share: see words.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, token_t

cdef enum:
    # The ends of an arc, as in the tables of a feature model.
    HEAD = 0
    DEP = 1


cdef inline int32_t distance_class(token_t distance) noexcept nogil:
    """The class of a distance: each up to five on its own, up to ten, and more."""
    return distance - 1 if distance <= 5 else 5 if distance <= 10 else 6


cdef inline hash_t finished(hash_t state) noexcept nogil:
    """A hash whose every bit depends on all that went into it, so that sums of two are good hashes too."""
    state = (state ^ (state >> 32)) * <hash_t>0xD6E8FEB86659FD93
    return state ^ (state >> 32)


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
