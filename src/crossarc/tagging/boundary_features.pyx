"""The features of a tokenizer behind a character.

These are the characters and their classes around the place, the part of the chunk (the text between white space) on
both sides, the token and the sentence so far, and the flags of words in the training text.
"""
from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, int32_t, uint16_t, uint32_t, uint8_t

from crossarc.tagging.characters import DENSE, DIGIT, FIRST_CASELESS, FIRST_LOWER, FIRST_UPPER, NAMES


cdef enum:
    WINDOW = 5
    LONGEST_ENTRY = 8       # characters of a word that is looked for in text without spaces
    LONGEST_WORD = 30       # characters of a word whose flags are looked up

cdef uint8_t UPPER_BEGIN = FIRST_UPPER
cdef uint8_t LOWER_BEGIN = FIRST_LOWER
cdef uint8_t CASELESS_BEGIN = FIRST_CASELESS
cdef uint8_t DIGIT_CLASS = DIGIT
cdef uint8_t DENSE_CLASS[MOST_CLASSES]
cdef int32_t _k
for _k in range(MOST_CLASSES):
    DENSE_CLASS[_k] = _k in DENSE
if len(NAMES) > MOST_CLASSES:
    raise ImportError("more classes of characters than the features have room for")


cdef inline int32_t bucket(Py_ssize_t count) noexcept nogil:
    """A size class of a length."""
    if count < 4:
        return <int32_t>count
    if count < 6:
        return 4
    if count < 10:
        return 5
    if count < 20:
        return 6
    if count < 40:
        return 7
    return 8


cdef inline int32_t line_bucket(Py_ssize_t count) noexcept nogil:
    """A size class of a line's length: lines that were wrapped have about the same length."""
    if count < 20:
        return 0
    if count < 45:
        return 1
    if count < 60:
        return 2
    if count < 110:
        return 3
    return 4


cdef inline uint32_t lower_at(const Text* text, Py_ssize_t place) noexcept nogil:
    return text.lower[place] if 0 <= place < text.n else 0


cdef inline uint8_t class_at(const Text* text, Py_ssize_t place) noexcept nogil:
    return text.classes[place] if 0 <= place < text.n else <uint8_t>EDGE


cdef inline bint is_letter(uint8_t kind) noexcept nogil:
    return UPPER_BEGIN <= kind < DIGIT_CLASS


cdef struct Chunk:              # its characters so far, from one of its ends
    hash_t state
    hash_t shape
    uint8_t last                # the class of the last one, EDGE for none


cdef inline Chunk empty_chunk() noexcept nogil:
    return Chunk(SEED, SEED, EDGE)


cdef inline Chunk with_character(Chunk chunk, uint8_t kind, uint32_t character) noexcept nogil:
    """A chunk with one more character of a class; white space ends it."""
    if kind == SPACE:
        return empty_chunk()
    return Chunk(roll(chunk.state, character), roll(chunk.shape, kind) if kind != chunk.last else chunk.shape, kind)


cdef void prepare(Text* text, Lexicon lexicon) noexcept nogil:
    """Compute the hashes of chunks and the known words. O(n)."""
    cdef Py_ssize_t i
    cdef Chunk chunk = empty_chunk()
    for i in range(text.n):
        chunk = with_character(chunk, text.classes[i], text.lower[i])
        text.left[i] = chunk.state
        text.left_shape[i] = chunk.shape
    chunk = empty_chunk()
    text.dense = False
    for i in range(text.n - 1, -1, -1):
        chunk = with_character(chunk, text.classes[i], text.lower[i])
        text.right[i] = chunk.state
        text.right_shape[i] = chunk.shape
        text.entries[i] = 0
        if DENSE_CLASS[text.classes[i]]:
            find_entries(text, lexicon, i)
            text.dense = True


