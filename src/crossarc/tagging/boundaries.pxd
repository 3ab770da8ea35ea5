from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, int32_t, uint16_t, uint32_t, uint8_t


# Hashes of words, character by character, and the words that are known.
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


# The input of a tokenizer.
cdef enum:
    MOST_FEATURES = 96
    MOST_CLASSES = 128
    # As in characters.py.
    EDGE = 0
    SPACE = 1
    EXTENDER = 2
    JOINER = 3
    NEW_LINE = 3
    BLANK_LINE = 4

cdef struct Text:
    Py_ssize_t n
    const uint32_t* lower
    const uint8_t* classes
    const uint8_t* gaps
    hash_t* left                # hash of the chunk from its begin to this character
    hash_t* right               # and from this character to its end
    hash_t* left_shape          # the same of the classes, equal neighbours taken as one
    hash_t* right_shape
    uint16_t* entries           # bit k: a known word of k characters begins here, in scripts without spaces
    bint dense                  # whether any bit is set

# The state after the decisions so far.
cdef struct State:
    Py_ssize_t token_begin
    hash_t token                # hash of the token so far
    hash_t previous             # hashes of the tokens before
    hash_t before_previous
    Py_ssize_t sentence_begin
    int32_t tokens              # of the sentence so far
    int32_t quotes              # marks " of the sentence so far
    int32_t depth               # open brackets
    Py_ssize_t line_begin


cdef void prepare(Text* text, Lexicon lexicon) noexcept nogil
cdef int32_t extract(const Text* text, const State* state, Lexicon lexicon, Py_ssize_t i, hash_t* keys) noexcept nogil
