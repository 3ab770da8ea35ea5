"""The derivations of a beam side by side: each makes a step, the best of all that gives are kept."""

from libc.math cimport exp, log
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from crossarc.core.typedefs cimport hash_t, int32_t, token_t, uint32_t, weight_t
from crossarc.learning.scorer cimport Scorer, score_room
from crossarc.transitions.context cimport MOST_TEMPLATES, fill_keys
from crossarc.transitions.search cimport Greedy, make
from crossarc.transitions.state cimport State, copy_state, release_state, reserve_state, reset_state
from crossarc.transitions.system cimport MOVES

cdef enum:
    STAY = -1               # instead of an action: the derivation is finished

cdef double LITTLE = 1e-5   # what is less likely is not looked at


cdef class Generations:
    """The derivations of a sentence and those they are made from, for one thread."""

    def __cinit__(self, int32_t width, int32_t actions, token_t set_words):
        self.width = width
        self.set_words = set_words
        self.scale = 0
        self.required = NULL
        self.lost = NULL
        self.items = <Item*>calloc(width, sizeof(Item))
        self.older = <Item*>calloc(width, sizeof(Item))
        self.candidates = <Candidate*>malloc((width + 1) * sizeof(Candidate))
        self.scores = <weight_t*>malloc(score_room(actions) * sizeof(weight_t))
        self.left = <double*>malloc(<size_t>width * MOVES * sizeof(double))
        if (self.items == NULL or self.older == NULL or self.candidates == NULL or self.scores == NULL
                or self.left == NULL):
            raise MemoryError

    def __dealloc__(self):
        cdef int32_t i
        release_state(&self.trial)
        for i in range(self.width):
            if self.items != NULL:
                release_state(&self.items[i].state)
            if self.older != NULL:
                release_state(&self.older[i].state)
        free(self.items)
        free(self.older)
        free(self.candidates)
        free(self.steps)
        free(self.gold)
        free(self.path)
        free(self.scores)
        free(self.left)

    cdef int begin(self, Greedy search, token_t n) except -1 nogil:
        """One derivation without a step over n words."""
        cdef int32_t i
        for i in range(self.width):
            reserve_state(&self.items[i].state, n, self.set_words)
            reserve_state(&self.older[i].state, n, self.set_words)
        reset_state(&self.items[0].state, n)
        search.system.start(&self.items[0].state)
        self.items[0].score = self.items[0].chance = 0
        self.items[0].last = -1
        self.items[0].gold = True
        self.count = 1
        self.step_count = self.gold_count = 0
        return 0

    cdef bint advance(self, Greedy search, Scorer scorer, const int32_t* tokens) except -1 nogil:
        """Make a step in every derivation and keep the best; False if all are finished."""
        cdef hash_t keys[MOST_TEMPLATES]
        cdef int32_t keys_used = search.program.template_count
        cdef int32_t i, a, kept = 0
        cdef uint32_t legal
        cdef bint finished = True
        cdef double shift, step
        cdef Item* item
        if self.lost != NULL:
            memset(self.left, 0, <size_t>self.count * MOVES * sizeof(double))
        for i in range(self.count):
            item = self.items + i
            if search.system.is_final(&item.state):
                kept = self.offer(kept, item.score, item.chance, i, STAY)
                if self.lost != NULL:
                    self.left[i * MOVES] = exp(item.chance)
                continue
            finished = False
            legal = search.system.legal(&item.state)
            if self.required != NULL:
                legal = self.allowed(search, &item.state, legal)
            fill_keys(&search.program, &item.state, tokens, keys)
            scorer.score(keys, keys_used, search.group_of(&item.state, tokens), self.scores)
            if self.scale == 0:
                for a in range(search.actions):
                    if legal >> search.moves[a] & 1:
                        kept = self.offer(kept, item.score + self.scores[a], 0, i, a)
                continue
            shift = self.sum_scores(search, legal)
            for a in range(search.actions):
                if legal >> search.moves[a] & 1:
                    step = self.scale * self.scores[a] - shift
                    if self.lost != NULL:
                        self.left[i * MOVES + search.moves[a]] += exp(item.chance + step)
                    kept = self.offer(kept, item.score + (step if self.by_chance else self.scores[a]),
                                      item.chance + step, i, a)
        if finished:
            return False
        if self.lost != NULL:
            self.note_lost(search, kept)
        self.items, self.older = self.older, self.items
        self.count = kept
        for i in range(kept):
            self.renew(search, self.items + i, &self.candidates[i])
        return True

    cdef double sum_scores(self, Greedy search, uint32_t legal) noexcept nogil:
        """The logarithm of the sum of exp(scale * score) over the actions that make legal moves."""
        cdef double total = 0
        cdef int32_t a, best = -1
        for a in range(search.actions):
            if legal >> search.moves[a] & 1 and (best < 0 or self.scores[a] > self.scores[best]):
                best = a
        for a in range(search.actions):
            if legal >> search.moves[a] & 1:
                total += exp(self.scale * (self.scores[a] - self.scores[best]))
        return self.scale * self.scores[best] + log(total)

    cdef int note_lost(self, Greedy search, int32_t kept) except -1 nogil:
        """Of the candidates that are not among those kept: how likely they are, to each of the arcs that they have."""
        cdef Py_ssize_t size
        cdef int32_t i
        cdef token_t move, word
        cdef double total
        cdef State* state
        for i in range(kept):
            move = 0 if self.candidates[i].action == STAY else search.moves[self.candidates[i].action]
            self.left[self.candidates[i].item * MOVES + move] -= exp(self.candidates[i].chance)
        for i in range(self.count):
            state = &self.items[i].state
            size = state.n + 1
            total = 0
            for move in range(MOVES):
                total += max(0, self.left[i * MOVES + move])
            if total < LITTLE:
                continue
            for word in range(1, state.n + 1):
                if state.heads[word] >= 0:
                    self.lost[word * size + state.heads[word]] += total
            for word in range(state.links):
                self.lost[state.link_right[word] * size + state.link_left[word]] += total
            if search.system.is_final(state):
                continue
            reserve_state(&self.trial, state.n, self.set_words)
            for move in range(MOVES):
                if self.left[i * MOVES + move] < LITTLE:
                    continue
                copy_state(&self.trial, state)
                make(search.system, &self.trial, move, 0)
                if self.trial.links > state.links:
                    word = self.trial.links - 1
                    self.lost[self.trial.link_right[word] * size + self.trial.link_left[word]] += (
                        self.left[i * MOVES + move])
                elif self.trial.arcs > state.arcs:
                    for word in range(1, state.n + 1):
                        if self.trial.heads[word] != state.heads[word]:
                            self.lost[word * size + self.trial.heads[word]] += self.left[i * MOVES + move]
        return 0

    cdef uint32_t allowed(self, Greedy search, State* state, uint32_t legal) except 0 nogil:
        """The legal moves that make no arc against the constraints; all if each does, for a derivation must go on."""
        cdef uint32_t moves = 0
        cdef token_t move, word
        cdef bint good
        reserve_state(&self.trial, state.n, self.set_words)
        for move in range(MOVES):
            if not legal >> move & 1:
                continue
            copy_state(&self.trial, state)
            make(search.system, &self.trial, move, 0)
            good = True
            if self.trial.links > state.links:
                word = self.trial.links - 1
                good = (self.loose_root and self.trial.link_left[word] == 0
                        or self.may_be(self.trial.link_left[word], self.trial.link_right[word])
                        or self.may_be(self.trial.link_right[word], self.trial.link_left[word]))
            for word in range(1, state.n + 1):
                if self.trial.heads[word] != state.heads[word] and self.trial.heads[word] >= 0:
                    good = good and self.may_be(self.trial.heads[word], word)
            if good:
                moves |= <uint32_t>1 << move
        return moves if moves else legal

    cdef bint may_be(self, token_t head, token_t dependent) noexcept nogil:
        """Whether the constraints allow an arc."""
        return (dependent > 0 and (self.required[dependent] < 0 or self.required[dependent] == head)
                and not self.forbidden[dependent * (<Py_ssize_t>self.trial.n + 1) + head])

    cdef int32_t offer(self, int32_t kept, double score, double chance, int32_t item, int32_t action) noexcept nogil:
        """Put a candidate in its place among the `kept` best; gives how many there are then."""
        cdef int32_t k = kept
        if kept == self.width and not score > self.candidates[kept - 1].score:
            return kept
        while k > 0 and score > self.candidates[k - 1].score:
            self.candidates[k] = self.candidates[k - 1]
            k -= 1
        self.candidates[k].score = score
        self.candidates[k].chance = chance
        self.candidates[k].item = item
        self.candidates[k].action = action
        return min(kept + 1, self.width)

    cdef int renew(self, Greedy search, Item* item, const Candidate* candidate) except -1 nogil:
        """Make of an item what a candidate says."""
        cdef const Item* parent = self.older + candidate.item
        cdef int32_t action = candidate.action
        cdef token_t place = parent.state.moves
        copy_state(&item.state, &parent.state)
        item.score = candidate.score
        item.chance = candidate.chance
        item.last = parent.last
        item.gold = parent.gold
        if action == STAY:
            return 0
        item.gold = parent.gold and place < self.gold_count and self.gold[place] == action
        make(search.system, &item.state, search.moves[action], search.labels[action])
        if self.step_count == self.step_room:
            self.reserve_steps(2 * self.step_room + 1024)
        self.steps[self.step_count].before = parent.last
        self.steps[self.step_count].action = action
        item.last = <int32_t>self.step_count
        self.step_count += 1
        return 0

    cdef int reserve_steps(self, Py_ssize_t count) except -1 nogil:
        cdef Step* steps = <Step*>realloc(self.steps, count * sizeof(Step))
        if steps == NULL:
            raise MemoryError
        self.steps = steps
        self.step_room = count
        return 0

    cdef int reserve_paths(self, Py_ssize_t count) except -1 nogil:
        cdef int32_t* gold = <int32_t*>realloc(self.gold, count * sizeof(int32_t))
        cdef int32_t* path
        if gold == NULL:
            raise MemoryError
        self.gold = gold
        path = <int32_t*>realloc(self.path, count * sizeof(int32_t))
        if path == NULL:
            raise MemoryError
        self.path = path
        self.path_room = count
        return 0

    cdef int trace(self, int32_t last, token_t count) except -1 nogil:
        """The actions of a derivation of so many steps into `path`."""
        if count > self.path_room:
            self.reserve_paths(2 * count)
        while last >= 0:
            count -= 1
            self.path[count] = self.steps[last].action
            last = self.steps[last].before
        return 0
