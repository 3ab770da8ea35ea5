"""New graphs for many sentences at once, as parsers give them: DEPS is written, all other bytes stay."""
import numpy as np

from cpython.object cimport PyObject
from libc.stdlib cimport free
from libc.string cimport memcpy

from crossarc.core.allocation cimport renew
from crossarc.core.sorting cimport sort_by
from crossarc.core.strings cimport StringTable
from crossarc.core.typedefs cimport int32_t, label_t, offset_t, token_t
from crossarc.errors import TreebankError
from crossarc.treebank.fields cimport EMPTY_ROW, LONGEST, RANGE_ROW, FieldTable, fields_of
from crossarc.treebank.field_writing cimport copy, digits_of, name_of, write_number
from crossarc.treebank.sentence cimport Sentence

from crossarc.treebank.graph import Graph, label_fault


cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(list items) nogil


cdef struct Arcs:
    const token_t* heads
    const token_t* dependents
    const label_t* labels
    token_t count


cdef class DepsWriter:
    """Writes DEPS of one sentence after the other; all have at most so many words and arcs."""

    cdef int32_t column
    cdef StringTable names
    cdef const label_t[::1] ranks    # places of the labels in the order of their strings
    cdef token_t* first              # arcs of word d are order[first[d]] .. order[first[d + 1] - 1]
    cdef token_t* order
    cdef token_t* by_head

    def __cinit__(self, int32_t column, StringTable names, token_t words, token_t arcs):
        self.column = column
        self.names = names
        self.ranks = ranks_of(names)
        renew(<void**>&self.first, (<size_t>words + 2) * sizeof(token_t))
        renew(<void**>&self.order, (<size_t>arcs + 1) * sizeof(token_t))
        renew(<void**>&self.by_head, (<size_t>arcs + 1) * sizeof(token_t))

    def __dealloc__(self):
        free(self.first)
        free(self.order)
        free(self.by_head)

    cdef Py_ssize_t size_with(self, FieldTable old, Arcs arcs) noexcept nogil:
        """How many bytes a sentence has with new arcs; -1 - k if arc k leaves the sentence or has no label."""
        cdef Py_ssize_t size = old.size
        cdef token_t k, word
        cdef int32_t row, label_size
        cdef int32_t* fields
        for word in range(old.words + 1):
            self.first[word] = 0
        for k in range(arcs.count):
            if not (0 <= arcs.heads[k] <= old.words and 1 <= arcs.dependents[k] <= old.words
                    and 0 <= arcs.labels[k] < self.names.count - self.names.reserved):
                return -1 - k
            name_of(self.names, arcs.labels[k], &label_size)
            size += digits_of(arcs.heads[k]) + 1 + label_size
            # A bar comes before each entry of a word but the first.
            size += self.first[arcs.dependents[k]]
            self.first[arcs.dependents[k]] = 1
        for row in range(old.rows_count):
            if old.kinds[row] == RANGE_ROW:
                continue
            fields = fields_of(old, row)
            size -= fields[self.column + 1] - 1 - fields[self.column]
            if old.kinds[row] == EMPTY_ROW or not self.first[old.kinds[row]]:
                size += 1        # _
        return size

    cdef void sort(self, token_t words, Arcs arcs) noexcept nogil:
        """Sort arcs by dependent, then head, then label as a string. O(words + arcs) without parallel arcs."""
        cdef token_t word, i, j, k
        sort_by(arcs.heads, NULL, 0, arcs.count, words, False, self.first, self.by_head)
        sort_by(arcs.dependents, self.by_head, 0, arcs.count, words, False, self.first, self.order)
        for word in range(1, words + 1):
            for i in range(self.first[word] + 1, self.first[word + 1]):
                k = self.order[i]
                j = i
                while (j > self.first[word] and arcs.heads[self.order[j - 1]] == arcs.heads[k]
                       and self.ranks[arcs.labels[self.order[j - 1]]] > self.ranks[arcs.labels[k]]):
                    self.order[j] = self.order[j - 1]
                    j -= 1
                self.order[j] = k

    cdef void write(self, FieldTable old, FieldTable new, Arcs arcs) noexcept nogil:
        """Write the bytes and the table of a sentence with new arcs."""
        cdef char* begin = <char*>new.data
        cdef char* at = begin
        cdef int32_t place = 0        # the old bytes before it are written
        cdef int32_t shift = 0        # how much further on these are now
        cdef int32_t row, kind, column
        cdef int32_t* source
        cdef int32_t* target
        self.sort(old.words, arcs)
        memcpy(new.heads_, old.heads_, (<size_t>old.words + 1) * sizeof(token_t))
        memcpy(new.word_rows, old.word_rows, (<size_t>old.words + 1) * sizeof(int32_t))
        for row in range(old.rows_count):
            kind = new.kinds[row] = old.kinds[row]
            source, target = fields_of(old, row), fields_of(new, row)
            for column in range(self.column + 1):
                target[column] = source[column] + shift
            if kind != RANGE_ROW:
                at = copy(at, old.data + place, source[self.column] - place)
                at = self.write_entries(at, kind, arcs)
                place = source[self.column + 1] - 1
                shift = <int32_t>(at - begin) - place
            for column in range(self.column + 1, old.width + 1):
                target[column] = source[column] + shift
        copy(at, old.data + place, old.size - place)

    cdef char* write_entries(self, char* at, int32_t kind, Arcs arcs) noexcept nogil:
        """Write head:label|head:label of a word, or _; return the place after it."""
        cdef token_t i
        cdef int32_t size
        cdef const char* label
        if kind == EMPTY_ROW or self.first[kind] == self.first[kind + 1]:
            at[0] = c'_'
            return at + 1
        for i in range(self.first[kind], self.first[kind + 1]):
            if i > self.first[kind]:
                at[0] = c'|'
                at += 1
            at = write_number(at, arcs.heads[self.order[i]])
            at[0] = c':'
            label = name_of(self.names, arcs.labels[self.order[i]], &size)
            at = copy(at + 1, label, size)
        return at


