"""A whole treebank as flat integer arrays, for training parsers and for statistics."""
from collections.abc import Mapping

import numpy as np

from cpython.object cimport PyObject
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from crossarc.core.buffers cimport Buffer, extend, frozen, take_array
from crossarc.core.strings cimport StringTable
from crossarc.core.typedefs cimport int32_t, label_t, offset_t, token_t
from crossarc.treebank.fields cimport FieldTable, GraphReader, fields_of
from crossarc.treebank.sentence cimport Sentence

from crossarc.core.strings import ROOT, UNKNOWN
from crossarc.errors import TreebankError, UnknownName
from crossarc.treebank.formats import COLUMNS, CONLLU
from crossarc.treebank.graph import describe_fault

include "array_reading.pyx"


cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(list items) nogil

# The columns whose strings become ids.
INTERNED = tuple(column for column in COLUMNS if column not in ("head", "deps", "misc"))
cdef label_t ROOT_ID = ROOT
cdef label_t UNKNOWN_ID = UNKNOWN


cdef int intern_column(FieldTable sentence, int32_t column, StringTable table, label_t* target) except -1 nogil:
    """Write the ids of a sentence's dummy root and words; a column that the format lacks (-1) is unknown."""
    cdef int32_t word
    cdef int32_t* field
    target[0] = ROOT_ID
    for word in range(1, sentence.words + 1):
        if column < 0:
            target[word] = UNKNOWN_ID
            continue
        field = fields_of(sentence, sentence.word_rows[word]) + column
        target[word] = table.intern(sentence.data + field[0], field[1] - 1 - field[0])
    return 0


cdef class Corpus:
    """Sentences as int32 arrays over all their nodes, the dummy root of each in front of its words.

    Sentence i has the entries `starts[i]` to `starts[i + 1]` of every array; `strings[column]` is the table that gives
    the ids of a column. No array can be written to. A column is filled when it is first asked for.

    >>> from crossarc.treebank import read_string
    >>> corpus = Corpus.of(read_string("1\\tHi\\thi\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"))
    >>> corpus["head"].tolist(), [corpus.strings["form"].string(i) for i in corpus["form"]]
    ([-1, 0], ['<root>', 'Hi'])
    """

    cdef readonly object starts
    cdef dict columns            # those filled so far: name to (string table, ids)
    cdef readonly list sentences  # what the others are filled from; None if there are arrays only
    cdef object graphs_

    def __init__(self, starts, columns):
        for name, (table, ids) in columns.items():
            fits = table is None or 0 <= ids.min(initial=0) <= ids.max(initial=0) < len(table)
            if len(ids) != starts[-1] or not fits:
                raise ValueError(f"the column {name!r} does not fit the sentences or its strings")
        self.starts = frozen(starts)
        self.columns = columns

    @staticmethod
    def of(sentences):
        """The corpus of sentences that are all in one format."""
        cdef list kept = list(sentences)
        cdef Corpus corpus
        cdef Sentence sentence
        cdef Py_ssize_t i
        starts = np.zeros(len(kept) + 1, dtype=np.int64)
        cdef offset_t[::1] view = starts
        for i in range(len(kept)):
            sentence = kept[i]
            if sentence.format is not (<Sentence>kept[0]).format:
                raise TreebankError(
                    f"sentence {i} is {sentence.format.title}, those before are {kept[0].format.title}: "
                    "a corpus has one format"
                )
            view[i + 1] = view[i] + sentence.words + 1
        corpus = Corpus(starts, {})
        corpus.sentences = kept
        return corpus

    def __len__(self):
        """How many sentences there are."""
        return len(self.starts) - 1

    def __getitem__(self, str column):
        """The ids of a column, or the heads as in the file."""
        return self.filled(column)[1]

    @property
    def strings(self):
        """The string table of each column that has ids."""
        return Tables(self)

    cdef tuple filled(self, str column):
        """The string table and the entries of a column."""
        cdef tuple found = self.columns.get(column)
        if found is None:
            if self.sentences is None or (column != "head" and column not in INTERNED):
                raise UnknownName("column", column, self.columns if self.sentences is None else (*INTERNED, "head"))
            # Another thread may have been quicker; all see the same.
            found = self.columns.setdefault(column, self.read_column(column))
        return found

    cdef tuple read_column(self, str column):
        """Return the string table and the ids of a column, or None and the heads, from the bytes of the sentences."""
        cdef bint is_head = column == "head"
        cdef StringTable table = None if is_head else StringTable()
        cdef int32_t place = (self.sentences[0].format if self.sentences else CONLLU).index(column)
        ids = np.empty(self.starts[-1], dtype=np.int32)
        cdef label_t[::1] view = ids
        cdef const offset_t[::1] starts = self.starts
        cdef PyObject** items = PySequence_Fast_ITEMS(self.sentences)
        cdef Py_ssize_t i
        with nogil:
            for i in range(starts.shape[0] - 1):
                if is_head:
                    memcpy(&view[starts[i]], (<FieldTable><void*>items[i]).heads_,
                           (starts[i + 1] - starts[i]) * sizeof(token_t))
                else:
                    intern_column(<FieldTable><void*>items[i], place, table, &view[starts[i]])
        return table, frozen(ids)

    @property
    def graphs(self):
        """The arcs of the graphs, which are read when first asked for."""
        if self.graphs_ is None:
            if self.sentences is None:
                raise TreebankError("this corpus was read without its graphs; Corpus.of(read(source)) has them")
            self.graphs_ = read_graphs(self.sentences)
        return self.graphs_


