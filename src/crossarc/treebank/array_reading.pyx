"""A stream of bytes as a corpus, without a Python object per sentence."""
import numpy as np

from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from crossarc.core.buffers cimport Buffer, extend, take_array
from crossarc.core.strings cimport StringTable
from crossarc.core.typedefs cimport int32_t, label_t, token_t
from crossarc.treebank.fields cimport NO_FAULT, Layout, Spec, find_end, make_spec, parse, release

from crossarc.core.strings import ROOT
from crossarc.treebank.streams import too_large


cdef enum:
    MOST = 8       # at least the number of interned columns and the heads


cdef class ArrayReader:
    """Collects the sentences of blocks of bytes.

    Bytes that are no sentence go to `repair(bytes, line)`, which gives better bytes, None to leave them out, or raises.
    Sentences of more than `largest` bytes are refused.
    """

    cdef dict tables
    cdef object repair
    cdef bytes rest
    cdef str source
    cdef Py_ssize_t line, largest
    cdef Layout layout
    cdef Spec spec
    cdef int32_t count
    cdef label_t root
    cdef int32_t places[MOST]
    cdef void* table_of[MOST]      # borrowed from `tables`
    cdef Buffer buffers[MOST]      # the interned columns, then the heads
    cdef Buffer lengths            # entries of each sentence

    def __cinit__(self, format, repair, str source, Py_ssize_t largest):
        self.rest = b""
        self.line = 1
        self.source = source
        self.largest = largest
        self.repair = repair
        self.tables = {name: StringTable() for name in INTERNED}
        self.count = len(INTERNED)
        self.root = ROOT
        self.spec = make_spec(format)
        memset(&self.layout, 0, sizeof(Layout))
        memset(self.buffers, 0, sizeof(self.buffers))
        memset(&self.lengths, 0, sizeof(Buffer))
        for column, name in enumerate(INTERNED):
            self.places[column] = format.index(name)
            self.table_of[column] = <void*>self.tables[name]

    def __dealloc__(self):
        cdef int32_t column
        release(&self.layout)
        for column in range(MOST):
            free(self.buffers[column].data)
        free(self.lengths.data)

    cdef int add(self, const char* data) except -1 nogil:
        """Append the sentence that the layout describes."""
        cdef size_t entries = self.layout.words + 1
        cdef int32_t column, row, kind, place
        cdef int32_t* fields
        cdef label_t* target
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
                target[kind] = (<StringTable>self.table_of[column]).intern(data + fields[0], fields[1] - 1 - fields[0])
        target = extend(&self.buffers[self.count], entries)
        if target == NULL:
            raise MemoryError
        memcpy(target, self.layout.heads, entries * sizeof(token_t))
        target = extend(&self.lengths, 1)
        if target == NULL:
            raise MemoryError
        target[0] = entries
        return 0

    cdef Py_ssize_t add_all(self, const char* data, Py_ssize_t size, bint final) except -1 nogil:
        """Append sentences up to the first that is incomplete or malformed; return the place where that begins."""
        cdef Py_ssize_t begin = 0, end, lines
        cdef bint has_tokens
        while begin < size:
            end = find_end(data, begin, size, final, &lines, &has_tokens)
            if end < 0:
                break
            if has_tokens:
                if end - begin > self.largest or parse(data + begin, end - begin, &self.spec, &self.layout) != NO_FAULT:
                    break
                self.add(data + begin)
            self.line += lines
            begin = end
        return begin

    def feed(self, bytes block, bint final=False):
        """Add the sentences that are complete after these bytes; with `final`, all that is left."""
        cdef bytes data = self.rest + block if self.rest else block
        cdef const char* start = data
        cdef Py_ssize_t size = len(data), place = 0, end, lines
        cdef bint has_tokens
        while True:
            with nogil:
                place += self.add_all(start + place, size - place, final)
            end = find_end(start, place, size, final, &lines, &has_tokens) if place < size else -1
            if place < size and (end if end >= 0 else size) - place > self.largest:
                raise too_large(f"{self.source}:{self.line}", "sentence", self.largest)
            if end < 0:
                break
            raw = self.repair(data[place:end], self.line)
            if raw is not None:
                if parse(raw, len(raw), &self.spec, &self.layout) != NO_FAULT:
                    raise AssertionError("a repaired sentence does not parse")
                self.add(raw)
            self.line += lines
            place = end
        self.rest = data[place:]

    def corpus(self):
        """The corpus of all sentences; the reader is empty afterwards."""
        cdef int32_t column
        cdef Buffer* buffer
        columns = {}
        for column, name in enumerate((*INTERNED, "head")):
            buffer = &self.buffers[column]
            columns[name] = (self.tables.get(name), take_array(buffer))
        starts = np.concatenate(([0], np.cumsum(take_array(&self.lengths), dtype=np.int64)))
        return Corpus(starts, columns)
