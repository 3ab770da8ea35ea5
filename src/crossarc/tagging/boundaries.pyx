"""A linear model that decides at each character whether a token, and with it a sentence, ends there.

The search is greedy from left to right. Features are the characters and their classes around the place, the part of
the chunk (what stands between white space) on both sides, the token and the sentence so far, and what is known of words
from the training text. Cost: linear in the text; the GIL is released once for a text.
"""

import numpy as np

from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, int32_t, uint8_t, uint16_t, uint32_t, weight_t
from crossarc.learning.scorer cimport Scorer
from crossarc.learning.updates cimport Decision, UpdateRule
from crossarc.learning.weights cimport Weights

from crossarc.tagging.characters import DENSE, DIGIT, FIRST_CASELESS, FIRST_LOWER, FIRST_UPPER, NAMES, code_points
from crossarc.tagging.characters import lower_table

cdef enum:
    INSIDE_ = 0
    TOKEN_END_ = 1
    SENTENCE_END_ = 2
    ACTIONS_ = 3
    ROOM = 16               # scores that a scorer may write for three actions, and some more
    MOST_FEATURES = 96
    WINDOW = 5
    MOST_CLASSES = 128
    LONGEST_ENTRY = 8       # characters of a word that is looked for in text without spaces
    LONGEST_WORD = 30       # characters of a word whose flags are looked up
    # As in characters.py.
    EDGE = 0
    SPACE = 1
    EXTENDER = 2
    JOINER = 3
    NEW_LINE = 3
    BLANK_LINE = 4

INSIDE = INSIDE_
TOKEN_END = TOKEN_END_
SENTENCE_END = SENTENCE_END_
ACTIONS = ACTIONS_
# What the lexicon says of a lower-cased word of the training text.
KNOWN = 1           # frequent
NAME = 2            # mostly written with a capital letter inside sentences
ABBREVIATION = 4    # ends with a full stop

cdef hash_t SEED = 0x5851F42D4C957F2D
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


cdef inline hash_t roll(hash_t state, uint32_t character) noexcept nogil:
    """The hash of a string with one more character."""
    return mix(state, <hash_t>character + 1)


cdef inline hash_t join(hash_t a, hash_t b) noexcept nogil:
    """One number for two."""
    return mix(mix(SEED, a), b)


cdef class Lexicon:
    """Words of the training text and what is known of them, in an open-addressing table of hashes."""

    cdef readonly object keys
    cdef readonly object flags
    cdef const hash_t[::1] key_view
    cdef const uint8_t[::1] flag_view
    cdef hash_t mask

    def __init__(self, keys, flags):
        self.key_view = keys
        self.flag_view = flags
        size = len(keys)
        if size == 0 or size & (size - 1) or len(flags) != size or np.asarray(keys).all():
            raise ValueError("the list of known words is damaged")
        self.keys = keys
        self.flags = flags
        self.mask = size - 1

    def __len__(self):
        return int(np.count_nonzero(self.keys))

    @staticmethod
    def of(words):
        """The lexicon of pairs of a lower-cased word and its flags."""
        cdef hash_t key, place, mask
        cdef hash_t[::1] key_view
        pairs = sorted(words)
        size = 2
        while size < 2 * len(pairs) + 2:
            size *= 2
        keys, flags = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.uint8)
        key_view = keys
        mask = size - 1
        for word, flag in pairs:
            key = hash_of(word)
            place = key & mask
            while key_view[place] != 0 and key_view[place] != key:
                place = (place + 1) & mask
            key_view[place] = key
            flags[place] |= flag
        return Lexicon(keys, flags)

    def flags_of(self, str word):
        """The flags of a word, 0 if it is not known.

        >>> lexicon = Lexicon.of([("etc.", ABBREVIATION | KNOWN), ("and", KNOWN)])
        >>> lexicon.flags_of("etc."), lexicon.flags_of("And"), lexicon.flags_of("or")
        (5, 1, 0)
        """
        return self.find(hash_of(word))

    cdef uint8_t find(self, hash_t key) noexcept nogil:
        """The flags of a word by its hash."""
        cdef hash_t place = key & self.mask
        while self.key_view[place] != 0:
            if self.key_view[place] == key:
                return self.flag_view[place]
            place = (place + 1) & self.mask
        return 0


cdef hash_t hash_of(str word):
    """The hash of a lower-cased word."""
    cdef hash_t key = SEED
    for point in lower_table[code_points(word)].tolist():
        key = roll(key, point)
    return key if key != 0 else 1


