from crossarc.core.typedefs cimport int32_t, token_t
from crossarc.treebank.layout cimport Layout

cdef class Sentence:
    cdef readonly bytes raw
    cdef readonly object format
    cdef readonly str source
    cdef readonly Py_ssize_t line
    cdef int32_t rows_count
    cdef int32_t width
    cdef int32_t words
    cdef int32_t* fields       # one block: fields, kinds, then word_rows and heads (words + 1 each)
    cdef int32_t* kinds
    cdef int32_t* word_rows    # the row of each word; word_rows[0] is unused
    cdef token_t* heads_
    cdef dict cache            # columns and arrays that were asked for

    cdef int fill(self, bytes raw, object format, str source, Py_ssize_t line, Layout* layout) except -1
    cdef str field(self, int32_t row, int32_t column)
    cdef bytes patched(self, list patches)

cdef class Token:
    cdef readonly Sentence sentence
    cdef readonly int32_t row
