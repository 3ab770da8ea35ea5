"""Beam search: the best few derivations in parallel, with training on whole derivations."""
import numpy as np

from crossarc.core.typedefs cimport hash_t, int32_t, int8_t, label_t, offset_t, token_t, weight_t
from crossarc.learning.scorers cimport PackedWeights, Scorer, Weights
from crossarc.learning.learners cimport UpdateRule
from crossarc.transitions.system cimport Targets, Workspace, gold_label, make
from crossarc.transitions.state cimport State, copy_state

from crossarc.features.sharing import slots_of, template_groups


cdef class BeamWorkspace(ParseWorkspace):
    """What one thread needs to parse with a beam."""

    cdef Generations beam

    def __cinit__(self, token_t set_words, Scorer scorer, int32_t actions, Generations beam):
        self.beam = beam


cdef class Beam(Greedy):
    """Beam search of some width over a system with a feature model and a set of actions.

    `moves` and `labels` give for each action its move and its label, -1 for none. With `probabilities` scores are taken
    for log probabilities of single decisions, normalised over the legal actions, and summed. With `mean` derivations
    are compared by the mean over their steps, else by the sum, which favours short ones if steps are negative.
    """

    cdef readonly int32_t width
    cdef readonly bint probabilities
    cdef readonly bint mean
    cdef object groups          # of templates, and their terms, for sums of scores; found when they are first needed

    def __init__(self, system, model, moves, labels, attributes, width, *, probabilities=False, mean=False):
        super().__init__(system, model, moves, labels, attributes)
        self.width = width
        self.probabilities = probabilities
        self.mean = mean

    def train(self, Weights weights, UpdateRule rule, const int32_t[:, ::1] tokens, Targets targets,
              const offset_t[::1] order, double explore=0.0):
        """Learn from sentences in an order, an epoch or a part of one; returns the counts of sentences and wrong ones.

        If the oracle's derivation is not the best, the model learns from both up to the step where the best one was
        furthest ahead (Huang et al. 2012, max-violation). `explore` has no effect: the states in a beam are those that
        the model leads to.
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
                n = <token_t>(targets.nodes[s + 1] - targets.nodes[s]) - 1
                words = &tokens[targets.nodes[s], 0]
                targets.begin(self.system, work, s)
                beam.begin(self, n)
                self.find_gold(beam, work)
                work.begin(self.system, n)
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
                work.begin(self.system, n)
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
        """Find the actions of the oracle for the sentence in the workspace."""
        cdef State* state = &work.state
        cdef token_t move
        cdef label_t label
        while not self.system.is_final(state):
            if state.moves >= beam.path_room:
                beam.reserve_paths(2 * beam.path_room + 256)
            move = self.system.oracle(state, &work.gold)
            label = gold_label(self.system, state, &work.gold, move)
            beam.gold[state.moves] = self.action_of(move, label)
            make(self.system, state, move, label)
        beam.gold_count = state.moves
        return 0

    cdef inline int follow(self, State* state, int32_t action) except -1 nogil:
        """Make the move of an action."""
        return make(self.system, state, self.moves[action], self.labels[action])

    cdef int learn(self, Weights weights, State* state, const int32_t* words, const int32_t* actions, token_t count,
                   weight_t step) except -1 nogil:
        """Add to the weights of all steps of a derivation after a state."""
        cdef hash_t keys[MOST_TEMPLATES]
        cdef token_t k
        for k in range(count):
            fill_keys(&self.program, state, words, keys)
            weights.update(keys, self.program.template_count, actions[k], step)
            self.follow(state, actions[k])
        return 0

    cdef ParseWorkspace workspace(self, weights):
        cdef Scorer scorer = weights
        cdef Generations beam = Generations(self.width, self.actions, self.set_words)
        beam.by_mean = self.mean
        if isinstance(scorer, PackedWeights):
            if self.groups is None:
                groups = template_groups(self.model)
                self.groups = (groups, [slots_of(self.model, group) for group in groups])
            beam.keep_sums(*self.groups)
        if self.probabilities:
            beam.scale = scorer.unit
            beam.by_probability = True
        return BeamWorkspace(self.set_words, scorer.for_thread(), self.actions, beam)

    cdef State* derive(self, ParseWorkspace work, const int32_t* tokens, token_t n) except NULL nogil:
        self.run(<BeamWorkspace>work, tokens, n)
        if work.scored:
            self.note_links(<BeamWorkspace>work, tokens, 0)
        return &(<BeamWorkspace>work).beam.items[0].state

    cdef int run(self, BeamWorkspace work, const int32_t* tokens, token_t n) except -1 nogil:
        """Search for the best derivations of a sentence."""
        work.beam.begin(self, n)
        while work.beam.advance(self, work.scorer, tokens):
            pass
        return 0

    def parse_best(self, Scorer scorer, const int32_t[:, ::1] tokens, label_t root_label, bint annotated,
                   bint keep_root_links, bint scored, double scale, bint by_probability, required=None, forbidden=None):
        """Return all finished derivations of one sentence: heads and labels, one tree a row, and log probabilities.

        The probability of a derivation is the product of those of its actions, softmax(scale * score) over the legal
        ones. Derivations are compared by it with `by_probability`, else by their scores as `parse` does. Arcs against
        `required` (heads, -1 where a word is free) and `forbidden` (bytes at [dependent, head]) are made only if no
        other move is left; give both or neither. The fourth result, at [dependent, head], is the probability of the
        derivations that left the beam with each arc, or link with its left node as the head.
        """
        cdef BeamWorkspace work = self.workspace(scorer)
        cdef Generations beam = work.beam
        cdef token_t n = <token_t>tokens.shape[0] - 1
        cdef int32_t i
        cdef const token_t[::1] required_view = required
        cdef const int8_t[:, ::1] forbidden_view = forbidden
        lost = np.zeros((n + 1, n + 1))
        cdef double[:, ::1] lost_view = lost
        heads = np.empty((self.width, n + 1), dtype=np.int32)
        labels = np.empty((self.width, n + 1), dtype=np.int32)
        log_probabilities = np.empty(self.width)
        cdef token_t[:, ::1] heads_view = heads
        cdef label_t[:, ::1] labels_view = labels
        cdef double[::1] probability_view = log_probabilities
        work.scored = scored
        beam.scale = scale * scorer.unit
        beam.by_probability = by_probability
        beam.lost = &lost_view[0, 0]
        beam.root_links_optional = annotated and not keep_root_links
        if required is not None:
            beam.required = &required_view[0]
            beam.forbidden = &forbidden_view[0, 0]
        with nogil:
            work.reserve(n)
            self.run(work, &tokens[0, 0], n)
            for i in range(beam.count):
                probability_view[i] = beam.items[i].log_probability
                if scored:
                    self.note_links(work, &tokens[0, 0], i)
                self.give_tree(work, &beam.items[i].state, &tokens[0, 0], root_label, annotated, keep_root_links,
                               &heads_view[i, 0], &labels_view[i, 0])
        return heads[:beam.count], labels[:beam.count], log_probabilities[:beam.count], lost

    cdef int note_links(self, BeamWorkspace work, const int32_t* tokens, int32_t item) except -1 nogil:
        """Repeat a derivation for the scores of its links."""
        cdef hash_t keys[MOST_TEMPLATES]
        cdef State* state = &work.state
        cdef const Item* best = &work.beam.items[item]
        cdef token_t at
        work.beam.trace(best.last, best.state.moves)
        work.begin(self.system, best.state.n)
        for at in range(best.state.moves):
            fill_keys(&self.program, state, tokens, keys)
            work.scorer.score(keys, self.program.template_count, self.group_of(state, tokens), work.scores)
            self.follow(state, work.beam.path[at])
            note_link(self, work, state, work.beam.path[at], work.scores)
        return 0
