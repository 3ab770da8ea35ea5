"""Sentences as JSON: what `json.dumps` gives for `Sentence.to_dict`, without the dict."""
import json

from libc.stdlib cimport free
from libc.string cimport memchr, memcmp

from crossarc.core.output cimport Output, put_byte, put_bytes, put_string, reserve
from crossarc.core.typedefs cimport int32_t, uint8_t
from crossarc.treebank.fields cimport FieldTable, fields_of

from crossarc.treebank.dictionaries import frame_of, layout_of, to_dict


cdef enum Kind:
    STRING
    OPTIONAL        # a string, null for "_"
    NUMBER          # a number, null for "_", or a string
    PAIRS           # FEATS and MISC
    ARCS            # DEPS

cdef enum:
    MOST_KEYS = 32      # of a token
    MOST_ENTRIES = 64   # of FEATS or MISC; more are left to Python
    GROWTH = 16         # bytes of JSON for each byte of a field, at most, and those that every field has
    ALWAYS = 64

KINDS = {"id": NUMBER, "form": STRING, "feats": PAIRS, "head": NUMBER, "deps": ARCS, "misc": PAIRS}
WRITERS = {}        # of formats, by name

cdef const char* RANGE = "TokenRange"
cdef const char* HEX = "0123456789abcdef"

cdef struct Text:
    const char* data
    Py_ssize_t size


cdef inline bint is_blank(Text text) noexcept nogil:
    return text.size == 1 and text.data[0] == b'_'


cdef inline bint is_number(Text text) noexcept nogil:
    """Whether a text is a number as ids and heads are written."""
    cdef Py_ssize_t i
    for i in range(text.size):
        if not b'0' <= text.data[i] <= b'9':
            return False
    return text.size == 1 or (text.size > 1 and text.data[0] != b'0')


cdef inline Text before(Text text, char separator) noexcept nogil:
    """The text before a separator; all of it if there is none."""
    cdef const void* found = memchr(text.data, separator, text.size)
    return Text(text.data, text.size if found == NULL else <const char*>found - text.data)


cdef inline Text after(Text text, Text first) noexcept nogil:
    """The text after a first part and its separator; its size is -1 if there is no separator."""
    return Text(text.data + first.size + 1, text.size - first.size - 1)


cdef inline bint is_same(Text a, Text b) noexcept nogil:
    return a.size == b.size and memcmp(a.data, b.data, a.size) == 0


cdef void put_text(Output* output, Text text) noexcept nogil:
    """Write a string of JSON; only quotes, backslashes and control characters are escaped."""
    cdef Py_ssize_t i
    cdef uint8_t byte
    put_byte(output, b'"')
    for i in range(text.size):
        byte = <uint8_t>text.data[i]
        if byte >= 0x20 and byte != b'"' and byte != b'\\':
            put_byte(output, byte)
            continue
        put_byte(output, b'\\')
        if byte >= 0x20:
            put_byte(output, byte)
        elif byte == b'\t':
            put_byte(output, b't')
        elif byte == b'\n':
            put_byte(output, b'n')
        elif byte == b'\r':
            put_byte(output, b'r')
        elif byte == b'\b':
            put_byte(output, b'b')
        elif byte == b'\f':
            put_byte(output, b'f')
        else:
            put_string(output, b"u00")
            put_byte(output, HEX[byte >> 4])
            put_byte(output, HEX[byte & 15])
    put_byte(output, b'"')


cdef void put_value(Output* output, Text text, Kind kind) noexcept nogil:
    """Write a string, a number or null."""
    if kind != STRING and is_blank(text):
        put_string(output, b"null")
    elif kind == NUMBER and is_number(text):
        put_bytes(output, text.data, text.size)
    else:
        put_text(output, text)


cdef bint put_pairs(Output* output, Text field, Text* offsets) noexcept nogil:
    """Write FEATS or MISC as an object, or as a string if it is not of the usual form; False for too many entries.

    `offsets` are those of its TokenRange, if it has them.
    """
    cdef Text names[MOST_ENTRIES]
    cdef Text values[MOST_ENTRIES]
    cdef Text rest = field, entry
    cdef int32_t count = 0, i
    if is_blank(field):
        put_string(output, b"{}")
        return True
    while rest.size >= 0:
        if count == MOST_ENTRIES:
            return False
        entry = before(rest, b'|')
        rest = after(rest, entry)
        names[count] = before(entry, b'=')
        values[count] = after(entry, names[count])
        for i in range(count):
            if is_same(names[i], names[count]):
                put_text(output, field)
                return True
        if names[count].size == 0:
            put_text(output, field)
            return True
        count += 1
    for i in range(count):
        put_string(output, b"{" if i == 0 else b", ")
        put_text(output, names[i])
        put_string(output, b": ")
        if values[i].size < 0:
            put_string(output, b"null")
            continue
        put_text(output, values[i])
        if is_same(names[i], Text(RANGE, 10)):
            offsets[0] = before(values[i], b':')
            offsets[1] = after(values[i], offsets[0])
    put_byte(output, b'}')
    return True


