"""The bytes of a sentence with a table of where each field begins."""
from libc.stdlib cimport free
from libc.string cimport memcpy

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport int32_t, token_t


cdef class FieldTable:
    """Bytes, where they come from, and the places of their rows and fields: the native part of `Sentence`."""

    cdef int allocate(self, bytes raw, object format, str source, Py_ssize_t line, int32_t rows, int32_t width,
                      int32_t words) except -1:
        """Keep the bytes and make room for their table, which is one block of memory; the caller fills it."""
        cdef size_t fields = <size_t>rows * (width + 1)
        renew(<void**>&self.fields, (fields + rows + 2 * (<size_t>words + 1)) * sizeof(int32_t))
        self.raw = raw
        self.data = raw
        self.size = len(raw)
        self.format = format
        self.source = source
        self.line = line
        self.rows_count = rows
        self.width = width
        self.words = words
        self.kinds = self.fields + fields
        self.word_rows = self.kinds + rows
        self.heads_ = self.word_rows + words + 1
        return 0

    cdef int fill(self, bytes raw, object format, str source, Py_ssize_t line, Layout* layout) except -1:
        """Keep bytes that were parsed, and a copy of their layout."""
        cdef int32_t row
        self.allocate(raw, format, source, line, layout.rows, layout.width, layout.words)
        memcpy(self.fields, layout.fields, <size_t>layout.rows * (layout.width + 1) * sizeof(int32_t))
        memcpy(self.kinds, layout.kinds, layout.rows * sizeof(int32_t))
        memcpy(self.heads_, layout.heads, (layout.words + 1) * sizeof(token_t))
        self.word_rows[0] = -1
        for row in range(layout.rows):
            if self.kinds[row] > 0:
                self.word_rows[self.kinds[row]] = row
        return 0

    def __dealloc__(self):
        free(self.fields)

    cdef str field(self, int32_t row, int32_t column):
        """One field as a string."""
        cdef int32_t* fields = self.fields + <Py_ssize_t>row * (self.width + 1) + column
        return self.data[fields[0]:fields[1] - 1].decode("utf-8")
