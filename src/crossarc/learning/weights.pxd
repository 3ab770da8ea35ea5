from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, offset_t, uint16_t, uint32_t, weight_t

cdef enum:
    FREE = -1
    SEEN = -2               # met in one update; one less for each further one, until its row is due
    MOST_KEYS = 512         # that one decision has
    MOST_ACTIONS = 1 << 16  # a cell counts them in 16 bits

cdef struct Slot:
    hash_t key
    int32_t row             # FREE, SEEN or less, or the number of a row

cdef struct Entry:
    int32_t action
    int32_t stamp           # the step at which the weight last changed
    double total            # the sum of the weight over all steps up to the stamp
    weight_t weight
    weight_t squares        # the sum of its squared gradients, for learners with a rate for each weight

cdef struct Row:
    offset_t start          # in the pool of entries
    int32_t size
    int32_t capacity

# Whatever gives each action a score in a state: weights, or support vectors.
cdef class Scorer:
    # `tag` is the part of speech of the first word in the buffer, and one more: 0 where there is none.
    cdef void score_state(self, const hash_t* keys, int32_t count, int32_t tag, weight_t* scores) noexcept nogil

cdef class Weights(Scorer):
    cdef Slot* slots
    cdef hash_t mask
    cdef hash_t used
    cdef Row* rows
    cdef int32_t row_count
    cdef int32_t row_capacity
    cdef Entry* entries
    cdef offset_t entry_count
    cdef offset_t entry_capacity
    cdef public int32_t now
    cdef readonly int32_t actions
    cdef int32_t cut

    cdef void score(self, const hash_t* keys, int32_t count, weight_t* scores) noexcept nogil
    cdef int update(self, const hash_t* keys, int32_t count, int32_t action, weight_t step) except -1 nogil
    cdef int32_t claim_rows(self, const hash_t* keys, int32_t count, int32_t* rows) except -1 nogil
    cdef int change(self, int32_t row, int32_t action, weight_t step) except -1 nogil
    cdef Entry* entry_of(self, int32_t row, int32_t action) except NULL nogil
    cdef int32_t find(self, hash_t key) noexcept nogil
    cdef int32_t claim(self, hash_t key) except -3 nogil
    cdef int grow(self) except -1 nogil

# The weights of a trained model: a small place in a table for each key, and somewhere else its cells. The lower bits
# of a key say where its place is and the upper 32 are kept there; all of a key would double the table, which is what
# a parser waits for, and two keys alike in all those bits are as good as never met.
cdef struct Place:
    uint32_t check
    uint32_t start          # of its cells: the first holds their number as its action; 0 where the place is free

cdef struct Cell:
    uint16_t action
    int16_t weight

cdef struct Packed:
    const Place* places
    const Cell* cells
    hash_t mask
    int32_t actions

cdef void score_packed(const Packed* packed, const hash_t* keys, int32_t count, int32_t* scores) noexcept nogil
