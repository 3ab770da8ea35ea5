"""The bytes of a sentence with other comments, columns or another graph."""
from crossarc.core.typedefs cimport int32_t
from crossarc.treebank.fields cimport RANGE_ROW, FieldTable, fields_of

from crossarc.errors import TreebankError
from crossarc.treebank.arguments import sdp_columns
from crossarc.treebank.graph import format_deps


# The property of a sentence for each column of a token.
PROPERTIES = {
    "forms": "form", "lemmas": "lemma", "upos": "upos", "xpos": "xpos", "feats": "feats", "heads": "head",
    "deprels": "deprel", "deps": "deps", "misc": "misc",
}


cdef bytes replaced_bytes(FieldTable sentence, object comments, object graph, dict columns):
    """The bytes of a sentence with the given parts replaced; parts that are None stay."""
    cdef list patches = []        # (begin, end, new bytes)
    cdef list pieces = []
    cdef Py_ssize_t place = 0
    if graph is not None:
        add_graph(sentence, graph, patches)
    for name, values in columns.items():
        if values is not None:
            add_column(sentence, name, values, patches)
    if comments is not None:
        patches.append((0, sentence.fields[0], comment_block(sentence, comments)))
    patches.sort()
    for begin, end, new in patches:
        pieces.append(sentence.raw[place:begin])
        pieces.append(new)
        place = end
    pieces.append(sentence.raw[place:])
    return b"".join(pieces)


cdef int add_column(FieldTable sentence, str name, values, list patches) except -1:
    """Replace a column of all words."""
    cdef int32_t word, index
    cdef int32_t* fields
    if name not in PROPERTIES:
        raise TypeError(f"a sentence has no column {name!r}; the columns are {', '.join(PROPERTIES)}")
    index = sentence.format.index(PROPERTIES[name])
    if index < 0:
        raise TreebankError(f"{sentence.format.title} has no column for {name}; convert to CoNLL-U first")
    if len(values) != sentence.words + 1:
        raise TreebankError(
            f"{name} has {len(values)} entries, but {sentence.words} words and the dummy root need {sentence.words + 1}"
        )
    if name == "heads":
        values = as_heads(values, sentence.words)
    for word in range(1, sentence.words + 1):
        fields = fields_of(sentence, sentence.word_rows[word])
        patches.append((fields[index], fields[index + 1] - 1, as_field(values[word], name, word)))
    return 0


cdef int add_graph(FieldTable sentence, graph, list patches) except -1:
    """Replace DEPS of all words and empty nodes, or the columns of SDP."""
    cdef int32_t row
    cdef int32_t* fields
    cdef int32_t place = 0, index = sentence.format.index("deps")
    if sentence.format.name == "sdp":
        return add_arguments(sentence, graph, patches)
    if index < 0:
        raise TreebankError(f"{sentence.format.title} has no DEPS column; convert the sentence to CoNLL-U first")
    deps = format_deps(graph, sentence.node_ids)
    for row in range(sentence.rows_count):
        if sentence.kinds[row] != RANGE_ROW:
            place += 1
            fields = fields_of(sentence, row)
            patches.append((fields[index], fields[index + 1] - 1, deps[place].encode()))
    return 0


cdef int add_arguments(FieldTable sentence, graph, list patches) except -1:
    """Replace TOP, PRED and the argument columns, whose number may change."""
    cdef int32_t word, place
    cdef int32_t* fields
    columns = sdp_columns(graph, sentence.node_ids)
    places = [sentence.format.index(name) for name in ("top", "pred")]
    for word in range(1, sentence.words + 1):
        fields = fields_of(sentence, sentence.word_rows[word])
        *marks, arguments = columns[word]
        for place, mark in zip(places, marks):
            patches.append((fields[place], fields[place + 1] - 1, mark.encode()))
        # From the end of FRAME to the end of the line.
        place = len(sentence.format.columns)
        patches.append((fields[place] - 1, fields[sentence.width] - 1, arguments.encode()))
    return 0


cdef bytes comment_block(FieldTable sentence, comments):
    """Comment lines as bytes, with the line ends of the sentence."""
    newline = "\r\n" if b"\r\n" in sentence.raw else "\n"
    for comment in comments:
        if not comment.startswith("#") or "\n" in comment or "\r" in comment:
            raise TreebankError(f"{comment!r} is not a comment: one line that begins with '#'")
    return "".join([comment + newline for comment in comments]).encode()


cdef list as_heads(values, int32_t words):
    """Heads as strings, -1 as "_"; a head outside the sentence is refused."""
    heads = [int(head) for head in values]
    if heads[0] != -1:
        raise TreebankError(f"heads[0] stands for the dummy root and must be -1, not {heads[0]}")
    for word in range(1, words + 1):
        if not -1 <= heads[word] <= words:
            raise TreebankError(f"word {word} has head {heads[word]}, but heads are words 1 to {words}, or 0")
    return ["_" if head < 0 else str(head) for head in heads]


cdef bytes as_field(value, str name, int32_t word):
    """A value as the bytes of a field; an empty one is "_"."""
    if not isinstance(value, str):
        raise TypeError(f"{name}[{word}] is {value!r}; a string is needed")
    if "\t" in value or "\n" in value or "\r" in value:
        raise TreebankError(f"{name}[{word}] is {value!r}; a field holds neither tabs nor line ends")
    return (<str>value).encode() if value else b"_"
