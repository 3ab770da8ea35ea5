from crossarc.core.typedefs cimport int32_t, token_t


cdef extern from *:
    """
    #define CROSSARC_LONGEST_SENTENCE ((Py_ssize_t)0x7fffff00)
    """
    const Py_ssize_t LONGEST "CROSSARC_LONGEST_SENTENCE"      # bytes, so that places are int32

cdef enum Fault:
    NO_FAULT
    BAD_COLUMNS       # a line with too few or too many columns
    BAD_ID            # an id that is malformed or out of order
    BAD_HEAD          # a head that is neither a number nor "_"
    BAD_UTF8
    LATE_COMMENT      # a comment below the first token
    NO_WORDS          # comments, ranges or empty nodes without any word
    TOO_LONG          # over 2^31 bytes in one sentence
    NO_MEMORY

cdef enum RowKind:
    RANGE_ROW = -1
    EMPTY_ROW = -2    # any other value of `kinds` is the number of a word

cdef struct Spec:
    int32_t width     # columns of a line; the least number when `extra`
    int32_t head      # place of the head column, -1 if there is none
    bint extra        # any number of columns may follow, the same in all lines of a sentence
    bint open_end     # tabs beyond the last column belong to it
    bint ranges       # ids may be ranges (3-4) and empty nodes (8.1)

cdef struct Layout:
    int32_t rows
    int32_t width
    int32_t words
    int32_t* fields        # rows x (width + 1): field k of row r is fields[k] .. fields[k + 1] - 1 (less the tab)
    int32_t* kinds         # per row: the word's number, RANGE_ROW or EMPTY_ROW
    token_t* heads         # words + 1
    size_t fields_capacity
    size_t rows_capacity

cdef Spec make_spec(object format)
cdef void release(Layout* layout) noexcept nogil
cdef Py_ssize_t find_end(const char* data, Py_ssize_t begin, Py_ssize_t size, bint final,
                         Py_ssize_t* lines, bint* has_tokens) noexcept nogil
cdef Fault parse(const char* data, Py_ssize_t size, Spec* spec, Layout* layout) noexcept nogil


cdef inline Py_ssize_t number(const char* data, Py_ssize_t begin, Py_ssize_t end, int32_t* value) noexcept nogil:
    """Read a number of at most nine digits without leading zeros; return the place after it, -1 if there is none."""
    cdef Py_ssize_t place = begin
    cdef int32_t result = 0
    while place < end and b'0' <= data[place] <= b'9':
        if place - begin == 9:
            return -1
        result = result * 10 + (data[place] - c'0')
        place += 1
    if place == begin or (data[begin] == b'0' and place > begin + 1):
        return -1
    value[0] = result
    return place


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


cdef class Token:
    cdef readonly FieldTable sentence
    cdef readonly int32_t row

cdef Token make_token(FieldTable sentence, int32_t row)


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
