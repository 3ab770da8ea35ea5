from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, offset_t, uint16_t, uint32_t, weight_t

cdef enum:
    FREE = -1
    SEEN = -2               # met in one update: its row is made when it is met again

cdef struct Slot:
    hash_t key
    int32_t row             # FREE, SEEN, or the number of a row

cdef struct Entry:
    int32_t action
    int32_t stamp           # the step at which the weight last changed
    double total            # the sum of the weight over all steps up to the stamp
    weight_t weight

cdef struct Row:
    offset_t start          # in the pool of entries
    int32_t size
    int32_t capacity

cdef class Weights:
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
    cdef public hash_t random       # where the dice stand: part of what a training that is cut in pieces carries on
    cdef readonly int32_t actions
    cdef bint cut

    cdef void score(self, const hash_t* keys, int32_t count, weight_t* scores) noexcept nogil
    cdef int update(self, const hash_t* keys, int32_t count, int32_t action, weight_t step) except -1 nogil
    cdef int change(self, int32_t row, int32_t action, weight_t step) except -1 nogil
    cdef int32_t claim(self, hash_t key) except -3 nogil
    cdef int grow(self) except -1 nogil
    cdef int resize(self, hash_t slots, offset_t rows, offset_t entries) except -1

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
