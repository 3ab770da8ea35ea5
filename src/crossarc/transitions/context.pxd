from crossarc.core.typedefs cimport hash_t, int32_t, token_t
from crossarc.transitions.state cimport State

cdef enum:
    MOST_ADDRESSES = 96
    MOST_SLOTS = 256
    MOST_TEMPLATES = 512

cdef struct Program:            # a compiled feature model
    const int32_t* addresses    # rows of kind, parent, place
    int32_t address_count
    const int32_t* slots        # rows of kind, address, other
    int32_t slot_count
    const int32_t* templates    # rows of WIDEST slots
    int32_t template_count
    int32_t attributes          # how many a token has
    int32_t tree_column         # the one that is its head in a given tree; -1 for none

cdef void fill_keys(const Program* program, State* state, const int32_t* tokens, hash_t* keys) noexcept nogil
cdef void fill_values(const Program* program, State* state, const int32_t* tokens, hash_t* values) noexcept nogil
cdef void hash_values(const Program* program, const hash_t* values, int32_t begin, int32_t end,
                      hash_t* keys) noexcept nogil
cdef void hash_chosen(const Program* program, const hash_t* values, const int32_t* templates, int32_t count,
                      hash_t* keys) noexcept nogil
