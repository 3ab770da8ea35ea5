"""A stream of bytes as sentences."""
from cpython.pyport cimport PY_SSIZE_T_MAX
from libc.string cimport memset

from crossarc.treebank.fields cimport NO_FAULT, Fault, Layout, Spec, find_end, make_spec, parse, release

from crossarc.treebank.streams import too_large


cdef class Scanner:
    """Splits a stream of bytes into sentences; bytes that do not parse are given as (bytes, line).

    Sentences of more than `largest` bytes are refused.
    """

    cdef bytes rest
    cdef object format
    cdef str source
    cdef Py_ssize_t line, largest
    cdef Layout layout
    cdef Spec spec

    def __cinit__(self, format, str source, Py_ssize_t largest=PY_SSIZE_T_MAX):
        self.rest = b""
        self.format = format
        self.source = source
        self.line = 1
        self.largest = largest
        memset(&self.layout, 0, sizeof(Layout))
        self.spec = make_spec(format)

    def __dealloc__(self):
        release(&self.layout)

    @property
    def pending(self):
        """The number of bytes of an unfinished sentence."""
        return len(self.rest)

    def feed(self, bytes block, bint final=False):
        """The sentences that are complete after these bytes; with `final`, all that is left."""
        cdef bytes data = self.rest + block if self.rest else block
        cdef const char* start = data
        cdef Py_ssize_t size = len(data), begin = 0, end = 0, lines = 0
        cdef bint has_tokens = False
        cdef Fault fault
        cdef list sentences = []
        cdef Sentence sentence
        while begin < size:
            end = find_end(start, begin, size, final, &lines, &has_tokens)
            if (end if end >= 0 else size) - begin > self.largest:
                raise too_large(f"{self.source}:{self.line}", "sentence", self.largest)
            if end < 0:
                break
            raw = data[begin:end]
            if has_tokens or raw.strip():
                fault = parse(start + begin, end - begin, &self.spec, &self.layout)
                if fault == NO_FAULT:
                    sentence = Sentence.__new__(Sentence)
                    sentence.fill(raw, self.format, self.source, self.line, &self.layout)
                    sentences.append(sentence)
                else:
                    sentences.append((raw, self.line))
            self.line += lines
            begin = end
        self.rest = data[begin:]
        return sentences
