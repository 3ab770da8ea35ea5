"""Beam search: the best few derivations side by side, learned from as wholes."""

import numpy as np

from libc.math cimport exp, log
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from crossarc.core.typedefs cimport hash_t, int8_t, int32_t, label_t, offset_t, token_t, uint32_t, weight_t
from crossarc.learning.packed cimport PackedWeights, padded, score_packed
from crossarc.learning.updates cimport UpdateRule
from crossarc.learning.weights cimport Scorer, Weights
from crossarc.transitions.context cimport MOST_TEMPLATES, fill_keys
from crossarc.transitions.search cimport Greedy, Workspace, make, note_link
from crossarc.transitions.state cimport State, copy_state, release_state, reserve_state, reset_state
from crossarc.transitions.system cimport MOVES

from crossarc.transitions.search import fill_unlabelled

cdef enum:
    STAY = -1               # instead of an action: the derivation is finished

cdef double LITTLE = 1e-5   # what is less likely is not looked at


cdef struct Step:
    int32_t before          # the step before, -1 for none
    int32_t action

cdef struct Item:           # a derivation
    State state
    double score
    double chance           # the logarithm of its probability, where it is asked for
    int32_t last            # its last step, -1 before the first
    bint gold               # whether all its steps are those of the oracle

cdef struct Candidate:      # a derivation with one step more
    double score
    double chance
    int32_t item
    int32_t action