class Tables(Mapping):
    """The string tables of a corpus by column."""

    def __init__(self, corpus):
        self.corpus = corpus

    def __getitem__(self, str column):
        if column not in INTERNED:
            raise UnknownName("column", column, INTERNED)
        return (<Corpus>self.corpus).filled(column)[0]

    def __iter__(self):
        return iter(INTERNED)

    def __len__(self):
        return len(INTERNED)


cdef class Graphs:
    """The graphs of a corpus: the arcs of sentence i are those from `starts[i]` to `starts[i + 1]`.

    Arc k goes from node `heads[k]` to node `dependents[k]` of its sentence, and its label is number `labels[k]` of
    `strings`. Node 0 is the dummy root, words have their own numbers, and empty nodes come after the last word.
    `nodes[i]` is how many nodes sentence i has. The arcs of a sentence are in order of the dependent.
    """

    cdef readonly object starts
    cdef readonly object heads
    cdef readonly object dependents
    cdef readonly object labels
    cdef readonly object nodes
    cdef readonly StringTable strings


cdef int append_arcs(GraphReader reader, StringTable strings, Buffer* heads, Buffer* dependents,
                     Buffer* labels) except -1 nogil:
    """Append the arcs that were read last."""
    cdef size_t i
    cdef int32_t* head = extend(heads, reader.count)
    cdef int32_t* dependent = extend(dependents, reader.count)
    cdef int32_t* label = extend(labels, reader.count)
    if reader.count and (head == NULL or dependent == NULL or label == NULL):
        raise MemoryError
    for i in range(reader.count):
        head[i] = reader.arcs[i].head
        dependent[i] = reader.arcs[i].dependent
        label[i] = strings.intern(reader.arcs[i].label, reader.arcs[i].size)
    return 0


cdef Graphs read_graphs(list sentences):
    """The graphs of sentences; a malformed one is an error that says where."""
    cdef Graphs graphs = Graphs()
    cdef StringTable strings = StringTable()
    cdef GraphReader reader = GraphReader(sentences[0].format if sentences else CONLLU)
    cdef Buffer heads, dependents, labels
    cdef Py_ssize_t i, count = len(sentences)
    cdef PyObject** items = PySequence_Fast_ITEMS(sentences)
    starts, nodes = np.zeros(count + 1, dtype=np.int64), np.empty(count, dtype=np.int32)
    cdef offset_t[::1] start = starts
    cdef int32_t[::1] node = nodes
    memset(&heads, 0, sizeof(Buffer))
    memset(&dependents, 0, sizeof(Buffer))
    memset(&labels, 0, sizeof(Buffer))
    try:
        with nogil:
            for i in range(count):
                if not reader.read(<FieldTable><void*>items[i]):
                    break
                append_arcs(reader, strings, &heads, &dependents, &labels)
                start[i + 1] = heads.size
                node[i] = reader.nodes
            else:
                i = count
        if i < count:
            raise TreebankError(describe_fault(sentences[i]))
        graphs.strings = strings
        graphs.starts, graphs.nodes = frozen(starts), frozen(nodes)
        graphs.heads, graphs.dependents = take_array(&heads), take_array(&dependents)
        graphs.labels = take_array(&labels)
    finally:
        free(heads.data)
        free(dependents.data)
        free(labels.data)
    return graphs
