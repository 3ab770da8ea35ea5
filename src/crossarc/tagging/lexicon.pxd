# Hashes of words, character by character, and the words that are known.
from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, uint8_t, uint32_t

cdef extern from *:
    """
    #define CROSSARC_SEED 0x5851F42D4C957F2DULL
    """
    hash_t SEED "CROSSARC_SEED"     # the hash of the empty word


cdef inline hash_t roll(hash_t state, uint32_t character) noexcept nogil:
    """The hash of a string with one more character."""
    return mix(state, <hash_t>character + 1)


cdef inline hash_t join(hash_t a, hash_t b) noexcept nogil:
    """One number for two."""
    return mix(mix(SEED, a), b)


cdef class Lexicon:
    cdef readonly object keys
    cdef readonly object flags
    cdef const hash_t[::1] key_view
    cdef const uint8_t[::1] flag_view
    cdef hash_t mask

    cdef uint8_t find(self, hash_t key) noexcept nogil
