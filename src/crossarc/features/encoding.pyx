"""The attributes of words as ids: derived from the strings of a column, each distinct string once."""

import numpy as np

from libc.stdlib cimport free

from crossarc.core.allocation cimport resize
from crossarc.core.strings cimport StringTable
from crossarc.core.typedefs cimport int32_t, label_t, uint8_t, uint32_t

from crossarc.core.strings import UNKNOWN

cdef extern from "Python.h":
    # The tests of str.isupper and similar methods for one character; tables of constants, which need no GIL.
    bint Py_UNICODE_ISUPPER(uint32_t character) nogil
    bint Py_UNICODE_ISALPHA(uint32_t character) nogil
    bint Py_UNICODE_ISDIGIT(uint32_t character) nogil
    uint32_t Py_UNICODE_TOLOWER(uint32_t character) nogil

# The column of each attribute.
SOURCES = {
    "form": "form", "lower": "form", "lemma": "lemma", "upos": "upos", "xpos": "xpos", "feats": "feats",
    "prefix": "form", "suffix": "form", "shape": "form", "tree_deprel": "deprel", "tree_head": "deprel",
}
cdef const char* BLANK = "_"
cdef label_t UNKNOWN_ID = UNKNOWN

cdef enum Kind:
    WHOLE        # the string itself
    LOWER
    PREFIX
    SUFFIX
    SHAPE
    FEATURE

cdef enum:
    USUAL_LENGTH = 3            # of prefixes and suffixes
    SIGMA = 0x3A3               # whose lower case depends on the letters around it
    DOTTED_I = 0x130            # whose lower case is two characters, i and DOT_ABOVE
    DOT_ABOVE = 0x307


cdef struct Scratch:
    char* data
    Py_ssize_t capacity


cdef inline Py_ssize_t read_character(const uint8_t* data, uint32_t* character) noexcept nogil:
    """Read a character of valid UTF-8; return the number of its bytes."""
    cdef uint32_t lead = data[0]
    if lead < 0x80:
        character[0] = lead
        return 1
    if lead < 0xE0:
        character[0] = (lead & 0x1F) << 6 | (data[1] & 0x3F)
        return 2
    if lead < 0xF0:
        character[0] = (lead & 0x0F) << 12 | (data[1] & 0x3F) << 6 | (data[2] & 0x3F)
        return 3
    character[0] = (lead & 0x07) << 18 | (data[1] & 0x3F) << 12 | (data[2] & 0x3F) << 6 | (data[3] & 0x3F)
    return 4


cdef inline char* write_character(char* target, uint32_t character) noexcept nogil:
    """Write a character as UTF-8; return the place behind it."""
    if character < 0x80:
        target[0] = <char>character
        return target + 1
    if character < 0x800:
        target[0] = <char>(0xC0 | character >> 6)
        target[1] = <char>(0x80 | (character & 0x3F))
        return target + 2
    if character < 0x10000:
        target[0] = <char>(0xE0 | character >> 12)
        target[1] = <char>(0x80 | (character >> 6 & 0x3F))
        target[2] = <char>(0x80 | (character & 0x3F))
        return target + 3
    target[0] = <char>(0xF0 | character >> 18)
    target[1] = <char>(0x80 | (character >> 12 & 0x3F))
    target[2] = <char>(0x80 | (character >> 6 & 0x3F))
    target[3] = <char>(0x80 | (character & 0x3F))
    return target + 4


cdef inline bint inside(char byte) noexcept nogil:
    """Whether a byte is one of a character, but not its first."""
    return (<uint8_t>byte & 0xC0) == 0x80


cdef Py_ssize_t python_lower(const char* data, Py_ssize_t size, char* target) except -1 with gil:
    """The result of `str.lower`, for strings that need it."""
    cdef bytes lowered = data[:size].decode("utf-8").lower().encode()
    cdef Py_ssize_t i
    for i in range(len(lowered)):
        target[i] = lowered[i]
    return len(lowered)


