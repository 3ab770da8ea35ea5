from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, offset_t, uint16_t, uint32_t, weight_t


# Scorers compute scores from feature keys.
cdef enum:
    MOST_KEYS = 512         # that are scored at a time


cdef inline int32_t padded(int32_t actions) noexcept nogil:
    """Actions in whole vectors of eight."""
    return (actions + 7) & ~7


cdef inline int32_t score_room(int32_t actions) noexcept nogil:
    """How many scores `Scorer.score` may write: whole vectors, and one that a damaged model file could ask for."""
    return padded(actions) + 1


cdef class Scorer:
    cdef readonly int32_t actions
    cdef readonly double unit

    cdef void score(self, const hash_t* keys, int32_t count, int32_t group, weight_t* out) noexcept nogil
    cdef void warm(self, const hash_t* keys, int32_t count) noexcept nogil


cdef enum:
    MOST_ACTIONS = 1 << 16  # a cell counts them in 16 bits
    DENSE = 0x40000000
    SPARE = 8               # a row is dense where more than one in so many actions has a weight
    BUCKET = 8              # keys in a bucket; as in the C code of packed.pyx

# The weights of a trained model: for each key an entry in one of many buckets, and somewhere else its cells or its row.
# A bucket is what memory brings at a time: the checks of eight keys and behind them eight starts, all of which are
# compared at once. The lower half of a key says which bucket is its own and the upper half is its check; all of a key
# would double the table, which is what a parser waits for, and two keys alike in all those bits are as good as never
# met. A start is that of cells, the first of which holds their number, or from DENSE on the number of a dense row; 0 is
# a free one. Buckets are filled from the front, and keys whose own bucket is full are in the next.
cdef struct Cell:
    uint16_t action
    int16_t weight

cdef inline hash_t bucket_of(hash_t key, hash_t size) noexcept nogil:
    """Where the search for a key begins: its lower half as a share of the size."""
    return (<hash_t><uint32_t>key * size) >> 32

cdef class PackedWeights(Scorer):
    cdef readonly object buckets
    cdef readonly object cells
    cdef readonly object rows
    cdef readonly object keys
    cdef const uint32_t* bucket_data
    cdef const Cell* cell_data
    cdef const int16_t* row_data        # of the dense rows
    cdef hash_t size                    # how many buckets


cdef struct Slot:
    hash_t key              # 0 where the slot is free
    uint32_t start          # of the row in the pool; before there is one, the last step at which the key was met
    uint16_t size           # of the row; before there is one, at how many steps the key was met
    uint16_t room           # 0 before there is a row

cdef struct Entry:
    int32_t action
    weight_t weight

cdef class Weights(Scorer):
    cdef Slot* slots
    cdef hash_t mask
    cdef hash_t used
    cdef Py_ssize_t row_count
    cdef Entry* entries         # the pool of all rows
    cdef double* step_sums           # for each entry the sum of its changes, each times the number of steps before it
    cdef weight_t* squares      # for each entry the sum of its squared gradients; NULL for learners without need of it
    cdef Py_ssize_t entry_count
    cdef Py_ssize_t entry_room
    cdef public offset_t now    # the step
    cdef public hash_t random   # the state of the random numbers, which a resumed training goes on with
    cdef uint16_t cut

    cdef int update(self, const hash_t* keys, int32_t count, int32_t action, weight_t step) except -1 nogil
    cdef Slot* due(self, hash_t key) except? NULL nogil
    cdef int change(self, Slot* slot, int32_t action, weight_t step) except -1 nogil
    cdef Py_ssize_t entry_of(self, Slot* slot, int32_t action) except -1 nogil
    cdef Slot* claim(self, hash_t key) except NULL nogil
    cdef int grow(self) except -1 nogil
    cdef int reserve(self, Py_ssize_t count) except -1 nogil
    cdef double average(self, Py_ssize_t entry) noexcept nogil

    cdef inline void add_to(self, Py_ssize_t entry, weight_t step) noexcept nogil:
        """Add to one weight; it holds from this step on, this step included."""
        self.entries[entry].weight += step
        self.step_sums[entry] += step * <double>max(self.now - 1, 0)


# The weights of features that have one each.
cdef class SingleWeights(Scorer):
    cdef readonly object buckets
    cdef readonly object keys
    cdef const int16_t* bucket_data
    cdef hash_t size                    # how many buckets


cdef enum:
    BITS = 20
    WIDTH = 8               # actions at most


cdef inline hash_t row_of(hash_t key) noexcept nogil:
    """The row of a key: it is not kept, so keys may share one."""
    return key >> (64 - BITS)


cdef class HashedWeights(Scorer):
    cdef int32_t width
    cdef weight_t[:, ::1] table
    cdef double[:, ::1] step_sums   # for each weight the sum of its changes, each times the steps before it
    cdef public offset_t now

    cdef void update(self, const hash_t* keys, int32_t count, int32_t action, weight_t step) noexcept nogil


cdef class PackedTable(Scorer):
    cdef readonly object table
    cdef const int16_t* data
    cdef int32_t width


cdef inline hash_t grouped(hash_t key, int32_t group) noexcept nogil:
    """The key of a feature within a group of instances: groups share none."""
    return key ^ (<hash_t>group * <hash_t>0x9E3779B97F4A7C15)
