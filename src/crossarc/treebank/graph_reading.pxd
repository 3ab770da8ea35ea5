from crossarc.core.typedefs cimport int32_t, token_t
from crossarc.treebank.field_table cimport FieldTable

cdef struct Arc:
    token_t head
    token_t dependent
    const char* label      # not ended by a zero
    int32_t size           # of the label

cdef class GraphReader:
    cdef int32_t deps          # places of columns, -1 where the format has none
    cdef int32_t top
    cdef int32_t predicate
    cdef int32_t fixed         # columns before the argument columns
    cdef Arc* arcs
    cdef size_t count
    cdef size_t capacity
    cdef int32_t nodes         # of the sentence, with the dummy root
    cdef int32_t* empty        # the number of empty nodes before each word; the entry after the last word has all
    cdef token_t* predicates   # the word of each argument column
    cdef int32_t room          # words that `empty` and `predicates` have room for

    cdef int read(self, FieldTable sentence) except -1 nogil
    cdef int begin(self, FieldTable sentence) except -1 nogil
    cdef int add(self, token_t head, token_t dependent, const char* label, int32_t size) except -1 nogil
    cdef int read_deps(self, FieldTable sentence, int32_t row, token_t dependent) except -1 nogil
    cdef int read_arguments(self, FieldTable sentence) except -1 nogil