# A text and what is computed of it before the search. All arrays are as long as the text.
cdef struct Text:
    Py_ssize_t n
    const uint32_t* lower
    const uint8_t* classes
    const uint8_t* gaps
    hash_t* left                # hash of the chunk from its begin to this character
    hash_t* right               # and from this character to its end
    hash_t* left_shape          # the same of the classes, equal neighbours taken as one
    hash_t* right_shape
    uint16_t* entries           # bit k: a known word of k characters begins here, in scripts without spaces
    bint dense                  # whether any bit is set

# What the decisions so far have made.
cdef struct State:
    Py_ssize_t token_begin
    hash_t token                # hash of the token so far
    hash_t previous             # hashes of the tokens before
    hash_t before_previous
    Py_ssize_t sentence_begin
    int32_t tokens              # of the sentence so far
    int32_t quotes              # marks " of the sentence so far
    int32_t depth               # open brackets
    Py_ssize_t line_begin


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
    """A size class of a line's length: lines that were wrapped are of about the same length."""
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


cdef void prepare(Text* text, Lexicon lexicon) noexcept nogil:
    """Compute the hashes of chunks and the known words. O(n)."""
    cdef Py_ssize_t i
    cdef hash_t state = SEED, shape = SEED
    cdef uint8_t last = EDGE, kind
    for i in range(text.n):
        kind = text.classes[i]
        if kind == SPACE:
            state = shape = SEED
            last = EDGE
        else:
            state = roll(state, text.lower[i])
            if kind != last:
                shape = roll(shape, kind)
            last = kind
        text.left[i] = state
        text.left_shape[i] = shape
    state = shape = SEED
    last = EDGE
    text.dense = False
    for i in range(text.n - 1, -1, -1):
        kind = text.classes[i]
        if kind == SPACE:
            state = shape = SEED
            last = EDGE
        else:
            state = roll(state, text.lower[i])
            if kind != last:
                shape = roll(shape, kind)
            last = kind
        text.right[i] = state
        text.right_shape[i] = shape
        text.entries[i] = 0
        if DENSE_CLASS[kind]:
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
    """Write the features of the decision behind character i; their number."""
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


cdef inline void begin_token(State* state, Py_ssize_t place) noexcept nogil:
    state.before_previous = state.previous
    state.previous = state.token
    state.token = SEED
    state.token_begin = place


cdef inline void begin_sentence(State* state, Py_ssize_t place) noexcept nogil:
    state.token = SEED
    state.previous = state.before_previous = 0
    state.token_begin = state.sentence_begin = place
    state.tokens = state.quotes = state.depth = 0


cdef inline void follow(const Text* text, State* state, Py_ssize_t i, uint8_t decision) noexcept nogil:
    """Change the state by the decision behind character i."""
    cdef bint gap = i + 1 < text.n and text.classes[i + 1] == SPACE
    if decision == TOKEN_END_:
        begin_token(state, i + 1 + gap)
        state.tokens += 1
    elif decision == SENTENCE_END_:
        begin_sentence(state, i + 1 + gap)
    elif gap:
        state.token = roll(state.token, c' ')
    if gap and text.gaps[i + 1] >= NEW_LINE:
        state.line_begin = i + 2


cdef inline int32_t legal_decisions(const Text* text, const uint8_t* quiet, bint spaces, Py_ssize_t i) noexcept nogil:
    """The decisions that are possible behind character i, as bits."""
    cdef uint8_t kind, following
    if i + 1 == text.n:
        return 1 << SENTENCE_END_
    kind = text.classes[i]
    following = text.classes[i + 1]
    if following == SPACE:
        if text.gaps[i + 1] == BLANK_LINE:
            return 1 << SENTENCE_END_
        if spaces and text.gaps[i + 1] == 1:
            return 7
        return 6
    if following == EXTENDER or following == JOINER or kind == JOINER or quiet[kind * MOST_CLASSES + following]:
        return 1
    return 7


