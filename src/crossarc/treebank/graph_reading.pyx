"""The arcs of graphs from the bytes of sentences: DEPS of CoNLL-U, argument columns of SDP and CoNLL-2009."""
import numpy as np

from libc.stdlib cimport free

from crossarc.core.allocation cimport resize
from crossarc.core.typedefs cimport int32_t, token_t


cdef const char* ROOT_LABEL = "root"      # of the tops of SDP


cdef inline bint holds(FieldTable sentence, int32_t* field, char byte) noexcept nogil:
    """Whether a field is this one byte."""
    return field[1] - field[0] == 2 and sentence.data[field[0]] == byte


cdef class GraphReader:
    """Reads the arcs of one sentence after the other, all in one format.

    Words have their own numbers; empty nodes are numbered after the last word. Arcs are in order of the dependent.
    """

    def __cinit__(self, format):
        self.deps = format.index("deps")
        self.top = format.index("top")
        self.predicate = format.index("pred" if format.name == "sdp" else "fillpred") if format.extra else -1
        self.fixed = len(format.columns)

    def __dealloc__(self):
        free(self.arcs)
        free(self.empty)
        free(self.predicates)

    cdef int begin(self, FieldTable sentence) except -1 nogil:
        """Forget the arcs read before and count the empty nodes before each word."""
        cdef int32_t row, found = 0
        self.count = 0
        if sentence.words + 2 > self.room:
            resize(<void**>&self.empty, 2 * (<size_t>sentence.words + 2) * sizeof(int32_t))
            resize(<void**>&self.predicates, 2 * (<size_t>sentence.words + 2) * sizeof(token_t))
            self.room = 2 * (sentence.words + 2)
        self.empty[0] = 0
        for row in range(sentence.rows_count):
            if sentence.kinds[row] > 0:
                self.empty[sentence.kinds[row]] = found
            elif sentence.kinds[row] == EMPTY_ROW:
                found += 1
        self.empty[sentence.words + 1] = found
        self.nodes = 1 + sentence.words + found
        return 0

    cdef int read(self, FieldTable sentence) except -1 nogil:
        """Read the arcs of a sentence; return 0 if one of them is malformed or names no node, else 1."""
        cdef int32_t word, row
        cdef token_t node = sentence.words
        self.begin(sentence)
        if self.deps < 0:
            return self.read_arguments(sentence) if self.predicate >= 0 else 1
        for word in range(1, sentence.words + 1):
            if not self.read_deps(sentence, sentence.word_rows[word], word):
                return 0
        if self.nodes > sentence.words + 1:
            for row in range(sentence.rows_count):
                if sentence.kinds[row] == EMPTY_ROW:
                    node += 1
                    if not self.read_deps(sentence, row, node):
                        return 0
        return 1

    cdef int add(self, token_t head, token_t dependent, const char* label, int32_t size) except -1 nogil:
        """Append an arc."""
        if self.count == self.capacity:
            resize(<void**>&self.arcs, (2 * self.capacity + 64) * sizeof(Arc))
            self.capacity = 2 * self.capacity + 64
        self.arcs[self.count] = Arc(head, dependent, label, size)
        self.count += 1
        return 0

    cdef int read_deps(self, FieldTable sentence, int32_t row, token_t dependent) except -1 nogil:
        """Read head:label|head:label; return 0 if it is malformed, else 1."""
        cdef const char* data = sentence.data
        cdef int32_t* field = fields_of(sentence, row) + self.deps
        cdef int32_t last = field[1] - 1, place = field[0], end, word = 0, behind = 0
        cdef token_t head
        if holds(sentence, field, b'_'):
            return 1
        while place <= last:
            place = number(data, place, last, &word)
            if place < 0 or word > sentence.words:
                return 0
            head = word
            if place < last and data[place] == b'.':
                place = number(data, place + 1, last, &behind)
                # The empty nodes behind a word are numbered from 1 and come before the next word.
                if place < 0 or not 1 <= behind <= self.empty[word + 1] - self.empty[word]:
                    return 0
                head = sentence.words + self.empty[word] + behind
            if place >= last or data[place] != b':':
                return 0
            end = place + 1
            while end < last and data[end] != b'|':
                end += 1
            if end == place + 1:
                return 0
            self.add(head, dependent, data + place + 1, end - place - 1)
            place = end + 1
        return 1

    cdef int read_arguments(self, FieldTable sentence) except -1 nogil:
        """Read argument columns, of which the k-th belongs to the k-th predicate; return 0 if their numbers differ."""
        cdef int32_t word, column, found = 0
        cdef int32_t* fields
        for word in range(1, sentence.words + 1):
            fields = fields_of(sentence, sentence.word_rows[word]) + self.predicate
            if holds(sentence, fields, b'+') or holds(sentence, fields, b'Y'):
                self.predicates[found] = word
                found += 1
        if found != sentence.width - self.fixed:
            return 0
        for word in range(1, sentence.words + 1):
            fields = fields_of(sentence, sentence.word_rows[word])
            if self.top >= 0 and holds(sentence, fields + self.top, b'+'):
                self.add(0, word, ROOT_LABEL, 4)
            for column in range(found):
                if not holds(sentence, fields + self.fixed + column, b'_'):
                    self.add(self.predicates[column], word, sentence.data + fields[self.fixed + column],
                             fields[self.fixed + column + 1] - fields[self.fixed + column] - 1)
        return 1


def arcs_of(FieldTable sentence):
    """Heads, dependents and labels of the arcs by the places of nodes in the sentence; None if one is malformed."""
    cdef GraphReader reader = GraphReader(sentence.format)
    cdef int32_t row
    cdef size_t i
    cdef token_t place = 0
    if not reader.read(sentence):
        return None
    heads = np.array([reader.arcs[i].head for i in range(reader.count)], dtype=np.int32)
    dependents = np.array([reader.arcs[i].dependent for i in range(reader.count)], dtype=np.int32)
    labels = [reader.arcs[i].label[:reader.arcs[i].size].decode("utf-8") for i in range(reader.count)]
    if reader.nodes > sentence.words + 1:
        words, empty = [0], []
        for row in range(sentence.rows_count):
            if sentence.kinds[row] != RANGE_ROW:
                place += 1
                (words if sentence.kinds[row] > 0 else empty).append(place)
        places = np.array(words + empty, dtype=np.int32)
        order = np.argsort(places[dependents], kind="stable")
        heads, dependents, labels = places[heads[order]], places[dependents[order]], [labels[k] for k in order]
    return heads, dependents, labels
