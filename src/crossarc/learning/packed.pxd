from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, uint16_t, uint32_t
from crossarc.learning.scorer cimport Scorer

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
# a free one. Buckets are filled from the front, and what finds its own full is in the next.
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
