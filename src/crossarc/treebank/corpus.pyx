"""A whole treebank as flat integer arrays: the form in which parsers learn from it and figures are counted over it."""

import numpy as np

from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from crossarc.core.strings cimport StringTable
from crossarc.core.typedefs cimport int32_t
from crossarc.treebank.layout cimport NO_FAULT, Layout, Spec, find_end, make_spec, parse, release

from crossarc.core.strings import ROOT
from crossarc.errors import UnknownName
from crossarc.treebank.formats import COLUMNS

# The columns whose strings become ids.
INTERNED = tuple(column for column in COLUMNS if column not in ("head", "deps", "misc"))

cdef enum:
    WIDEST = 8       # at least the number of interned columns and the heads


cdef struct Buffer:
    int32_t* data
    size_t size
    size_t capacity


cdef inline int32_t* extend(Buffer* buffer, size_t count) noexcept nogil:
    """Room for so many entries more behind the last; NULL when memory is out."""
    cdef size_t wanted = buffer.size + count
    cdef void* block
    if wanted > buffer.capacity:
        block = realloc(buffer.data, 2 * wanted * sizeof(int32_t))
        if block == NULL:
            return NULL
        buffer.data = <int32_t*>block
        buffer.capacity = 2 * wanted
    buffer.size = wanted
    return buffer.data + wanted - count


cdef class Corpus:
    """Sentences as int32 arrays over all their nodes, the dummy root of each in front of its words.

    Sentence i has the entries `starts[i]` to `starts[i + 1]` of every array; `strings[column]` is the table that gives
    the ids of a column. Blocks of a file are added with `feed`.

    >>> corpus = Corpus()
    >>> corpus.feed(b"1\\tHi\\thi\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n", final=True)
    >>> corpus["head"].tolist(), [corpus.strings["form"].string(i) for i in corpus["form"]]
    ([-1, 0], ['<root>', 'Hi'])
    """

    cdef readonly dict strings
    cdef object format
    cdef object repair
    cdef bytes rest
    cdef Py_ssize_t line
    cdef Layout layout
    cdef Spec spec
    cdef int32_t count
    cdef int32_t root
    cdef int32_t places[WIDEST]
    cdef Buffer buffers[WIDEST]      # the interned columns, then the heads
    cdef Buffer lengths              # entries of each sentence
    cdef void* tables[WIDEST]

    def __cinit__(self, format=None, repair=None):
        from crossarc.treebank.formats import CONLLU

        self.rest = b""
        self.line = 1
        self.format = CONLLU if format is None else format
        self.repair = repair
        self.strings = {name: StringTable() for name in INTERNED}
        self.count = len(INTERNED)
        self.root = ROOT
        self.spec = make_spec(self.format)
        memset(&self.layout, 0, sizeof(Layout))
        memset(self.buffers, 0, sizeof(self.buffers))
        memset(&self.lengths, 0, sizeof(Buffer))
        for column, name in enumerate(INTERNED):
            self.places[column] = self.format.index(name)
            self.tables[column] = <void*>self.strings[name]

    def __dealloc__(self):
        cdef int32_t column
        release(&self.layout)
        for column in range(WIDEST):
            free(self.buffers[column].data)
        free(self.lengths.data)

    cdef int add(self, const char* data) except -1 nogil:
        """Append the sentence that the layout describes."""
        cdef size_t entries = self.layout.words + 1
        cdef int32_t column, row, kind, place
        cdef int32_t* fields
        cdef int32_t* target
        for column in range(self.count):
            target = extend(&self.buffers[column], entries)
            if target == NULL:
                raise MemoryError
            target[0] = self.root
            place = self.places[column]
            for row in range(self.layout.rows):
                kind = self.layout.kinds[row]
                if kind <= 0:
                    continue
                if place < 0:
                    target[kind] = 0
                    continue
                fields = self.layout.fields + row * (self.layout.width + 1) + place
                target[kind] = (<StringTable>self.tables[column]).intern(data + fields[0], fields[1] - 1 - fields[0])
        target = extend(&self.buffers[self.count], entries)
        if target == NULL:
            raise MemoryError
        memcpy(target, self.layout.heads, entries * sizeof(int32_t))
        target = extend(&self.lengths, 1)
        if target == NULL:
            raise MemoryError
        target[0] = entries
        return 0

    cdef Py_ssize_t add_all(self, const char* data, Py_ssize_t size, bint final) except -1 nogil:
        """Append sentences up to the first that is incomplete or faulty; gives the place where that begins."""
        cdef Py_ssize_t begin = 0
        cdef Py_ssize_t end, lines
        cdef bint has_tokens
        while begin < size:
            end = find_end(data, begin, size, final, &lines, &has_tokens)
            if end < 0:
                break
            if has_tokens:
                if parse(data + begin, end - begin, &self.spec, &self.layout) != NO_FAULT:
                    break
                self.add(data + begin)
            self.line += lines
            begin = end
        return begin

    def feed(self, bytes block, bint final=False):
        """Add the sentences that are complete after these bytes; with `final`, all that is left.

        What is no sentence goes to `repair(bytes, line)`, which gives better bytes, None to leave it out, or raises.
        """
        cdef bytes data = self.rest + block if self.rest else block
        cdef const char* start = data
        cdef Py_ssize_t size = len(data)
        cdef Py_ssize_t place = 0
        cdef Py_ssize_t end, lines
        cdef bint has_tokens
        while True:
            with nogil:
                place += self.add_all(start + place, size - place, final)
            end = find_end(start, place, size, final, &lines, &has_tokens) if place < size else -1
            if end < 0:
                break
            raw = self.mend(data[place:end])
            if raw is not None:
                if parse(raw, len(raw), &self.spec, &self.layout) != NO_FAULT:
                    raise AssertionError("a repaired sentence that does not parse")
                self.add(raw)
            self.line += lines
            place = end
        self.rest = data[place:]

    def mend(self, bytes raw):
        """What to take instead of bytes that do not parse."""
        if self.repair is not None:
            return self.repair(raw, self.line)
        from crossarc.errors import TreebankError
        from crossarc.treebank.validation import inspect_syntax

        raise TreebankError(str(inspect_syntax(raw, self.format, line=self.line)[0]))

    @staticmethod
    def of(sentences):
        """The corpus of sentences that are all in one format."""
        from crossarc.treebank.writing import pieces

        kept = list(sentences)
        corpus = Corpus(kept[0].format if kept else None)
        corpus.feed(b"".join(pieces(kept)), final=True)
        return corpus

    def __len__(self):
        """How many sentences there are."""
        return self.lengths.size

    @property
    def starts(self):
        """Where each sentence begins in the arrays, and behind the last one their size."""
        cdef int32_t[::1] view
        starts = np.zeros(self.lengths.size + 1, dtype=np.int64)
        if self.lengths.size:
            view = <int32_t[:self.lengths.size]>self.lengths.data
            np.cumsum(np.asarray(view), out=starts[1:])
        return starts

    def __getitem__(self, str column):
        """The ids of a column, or the heads as they stand in the file."""
        cdef int32_t index
        if column != "head" and column not in INTERNED:
            raise UnknownName("column", column, (*INTERNED, "head"))
        index = self.count if column == "head" else INTERNED.index(column)
        cdef Buffer* buffer = &self.buffers[index]
        cdef int32_t[::1] view
        values = np.empty(buffer.size, dtype=np.int32)
        if buffer.size:
            view = values
            memcpy(&view[0], buffer.data, buffer.size * sizeof(int32_t))
        return values
