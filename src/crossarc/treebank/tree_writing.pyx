"""New trees for many sentences at once, as parsers give them: HEAD and DEPREL are written, all other bytes stay."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject

from crossarc.core.strings cimport StringTable
from crossarc.core.typedefs cimport int32_t, label_t, offset_t, token_t
from crossarc.treebank.field_table cimport FieldTable, fields_of
from crossarc.treebank.field_writing cimport copy, digits_of, name_of, write_number
from crossarc.treebank.layout cimport LONGEST
from crossarc.treebank.sentence cimport Sentence

from crossarc.errors import TreebankError

cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(list items) nogil


cdef class Columns:
    """Where a format has heads and labels."""

    cdef int32_t head
    cdef int32_t label

    def __cinit__(self, format):
        self.head, self.label = format.index("head"), format.index("deprel")
        if not 0 <= self.head < self.label:
            raise TreebankError(f"{format.title} has no columns for trees; convert to CoNLL-U first")

    cdef Py_ssize_t size_with(self, FieldTable old, const token_t* heads, const label_t* labels,
                              StringTable names) noexcept nogil:
        """How many bytes a sentence has with a new tree; minus the number of a word without head or label."""
        cdef Py_ssize_t size = old.size
        cdef int32_t word, label_size
        cdef int32_t* fields
        for word in range(1, old.words + 1):
            if not (0 <= heads[word] <= old.words and 0 <= labels[word] < names.count - names.reserved):
                return -word
            fields = fields_of(old, old.word_rows[word])
            name_of(names, labels[word], &label_size)
            size += digits_of(heads[word]) - (fields[self.head + 1] - 1 - fields[self.head])
            size += label_size - (fields[self.label + 1] - 1 - fields[self.label])
        return size

    cdef void write(self, FieldTable old, FieldTable new, const token_t* heads, const label_t* labels,
                    StringTable names) noexcept nogil:
        """Write the bytes and the table of a sentence with a new tree."""
        cdef char* begin = <char*>new.data
        cdef char* at = begin
        cdef int32_t place = 0        # the old bytes before it are written
        cdef int32_t shift = 0        # how much further on these are now
        cdef int32_t row, kind, column, label_size
        cdef int32_t* source
        cdef int32_t* target
        cdef const char* label
        new.heads_[0] = new.word_rows[0] = -1
        for row in range(old.rows_count):
            kind = new.kinds[row] = old.kinds[row]
            source, target = fields_of(old, row), fields_of(new, row)
            column = 0
            if kind > 0:
                new.word_rows[kind] = row
                new.heads_[kind] = heads[kind]
                for column in range(self.head + 1):
                    target[column] = source[column] + shift
                at = copy(at, old.data + place, source[self.head] - place)
                at = write_number(at, heads[kind])
                place = source[self.head + 1] - 1
                shift = at - begin - place
                for column in range(self.head + 1, self.label + 1):
                    target[column] = source[column] + shift
                at = copy(at, old.data + place, source[self.label] - place)
                label = name_of(names, labels[kind], &label_size)
                at = copy(at, label, label_size)
                place = source[self.label + 1] - 1
                shift = at - begin - place
                column = self.label + 1
            while column <= old.width:
                target[column] = source[column] + shift
                column += 1
        copy(at, old.data + place, old.size - place)


def write_trees(list sentences, const token_t[::1] heads, const label_t[::1] labels, const offset_t[::1] starts,
                StringTable names):
    """The sentences, all of one format, with new heads and labels; `names` has the labels by number.

    Sentence i has the entries `starts[i]` to `starts[i + 1]` of `heads` and `labels`, the first for the dummy root.
    """
    cdef Columns columns
    cdef Sentence old, new
    cdef list result = []
    cdef list kept = list(sentences)      # which nobody changes while the GIL is released
    cdef bytes raw
    cdef Py_ssize_t i, size, count = len(kept)
    cdef PyObject** before
    cdef PyObject** after
    if not kept:
        return result
    columns = Columns(kept[0].format)
    if starts.shape[0] != count + 1 or starts[0] != 0 or not starts[count] <= min(heads.shape[0], labels.shape[0]):
        raise ValueError(f"{count} sentences need {count + 1} starts, from 0 to the number of heads and labels")
    for name in names:
        if not {"\t", "\n", "\r"}.isdisjoint(name):
            raise ValueError(f"the label {name!r} has a tab or a line end")
    for i in range(count):
        old = kept[i]
        if starts[i + 1] - starts[i] != old.words + 1:
            raise ValueError(f"sentence {i} has {old.words} words, its tree {starts[i + 1] - starts[i] - 1}")
        size = columns.size_with(old, &heads[starts[i]], &labels[starts[i]], names)
        if size < 0:
            raise ValueError(f"word {-size} of sentence {i} has no head or no label")
        if size > LONGEST:
            raise TreebankError(f"sentence {i} has over two gigabytes with its tree")
        raw = PyBytes_FromStringAndSize(NULL, size)
        new = Sentence.__new__(Sentence)
        new.allocate(raw, old.format, old.source, old.line, old.rows_count, old.width, old.words)
        result.append(new)
    before, after = PySequence_Fast_ITEMS(kept), PySequence_Fast_ITEMS(result)
    with nogil:
        for i in range(count):
            columns.write(<FieldTable><void*>before[i], <FieldTable><void*>after[i], &heads[starts[i]],
                          &labels[starts[i]], names)
    return result
