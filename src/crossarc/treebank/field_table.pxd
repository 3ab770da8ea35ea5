from crossarc.core.typedefs cimport int32_t, token_t
from crossarc.treebank.layout cimport Layout

cdef class FieldTable:
    cdef readonly bytes raw
    cdef readonly object format
    cdef readonly str source
    cdef readonly Py_ssize_t line
    cdef const char* data      # of `raw`
    cdef Py_ssize_t size
    cdef int32_t rows_count
    cdef int32_t width
    cdef int32_t words
    cdef int32_t* fields       # one block: fields, kinds, then word_rows and heads (words + 1 each)
    cdef int32_t* kinds
    cdef int32_t* word_rows    # the row of each word; word_rows[0] is unused
    cdef token_t* heads_

    cdef int allocate(self, bytes raw, object format, str source, Py_ssize_t line, int32_t rows, int32_t width,
                      int32_t words) except -1
    cdef int fill(self, bytes raw, object format, str source, Py_ssize_t line, Layout* layout) except -1
    cdef str field(self, int32_t row, int32_t column)


cdef inline int32_t* fields_of(FieldTable table, int32_t row) noexcept nogil:
    """The places where the fields of a row begin; field k ends one byte before field k + 1."""
    return table.fields + <Py_ssize_t>row * (table.width + 1)
