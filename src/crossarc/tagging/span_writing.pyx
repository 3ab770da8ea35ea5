"""The tokens of a text as the bytes of a CoNLL-U file."""
import numpy as np

from libc.stdlib cimport free

from crossarc.core.output cimport Output, put_byte, put_bytes, put_number, put_string, reserve
from crossarc.core.typedefs cimport int32_t, offset_t, uint32_t, uint8_t


cdef enum:
    WIDEST = 6      # bytes of a character that is escaped
    ROW_ROOM = 256  # bytes of a row without what comes from the text


cdef inline bint is_surrogate(uint32_t point) noexcept nogil:
    return 0xD800 <= point < 0xE000


cdef inline void put_character(Output* output, uint32_t point) noexcept nogil:
    """Write a character in UTF-8, U+FFFD for a lone surrogate."""
    if point < 0x80:
        put_byte(output, point)
        return
    if is_surrogate(point):
        point = 0xFFFD
    if point < 0x800:
        put_byte(output, 0xC0 | point >> 6)
    else:
        if point < 0x10000:
            put_byte(output, 0xE0 | point >> 12)
        else:
            put_byte(output, 0xF0 | point >> 18)
            put_byte(output, 0x80 | (point >> 12 & 0x3F))
        put_byte(output, 0x80 | (point >> 6 & 0x3F))
    put_byte(output, 0x80 | (point & 0x3F))


cdef inline void put_escaped(Output* output, uint32_t point) noexcept nogil:
    """Write a character as a value of MISC has it; see spacing.py."""
    cdef uint32_t letter = 0
    cdef int32_t shift
    if point == c' ':
        letter = c's'
    elif point == c'\t':
        letter = c't'
    elif point == c'\n':
        letter = c'n'
    elif point == c'\r':
        letter = c'r'
    elif point == c'|':
        letter = c'p'
    elif point == c'\\':
        letter = c'\\'
    elif is_surrogate(point):
        letter = c'u'
    if letter == 0:
        put_character(output, point)
        return
    put_byte(output, c'\\')
    put_byte(output, letter)
    if letter == c'u':
        for shift in range(12, -4, -4):
            letter = point >> shift & 15
            put_byte(output, letter + (48 if letter < 10 else 87))


cdef inline void put_clean(Output* output, uint32_t point) noexcept nogil:
    """Write a character as a comment has it: a space for all that some reader takes for the end of a line."""
    if 9 <= point <= 13 or 0x1C <= point <= 0x1E or point == 0x85 or point == 0x2028 or point == 0x2029:
        point = c' '
    put_character(output, point)


cdef void put_row(Output* output, const uint32_t* points, offset_t before, offset_t begin, offset_t end,
                  offset_t after, offset_t offset) noexcept nogil:
    """Write a row behind its id.

    `before` is where the white space in front of the token begins that is its own, `offset` where the text begins.
    """
    cdef offset_t k
    cdef bint odd = False
    put_byte(output, c'\t')
    for k in range(begin, end):
        odd |= is_surrogate(points[k])
        put_character(output, points[k])
    put_string(output, b"\t_\t_\t_\t_\t_\t_\t_\t")
    if after == end:
        put_string(output, b"SpaceAfter=No|")
    elif after != end + 1 or points[end] != c' ':
        put_string(output, b"SpacesAfter=")
        for k in range(end, after):
            put_escaped(output, points[k])
        put_byte(output, c'|')
    if before < begin:
        put_string(output, b"SpacesBefore=")
        for k in range(before, begin):
            put_escaped(output, points[k])
        put_byte(output, c'|')
    if odd:
        put_string(output, b"Surface=")
        for k in range(begin, end):
            put_escaped(output, points[k])
        put_byte(output, c'|')
    put_string(output, b"TokenRange=")
    put_number(output, offset + begin)
    put_byte(output, c':')
    put_number(output, offset + end)
    put_byte(output, c'\n')


def write_spans(const uint32_t[::1] points, const offset_t[::1] begins, const offset_t[::1] ends,
                const uint8_t[::1] last, const uint8_t[::1] paragraphs, const int32_t[::1] word_counts,
                const offset_t[::1] word_ends, bytes words, bytes header, offset_t offset=0, offset_t sentence=1):
    """Return the bytes of a CoNLL-U file with the tokens of a text.

    `last` says which tokens end a sentence, `paragraphs` which begin a paragraph. `word_counts` is the number of words
    of each token; `words` has those of tokens with several, and `word_ends` where each ends. `header` is what stands
    above the first sentence, whose number is `sentence`; `offset` is where the text begins in a longer one.
    """
    cdef Output output
    cdef Py_ssize_t n = begins.shape[0], first, final, k, place = 0
    cdef offset_t after, character, word_begin = 0
    cdef int32_t word, i
    cdef const char* data = words
    cdef const char* head = header
    cdef Py_ssize_t head_size = len(header)
    if not n or not last[n - 1] or ends.shape[0] != n or last.shape[0] != n or paragraphs.shape[0] != n:
        raise ValueError("the arrays of tokens do not fit together")
    counts = np.asarray(word_counts)
    written = int(word_ends[word_ends.shape[0] - 1]) if word_ends.shape[0] else 0
    if len(counts) != n or counts[counts > 1].sum() != word_ends.shape[0] or written != len(words):
        raise ValueError("the words of multiword tokens do not fit together")
    output.data = NULL
    output.size = output.room = 0
    try:
        with nogil:
            reserve(&output, head_size + points.shape[0] + n * 64)
            put_bytes(&output, head, head_size)
            first = 0
            while first < n:
                final = first
                while not last[final]:
                    final += 1
                reserve(&output, WIDEST * (ends[final] - begins[first]) + ROW_ROOM)
                if paragraphs[first]:
                    put_string(&output, b"# newpar\n")
                put_string(&output, b"# sent_id = ")
                put_number(&output, sentence)
                put_string(&output, b"\n# text = ")
                for character in range(begins[first], ends[final]):
                    put_clean(&output, points[character])
                put_byte(&output, c'\n')
                word = 1
                for k in range(first, final + 1):
                    after = begins[k + 1] if k + 1 < n else points.shape[0]
                    character = 0 if k == 0 else begins[k]
                    reserve(&output, 2 * WIDEST * (after - character) + ROW_ROOM)
                    put_number(&output, word)
                    if word_counts[k] > 1:
                        put_byte(&output, c'-')
                        put_number(&output, word + word_counts[k] - 1)
                    put_row(&output, &points[0], character, begins[k], ends[k], after, offset)
                    if word_counts[k] > 1:
                        for i in range(word_counts[k]):
                            reserve(&output, word_ends[place] - word_begin + ROW_ROOM)
                            put_number(&output, word + i)
                            put_byte(&output, c'\t')
                            put_bytes(&output, data + word_begin, word_ends[place] - word_begin)
                            put_string(&output, b"\t_\t_\t_\t_\t_\t_\t_\t_\n")
                            word_begin = word_ends[place]
                            place += 1
                    word += word_counts[k]
                reserve(&output, 1)
                put_byte(&output, c'\n')
                first = final + 1
                sentence += 1
        return output.data[:output.size]
    finally:
        free(output.data)