cdef Py_ssize_t lower(const char* data, Py_ssize_t size, char* target) except -1 nogil:
    """Write a string in lower case, as `str.lower` does; return the number of its bytes, at most twice as many."""
    cdef const char* at = data
    cdef const char* end = data + size
    cdef char* out = target
    cdef uint32_t character = 0
    while at < end:
        if <uint8_t>at[0] < 0x80:
            out[0] = at[0] + 32 if b'A' <= at[0] <= b'Z' else at[0]
            at += 1
            out += 1
            continue
        at += read_character(<const uint8_t*>at, &character)
        if character == SIGMA:
            return python_lower(data, size, target)
        if character == DOTTED_I:
            out[0] = b'i'
            out = write_character(out + 1, DOT_ABOVE)
        else:
            out = write_character(out, Py_UNICODE_TOLOWER(character))
    return out - target


cdef Py_ssize_t shape(const char* data, Py_ssize_t size, char* target) noexcept nogil:
    """Write X, x and 9 for letters and digits, and each run of the same at most twice."""
    cdef const char* at = data
    cdef const char* end = data + size
    cdef char* out = target
    cdef uint32_t character = 0, last = 0
    cdef int32_t run = 0
    while at < end:
        at += read_character(<const uint8_t*>at, &character)
        if character < 0x80:
            if b'a' <= character <= b'z':
                character = b'x'
            elif b'A' <= character <= b'Z':
                character = b'X'
            elif b'0' <= character <= b'9':
                character = b'9'
        elif Py_UNICODE_ISUPPER(character):
            character = b'X'
        elif Py_UNICODE_ISALPHA(character):
            character = b'x'
        elif Py_UNICODE_ISDIGIT(character):
            character = b'9'
        run = run + 1 if run > 0 and character == last else 1
        last = character
        if run <= 2:
            out = write_character(out, character)
    return out - target