cdef void put_arcs(Output* output, Text field) noexcept nogil:
    """Write DEPS as a list of heads and labels, or as a string if it is not of the usual form."""
    cdef Text rest = field, entry, head
    cdef bint is_first = True
    if is_blank(field):
        put_string(output, b"[]")
        return
    while rest.size >= 0:
        entry = before(rest, b'|')
        rest = after(rest, entry)
        head = before(entry, b':')
        if head.size == 0 or head.size == entry.size:
            put_text(output, field)
            return
    rest = field
    while rest.size >= 0:
        entry = before(rest, b'|')
        rest = after(rest, entry)
        head = before(entry, b':')
        put_string(output, b"[[" if is_first else b", [")
        if is_number(head):
            put_bytes(output, head.data, head.size)
        else:
            put_text(output, head)
        put_string(output, b", ")
        put_text(output, after(entry, head))
        put_byte(output, b']')
        is_first = False
    put_byte(output, b']')


cdef class TokenWriter:
    """Writes the tokens of sentences of one format."""

    cdef int32_t count
    cdef Kind kinds[MOST_KEYS]
    cdef int32_t columns[MOST_KEYS]
    cdef Text names[MOST_KEYS]      # with the text before and after them
    cdef int32_t form               # columns
    cdef int32_t lemma
    cdef int32_t misc
    cdef list kept

    def __init__(self, format):
        keys, columns = layout_of(format)
        if len(keys) > MOST_KEYS:
            raise ValueError(f"{format.title} has over {MOST_KEYS} columns")
        self.kept = [("{" if place == 0 else ", ").encode() + f'"{key}": '.encode() for place, key in enumerate(keys)]
        for place, (key, column) in enumerate(zip(keys, columns, strict=True)):
            self.names[place] = Text(<bytes>self.kept[place], len(self.kept[place]))
            self.kinds[place] = KINDS.get(key, OPTIONAL)
            self.columns[place] = format.index(column)
        self.count = len(keys)
        self.form, self.lemma, self.misc = (format.index(name) for name in ("form", "lemma", "misc"))

    cdef bint put_token(self, Output* output, FieldTable table, int32_t row) except -1 nogil:
        """Write a token; False if a field has too many entries."""
        cdef int32_t* fields = fields_of(table, row)
        cdef int32_t place, column
        cdef Text offsets[4]        # those of MISC come first
        cdef Text field
        cdef Kind kind
        offsets[0].size = offsets[1].size = 0
        for place in range(self.count):
            column = self.columns[place]
            kind = self.kinds[place]
            field = Text(table.data + fields[column], fields[column + 1] - 1 - fields[column])
            reserve(output, GROWTH * field.size + ALWAYS)
            put_bytes(output, self.names[place].data, self.names[place].size)
            if column == self.lemma and is_blank(field) and is_underscore(table, fields, self.form):
                kind = STRING
            if kind == ARCS:
                put_arcs(output, field)
            elif kind != PAIRS:
                put_value(output, field, kind)
            elif not put_pairs(output, field, offsets + 2 * (column != self.misc)):
                return False
        if is_number(offsets[0]) and is_number(offsets[1]):
            reserve(output, offsets[0].size + offsets[1].size + ALWAYS)
            put_string(output, b', "start": ')
            put_bytes(output, offsets[0].data, offsets[0].size)
            put_string(output, b', "end": ')
            put_bytes(output, offsets[1].data, offsets[1].size)
        put_byte(output, b'}')
        return True

    def tokens(self, FieldTable table):
        """The words of a sentence as a list of JSON; None if a field has too many entries."""
        cdef Output output = Output(NULL, 0, 0)
        cdef int32_t word
        cdef bint written = True
        try:
            with nogil:
                for word in range(1, table.words + 1):
                    reserve(&output, 2)
                    put_string(&output, b"[" if word == 1 else b", ")
                    written = self.put_token(&output, table, table.word_rows[word])
                    if not written:
                        break
            return output.data[:output.size].decode("utf-8") + "]" if written and output.size else None
        finally:
            free(output.data)


cdef inline bint is_underscore(FieldTable table, const int32_t* fields, int32_t form) noexcept nogil:
    """Whether the form of a token is an underscore."""
    return is_blank(Text(table.data + fields[form], fields[form + 1] - 1 - fields[form]))


def sentence_json(sentence):
    """`Sentence.to_dict` as JSON, with all characters as they are."""
    format = sentence.format
    tokens = None
    if not format.extra:
        if format.name not in WRITERS:
            WRITERS[format.name] = TokenWriter(format)
        tokens = WRITERS[format.name].tokens(sentence)
    if tokens is None:
        return json_of(to_dict(sentence))
    texts = {name: json_of(value) for name, value in frame_of(sentence).items()} | {"tokens": tokens}
    return "{" + ", ".join([f'"{name}": {text}' for name, text in texts.items()]) + "}"


json_of = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
