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
    """Read a number of at most nine digits without leading zeros; gives the place after it, -1 if there is none."""
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
