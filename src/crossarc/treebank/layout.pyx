"""The places of lines and fields in the bytes of a sentence.

Two passes, both without Python objects: `find_end` finds the empty line that ends a sentence, `parse` splits the lines,
checks ids, heads and UTF-8, and notes where each field begins. Sentences and corpora are read with both.
"""
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcpy

from crossarc.core.typedefs cimport int32_t, uint64_t, uint8_t
from crossarc.treebank.separators cimport first_bit, separators


cdef Spec make_spec(object format):
    """The part of a format that the scanner needs."""
    cdef Spec spec
    spec.width = len(format.columns)
    spec.head = format.index("head")
    spec.extra = format.extra
    spec.open_end = format.open_end
    spec.ranges = format.ranges
    return spec


cdef void release(Layout* layout) noexcept nogil:
    free(layout.fields)
    free(layout.kinds)
    free(layout.heads)
    layout.fields = layout.kinds = layout.heads = NULL


cdef inline bint is_blank(const char* data, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Whether a line has only white space; the first byte usually decides."""
    while begin < end and (data[begin] == b' ' or data[begin] == b'\t' or data[begin] == b'\r'):
        begin += 1
    return begin == end


cdef Py_ssize_t find_end(const char* data, Py_ssize_t begin, Py_ssize_t size, bint final,
                         Py_ssize_t* lines, bint* has_tokens) noexcept nogil:
    """The end of the sentence that starts at `begin`, with the empty lines after it; -1 if more input is needed.

    `final` says that no input follows. `lines` receives the number of lines, `has_tokens` whether there are tokens.
    """
    cdef Py_ssize_t place = begin, stop
    cdef const char* newline
    cdef bint ended = False
    lines[0] = 0
    has_tokens[0] = False
    while place < size:
        newline = <const char*>memchr(data + place, b'\n', size - place)
        if newline == NULL and not final:
            return place if ended and not is_blank(data, place, size) else -1
        stop = size if newline == NULL else newline - data
        if is_blank(data, place, stop):
            ended = has_tokens[0]
        elif ended:
            return place
        elif data[place] != b'#':
            has_tokens[0] = True
        lines[0] += 1
        place = stop + 1
    # More empty lines may follow.
    return size if final else -1


cdef bint is_utf8(const char* data, Py_ssize_t size) noexcept nogil:
    """Whether the bytes are UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF."""
    cdef const uint8_t* byte = <const uint8_t*>data
    cdef const uint8_t* end = byte + size
    cdef uint64_t word
    cdef uint8_t lead
    while byte < end:
        if byte[0] < 0x80:
            while end - byte >= 8:
                memcpy(&word, byte, 8)
                if word & <uint64_t>0x8080808080808080:
                    break
                byte += 8
            while byte < end and byte[0] < 0x80:
                byte += 1
            continue
        lead = byte[0]
        if 0xC2 <= lead <= 0xDF:
            if end - byte < 2 or (byte[1] & 0xC0) != 0x80:
                return False
            byte += 2
        elif 0xE0 <= lead <= 0xEF:
            if end - byte < 3 or (byte[1] & 0xC0) != 0x80 or (byte[2] & 0xC0) != 0x80:
                return False
            if (lead == 0xE0 and byte[1] < 0xA0) or (lead == 0xED and byte[1] > 0x9F):
                return False
            byte += 3
        elif 0xF0 <= lead <= 0xF4:
            if end - byte < 4 or (byte[1] & 0xC0) != 0x80 or (byte[2] & 0xC0) != 0x80 or (byte[3] & 0xC0) != 0x80:
                return False
            if (lead == 0xF0 and byte[1] < 0x90) or (lead == 0xF4 and byte[1] > 0x8F):
                return False
            byte += 4
        else:
            return False
    return True


cdef struct IdState:
    int32_t word       # the last word's number
    int32_t empty      # the number of the last empty node after that word
    int32_t range_end  # last word of the open range


cdef inline bint parse_id(const char* data, Py_ssize_t begin, Py_ssize_t end, bint ranges,
                          IdState* state, int32_t* kind) noexcept nogil:
    """Check an id against those before it, and set the kind of its row."""
    cdef int32_t first = 0, second = 0
    cdef Py_ssize_t place = number(data, begin, end, &first)
    if place < 0:
        return False
    if place == end:
        if first != state.word + 1:
            return False
        state.word = first
        state.empty = 0
        kind[0] = first
        return True
    if not ranges or number(data, place + 1, end, &second) != end:
        return False
    if data[place] == b'-':
        if first != state.word + 1 or second <= first or first <= state.range_end:
            return False
        state.range_end = second
        kind[0] = RANGE_ROW
        return True
    if data[place] == b'.' and first == state.word and second == state.empty + 1:
        state.empty = second
        kind[0] = EMPTY_ROW
        return True
    return False


cdef bint grow(int32_t** block, size_t count) noexcept nogil:
    """Give a block of numbers another size; False if there is no memory."""
    cdef void* other = realloc(block[0], count * sizeof(int32_t))
    if other == NULL:
        return False
    block[0] = <int32_t*>other
    return True


cdef bint reserve(Layout* layout, size_t rows, size_t fields) noexcept nogil:
    """Make room for so many rows and field offsets."""
    cdef size_t wanted
    if rows > layout.rows_capacity:
        wanted = 2 * rows + 16
        if not grow(&layout.kinds, wanted) or not grow(&layout.heads, wanted + 1):
            return False
        layout.rows_capacity = wanted
    if fields > layout.fields_capacity:
        wanted = 2 * fields + 256
        if not grow(&layout.fields, wanted):
            return False
        layout.fields_capacity = wanted
    return True


cdef inline Fault parse_row(const char* data, Py_ssize_t* place, Py_ssize_t size, Spec* spec, Layout* layout,
                            IdState* ids) noexcept nogil:
    """Split one token line at its tabs and read its id and head."""
    cdef Py_ssize_t at = place[0], begin = at
    cdef Py_ssize_t stop = -1           # where the line ends
    cdef Py_ssize_t tab
    cdef uint64_t mask
    cdef const char* newline
    cdef int32_t width = 0, expected = layout.width if layout.rows else spec.width
    cdef int32_t room = size if spec.extra and not layout.rows else expected
    cdef int32_t* fields
    cdef int32_t kind = 0, head = 0
    # The first line of a sentence tells how many columns the others have.
    if not reserve(layout, layout.rows + 1, layout.rows * (layout.width + 1) + expected + 2):
        return NO_MEMORY
    fields = layout.fields + layout.rows * (layout.width + 1)
    fields[0] = at
    while stop < 0:
        if at >= size:
            stop = size
            break
        mask = separators(data + at, size - at)
        while mask:
            tab = at + first_bit(mask)
            mask &= mask - 1
            if data[tab] == b'\n':
                stop = tab
                break
            if width + 1 >= room:
                if not spec.open_end:
                    return BAD_COLUMNS
                newline = <const char*>memchr(data + tab, b'\n', size - tab)
                stop = size if newline == NULL else newline - data
                break
            width += 1
            if width > expected:        # argument columns of a first line: their number is not known before
                if not reserve(layout, 1, width + 2):
                    return NO_MEMORY
                fields = layout.fields
            fields[width] = tab + 1
        at += 64
    at = stop
    place[0] = at + 1
    if at > begin and data[at - 1] == b'\r':
        at -= 1
    width += 1
    fields[width] = at + 1
    if width < spec.width or (layout.rows and width != layout.width):
        return BAD_COLUMNS
    if layout.rows == 0:
        layout.width = width
    if not parse_id(data, fields[0], fields[1] - 1, spec.ranges, ids, &kind):
        return BAD_ID
    layout.kinds[layout.rows] = kind
    layout.rows += 1
    if kind > 0:
        head = -1
        if spec.head >= 0:
            at = fields[spec.head]
            if not (fields[spec.head + 1] - 1 == at + 1 and data[at] == b'_'):
                if number(data, at, fields[spec.head + 1] - 1, &head) != fields[spec.head + 1] - 1:
                    return BAD_HEAD
        layout.heads[kind] = head
    return NO_FAULT


cdef Fault parse(const char* data, Py_ssize_t size, Spec* spec, Layout* layout) noexcept nogil:
    """Find the rows and fields of one sentence; the layout's memory is used again from call to call."""
    cdef Py_ssize_t place = 0, stop
    cdef const char* newline
    cdef IdState ids
    cdef Fault fault
    ids.word = ids.empty = ids.range_end = 0
    layout.rows = layout.words = layout.width = 0
    if size > LONGEST:
        return TOO_LONG
    if not reserve(layout, 1, spec.width + 2):
        return NO_MEMORY
    layout.heads[0] = -1
    if size >= 3 and data[0] == b'\xef' and data[1] == b'\xbb' and data[2] == b'\xbf':
        place = 3     # a byte order mark stays in the bytes and out of the columns
    while place < size:
        if b'1' <= data[place] <= b'9' or data[place] == b'0':
            fault = parse_row(data, &place, size, spec, layout, &ids)
            if fault != NO_FAULT:
                return fault
        else:
            newline = <const char*>memchr(data + place, b'\n', size - place)
            stop = size if newline == NULL else newline - data
            if data[place] == b'#':
                if layout.rows:
                    return LATE_COMMENT
            elif not is_blank(data, place, stop):
                fault = parse_row(data, &place, size, spec, layout, &ids)
                return BAD_ID if fault == NO_FAULT else fault
            place = stop + 1
    layout.words = ids.word
    if ids.range_end > ids.word:
        return BAD_ID
    if ids.word == 0:
        return NO_WORDS
    if not is_utf8(data, size):
        return BAD_UTF8
    return NO_FAULT
