"""New columns for many sentences at once, as parsers and taggers give them: all other bytes stay."""
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject

from crossarc.core.strings cimport StringTable
from crossarc.core.typedefs cimport int32_t, label_t, offset_t
from crossarc.treebank.fields cimport LONGEST, FieldTable, fields_of
from crossarc.treebank.field_writing cimport copy, digits_of, name_of, write_number
from crossarc.treebank.sentence cimport Sentence

from crossarc.errors import TreebankError


cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(list items) nogil

cdef enum:
    MOST = 8        # columns at a time

cdef struct Column:
    int32_t index                # in the format
    const label_t* values        # of all nodes: numbers of names, -1 for what stays; heads where there are no names
    PyObject* names              # a StringTable; NULL for heads


cdef class Columns:
    """Columns of a format in their order, with new values."""

    cdef Column columns[MOST]
    cdef int32_t count
    cdef list kept        # views and names, kept alive here

    def __init__(self, format, dict columns):
        """Take the values of each column: a pair of numbers and names, without names for heads."""
        cdef const label_t[::1] values
        cdef StringTable names
        self.kept = []
        if len(columns) > MOST:
            raise ValueError(f"at most {MOST} columns are written at a time")
        for name in sorted(columns, key=format.index):
            if format.index(name) < 0:
                what = "columns for trees" if name in ("head", "deprel") else f"column for {name}"
                raise TreebankError(f"{format.title} has no {what}; convert to CoNLL-U first")
            values, names = columns[name]
            for value in names if names is not None else ():
                if not {"\t", "\n", "\r"}.isdisjoint(value):
                    kind = "label" if name == "deprel" else f"{name} value"
                    raise ValueError(f"the {kind} {value!r} has a tab or a line end")
            self.kept += [values, names]
            self.columns[self.count].index = format.index(name)
            self.columns[self.count].values = &values[0] if values.shape[0] else NULL
            self.columns[self.count].names = <PyObject*>names if names is not None else NULL
            self.count += 1

    cdef Py_ssize_t size_with(self, FieldTable old, offset_t start) noexcept nogil:
        """How many bytes a sentence has with its new columns; minus the number of a word with impossible values."""
        cdef Py_ssize_t size = old.size
        cdef int32_t word, place, length
        cdef int32_t* fields
        cdef label_t value
        cdef Column* column
        for word in range(1, old.words + 1):
            fields = fields_of(old, old.word_rows[word])
            for place in range(self.count):
                column = &self.columns[place]
                value = column.values[start + word]
                if column.names == NULL:
                    if not 0 <= value <= old.words:
                        return -word
                    length = digits_of(value)
                else:
                    if not -1 <= value < (<StringTable>column.names).count - (<StringTable>column.names).reserved:
                        return -word
                    if value < 0:
                        continue
                    name_of(<StringTable>column.names, value, &length)
                size += length - (fields[column.index + 1] - 1 - fields[column.index])
        return size

    cdef void write(self, FieldTable old, FieldTable new, offset_t start) noexcept nogil:
        """Write the bytes and the table of a sentence with its new columns."""
        cdef char* begin = <char*>new.data
        cdef char* at = begin
        cdef int32_t done = 0         # the old bytes before it are written
        cdef int32_t shift = 0        # how much further on these are now
        cdef int32_t row, kind, index, place, length
        cdef int32_t* source
        cdef int32_t* target
        cdef const char* name
        cdef label_t value
        cdef Column* column
        new.heads_[0] = new.word_rows[0] = -1
        for row in range(old.rows_count):
            kind = new.kinds[row] = old.kinds[row]
            source, target = fields_of(old, row), fields_of(new, row)
            index = 0
            if kind > 0:
                new.word_rows[kind] = row
                new.heads_[kind] = old.heads_[kind]
                for place in range(self.count):
                    column = &self.columns[place]
                    value = column.values[start + kind]
                    if value < 0:
                        continue
                    while index <= column.index:
                        target[index] = source[index] + shift
                        index += 1
                    at = copy(at, old.data + done, source[column.index] - done)
                    if column.names == NULL:
                        new.heads_[kind] = value
                        at = write_number(at, value)
                    else:
                        name = name_of(<StringTable>column.names, value, &length)
                        at = copy(at, name, length)
                    done = source[column.index + 1] - 1
                    shift = at - begin - done
            while index <= old.width:
                target[index] = source[index] + shift
                index += 1
        copy(at, old.data + done, old.size - done)


cdef Sentence unwritten(Sentence old, Py_ssize_t size, Py_ssize_t number, str what):
    """A sentence with the rows of another one and room for so many bytes, which it has with something new."""
    cdef Sentence new = Sentence.__new__(Sentence)
    if size > LONGEST:
        raise TreebankError(f"sentence {number} has over two gigabytes with its {what}")
    new.allocate(PyBytes_FromStringAndSize(NULL, size), old.format, old.source, old.line, old.rows_count, old.width,
                 old.words)
    return new


def write_trees(list sentences, const label_t[::1] heads, const label_t[::1] labels, const offset_t[::1] starts,
                StringTable names):
    """Return the sentences, all of one format, with new heads and labels; `names` has the labels by number.

    Sentence i has the entries `starts[i]` to `starts[i + 1]` of `heads` and `labels`, the first for the dummy root.
    """
    cdef Py_ssize_t i, node
    for i in range(min(<Py_ssize_t>len(sentences), starts.shape[0] - 1)):
        for node in range(max(0, starts[i]) + 1, min(starts[i + 1], labels.shape[0])):
            if labels[node] < 0:
                raise ValueError(f"word {node - starts[i]} of sentence {i} has no head or no label")
    return write_columns(sentences, starts, {"head": (heads, None), "deprel": (labels, names)})


def write_columns(list sentences, const offset_t[::1] starts, dict columns):
    """Return the sentences, all of one format, with new values in some columns.

    `columns` has for each name (upos, lemma ...) a pair: the number of the value of each node, and the values by
    number. Values of -1 stay as they are. Sentence i has the entries `starts[i]` to `starts[i + 1]`, the first for the
    dummy root.
    """
    cdef Columns new_columns
    cdef Sentence old
    cdef list result = []
    cdef list kept = list(sentences)      # which nobody changes while the GIL is released
    cdef Py_ssize_t i, size, count = len(kept)
    cdef PyObject** before
    cdef PyObject** after
    if not kept:
        return result
    lengths = (len(values) for values, _ in columns.values())
    if starts.shape[0] != count + 1 or starts[0] != 0 or not starts[count] <= min(lengths, default=starts[count]):
        raise ValueError(f"{count} sentences need {count + 1} starts, from 0 to the number of values")
    new_columns = Columns(kept[0].format, columns)
    for i in range(count):
        old = kept[i]
        if starts[i + 1] - starts[i] != old.words + 1:
            raise ValueError(f"sentence {i} has {old.words} words, its tree {starts[i + 1] - starts[i] - 1}")
        size = new_columns.size_with(old, starts[i])
        if size < 0:
            what = "no head or no label" if "head" in columns else "a value without a name"
            raise ValueError(f"word {-size} of sentence {i} has {what}")
        result.append(unwritten(old, size, i, "new columns"))
    before, after = PySequence_Fast_ITEMS(kept), PySequence_Fast_ITEMS(result)
    with nogil:
        for i in range(count):
            new_columns.write(<FieldTable><void*>before[i], <FieldTable><void*>after[i], starts[i])
    return result