cdef inline void find_entries(Text* text, Lexicon lexicon, Py_ssize_t begin) noexcept nogil:
    """Find the known words that begin at a place."""
    cdef hash_t key = SEED
    cdef Py_ssize_t k
    for k in range(LONGEST_ENTRY):
        if begin + k >= text.n or not DENSE_CLASS[text.classes[begin + k]]:
            break
        key = roll(key, text.lower[begin + k])
        if lexicon.find(key if key != 0 else 1) & 1:
            text.entries[begin] |= <uint16_t>(1 << (k + 1))


cdef inline hash_t entries_around(const Text* text, Py_ssize_t i) noexcept nogil:
    """The longest known words that end at a place, go over it, and begin behind it, as one number."""
    cdef int32_t ending = 0, over = 0, beginning = 0, k, reach
    cdef uint16_t bits
    for k in range(LONGEST_ENTRY):
        if i - k < 0:
            break
        bits = text.entries[i - k]
        if bits >> (k + 1) & 1:
            ending = k + 1
        bits = bits >> (k + 2)
        reach = k + 1
        while bits:
            reach += 1
            if bits & 1 and reach > over:
                over = reach
            bits >>= 1
    if i + 1 < text.n:
        bits = text.entries[i + 1] >> 1
        while bits:
            beginning += 1
            bits >>= 1
    return <hash_t>(ending | over << 8 | beginning << 16)


cdef inline void put(hash_t* keys, int32_t* count, hash_t template, hash_t value) noexcept nogil:
    """Add the feature of a template."""
    cdef hash_t key = mix(mix(template * <hash_t>0xD6E8FEB86659FD93, value), template)
    keys[count[0]] = key if key != 0 else 1
    count[0] += 1


