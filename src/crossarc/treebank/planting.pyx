"""New trees for many sentences at once, as parsers give them: HEAD and DEPREL written, all other bytes kept."""

from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from crossarc.core.strings cimport StringTable
from crossarc.core.typedefs cimport int32_t, label_t, offset_t, token_t
from crossarc.treebank.layout cimport NO_FAULT, Layout, Spec, make_spec, parse, release
from crossarc.treebank.sentence cimport Sentence

from crossarc.errors import TreebankError

cdef enum:
    DIGITS = 12             # of the longest number, and room


cdef inline char* copy(char* target, const char* data, Py_ssize_t size) noexcept nogil:
    memcpy(target, data, size)
    return target + size


cdef inline char* write_number(char* target, token_t number) noexcept nogil:
    cdef char digits[DIGITS]
    cdef int32_t count = 0
    while True:
        digits[count] = <char>(48 + number % 10)
        number //= 10
        count += 1
        if number == 0:
            break
    while count > 0:
        count -= 1
        target[0] = digits[count]
        target += 1
    return target


def plant_trees(list sentences, const token_t[::1] heads, const label_t[::1] labels, const offset_t[::1] starts,
                StringTable names):
    """The sentences, all of one format, with new heads and labels; `names` has the labels by number.

    Sentence i has the entries `starts[i]` to `starts[i + 1]` of `heads` and `labels`, the first for the dummy root.
    """
    cdef Layout layout
    cdef Spec spec
    cdef Sentence sentence, planted
    cdef list result = []
    cdef char* buffer = NULL
    cdef char* at
    cdef void* block
    cdef const char* data
    cdef int32_t head_column, label_column, word
    cdef int32_t* fields
    cdef label_t label
    cdef offset_t start
    cdef Py_ssize_t i, place, room = 0, wanted, longest = 0
    cdef bytes raw
    if not sentences:
        return result
    head_column = sentences[0].format.index("head")
    label_column = sentences[0].format.index("deprel")
    if not 0 <= head_column < label_column:
        raise TreebankError(f"{sentences[0].format.title} has no columns for trees; convert to CoNLL-U first")
    for label in range(names.count):
        longest = max(longest, names.starts[label + 1] - names.starts[label])
    spec = make_spec(sentences[0].format)
    memset(&layout, 0, sizeof(Layout))
    try:
        for i in range(len(sentences)):
            sentence = sentences[i]
            start = starts[i]
            if starts[i + 1] - start != sentence.words + 1:
                raise ValueError(f"sentence {i} has {sentence.words} words, its tree {starts[i + 1] - start - 1}")
            wanted = len(sentence.raw) + sentence.words * (DIGITS + longest)
            if wanted > room:
                block = realloc(buffer, wanted)
                if block == NULL:
                    raise MemoryError
                buffer = <char*>block
                room = wanted
            data = sentence.raw
            at = buffer
            place = 0
            for word in range(1, sentence.words + 1):
                fields = sentence.fields + sentence.word_rows[word] * (sentence.width + 1)
                label = labels[start + word] + names.reserved
                if not (0 <= heads[start + word] <= sentence.words and names.reserved <= label < names.count):
                    raise ValueError(f"word {word} of sentence {i} has no head or no label")
                at = copy(at, data + place, fields[head_column] - place)
                at = write_number(at, heads[start + word])
                place = fields[head_column + 1] - 1
                at = copy(at, data + place, fields[label_column] - place)
                at = copy(at, names.arena + names.starts[label], names.starts[label + 1] - names.starts[label])
                place = fields[label_column + 1] - 1
            at = copy(at, data + place, len(sentence.raw) - place)
            raw = buffer[:at - buffer]
            if parse(raw, len(raw), &spec, &layout) != NO_FAULT:
                raise AssertionError("a planted sentence that does not parse")
            planted = Sentence.__new__(Sentence)
            planted.fill(raw, sentence.format, sentence.source, sentence.line, &layout)
            result.append(planted)
    finally:
        free(buffer)
        release(&layout)
    return result
