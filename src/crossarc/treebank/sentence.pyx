"""Sentences: the bytes of a treebank as they were read, with columns, tree and graph taken from them when asked for.

A sentence keeps its bytes and a table of where each field begins. Writing it gives the same bytes back; strings become
Python objects only when a column is read. Sentences do not change: `replace` gives a new one.
"""
import re
from operator import methodcaller

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from crossarc.core.links cimport is_tree
from crossarc.core.typedefs cimport int32_t, token_t
from crossarc.treebank.fields cimport (
    EMPTY_ROW, NO_FAULT, RANGE_ROW, FieldTable, Layout, Spec, fields_of, make_spec, make_token, parse, release,
)

from crossarc.errors import TreebankError
from crossarc.treebank.formats import CONLLU, get_format
from crossarc.treebank.graph import graph_of

include "replacement.pyx"
include "scanner.pyx"


SDP_ID = re.compile(r"#(?!SDP )(\S+)$")


def rebuild(bytes raw, str format, str source, Py_ssize_t line):
    """A sentence from its parts, for copies and pickles."""
    return Sentence(raw, format, source=source, line=line)


cdef class Sentence(FieldTable):
    """A sentence: its words with all their columns, comments, multiword ranges, empty nodes, tree and graph.

    Words are numbered from 1; entry 0 of every column stands for the dummy root, so that `forms[heads[i]]` is the head
    of word i. Iteration and `len` see the words alone; `rows` has ranges and empty nodes too.

    >>> sentence = Sentence.from_columns(forms=["", "Time", "flies"], heads=[-1, 2, 0], deprels=["", "nsubj", "root"])
    >>> sentence.forms[1:], sentence.heads.tolist(), len(sentence)
    (('Time', 'flies'), [-1, 2, 0], 2)
    >>> [(token.id, token.form, token.head) for token in sentence]
    [('1', 'Time', 2), ('2', 'flies', 0)]
    >>> sentence.replace(deprels=["", "nsubj", "ROOT"])[2].deprel
    'ROOT'
    """

    def __init__(self, bytes raw not None, format=CONLLU, *, str source="", Py_ssize_t line=1):
        cdef Layout layout
        cdef Spec spec
        if isinstance(format, str):
            format = get_format(format)
        memset(&layout, 0, sizeof(Layout))
        spec = make_spec(format)
        try:
            if parse(raw, len(raw), &spec, &layout) != NO_FAULT:
                from crossarc.treebank.validation import inspect_syntax

                raise TreebankError(str(inspect_syntax(raw, format, source=source, line=line)[0]))
            self.fill(raw, format, source, line, &layout)
            self.cache = None
        finally:
            release(&layout)

    def __reduce__(self):
        return rebuild, (self.raw, self.format.name, self.source, self.line)

    @classmethod
    def from_columns(cls, *, comments=(), metadata=None, **columns):
        """A sentence in CoNLL-U from its columns, each with n + 1 entries; other columns are "_"."""
        if columns.get("forms") is None:
            raise TypeError("a sentence needs its forms: from_columns(forms=[\"\", \"first\", ...])")
        if not len(columns["forms"]) or columns["forms"][0] != "":
            raise TreebankError(f"forms[0] stands for the dummy root and must be \"\", not {columns['forms'][:1]!r}")
        n = len(columns["forms"]) - 1
        lines = [*comments, *(f"# {key} = {value}" for key, value in (metadata or {}).items())]
        blank = Sentence(b"".join(b"%d\t_\t_\t_\t_\t_\t_\t_\t_\t_\n" % i for i in range(1, n + 1)) + b"\n")
        return blank.replace(comments=lines, **columns)

    def replace(self, *, comments=None, graph=None, **columns):
        """The same sentence with other comments or columns; all else stays as it is, byte for byte.

        A column has n + 1 entries, the first for the dummy root, which is not looked at. A graph is written to DEPS,
        or in SDP to the columns of tops, predicates and arguments.
        """
        raw = replaced_bytes(self, comments, graph, columns)
        return Sentence(raw, self.format, source=self.source, line=self.line)

    def to_dict(self):
        """The sentence as a dict that JSON can write.

        `tokens` has the words, so that `tokens[head - 1]` is the head of a word; `ranges` and `empty_nodes` have the
        other rows. A token has `id`, `form`, `lemma`, `upos`, `xpos`, `feats`, `head`, `deprel`, `deps` and `misc`. Ids
        and heads of words are numbers, others strings ("3-4", "8.1"). `feats` and `misc` are dicts, and `deps` is a
        list of [head, label]. What is "_" in the file is None, {} or []. `start` and `end` are the offsets in the text,
        if MISC has TokenRange. Other formats have their own columns too, and `arguments`.

        >>> misc = ["", "TokenRange=0:3", "TokenRange=4:8"]
        >>> sentence = Sentence.from_columns(forms=["", "She", "left"], heads=[-1, 2, 0], misc=misc)
        >>> plain = sentence.to_dict()
        >>> plain["text"], plain["tokens"][0]["head"], plain["tokens"][0]["end"]
        ('She left', 2, 3)
        >>> Sentence.from_dict(plain) == sentence
        True
        """
        from crossarc.treebank.dictionaries import to_dict

        return to_dict(self)

    @staticmethod
    def from_dict(data):
        """The sentence of a dict as `to_dict` makes it.

        Tokens need their `form` only. `comments` are the lines of all comments; without them, `id` and `text` become
        comments. Offsets are not read: MISC has them.

        >>> Sentence.from_dict({"id": "s1", "tokens": [{"form": "Go", "upos": "VERB", "head": 0}]}).upos
        ('', 'VERB')
        """
        from crossarc.treebank.dictionaries import from_dict

        return from_dict(data)

    @property
    def arguments(self):
        """The argument columns of SDP and CoNLL-2009, for each word."""
        fixed = len(self.format.columns)
        rows = [self.word_rows[word] for word in range(1, self.words + 1)]
        return tuple([tuple([self.field(row, k) for k in range(fixed, self.width)]) for row in rows])

    @property
    def comments(self):
        """The comment lines above the tokens, with their "#"."""
        lines = self.cache.get("comments") if self.cache is not None else None
        if lines is None:
            text = self.raw[:self.fields[0]].decode("utf-8-sig")
            lines = tuple([line.removesuffix("\r") for line in text.split("\n") if line.startswith("#")])
            self.remember("comments", lines)
        return lines

    @property
    def metadata(self):
        """The comments of the form `# key = value` or `# key`."""
        pairs = (comment[1:].partition("=") for comment in self.comments)
        return {key.strip(): value.strip() for key, _, value in pairs}

    @property
    def id(self):
        """The sentence's id: `# sent_id = ...`, or the comment above an SDP sentence; "" if there is none."""
        for comment in self.comments:
            key, _, value = comment[1:].partition("=")
            if key.strip() == "sent_id":
                return value.strip()
            if self.format.name == "sdp" and SDP_ID.match(comment):
                return comment[1:]
        return ""

    @property
    def text(self):
        """The running text: `# text = ...`, or else the forms, joined by SpaceAfter."""
        text = self.metadata.get("text")
        if text is not None:
            return text
        pieces = []
        covered = 0
        for token in self.rows:
            if token.is_range:
                covered = int(token.id.partition("-")[2])
            elif token.is_empty or int(token.id) <= covered:
                continue
            pieces.append(token.form + (" " if token.space_after else ""))
        return "".join(pieces).strip()

    @property
    def rows(self):
        """Every token line in order: words, multiword ranges and empty nodes."""
        return tuple([make_token(self, row) for row in range(self.rows_count)])

    @property
    def lines_of_rows(self):
        """The line of the file with each row; all are counted at once, so that asking for each of them is linear."""
        cdef int32_t row
        cdef Py_ssize_t begin = 0, line = self.line
        found = self.cache.get("lines of rows") if self.cache is not None else None
        if found is None:
            found = []
            for row in range(self.rows_count):
                line += self.raw.count(b"\n", begin, fields_of(self, row)[0])
                begin = fields_of(self, row)[0]
                found.append(line)
            self.remember("lines of rows", found)
        return found

    @property
    def ranges(self):
        """The multiword ranges."""
        return tuple([make_token(self, row) for row in range(self.rows_count) if self.kinds[row] == RANGE_ROW])

    @property
    def empty_nodes(self):
        """The empty nodes, which only the graph has."""
        return tuple([make_token(self, row) for row in range(self.rows_count) if self.kinds[row] == EMPTY_ROW])

    @property
    def node_ids(self):
        """The ids of the graph's nodes in order: the dummy root, words and empty nodes."""
        return ("0", *[self.field(row, 0) for row in range(self.rows_count) if self.kinds[row] != RANGE_ROW])

    def column(self, str name):
        """A column of the words by our name ("form") or the format's ("phead"); "_" if the format lacks it."""
        cdef int32_t word
        values = self.cache.get(name) if self.cache is not None else None
        if values is None:
            index = self.format.index(name)
            if index < 0:
                values = ("", *["_"] * self.words)
            else:
                values = ("", *[self.field(self.word_rows[word], index) for word in range(1, self.words + 1)])
            self.remember(name, values)
        return values

    def remember(self, key, value):
        """Keep a result for the next time."""
        if self.cache is None:
            self.cache = {}
        self.cache[key] = value

    forms = property(methodcaller("column", "form"), doc="The word forms.")
    lemmas = property(methodcaller("column", "lemma"), doc="The lemmas.")
    upos = property(methodcaller("column", "upos"), doc="The universal or coarse part-of-speech tags.")
    xpos = property(methodcaller("column", "xpos"), doc="The language's own part-of-speech tags.")
    feats = property(methodcaller("column", "feats"), doc="The morphological features, as in the file.")
    deprels = property(methodcaller("column", "deprel"), doc="The labels of the tree's arcs.")
    deps = property(methodcaller("column", "deps"), doc="The DEPS column as in the file; `graph` has its arcs.")
    misc = property(methodcaller("column", "misc"), doc="The MISC column.")

    @property
    def heads(self):
        """The head of each word as an int32 array that cannot be written to: 0 for roots, -1 for none."""
        cdef token_t[::1] view
        heads = self.cache.get("heads") if self.cache is not None else None
        if heads is None:
            heads = np.empty(self.words + 1, dtype=np.int32)
            view = heads
            memcpy(&view[0], self.heads_, (self.words + 1) * sizeof(token_t))
            heads.flags.writeable = False
            self.remember("heads", heads)
        return heads

    @property
    def is_tree(self):
        """Whether every word has a head and following the heads leads to the dummy root; several roots are allowed."""
        cdef token_t* met = <token_t*>malloc((self.words + 1) * sizeof(token_t))
        cdef bint result
        if met == NULL:
            raise MemoryError
        with nogil:
            result = is_tree(self.heads_, self.words, met)
        free(met)
        return result

    @property
    def roots(self):
        """The words whose head is the dummy root."""
        return [word for word in range(1, self.words + 1) if self.heads_[word] == 0]

    @property
    def has_graph(self):
        """Whether the file gives a graph: anything in DEPS, or the argument columns of SDP and CoNLL-2009."""
        cdef int32_t index = self.format.index("deps"), row
        cdef int32_t* field
        if index < 0:
            return self.format.extra
        for row in range(self.rows_count):
            field = fields_of(self, row) + index
            if field[1] - field[0] > 2 or (field[1] - field[0] == 2 and self.data[field[0]] != b'_'):
                return True
        return False

    @property
    def graph(self):
        """The graph: DEPS in CoNLL-U, the argument columns in SDP and CoNLL-2009; no arcs in other formats."""
        graph = self.cache.get("graph") if self.cache is not None else None
        if graph is None:
            graph = graph_of(self)
            self.remember("graph", graph)
        return graph

    @property
    def is_projective(self):
        """Whether every head dominates all words between itself and its dependent."""
        from crossarc.structure import is_projective

        return is_projective(self.heads)

    def _repr_html_(self):
        from crossarc.draw import to_svg

        return to_svg(self)

    def __len__(self):
        return self.words

    def __iter__(self):
        cdef int32_t word
        for word in range(1, self.words + 1):
            yield make_token(self, self.word_rows[word])

    def __getitem__(self, key):
        """A word by number, any token by id ("3-4", "8.1"), or the words of a slice; -1 is the last word."""
        if isinstance(key, slice):
            first, last, step = key.indices(self.words + 1)
            return [make_token(self, self.word_rows[word]) for word in range(first, last, step) if word > 0]
        if isinstance(key, str):
            for row in range(self.rows_count):
                if self.field(row, 0) == key:
                    return make_token(self, row)
            raise KeyError(f"no token has the id {key!r}")
        word = key if key > 0 else key + self.words + 1
        if key == 0 or not 1 <= word <= self.words:
            raise IndexError(f"no word {key}: the words are numbered 1 to {self.words}")
        return make_token(self, self.word_rows[word])

    def __eq__(self, other):
        """Whether all columns and comments are the same; line ends, source and line do not count."""
        if not isinstance(other, Sentence):
            return NotImplemented
        return self.raw == (<Sentence>other).raw or (
            self.format == (<Sentence>other).format and self.lines() == (<Sentence>other).lines()
        )

    def __hash__(self):
        return hash(self.forms)

    def lines(self):
        """The lines without their ends and without empty ones."""
        return [line for line in self.raw.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n") if line]

    def __bytes__(self):
        return self.raw

    def __str__(self):
        return self.raw.decode("utf-8-sig")

    def __repr__(self):
        text = self.text
        return f"<Sentence {self.id or self.line}: {text if len(text) <= 60 else text[:57] + '...'}>"