cdef int32_t extract(const Text* text, const State* state, Lexicon lexicon, Py_ssize_t i, hash_t* keys) noexcept nogil:
    """Write the features of the decision behind character i; return their number."""
    cdef int32_t count = 0, k
    cdef bint gap = i + 1 < text.n and text.classes[i + 1] == SPACE
    cdef Py_ssize_t r = i + 2 if gap else i + 1, end
    cdef hash_t base = 64 if gap else 0             # features of gaps are features of their own
    cdef hash_t l[WINDOW + 1]                       # l[1] is the character before the place, r1 the one behind
    cdef hash_t h[WINDOW + 1]
    cdef hash_t lk[WINDOW + 1]
    cdef hash_t hk[WINDOW + 1]
    cdef hash_t pair, classes, word, around, shape = 0, chunk = 0
    for k in range(1, WINDOW + 1):
        l[k] = lower_at(text, i + 1 - k)
        h[k] = lower_at(text, r + k - 1)
        lk[k] = class_at(text, i + 1 - k)
        hk[k] = class_at(text, r + k - 1)
    if r < text.n:
        chunk = text.right[r]
        shape = text.right_shape[r]
    pair = lk[1] << 7 | hk[1]
    for k in range(1, WINDOW + 1):
        put(keys, &count, base + k, l[k])
        put(keys, &count, base + 5 + k, h[k])
    put(keys, &count, base + 11, pair)
    put(keys, &count, base + 12, l[2] << 21 | l[1])
    put(keys, &count, base + 13, h[1] << 21 | h[2])
    put(keys, &count, base + 14, l[1] << 21 | h[1])
    put(keys, &count, base + 15, l[3] << 42 | l[2] << 21 | l[1])
    put(keys, &count, base + 16, h[1] << 42 | h[2] << 21 | h[3])
    put(keys, &count, base + 17, l[2] << 42 | l[1] << 21 | h[1])
    put(keys, &count, base + 18, l[1] << 42 | h[1] << 21 | h[2])
    put(keys, &count, base + 19, join(l[2] << 21 | l[1], h[1] << 21 | h[2]))
    put(keys, &count, base + 20, join(l[4] << 21 | l[3], l[2] << 21 | l[1]))
    put(keys, &count, base + 21, join(h[4] << 21 | h[3], h[2] << 21 | h[1]))
    classes = lk[2] << 21 | hk[2] << 14 | pair
    put(keys, &count, base + 22, classes)
    classes = lk[3] << 35 | hk[3] << 28 | classes
    put(keys, &count, base + 23, classes)
    put(keys, &count, base + 24, lk[5] << 28 | lk[4] << 21 | lk[3] << 14 | lk[2] << 7 | lk[1])
    put(keys, &count, base + 25, hk[5] << 28 | hk[4] << 21 | hk[3] << 14 | hk[2] << 7 | hk[1])
    put(keys, &count, base + 26, text.left[i])
    put(keys, &count, base + 27, chunk)
    put(keys, &count, base + 28, join(text.left[i], chunk))
    put(keys, &count, base + 29, text.left_shape[i])
    put(keys, &count, base + 30, shape)
    put(keys, &count, base + 31, join(text.left_shape[i], shape))
    put(keys, &count, base + 32, state.token)
    put(keys, &count, base + 33, join(state.token, h[1]))
    put(keys, &count, base + 34, join(state.token, chunk))
    put(keys, &count, base + 35, join(state.previous, state.token))
    put(keys, &count, base + 36, join(min(i + 1 - state.token_begin, 10), pair))
    put(keys, &count, base + 37, join(state.previous, l[1] << 21 | h[1]))
    word = state.token
    put(keys, &count, base + 38, join(lexicon.find(word if word != 0 else 1), pair))
    if text.dense:
        around = entries_around(text, i)
        put(keys, &count, base + 39, around)
        put(keys, &count, base + 40, join(around, pair))
        put(keys, &count, base + 41, join(around, min(i + 1 - state.token_begin, 10)))
        put(keys, &count, base + 42, join(around, l[1] << 21 | h[1]))
    if not gap and not lk[1] >= <hash_t>DIGIT_CLASS:
        return count
    # Does a sentence end here?
    classes = join(bucket(state.tokens), pair)
    put(keys, &count, base + 43, join(classes, l[1]))
    put(keys, &count, base + 44, join((state.quotes & 1) | min(state.depth, 2) << 1, hk[2] << 28 | hk[1] << 21 | l[1]))
    put(keys, &count, base + 45, join(state.previous, join(l[1], hk[1])))
    put(keys, &count, base + 46, join(join(state.before_previous, state.previous), join(l[1], hk[1])))
    put(keys, &count, base + 47, join(l[1], chunk))
    put(keys, &count, base + 48, join(l[1], shape))
    put(keys, &count, base + 49, join(state.token, shape))
    put(keys, &count, base + 50, join(join(class_at(text, state.sentence_begin), bucket(state.tokens)), pair))
    word = SEED
    end = r
    while end < text.n and end < r + LONGEST_WORD and is_letter(text.classes[end]):
        word = roll(word, text.lower[end])
        end += 1
    put(keys, &count, base + 51, join(word, pair))
    put(keys, &count, base + 52, join(lexicon.find(word if word != 0 else 1), join(pair, l[1])))
    put(keys, &count, base + 53, join(lexicon.find(word if word != 0 else 1) << 8
                                      | lexicon.find(state.previous if state.previous != 0 else 1), join(pair, l[1])))
    put(keys, &count, base + 54, join(word, l[1]))
    if gap:
        classes = <hash_t>text.gaps[i + 1] << 14 | pair
        put(keys, &count, 55, classes)
        put(keys, &count, 56, join(line_bucket(i - state.line_begin), classes))
        put(keys, &count, 57, join(bucket(state.tokens), classes))
        put(keys, &count, 58, join(text.gaps[i + 1], join(l[1], chunk)))
        put(keys, &count, 59, join(text.left[i], hk[1]))
        end = r
        while end < text.n and end < r + LONGEST_WORD and text.classes[end] != SPACE:
            end += 1
        if end + 1 < text.n and text.classes[end] == SPACE:
            put(keys, &count, 60, join(join(text.right_shape[end + 1], shape), l[1]))
            put(keys, &count, 61, join(join(text.right[end + 1], chunk), l[1]))
    return count