cdef ranks_of(StringTable names):
    """The place of each label in the order of the strings."""
    strings = list(names)
    ranks = np.empty(len(strings), dtype=np.int32)
    ranks[sorted(range(len(strings)), key=strings.__getitem__)] = np.arange(len(strings), dtype=np.int32)
    return ranks


cdef inline Arcs arcs_from(const token_t[::1] heads, const token_t[::1] dependents, const label_t[::1] labels,
                           offset_t begin, offset_t end) noexcept nogil:
    """The arcs from one place to another."""
    if begin == end:
        return Arcs(NULL, NULL, NULL, 0)
    return Arcs(&heads[begin], &dependents[begin], &labels[begin], <token_t>(end - begin))


def write_graphs(list sentences, const offset_t[::1] starts, const token_t[::1] heads, const token_t[::1] dependents,
                 const label_t[::1] labels, StringTable names):
    """The sentences, all of one format, with new graphs; `names` has the labels by number, from 0.

    Sentence i has the arcs `starts[i]` to `starts[i + 1]`, in any order, between words 0 to n. DEPS gets them by head,
    then by label. Words without arcs and empty nodes get `_`. In SDP the columns of tops, predicates and arguments are
    written, one sentence after the other.
    """
    cdef DepsWriter writer
    cdef Sentence old
    cdef list result = []
    cdef list kept = list(sentences)      # which nobody changes while the GIL is released
    cdef Py_ssize_t i, size, count = len(kept), words = 0
    cdef offset_t k, most = 0
    cdef PyObject** before
    cdef PyObject** after
    if not kept:
        return result
    given = min(heads.shape[0], dependents.shape[0], labels.shape[0])
    if starts.shape[0] != count + 1 or starts[0] != 0 or not starts[count] <= given:
        raise ValueError(f"{count} sentences need {count + 1} starts, from 0 to the number of arcs")
    for i in range(count):
        if starts[i + 1] < starts[i]:
            raise ValueError(f"sentence {i} has arcs from {starts[i]} to {starts[i + 1]}; starts must not decrease")
        most = max(most, starts[i + 1] - starts[i])
        words = max(words, len(kept[i]))
    if most > LONGEST:
        raise ValueError(f"a sentence has {most} arcs, more than its bytes can hold")
    form = kept[0].format
    for name in names:
        fault = label_fault(name, form)
        if fault:
            raise TreebankError(f"the label {name!r} {fault}; leave it out, or write another format")
    if form.index("deps") < 0:
        return [
            replaced(kept[i], i, heads[starts[i]:starts[i + 1]], dependents[starts[i]:starts[i + 1]],
                     labels[starts[i]:starts[i + 1]], names)
            for i in range(count)
        ]
    writer = DepsWriter(form.index("deps"), names, words, <token_t>most)
    for i in range(count):
        old = kept[i]
        if old.format is not form:
            raise ValueError(f"sentence {i} is in {old.format.title}, but the first one is in {form.title}")
        size = writer.size_with(old, arcs_from(heads, dependents, labels, starts[i], starts[i + 1]))
        if size < 0:
            k = starts[i] - 1 - size
            raise ValueError(describe_arc(i, old, heads[k], dependents[k], labels[k]))
        result.append(unwritten(old, size, i, "graph"))
    before, after = PySequence_Fast_ITEMS(kept), PySequence_Fast_ITEMS(result)
    with nogil:
        for i in range(count):
            writer.write(<FieldTable><void*>before[i], <FieldTable><void*>after[i],
                         arcs_from(heads, dependents, labels, starts[i], starts[i + 1]))
    return result


cdef str describe_arc(Py_ssize_t number, Sentence sentence, token_t head, token_t dependent, label_t label):
    """The error about an arc."""
    if 0 <= head <= sentence.words and 1 <= dependent <= sentence.words:
        return f"the arc {head} -> {dependent} of sentence {number} has the label {label}, which names no string"
    return f"the arc {head} -> {dependent} of sentence {number} leaves it: its words are 1 to {sentence.words}"


cdef Sentence replaced(Sentence sentence, Py_ssize_t number, heads, dependents, labels, StringTable names):
    """A sentence with another graph by `replace`."""
    cdef list arcs = []
    for head, dependent, label in zip(heads, dependents, labels):
        if not (0 <= head <= sentence.words and 1 <= dependent <= sentence.words
                and 0 <= label < names.count - names.reserved):
            raise ValueError(describe_arc(number, sentence, head, dependent, label))
        arcs.append((head, dependent, names.string(label + names.reserved)))
    return sentence.replace(graph=Graph.from_arcs(sentence.node_ids, arcs))