cdef class Generations:
    """The derivations of a sentence and those they are made from, for one thread."""

    cdef int32_t width
    cdef Item* items                # best first, `count` of them
    cdef int32_t count
    cdef Item* older                # room for as many
    cdef Candidate* candidates      # best first
    cdef Step* steps                # of all derivations, as a tree
    cdef Py_ssize_t step_count
    cdef Py_ssize_t step_room
    cdef int32_t* gold              # the oracle's actions, `gold_count` of them; none when parsing
    cdef token_t gold_count
    cdef int32_t* path              # room for the actions of another derivation
    cdef Py_ssize_t path_room
    cdef weight_t* scores
    cdef int32_t* packed_scores
    cdef double scale               # of packed scores on the way to probabilities; 0 where nobody asks for them
    cdef bint by_chance             # whether derivations are compared by their probabilities
    cdef const token_t* required    # the head that each word must have, -1 where it is free; NULL without constraints
    cdef const int8_t* forbidden    # at [dependent][head]
    cdef bint loose_root            # whether links of node 0 are hints only, which reconstruction may drop
    cdef State trial                # for moves that are only tried
    cdef double* lost               # at [dependent][head]: how likely what left the beam with that arc is; or NULL
    cdef double* left               # by item and move: how likely what is not followed is

    def __cinit__(self, int32_t width, int32_t actions):
        self.width = width
        self.scale = 0
        self.required = NULL
        self.lost = NULL
        self.items = <Item*>calloc(width, sizeof(Item))
        self.older = <Item*>calloc(width, sizeof(Item))
        self.candidates = <Candidate*>malloc((width + 1) * sizeof(Candidate))
        self.scores = <weight_t*>malloc((padded(actions) + 1) * sizeof(weight_t))
        self.packed_scores = <int32_t*>malloc((padded(actions) + 1) * sizeof(int32_t))
        self.left = <double*>malloc(<size_t>width * MOVES * sizeof(double))
        if (self.items == NULL or self.older == NULL or self.candidates == NULL or self.scores == NULL
                or self.packed_scores == NULL or self.left == NULL):
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
        free(self.packed_scores)
        free(self.left)

    cdef int begin(self, Greedy search, token_t n) except -1 nogil:
        """One derivation without a step over n words."""
        cdef int32_t i
        for i in range(self.width):
            reserve_state(&self.items[i].state, n)
            reserve_state(&self.older[i].state, n)
        reset_state(&self.items[0].state, n)
        search.system.start(&self.items[0].state)
        self.items[0].score = self.items[0].chance = 0
        self.items[0].last = -1
        self.items[0].gold = True
        self.count = 1
        self.step_count = self.gold_count = 0
        return 0

    cdef bint advance(self, Greedy search, Weights learning, PackedWeights trained,
                      const int32_t* tokens) except -1 nogil:
        """Make a step in every derivation and keep the best; False if all are finished.

        The weights are either those that are being learned or those of a trained model.
        """
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
            if learning is not None:
                learning.score(keys, keys_used, self.scores)
                for a in range(search.actions):
                    if legal >> search.moves[a] & 1:
                        kept = self.offer(kept, item.score + self.scores[a], 0, i, a)
            else:
                score_packed(&trained.packed, keys, keys_used, self.packed_scores)
                if self.scale == 0:
                    for a in range(search.actions):
                        if legal >> search.moves[a] & 1:
                            kept = self.offer(kept, item.score + self.packed_scores[a], 0, i, a)
                    continue
                shift = self.sum_scores(search, legal)
                for a in range(search.actions):
                    if legal >> search.moves[a] & 1:
                        step = self.scale * self.packed_scores[a] - shift
                        if self.lost != NULL:
                            self.left[i * MOVES + search.moves[a]] += exp(item.chance + step)
                        kept = self.offer(kept, item.score + (step if self.by_chance else self.packed_scores[a]),
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
            if legal >> search.moves[a] & 1 and (best < 0 or self.packed_scores[a] > self.packed_scores[best]):
                best = a
        for a in range(search.actions):
            if legal >> search.moves[a] & 1:
                total += exp(self.scale * (self.packed_scores[a] - self.packed_scores[best]))
        return self.scale * self.packed_scores[best] + log(total)

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
            reserve_state(&self.trial, state.n)
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
        reserve_state(&self.trial, state.n)
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

    cdef inline bint may_be(self, token_t head, token_t dependent) noexcept nogil:
        """Whether the constraints allow an arc."""
        return (dependent > 0 and (self.required[dependent] < 0 or self.required[dependent] == head)
                and not self.forbidden[dependent * (<Py_ssize_t>self.trial.n + 1) + head])

    cdef inline int32_t offer(self, int32_t kept, double score, double chance, int32_t item,
                              int32_t action) noexcept nogil:
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

    cdef int find_gold(self, Beam search, Workspace work) except -1 nogil:
        """The actions of the oracle for the sentence that the workspace has begun."""
        cdef State* state = &work.state
        cdef token_t move
        cdef label_t label
        while not search.system.is_final(state):
            if state.moves >= self.path_room:
                self.reserve_paths(2 * self.path_room + 256)
            move = search.system.oracle(state, &work.gold)
            label = search.system.gold_label(state, &work.gold, move)
            self.gold[state.moves] = search.action_of[move, label + 1]
            make(search.system, state, move, label)
        self.gold_count = state.moves
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


cdef class Beam(Greedy):
    """Beam search of some width over a system with a feature model and a set of actions.

    `moves` and `labels` give for each action its move and its label, -1 for none.
    """

    cdef readonly int32_t width
    cdef const int32_t[:, ::1] action_of        # the action of a move and a label, which counts from -1

    def __init__(self, system, model, moves, labels, attributes, width):
        super().__init__(system, model, moves, labels, attributes)
        self.width = width
        action_of = np.full((len(system.moves), max(labels, default=-1) + 2), -1, dtype=np.int32)
        action_of[moves, np.asarray(labels) + 1] = np.arange(len(moves))
        fill_unlabelled(action_of)
        self.action_of = action_of

    def train(self, Weights weights, UpdateRule rule, const int32_t[:, ::1] tokens, const token_t[::1] heads,
              const label_t[::1] labels, const offset_t[::1] starts, const offset_t[::1] order, double explore=0.0):
        """Learn by a rule from sentences in an order, an epoch or a part of one; gives sentences and wrong ones.

        Where the oracle's derivation does not come out best, the model learns from it and the best one, both cut off
        at the step where the one was furthest ahead of the other (Huang et al. 2012, max-violation). There is nothing
        to explore: the beam is full of states of the model's own making.
        """
        cdef Workspace work = Workspace()
        cdef Generations beam = Generations(self.width, self.actions)
        cdef State* state = &work.state
        cdef hash_t keys[MOST_TEMPLATES]
        cdef offset_t wrong = 0
        cdef Py_ssize_t i, s
        cdef token_t n, gold_steps, steps, at
        cdef int32_t last
        cdef double gold_score, most
        cdef weight_t step
        cdef const int32_t* words
        with nogil:
            for i in range(order.shape[0]):
                s = order[i]
                n = <token_t>(starts[s + 1] - starts[s]) - 1
                words = &tokens[starts[s], 0]
                work.reserve(n)
                work.begin(self.system, n, &heads[starts[s]], &labels[starts[s]])
                beam.begin(self, n)
                beam.find_gold(self, work)
                work.begin(self.system, n, NULL, NULL)
                weights.now += 1
                most = gold_score = 0
                last = -1
                gold_steps = steps = 0
                while beam.advance(self, weights, None, words):
                    if state.moves < beam.gold_count:
                        fill_keys(&self.program, state, words, keys)
                        weights.score(keys, self.program.template_count, beam.scores)
                        gold_score += beam.scores[beam.gold[state.moves]]
                        self.follow(state, beam.gold[state.moves])
                    if not beam.items[0].gold and (last < 0 or beam.items[0].score - gold_score > most):
                        most = beam.items[0].score - gold_score
                        last = beam.items[0].last
                        steps = beam.items[0].state.moves
                        gold_steps = state.moves
                if last < 0:
                    continue
                wrong += 1
                beam.trace(last, steps)
                at = 0
                work.begin(self.system, n, NULL, NULL)
                while at < steps and at < gold_steps and beam.path[at] == beam.gold[at]:
                    self.follow(state, beam.gold[at])
                    at += 1
                copy_state(&beam.older[0].state, state)
                steps -= at
                gold_steps -= at
                step = rule.step(max(steps, gold_steps), -most, self.program.template_count * (steps + gold_steps))
                self.learn(weights, state, words, beam.gold + at, gold_steps, step)
                self.learn(weights, &beam.older[0].state, words, beam.path + at, steps, -step)
        return order.shape[0], wrong

    cdef inline void follow(self, State* state, int32_t action) noexcept nogil:
        make(self.system, state, self.moves[action], self.labels[action])

    cdef int learn(self, Weights weights, State* state, const int32_t* words, const int32_t* actions, token_t count,
                   weight_t step) except -1 nogil:
        """Add to the weights of all steps of a derivation from a state on."""
        cdef hash_t keys[MOST_TEMPLATES]
        cdef token_t k
        for k in range(count):
            fill_keys(&self.program, state, words, keys)
            weights.update(keys, self.program.template_count, actions[k], step)
            self.follow(state, actions[k])
        return 0

    def parse(self, PackedWeights weights, const int32_t[:, ::1] tokens, const offset_t[::1] starts,
              token_t[::1] heads, label_t[::1] labels, label_t root_label, bint annotated=False,
              bint keep_root_links=False, bint scored=False):
        """Parse the sentences of flat arrays into `heads` and `labels`, which are arrays of the same layout.

        With `annotated` the labels of an undirected system say which way links should point, with `scored` as strongly
        as their scores.
        """
        self.parse_with(None, weights, tokens, starts, heads, labels, root_label, annotated, keep_root_links,
                        scored)

    def parse_by(self, Scorer scorer, const int32_t[:, ::1] tokens, const offset_t[::1] starts, token_t[::1] heads,
                 label_t[::1] labels, label_t root_label, int32_t tag, bint annotated=False,
                 bint keep_root_links=False, bint scored=False):
        """As `parse`, with weights that are not packed."""
        cdef Weights weights = scorer
        self.parse_with(weights, None, tokens, starts, heads, labels, root_label, annotated, keep_root_links,
                        scored)

    cdef int parse_with(self, Weights learning, PackedWeights trained, const int32_t[:, ::1] tokens,
                        const offset_t[::1] starts, token_t[::1] heads, label_t[::1] labels, label_t root_label,
                        bint annotated, bint keep_root_links, bint scored) except -1:
        cdef Workspace work = Workspace()
        cdef Generations beam = Generations(self.width, self.actions)
        cdef Py_ssize_t s
        cdef token_t n
        work.scored = scored
        with nogil:
            for s in range(starts.shape[0] - 1):
                n = <token_t>(starts[s + 1] - starts[s]) - 1
                work.reserve(n)
                beam.begin(self, n)
                while beam.advance(self, learning, trained, &tokens[starts[s], 0]):
                    pass
                if scored:
                    self.note_links(work, beam, learning, trained, &tokens[starts[s], 0])
                self.attach_loose(&beam.items[0].state, trained, learning, tokens, starts[s], -1,
                                  beam.scores if trained is None else <void*>beam.packed_scores)
                work.give_tree(self.system, &beam.items[0].state, root_label, annotated, keep_root_links,
                               &heads[starts[s]], &labels[starts[s]])
        return 0

    def parse_best(self, PackedWeights weights, const int32_t[:, ::1] tokens, label_t root_label, bint annotated,
                   bint keep_root_links, bint scored, double scale, bint by_chance, required=None, forbidden=None):
        """All finished derivations of one sentence: heads and labels of their trees, one a row; how likely they are.

        That is the logarithm of the product of the probabilities of their actions, which are softmax(scale * score)
        over the legal ones. Derivations are compared by it with `by_chance`, else by their scores as `parse` does.
        Arcs against `required` (heads, -1 where a word is free) and `forbidden` (bytes at [dependent, head]) are made
        only where nothing else is left; both come together. The fourth result, at [dependent, head], is how likely
        derivations are that left the beam with each arc, or link, for which the left node stands as the head.
        """
        cdef Workspace work = Workspace()
        cdef Generations beam = Generations(self.width, self.actions)
        cdef token_t n = <token_t>tokens.shape[0] - 1
        cdef int32_t i
        cdef const token_t[::1] required_view = required
        cdef const int8_t[:, ::1] forbidden_view = forbidden
        cdef offset_t start = 0
        lost = np.zeros((n + 1, n + 1))
        cdef double[:, ::1] lost_view = lost
        heads = np.empty((self.width, n + 1), dtype=np.int32)
        labels = np.empty((self.width, n + 1), dtype=np.int32)
        chances = np.empty(self.width)
        cdef token_t[:, ::1] heads_view = heads
        cdef label_t[:, ::1] labels_view = labels
        cdef double[::1] chances_view = chances
        work.scored = scored
        beam.scale = scale * weights.unit
        beam.by_chance = by_chance
        beam.lost = &lost_view[0, 0]
        beam.loose_root = annotated and not keep_root_links
        if required is not None:
            beam.required = &required_view[0]
            beam.forbidden = &forbidden_view[0, 0]
        with nogil:
            work.reserve(n)
            beam.begin(self, n)
            while beam.advance(self, None, weights, &tokens[0, 0]):
                pass
            for i in range(beam.count):
                chances_view[i] = beam.items[i].chance
                if scored:
                    self.note_links(work, beam, None, weights, &tokens[0, 0], i)
                self.attach_loose(&beam.items[i].state, weights, None, tokens, start, -1, beam.packed_scores)
                work.give_tree(self.system, &beam.items[i].state, root_label, annotated, keep_root_links,
                               &heads_view[i, 0], &labels_view[i, 0])
        return heads[:beam.count], labels[:beam.count], chances[:beam.count], lost

    cdef int note_links(self, Workspace work, Generations beam, Weights learning, PackedWeights trained,
                        const int32_t* tokens, int32_t item=0) except -1 nogil:
        """Go through a derivation, the best one, once more for the scores of its links."""
        cdef hash_t keys[MOST_TEMPLATES]
        cdef int32_t keys_used = self.program.template_count
        cdef State* state = &work.state
        cdef const Item* best = &beam.items[item]
        cdef token_t at
        beam.trace(best.last, best.state.moves)
        work.begin(self.system, best.state.n, NULL, NULL)
        for at in range(best.state.moves):
            fill_keys(&self.program, state, tokens, keys)
            if learning is not None:
                learning.score(keys, keys_used, beam.scores)
                self.follow(state, beam.path[at])
                note_link(self, work, state, beam.path[at], beam.scores)
            else:
                score_packed(&trained.packed, keys, keys_used, beam.packed_scores)
                self.follow(state, beam.path[at])
                note_link(self, work, state, beam.path[at], beam.packed_scores)
        return 0
