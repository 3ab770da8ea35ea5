"""Beam search: the best few derivations side by side, learned from as wholes."""

import numpy as np

from crossarc.core.typedefs cimport hash_t, int8_t, int32_t, label_t, offset_t, token_t, weight_t
from crossarc.learning.scorer cimport Scorer
from crossarc.learning.updates cimport UpdateRule
from crossarc.learning.weights cimport Weights
from crossarc.transitions.context cimport MOST_TEMPLATES, fill_keys
from crossarc.transitions.generations cimport Generations, Item
from crossarc.transitions.search cimport Greedy, Workspace, make, note_link
from crossarc.transitions.state cimport State, copy_state

from crossarc.transitions.search import fill_unlabelled


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
        cdef Workspace work = Workspace(self.set_words)
        cdef Generations beam = Generations(self.width, self.actions, self.set_words)
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
                self.find_gold(beam, work)
                work.begin(self.system, n, NULL, NULL)
                weights.now += 1
                most = gold_score = 0
                last = -1
                gold_steps = steps = 0
                while beam.advance(self, weights, words):
                    if state.moves < beam.gold_count:
                        fill_keys(&self.program, state, words, keys)
                        weights.score(keys, self.program.template_count, 0, beam.scores)
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

    cdef int find_gold(self, Generations beam, Workspace work) except -1 nogil:
        """The actions of the oracle for the sentence that the workspace has begun."""
        cdef State* state = &work.state
        cdef token_t move
        cdef label_t label
        while not self.system.is_final(state):
            if state.moves >= beam.path_room:
                beam.reserve_paths(2 * beam.path_room + 256)
            move = self.system.oracle(state, &work.gold)
            label = self.system.gold_label(state, &work.gold, move)
            beam.gold[state.moves] = self.action_of[move, label + 1]
            make(self.system, state, move, label)
        beam.gold_count = state.moves
        return 0

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

    def parse(self, Scorer scorer, const int32_t[:, ::1] tokens, const offset_t[::1] starts, token_t[::1] heads,
              label_t[::1] labels, label_t root_label, bint annotated=False, bint keep_root_links=False,
              bint scored=False):
        """Parse the sentences of flat arrays into `heads` and `labels`, which are arrays of the same layout.

        With `annotated` the labels of an undirected system say which way links should point, with `scored` as strongly
        as their scores.
        """
        cdef Workspace work = Workspace(self.set_words)
        cdef Generations beam = Generations(self.width, self.actions, self.set_words)
        cdef Py_ssize_t s
        cdef token_t n
        cdef const int32_t* words
        cdef State* best
        scorer = scorer.for_thread()
        work.scored = scored
        with nogil:
            for s in range(starts.shape[0] - 1):
                n = <token_t>(starts[s + 1] - starts[s]) - 1
                words = &tokens[starts[s], 0]
                work.reserve(n)
                beam.begin(self, n)
                while beam.advance(self, scorer, words):
                    pass
                best = &beam.items[0].state
                if scored:
                    self.note_links(work, beam, scorer, words)
                self.attach_loose(best, scorer, words, beam.scores)
                work.give_tree(self.system, best, root_label, annotated, keep_root_links, &heads[starts[s]],
                               &labels[starts[s]])
                if root_label >= 0:
                    self.label_loose(best, scorer, words, beam.scores, annotated, &heads[starts[s]],
                                     &labels[starts[s]])

    def parse_best(self, Scorer scorer, const int32_t[:, ::1] tokens, label_t root_label, bint annotated,
                   bint keep_root_links, bint scored, double scale, bint by_chance, required=None, forbidden=None):
        """All finished derivations of one sentence: heads and labels of their trees, one a row; how likely they are.

        That is the logarithm of the product of the probabilities of their actions, which are softmax(scale * score)
        over the legal ones. Derivations are compared by it with `by_chance`, else by their scores as `parse` does.
        Arcs against `required` (heads, -1 where a word is free) and `forbidden` (bytes at [dependent, head]) are made
        only where nothing else is left; both come together. The fourth result, at [dependent, head], is how likely
        derivations are that left the beam with each arc, or link, for which the left node stands as the head.
        """
        cdef Workspace work = Workspace(self.set_words)
        cdef Generations beam = Generations(self.width, self.actions, self.set_words)
        cdef token_t n = <token_t>tokens.shape[0] - 1
        cdef int32_t i
        cdef const token_t[::1] required_view = required
        cdef const int8_t[:, ::1] forbidden_view = forbidden
        lost = np.zeros((n + 1, n + 1))
        cdef double[:, ::1] lost_view = lost
        heads = np.empty((self.width, n + 1), dtype=np.int32)
        labels = np.empty((self.width, n + 1), dtype=np.int32)
        chances = np.empty(self.width)
        cdef token_t[:, ::1] heads_view = heads
        cdef label_t[:, ::1] labels_view = labels
        cdef double[::1] chances_view = chances
        work.scored = scored
        beam.scale = scale * scorer.unit
        beam.by_chance = by_chance
        beam.lost = &lost_view[0, 0]
        beam.loose_root = annotated and not keep_root_links
        if required is not None:
            beam.required = &required_view[0]
            beam.forbidden = &forbidden_view[0, 0]
        with nogil:
            work.reserve(n)
            beam.begin(self, n)
            while beam.advance(self, scorer, &tokens[0, 0]):
                pass
            for i in range(beam.count):
                chances_view[i] = beam.items[i].chance
                if scored:
                    self.note_links(work, beam, scorer, &tokens[0, 0], i)
                self.attach_loose(&beam.items[i].state, scorer, &tokens[0, 0], beam.scores)
                work.give_tree(self.system, &beam.items[i].state, root_label, annotated, keep_root_links,
                               &heads_view[i, 0], &labels_view[i, 0])
                self.label_loose(&beam.items[i].state, scorer, &tokens[0, 0], beam.scores, annotated,
                                 &heads_view[i, 0], &labels_view[i, 0])
        return heads[:beam.count], labels[:beam.count], chances[:beam.count], lost

    cdef int note_links(self, Workspace work, Generations beam, Scorer scorer, const int32_t* tokens,
                        int32_t item=0) except -1 nogil:
        """Go through a derivation, the best one, once more for the scores of its links."""
        cdef hash_t keys[MOST_TEMPLATES]
        cdef State* state = &work.state
        cdef const Item* best = &beam.items[item]
        cdef token_t at
        beam.trace(best.last, best.state.moves)
        work.begin(self.system, best.state.n, NULL, NULL)
        for at in range(best.state.moves):
            fill_keys(&self.program, state, tokens, keys)
            scorer.score(keys, self.program.template_count, self.group_of(state, tokens), beam.scores)
            self.follow(state, beam.path[at])
            note_link(self, work, state, beam.path[at], beam.scores)
        return 0