cdef class Attribute:
    """An attribute of words by its name: `attribute(string)` derives its value from a string of `column`.

    `lower` is the form in lower case, `prefix[2]` and `suffix[2]` are its first and last two letters (without a number,
    three) in lower case, and `shape` has its letters and digits made alike, runs of them cut to two: Anna2 is Xxx9.
    `feats[Case]` is the value of one morphological feature, "_" for words that do not have it. A feature without a
    value is its own value. The other attributes are columns as they are.

    >>> Attribute("shape")("iPhone15"), Attribute("suffix[2]")("ANNA"), Attribute("feats[Case]")("Case=Nom|refl")
    ('xXxx99', 'na', 'Nom')
    """

    cdef readonly str name
    cdef readonly str column
    cdef Kind kind
    cdef int32_t length
    cdef bytes feature
    cdef const char* feature_data
    cdef Py_ssize_t feature_size

    def __init__(self, str name):
        base, _, rest = name.partition("[")
        self.name = name
        self.column = SOURCES[base]
        self.kind = {"lower": LOWER, "prefix": PREFIX, "suffix": SUFFIX, "shape": SHAPE}.get(base, WHOLE)
        self.length = USUAL_LENGTH
        self.feature = b""
        if rest and base == "feats":
            self.kind = FEATURE
            self.feature = rest[:-1].encode()
        elif rest:
            self.length = int(rest[:-1])
        self.feature_data, self.feature_size = self.feature, len(self.feature)

    def __call__(self, str string):
        cdef bytes data = string.encode()
        cdef Scratch scratch = Scratch(NULL, 0)
        cdef const char* value = NULL
        cdef Py_ssize_t size
        try:
            size = self.derive(data, len(data), &scratch, &value)
            return value[:size].decode("utf-8")
        finally:
            free(scratch.data)

    cdef Py_ssize_t derive(self, const char* data, Py_ssize_t size, Scratch* scratch,
                           const char** value) except -1 nogil:
        """Point to the value that a string has, here or in `scratch`; return the number of its bytes."""
        cdef Py_ssize_t begin = 0, end = size
        cdef int32_t letters = 0
        value[0] = data
        if self.kind == WHOLE:
            return size
        if self.kind == FEATURE:
            return self.find_feature(data, size, value)
        if self.kind == PREFIX:
            end = 0
            while end < size and letters < self.length:
                letters += 1
                end += 1
                while end < size and inside(data[end]):
                    end += 1
        elif self.kind == SUFFIX:
            begin = size
            while begin > 0 and letters < self.length:
                letters += 1
                begin -= 1
                while begin > 0 and inside(data[begin]):
                    begin -= 1
        if 2 * size > scratch.capacity:
            resize(<void**>&scratch.data, 4 * size)
            scratch.capacity = 4 * size
        value[0] = scratch.data
        if self.kind == SHAPE:
            return shape(data, size, scratch.data)
        return lower(data + begin, end - begin, scratch.data)

    cdef Py_ssize_t find_feature(self, const char* data, Py_ssize_t size, const char** value) noexcept nogil:
        """Point to the value of the feature among name=value|name=value; the last counts if it is there twice."""
        cdef const char* name = self.feature_data
        cdef Py_ssize_t length = self.feature_size, begin = 0, found = 1, end, same
        value[0] = BLANK
        while begin <= size:
            same = 0
            while same < length and begin + same < size and data[begin + same] == name[same]:
                same += 1
            end = begin + same
            while end < size and data[end] != b'|':
                end += 1
            if same == length and (begin + same == end or data[begin + same] == b'='):
                # Without a value the name is the value.
                value[0] = name if end - begin <= length + 1 else data + begin + length + 1
                found = length if end - begin <= length + 1 else end - begin - length - 1
            begin = end + 1
        return found

    cdef int number(self, StringTable strings, StringTable table, label_t* numbers) except -1 nogil:
        """Write the id that `table` has for the value of each of the strings."""
        cdef Scratch scratch = Scratch(NULL, 0)
        cdef const char* value = NULL
        cdef Py_ssize_t size
        cdef label_t i, found
        try:
            for i in range(strings.count):
                if i < strings.reserved:
                    numbers[i] = i
                    continue
                size = self.derive(strings.arena + strings.starts[i], strings.starts[i + 1] - strings.starts[i],
                                   &scratch, &value)
                found = table.find(value, size)
                numbers[i] = UNKNOWN_ID if found < 0 else found
        finally:
            free(scratch.data)
        return 0

    def collect(self, StringTable strings, StringTable table):
        """Add the values of all strings of a column to a table."""
        cdef Scratch scratch = Scratch(NULL, 0)
        cdef const char* value = NULL
        cdef Py_ssize_t size
        cdef label_t i
        try:
            with nogil:
                for i in range(strings.reserved, strings.count):
                    size = self.derive(strings.arena + strings.starts[i], strings.starts[i + 1] - strings.starts[i],
                                       &scratch, &value)
                    table.intern(value, size)
        finally:
            free(scratch.data)


cdef enum:
    MOST = 256       # attributes of a feature model


def encode(corpus, list attributes, list tables):
    """The ids of attributes, each by its own table, for all nodes of a corpus: one row a node."""
    cdef Py_ssize_t count = len(attributes)
    cdef const label_t[::1] ids
    cdef label_t[::1] view
    cdef const label_t* ids_of[MOST]
    cdef label_t* numbers_of[MOST]
    cdef Attribute attribute
    cdef StringTable strings, table
    cdef Py_ssize_t node, place, nodes = corpus.starts[len(corpus)]
    if count > MOST:
        raise ValueError(f"{count} attributes are too many; the most are {MOST}")
    rows = np.empty((nodes, count), dtype=np.int32)
    cdef label_t[:, ::1] target = rows
    if not nodes or not count:
        return rows
    kept = []
    for place in range(count):
        attribute, table = attributes[place], tables[place]
        ids, strings = corpus[attribute.column], corpus.strings[attribute.column]
        numbers = np.empty(strings.count, dtype=np.int32)
        view = numbers
        with nogil:
            attribute.number(strings, table, &view[0])
        ids_of[place], numbers_of[place] = &ids[0], &view[0]
        kept.append(numbers)
    with nogil:
        for node in range(nodes):
            for place in range(count):
                target[node, place] = numbers_of[place][ids_of[place][node]]
    return rows
