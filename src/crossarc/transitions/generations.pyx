"""The derivations in a beam: each makes all its possible steps, and the best of the results are kept."""
import numpy as np

from libc.math cimport INFINITY, exp, log
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from crossarc.core.typedefs cimport hash_t, int32_t, token_t, uint32_t, weight_t
from crossarc.core.vectors cimport add_floats, next_reaching, sum_powers
from crossarc.learning.scorers cimport Scorer, score_room
from crossarc.transitions.graph_arcs cimport count_arcs
from crossarc.transitions.state cimport Arc, State, copy_state, release_state, reserve_state, reset_state
from crossarc.transitions.system cimport MOVES, make


cdef double NEGLIGIBLE = 1e-5       # smaller probabilities are ignored


cdef inline hash_t mixed(hash_t seen, hash_t value) noexcept nogil:
    """The hash of earlier values and one more value."""
    seen = (seen ^ value) * <hash_t>0xD6E8FEB86659FD93
    return seen ^ seen >> 32


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
        self.seen_most = <weight_t*>malloc(<size_t>width * sizeof(weight_t))
        self.seen_at = <int32_t*>malloc(<size_t>(self.mask + 1) * sizeof(int32_t))
        if (self.items == NULL or self.older == NULL or self.candidates == NULL or self.scores == NULL
                or self.dropped == NULL or self.seen == NULL or self.seen_scores == NULL or self.seen_shifts == NULL
                or self.seen_most == NULL or self.seen_at == NULL or self.ranks == NULL or self.places == NULL):
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
        free(self.kept_seen)
        free(self.kept_sums)
        free(self.seen_most)
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
        cdef int32_t i, kept = 0
        cdef bint finished = True
        cdef Item* item
        if self.lost != NULL:
            memset(self.dropped, 0, <size_t>self.count * MOVES * sizeof(double))
        memset(self.seen_at, -1, <size_t>(self.mask + 1) * sizeof(int32_t))
        self.seen_count = 0
        for i in range(self.count):
            item = self.items + i
            item.children = 0
            item.legal = item.occupied = 0
            if search.system.is_final(&item.state):
                continue
            finished = False
            item.legal = search.system.legal(&item.state)
            if self.required != NULL:
                item.legal = self.allowed(search, &item.state, item.legal)
            item.place = self.scored(search, scorer, &item.state, tokens, item.legal)
            if search.system.several_heads:
                item.occupied = self.occupied(search, &item.state, item.legal)
        if finished:
            return False
        self.floor = self.lowest_best(search)
        for i in range(self.count):
            item = self.items + i
            if item.legal:
                kept = self.offer_steps(search, kept, i)
                continue
            kept = self.offer(kept, item.score, item.log_probability, i, STAY)
            if self.lost != NULL:
                self.dropped[i * MOVES] = exp(item.log_probability)
        if self.lost != NULL:
            self.note_lost(search, kept)
        self.items, self.older = self.older, self.items
        self.count = kept
        for i in range(kept):
            self.older[self.candidates[self.places[i]].item].children += 1
        for i in range(kept):
            self.extend(search, self.items + i, &self.candidates[self.places[i]])
        return True

    cdef double lowest_best(self, Greedy search) noexcept nogil:
        """A rank that as many candidates reach as are kept: the lowest of those of the best steps of all derivations.

        It is -infinity if there are fewer derivations, or if all steps of one could repeat an arc.
        """
        cdef double lowest = INFINITY, score
        cdef const weight_t* scores
        cdef weight_t most
        cdef int32_t i
        cdef Item* item
        if self.count < self.width:
            return -INFINITY
        for i in range(self.count):
            item = self.items + i
            score = item.score
            if item.legal:
                most = self.seen_most[item.place]
                if item.occupied == item.legal:
                    return -INFINITY
                if item.occupied:
                    scores = self.seen_scores + item.place * self.score_rows
                    most = scores[best_of(search, scores, item.legal & ~item.occupied)]
                score += self.gain(item.place, most)
            lowest = min(lowest, self.rank_of(score, i, item.legal != 0))
        return lowest

    cdef int32_t offer_steps(self, Greedy search, int32_t kept, int32_t i) noexcept nogil:
        """Offer all steps of a derivation; returns how many candidates there are then.

        Steps that cannot be among the best are passed over as soon as there are enough candidates.
        """
        cdef Item* item = self.items + i
        cdef uint32_t legal = item.legal, occupied = item.occupied
        cdef int32_t place = item.place
        cdef const weight_t* scores = self.seen_scores + place * self.score_rows
        cdef const int32_t* moves = &search.moves[0]
        cdef double step
        cdef weight_t least = self.least_score(kept, i)
        cdef weight_t enough
        cdef bint offered = False, may_repeat
        cdef token_t move
        cdef int32_t a, end
        if not occupied and self.seen_most[place] < least:
            return kept
        for move in range(MOVES):
            if not legal >> move & 1:
                continue
            a = search.first_action[move]
            end = search.end_action[move]
            may_repeat = occupied >> move & 1
            # A legal move always has a step left if it has more labels than two words can have arcs.
            offered = offered or not may_repeat or (search.in_order and end - a >= search.system.most_parallel)
            enough = least if offered else -INFINITY
            while True:
                a = next_reaching(scores, a, end, enough)
                if a >= end:
                    break
                if moves[a] == move and not (may_repeat and search.repeats_arc(&item.state, a)):
                    offered = True
                    step = self.scale * scores[a] - self.seen_shifts[place]
                    if self.lost != NULL:
                        self.dropped[i * MOVES + move] += exp(item.log_probability + step)
                    kept = self.offer(kept, item.score + self.gain(place, scores[a]), item.log_probability + step, i, a)
                    enough = least = self.least_score(kept, i)
                a += 1
        if not offered:
            kept = self.offer(kept, item.score, item.log_probability, i,
                              search.action_of(search.system.last_resort, -1))
        return kept

    cdef inline weight_t least_score(self, int32_t kept, int32_t i) noexcept nogil:
        """A score below which no step of a derivation can be among the best, given how many candidates there are."""
        cdef const Item* item = self.items + i
        cdef double least = self.floor
        if self.lost != NULL:
            return -INFINITY
        if kept == self.width:
            least = max(least, self.ranks[kept - 1])
        least = least * (item.state.moves + 1 if self.by_mean else 1) - item.score
        if self.by_probability:
            least = (least + self.seen_shifts[item.place]) / self.scale
        return <weight_t>(least - 1e-6 * abs(least))     # so that no rounding takes one out

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
            seen = mixed(seen, values[k])
        at = seen & self.mask
        while self.seen_at[at] >= 0:
            if self.seen[self.seen_at[at]] == seen:
                return self.seen_at[at]
            at = (at + 1) & self.mask
        self.seen_at[at] = place
        self.seen[place] = seen
        self.seen_count += 1
        if self.group_count:
            self.score_groups(search, scorer, values, self.seen_scores + place * self.score_rows)
        else:
            hash_values(&search.program, values, 0, search.program.template_count, keys)
            scorer.score(keys, search.program.template_count, group, self.seen_scores + place * self.score_rows)
        self.note_scores(search, place, legal)
        return place

    def keep_sums(self, groups, slots):
        """Keep sums of scores of groups of templates, each with the terms that they are made of.

        Only for scorers that add up what they have for each key, exactly in any order, and that do not learn.
        """
        def joined(arrays):
            starts = np.cumsum([0, *map(len, arrays)], dtype=np.int32)
            return np.concatenate([*arrays, np.zeros(0, dtype=np.int32)]).astype(np.int32), starts

        self.group_templates, self.group_starts = joined(groups)
        self.group_slots, self.slot_starts = joined(slots)
        self.kept = min(<hash_t>MOST_KEPT, self.mask + 1)
        self.kept_seen = <hash_t*>calloc(<size_t>self.kept * len(groups), sizeof(hash_t))
        self.kept_sums = <weight_t*>malloc(<size_t>self.kept * len(groups) * self.score_rows * sizeof(weight_t))
        if self.kept_seen == NULL or self.kept_sums == NULL:
            raise MemoryError
        self.group_count = len(groups)

    cdef void score_groups(self, Greedy search, Scorer scorer, const hash_t* values, weight_t* out) noexcept nogil:
        """The scores of a state as the sum of those of all groups of templates."""
        cdef hash_t keys[MOST_TEMPLATES]
        cdef weight_t* sums
        cdef hash_t seen
        cdef Py_ssize_t at
        cdef int32_t g, k, count
        for g in range(self.group_count):
            seen = <hash_t>(g + 1)
            for k in range(self.slot_starts[g], self.slot_starts[g + 1]):
                seen = mixed(seen, values[self.group_slots[k]])
            seen |= 1       # 0 stands for none
            at = g * self.kept + <Py_ssize_t>(seen >> 32 & <hash_t>(self.kept - 1))
            sums = self.kept_sums + at * self.score_rows
            if self.kept_seen[at] != seen:
                count = self.group_starts[g + 1] - self.group_starts[g]
                hash_chosen(&search.program, values, &self.group_templates[self.group_starts[g]], count, keys)
                scorer.score(keys, count, 0, sums)
                self.kept_seen[at] = seen
            if g == 0:
                memcpy(out, sums, <size_t>search.actions * sizeof(weight_t))
            else:
                add_floats(out, sums, search.actions)

    cdef void note_scores(self, Greedy search, int32_t place, uint32_t legal) noexcept nogil:
        """Note the greatest of the scores at a place and, for probabilities, log(sum of exp(scale * score)).

        Only actions that make legal moves count.
        """
        cdef const weight_t* scores = self.seen_scores + place * self.score_rows
        cdef const int32_t* moves = &search.moves[0]
        cdef int32_t best = best_of(search, scores, legal)
        cdef double total = 0
        cdef token_t move
        cdef int32_t a
        self.seen_most[place] = scores[best]
        self.seen_shifts[place] = 0
        if self.scale == 0:
            return
        for move in range(MOVES):
            if not legal >> move & 1:
                continue
            a = search.first_action[move]
            if search.in_order:
                total += sum_powers(scores + a, search.end_action[move] - a, scores[best], <weight_t>self.scale)
                continue
            for a in range(search.first_action[move], search.end_action[move]):
                if moves[a] == move:
                    total += exp(self.scale * (scores[a] - scores[best]))
        self.seen_shifts[place] = self.scale * scores[best] + log(total)

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
        cdef Item* parent = self.older + candidate.item
        cdef int32_t action = candidate.action
        cdef token_t place = parent.state.moves
        parent.children -= 1
        if parent.children:
            copy_state(&item.state, &parent.state)
        else:       # the last of its children takes its state
            item.state, parent.state = parent.state, item.state
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
