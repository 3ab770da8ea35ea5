"""A linear model that decides at each character whether a token, and with it a sentence, ends there.

The search is greedy from left to right. Cost: linear in the text; the GIL is released once for a text.
"""
import numpy as np

from crossarc.core.typedefs cimport hash_t, int32_t, uint16_t, uint32_t, uint8_t, weight_t
from crossarc.learning.scorers cimport Scorer, Weights
from crossarc.learning.learners cimport Decision, UpdateRule


cdef enum:
    INSIDE_ = 0
    TOKEN_END_ = 1
    SENTENCE_END_ = 2
    ACTIONS_ = 3
    ROOM = 16               # scores that a scorer may write for three actions, and some more
    # As in characters.py.
    WHOLE = 1
    APART = 2
    GOES_ON = 3

INSIDE = INSIDE_
TOKEN_END = TOKEN_END_
SENTENCE_END = SENTENCE_END_
ACTIONS = ACTIONS_


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


cdef inline int32_t legal_decisions(
    const Text* text, const uint8_t* quiet, bint spaces, const uint8_t* fixed, Py_ssize_t i
) noexcept nogil:
    """The decisions that are possible behind character i, as bits."""
    cdef uint8_t kind, following
    if i + 1 == text.n:
        return 1 << SENTENCE_END_
    kind = text.classes[i]
    following = text.classes[i + 1]
    if following == SPACE:
        if text.gaps[i + 1] == BLANK_LINE:
            return 1 << SENTENCE_END_
        if fixed != NULL and fixed[i] == GOES_ON:
            return 1 << TOKEN_END_
        if spaces and text.gaps[i + 1] == 1:
            return 7
        return 6
    if following == EXTENDER or following == JOINER or kind == JOINER:
        return 1
    if fixed != NULL and fixed[i] == WHOLE:
        return 1
    if fixed != NULL and fixed[i] == APART:
        return 6
    if quiet[kind * MOST_CLASSES + following]:
        return 1
    return 7


cdef class BoundaryModel:
    """Finds the ends of tokens and sentences by a scorer of three actions.

    `quiet` says for each pair of classes whether the training text never has a boundary between them; such places are
    not scored. `spaces` says whether tokens may hold spaces, and `rules` whether places that rules know are
    decided by them (known_places.py).
    """

    cdef readonly Scorer scorer
    cdef readonly Lexicon lexicon
    cdef readonly object quiet
    cdef readonly bint spaces
    cdef readonly bint rules
    cdef const uint8_t[:, ::1] quiet_view

    def __init__(
        self, Scorer scorer not None, Lexicon lexicon not None, quiet, bint spaces, bint rules
    ):
        self.quiet_view = quiet
        if self.quiet_view.shape[0] != MOST_CLASSES or self.quiet_view.shape[1] != MOST_CLASSES:
            raise ValueError("the table of classes is damaged")
        if scorer.actions != ACTIONS_:
            raise ValueError(f"the scorer has {scorer.actions} actions; a tokenizer has {ACTIONS_}")
        self.scorer = scorer
        self.lexicon = lexicon
        self.quiet = quiet
        self.spaces = spaces
        self.rules = rules

    def decide(self, characters, Py_ssize_t begin=0):
        """For each character, whether a token or a sentence ends behind it, and how likely it is a sentence's end.

        The text before `begin`, where a sentence begins, is only context. The second array has the score of a
        sentence's end less that of a token's end, 0 where the two are not compared.
        """
        decisions, sureness = (np.zeros(len(characters), dtype=kind) for kind in (np.uint8, np.float32))
        if not 0 <= begin <= len(characters):
            raise ValueError("a text has no such character to begin with")
        if len(characters):
            self.run(characters, decisions, None, None, None, begin, sureness)
        return decisions, sureness

    def learn(self, characters, gold, UpdateRule rule not None):
        """Learn from a text whose decisions are known; return how many were wrong before."""
        if len(gold) != len(characters):
            raise ValueError("as many decisions as characters are needed")
        if not isinstance(self.scorer, Weights):
            raise ValueError("only weights can learn")
        decisions = np.zeros(len(characters), dtype=np.uint8)
        if len(characters):
            self.run(characters, decisions, gold, rule, None, 0, np.zeros(0, dtype=np.float32))
        return int(np.count_nonzero(decisions != gold))

    def keys(self, characters):
        """The features of all decisions that are scored, in one array, for tests."""
        collected = []
        if len(characters):
            decisions = np.zeros(len(characters), dtype=np.uint8)
            self.run(characters, decisions, None, None, collected, 0, np.zeros(0, dtype=np.float32))
        return np.concatenate(collected) if collected else np.zeros(0, dtype=np.uint64)

    cdef int run(self, characters, uint8_t[::1] decisions, gold, UpdateRule rule, list collected, Py_ssize_t begin,
                 weight_t[::1] sureness) except -1:
        cdef Text text
        cdef State state
        cdef Py_ssize_t n = decisions.shape[0], i
        cdef hash_t[:, ::1] hashes = np.empty((4, n), dtype=np.uint64)
        cdef uint16_t[::1] entries = np.empty(n, dtype=np.uint16)
        cdef const uint32_t[::1] lower = characters.lower
        cdef const uint8_t[::1] classes = characters.classes
        cdef const uint8_t[::1] gaps = characters.gaps
        cdef const uint8_t[::1] gold_view = gold if gold is not None else decisions
        cdef const uint8_t[::1] fixed = characters.fixed if characters.fixed is not None else decisions
        cdef const uint8_t* known = &fixed[0] if characters.fixed is not None else NULL
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
        cdef bint spaces = self.spaces, comparing = sureness.shape[0] == n
        if lower.shape[0] != n or classes.shape[0] != n or gaps.shape[0] != n or fixed.shape[0] != n:
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
        for i in range(1, begin):
            if text.gaps[i] >= NEW_LINE:
                state.line_begin = i + 1
        begin_sentence(&state, begin)
        with nogil:
            prepare(&text, lexicon)
            for i in range(begin, n):
                if text.classes[i] == SPACE:
                    continue
                state.token = roll(state.token, text.lower[i])
                if text.lower[i] == c'"':
                    state.quotes += 1
                elif text.lower[i] == c'(' or text.lower[i] == c'[':
                    state.depth += 1
                elif (text.lower[i] == c')' or text.lower[i] == c']') and state.depth > 0:
                    state.depth -= 1
                legal = legal_decisions(&text, quiet, spaces, known, i)
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
                if comparing:
                    sureness[i] = scores[SENTENCE_END_] - scores[TOKEN_END_]
                follow(&text, &state, i, decisions[i])
        return 0
