"""The derivations in a beam: each makes all its possible steps, and the best of the results are kept."""

from libc.math cimport exp, log
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from crossarc.core.typedefs cimport hash_t, int32_t, token_t, uint32_t, weight_t
from crossarc.learning.scorer cimport Scorer, score_room
from crossarc.transitions.context cimport MOST_SLOTS, MOST_TEMPLATES, fill_values, hash_values
from crossarc.transitions.graph_arcs cimport count_arcs
from crossarc.transitions.search cimport Greedy, best_of
from crossarc.transitions.state cimport Arc, State, copy_state, release_state, reserve_state, reset_state
from crossarc.transitions.system cimport MOVES, make

cdef double NEGLIGIBLE = 1e-5       # smaller probabilities are ignored
cdef double LEAST_POWER = -30       # smaller powers of e do not change a sum that has a 1 in it


cdef class Generations:
    """The derivations of a sentence after a step and before it, for one thread."""

    def __cinit__(self, int32_t width, int32_t actions, token_t set_words):
        self.width = width
        self.set_words = set_words
        self.items = <Item*>calloc(width, sizeof(Item))
        self.older = <Item*>calloc(width, sizeof(Item))
        self.candidates = <Candidate*>malloc(<size_t>width * sizeof(Candidate))
        self.ranks = <double*>malloc(<size_t>width * sizeof(double))
        self.places = <int32_t*>malloc(<size_t>width * sizeof(int32_t))
        self.scores = <weight_t*>malloc(score_room(actions) * sizeof(weight_t))
        self.dropped = <double*>malloc(<size_t>width * MOVES * sizeof(double))
        self.score_rows = score_room(actions)
        self.mask = 3
        while self.mask < 2 * <hash_t>width:
            self.mask = 2 * self.mask + 1
        self.seen = <hash_t*>malloc(<size_t>width * sizeof(hash_t))
        self.seen_scores = <weight_t*>malloc(<size_t>width * self.score_rows * sizeof(weight_t))
        self.seen_shifts = <double*>malloc(<size_t>width * sizeof(double))
        self.seen_at = <int32_t*>malloc(<size_t>(self.mask + 1) * sizeof(int32_t))
        if (self.items == NULL or self.older == NULL or self.candidates == NULL or self.scores == NULL
                or self.dropped == NULL or self.seen == NULL or self.seen_scores == NULL or self.seen_shifts == NULL
                or self.seen_at == NULL or self.ranks == NULL or self.places == NULL):
            raise MemoryError

    def __dealloc__(self):
        cdef int32_t i
        for i in range(self.width):
            if self.items != NULL:
                release_state(&self.items[i].state)
            if self.older != NULL:
                release_state(&self.older[i].state)
        free(self.items)
        free(self.older)
        free(self.candidates)
        free(self.ranks)
        free(self.places)
        free(self.steps)
        free(self.gold)
        free(self.path)
        free(self.scores)
        free(self.dropped)
        free(self.seen)
        free(self.seen_scores)
        free(self.seen_shifts)
        free(self.seen_at)

    cdef int begin(self, Greedy search, token_t n) except -1 nogil:
        """Start with one derivation of no steps over n words."""
        cdef int32_t i
        for i in range(self.width):
            reserve_state(&self.items[i].state, n, self.set_words)
            reserve_state(&self.older[i].state, n, self.set_words)
        reset_state(&self.items[0].state, n)
        search.system.start(&self.items[0].state)
        self.items[0].score = self.items[0].log_probability = 0
        self.items[0].last = -1
        self.items[0].gold = True
        self.count = 1
        self.step_count = self.gold_count = 0
        return 0

    cdef bint advance(self, Greedy search, Scorer scorer, const int32_t* tokens) except -1 nogil:
        """Make a step in every derivation and keep the best; False if all are finished."""
        cdef const weight_t* scores
        cdef const int32_t* moves = &search.moves[0]
        cdef int32_t i, a, place, kept = 0
        cdef uint32_t legal, occupied = 0
        cdef bint finished = True, offered
        cdef double shift, step
        cdef Item* item
        if self.lost != NULL:
            memset(self.dropped, 0, <size_t>self.count * MOVES * sizeof(double))
        memset(self.seen_at, -1, <size_t>(self.mask + 1) * sizeof(int32_t))
        self.seen_count = 0
        for i in range(self.count):
            item = self.items + i
            if search.system.is_final(&item.state):
                kept = self.offer(kept, item.score, item.log_probability, i, STAY)
                if self.lost != NULL:
                    self.dropped[i * MOVES] = exp(item.log_probability)
                continue
            finished = False
            legal = search.system.legal(&item.state)
            if self.required != NULL:
                legal = self.allowed(search, &item.state, legal)
            place = self.scored(search, scorer, &item.state, tokens, legal)
            scores = self.seen_scores + place * self.score_rows
            shift = self.seen_shifts[place]
            if search.system.several_heads:
                occupied = self.occupied(search, &item.state, legal)
            offered = False
            for a in range(search.actions):
                if not legal >> moves[a] & 1 or (occupied >> moves[a] & 1 and search.repeats_arc(&item.state, a)):
                    continue
                offered = True
                if self.scale == 0:
                    kept = self.offer(kept, item.score + scores[a], 0, i, a)
                    continue
                step = self.scale * scores[a] - shift
                if self.lost != NULL:
                    self.dropped[i * MOVES + moves[a]] += exp(item.log_probability + step)
                kept = self.offer(kept, item.score + (step if self.by_probability else scores[a]),
                                  item.log_probability + step, i, a)
            if not offered:
                a = search.action_of(search.system.last_resort, -1)
                kept = self.offer(kept, item.score, item.log_probability, i, a)
        if finished:
            return False
        if self.lost != NULL:
            self.note_lost(search, kept)
        self.items, self.older = self.older, self.items
        self.count = kept
        for i in range(kept):
            self.extend(search, self.items + i, &self.candidates[self.places[i]])
        return True

    cdef uint32_t occupied(self, Greedy search, const State* state, uint32_t legal) noexcept nogil:
        """The legal moves that make an arc between words that have one in the same direction."""
        cdef uint32_t moves = 0
        cdef token_t move
        cdef Arc arc
        for move in range(MOVES):
            if legal >> move & 1:
                arc = search.system.arc_of(state, move)
                if arc.head >= 0 and count_arcs(state, arc.head, arc.dependent):
                    moves |= <uint32_t>1 << move
        return moves

    cdef int32_t scored(self, Greedy search, Scorer scorer, State* state, const int32_t* tokens,
                        uint32_t legal) noexcept nogil:
        """The number under which the scores of a state are kept in this step; they are computed if they are new."""
        cdef hash_t keys[MOST_TEMPLATES]
        cdef hash_t values[MOST_SLOTS]
        cdef int32_t group = search.group_of(state, tokens), place = self.seen_count, k
        cdef hash_t seen = (<hash_t>legal << 32) + <hash_t>group
        cdef hash_t at
        fill_values(&search.program, state, tokens, values)
        for k in range(search.program.slot_count):
            seen = (seen ^ values[k]) * <hash_t>0xD6E8FEB86659FD93
            seen ^= seen >> 32
        at = seen & self.mask
        while self.seen_at[at] >= 0:
            if self.seen[self.seen_at[at]] == seen:
                return self.seen_at[at]
            at = (at + 1) & self.mask
        self.seen_at[at] = place
        self.seen[place] = seen
        self.seen_count += 1
        hash_values(&search.program, values, 0, search.program.template_count, keys)
        scorer.score(keys, search.program.template_count, group, self.seen_scores + place * self.score_rows)
        self.seen_shifts[place] = 0
        if self.scale != 0:
            self.seen_shifts[place] = self.sum_scores(search, self.seen_scores + place * self.score_rows, legal)
        return place

    cdef double sum_scores(self, Greedy search, const weight_t* scores, uint32_t legal) noexcept nogil:
        """The logarithm of the sum of exp(scale * score) over the actions that make legal moves."""
        cdef double total = 0, step
        cdef const int32_t* moves = &search.moves[0]
        cdef int32_t best = best_of(search, scores, legal)
        cdef int32_t a
        for a in range(search.actions):
            if legal >> moves[a] & 1:
                step = self.scale * (scores[a] - scores[best])
                if step > LEAST_POWER:
                    total += exp(step)
        return self.scale * scores[best] + log(total)

    cdef void note_lost(self, Greedy search, int32_t kept) noexcept nogil:
        """Add the probability of each candidate that is not kept to all arcs that it has."""
        cdef Py_ssize_t size
        cdef int32_t i
        cdef token_t move, k
        cdef double total
        cdef const State* state
        cdef Arc arc
        for i in range(kept):
            move = 0 if self.candidates[i].action == STAY else search.moves[self.candidates[i].action]
            self.dropped[self.candidates[i].item * MOVES + move] -= exp(self.candidates[i].log_probability)
        for i in range(self.count):
            state = &self.items[i].state
            size = state.n + 1
            total = 0
            for move in range(MOVES):
                total += max(0, self.dropped[i * MOVES + move])
            if total < NEGLIGIBLE:
                continue
            for k in range(state.arcs):
                self.lost[state.arc_dependent[k] * size + state.arc_head[k]] += total
            if search.system.is_final(state):
                continue
            for move in range(MOVES):
                if self.dropped[i * MOVES + move] >= NEGLIGIBLE:
                    arc = search.system.arc_of(state, move)
                    if arc.head >= 0:
                        self.lost[arc.dependent * size + arc.head] += self.dropped[i * MOVES + move]

    cdef uint32_t allowed(self, Greedy search, const State* state, uint32_t legal) noexcept nogil:
        """The legal moves that make no arc against the constraints; if there are none, all legal moves."""
        cdef uint32_t moves = 0
        cdef token_t move
        cdef Arc arc
        for move in range(MOVES):
            if not legal >> move & 1:
                continue
            arc = search.system.arc_of(state, move)
            if (arc.head < 0 or self.permits(state.n, arc.head, arc.dependent)
                    or (not search.system.directed and (
                        self.permits(state.n, arc.dependent, arc.head)
                        or (self.root_links_optional and arc.head == 0)))):
                moves |= <uint32_t>1 << move
        return moves if moves else legal

    cdef bint permits(self, token_t n, token_t head, token_t dependent) noexcept nogil:
        """Whether the constraints permit an arc."""
        return (dependent > 0 and (self.required[dependent] < 0 or self.required[dependent] == head)
                and not self.forbidden[dependent * (<Py_ssize_t>n + 1) + head])

    cdef int32_t insert(self, int32_t kept, double rank, double score, double log_probability, int32_t item,
                        int32_t action) noexcept nogil:
        """Put a candidate that belongs among the `kept` best in its place; returns their new number."""
        # The worst of a full beam makes room.
        cdef int32_t k = min(kept, self.width - 1)
        cdef int32_t place = self.places[k] if kept == self.width else kept
        while k > 0 and rank > self.ranks[k - 1]:
            self.ranks[k] = self.ranks[k - 1]
            self.places[k] = self.places[k - 1]
            k -= 1
        self.ranks[k] = rank
        self.places[k] = place
        self.candidates[place].score = score
        self.candidates[place].log_probability = log_probability
        self.candidates[place].item = item
        self.candidates[place].action = action
        return min(kept + 1, self.width)

    cdef int extend(self, Greedy search, Item* item, const Candidate* candidate) except -1 nogil:
        """Make an item the derivation of a candidate."""
        cdef const Item* parent = self.older + candidate.item
        cdef int32_t action = candidate.action
        cdef token_t place = parent.state.moves
        copy_state(&item.state, &parent.state)
        item.score = candidate.score
        item.log_probability = candidate.log_probability
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
        """Write the actions of a derivation of `count` steps to `path`."""
        if count > self.path_room:
            self.reserve_paths(2 * count)
        while last >= 0:
            count -= 1
            self.path[count] = self.steps[last].action
            last = self.steps[last].before
        return 0