cdef class BoundaryModel:
    """Finds the ends of tokens and sentences by a scorer of three actions.

    `quiet` says for each pair of classes whether the training text never has a boundary between them; such places are
    not scored. `spaces` says whether tokens may hold spaces.
    """

    cdef readonly Scorer scorer
    cdef readonly Lexicon lexicon
    cdef readonly object quiet
    cdef readonly bint spaces
    cdef const uint8_t[:, ::1] quiet_view

    def __init__(self, Scorer scorer not None, Lexicon lexicon not None, quiet, bint spaces):
        self.quiet_view = quiet
        if self.quiet_view.shape[0] != MOST_CLASSES or self.quiet_view.shape[1] != MOST_CLASSES:
            raise ValueError("the table of classes is damaged")
        if scorer.actions != ACTIONS_:
            raise ValueError(f"the scorer has {scorer.actions} actions; a tokenizer has {ACTIONS_}")
        self.scorer = scorer
        self.lexicon = lexicon
        self.quiet = quiet
        self.spaces = spaces

    def decide(self, characters):
        """For each character, whether a token or a sentence ends behind it."""
        decisions = np.zeros(len(characters), dtype=np.uint8)
        if len(characters):
            self.run(characters, decisions, None, None, None)
        return decisions

    def learn(self, characters, gold, UpdateRule rule not None):
        """Learn from a text whose decisions are known; how many were wrong before."""
        if len(gold) != len(characters):
            raise ValueError("as many decisions as characters are needed")
        if not isinstance(self.scorer, Weights):
            raise ValueError("only weights can learn")
        decisions = np.zeros(len(characters), dtype=np.uint8)
        if len(characters):
            self.run(characters, decisions, gold, rule, None)
        return int(np.count_nonzero(decisions != gold))

    def keys(self, characters):
        """The features of all decisions that are scored, in one array, for tests."""
        collected = []
        if len(characters):
            self.run(characters, np.zeros(len(characters), dtype=np.uint8), None, None, collected)
        return np.concatenate(collected) if collected else np.zeros(0, dtype=np.uint64)

    cdef int run(self, characters, uint8_t[::1] decisions, gold, UpdateRule rule, list collected) except -1:
        cdef Text text
        cdef State state
        cdef Py_ssize_t n = decisions.shape[0], i
        cdef hash_t[:, ::1] hashes = np.empty((4, n), dtype=np.uint64)
        cdef uint16_t[::1] entries = np.empty(n, dtype=np.uint16)
        cdef const uint32_t[::1] lower = characters.lower
        cdef const uint8_t[::1] classes = characters.classes
        cdef const uint8_t[::1] gaps = characters.gaps
        cdef const uint8_t[::1] gold_view = gold if gold is not None else decisions
        cdef bint learning = gold is not None, collecting = collected is not None
        cdef const uint8_t* quiet = &self.quiet_view[0, 0]
        cdef hash_t keys[MOST_FEATURES]
        cdef weight_t scores[ROOM]
        cdef int32_t costs[ACTIONS_]
        cdef int32_t legal, count, a, best
        cdef Decision decision
        cdef Scorer scorer = self.scorer
        cdef Weights weights = self.scorer if learning else None
        cdef Lexicon lexicon = self.lexicon
        cdef bint spaces = self.spaces
        if lower.shape[0] != n or classes.shape[0] != n or gaps.shape[0] != n:
            raise ValueError("the arrays of a text differ in length")
        if np.max(characters.classes) >= MOST_CLASSES:
            raise ValueError("a class of characters is too large")
        text.n = n
        text.lower = &lower[0]
        text.classes = &classes[0]
        text.gaps = &gaps[0]
        text.left = &hashes[0, 0]
        text.right = &hashes[1, 0]
        text.left_shape = &hashes[2, 0]
        text.right_shape = &hashes[3, 0]
        text.entries = &entries[0]
        decision.keys = keys
        decision.scores = scores
        decision.costs = costs
        decision.action_count = ACTIONS_
        state.line_begin = 0
        begin_sentence(&state, 0)
        with nogil:
            prepare(&text, lexicon)
            for i in range(n):
                if text.classes[i] == SPACE:
                    continue
                state.token = roll(state.token, text.lower[i])
                if text.lower[i] == c'"':
                    state.quotes += 1
                elif text.lower[i] == c'(' or text.lower[i] == c'[':
                    state.depth += 1
                elif (text.lower[i] == c')' or text.lower[i] == c']') and state.depth > 0:
                    state.depth -= 1
                legal = legal_decisions(&text, quiet, spaces, i)
                if legal & (legal - 1) == 0:
                    decisions[i] = legal >> 1
                    follow(&text, &state, i, decisions[i])
                    continue
                count = extract(&text, &state, lexicon, i, keys)
                if collecting:
                    with gil:
                        collected.append(np.array(<hash_t[:count]>keys))
                scorer.score(keys, count, 0, scores)
                best = -1
                for a in range(ACTIONS_):
                    if legal >> a & 1 and (best < 0 or scores[a] > scores[best]):
                        best = a
                if learning and legal >> gold_view[i] & 1:
                    for a in range(ACTIONS_):
                        costs[a] = -1 if not legal >> a & 1 else a != gold_view[i]
                    decision.key_count = count
                    decision.best = best
                    decision.gold = gold_view[i]
                    weights.now += 1
                    rule.learn(weights, &decision)
                decisions[i] = best
                follow(&text, &state, i, decisions[i])
        return 0
