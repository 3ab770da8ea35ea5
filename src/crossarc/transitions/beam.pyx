"""Beam search: the best few derivations in parallel."""
import numpy as np

from crossarc.core.typedefs cimport hash_t, int32_t, int8_t, label_t, token_t
from crossarc.learning.scorers cimport PackedWeights, Scorer
from crossarc.transitions.state cimport State

from crossarc.features.sharing import slots_of, template_groups


cdef class BeamWorkspace(ParseWorkspace):
    """The memory of one thread for parsing with a beam."""

    def __cinit__(self, token_t set_words, Scorer scorer, int32_t actions, Generations beam):
        self.beam = beam


cdef class Beam(Greedy):
    """Beam search of some width over a system with a feature model and a set of actions.

    `moves` and `labels` give for each action its move and its label, -1 for none. With `probabilities` scores are taken
    for log probabilities of single decisions, normalised over the legal actions, and summed. With `mean` derivations
    are compared by the mean over their steps, else by the sum, which favours short ones if steps are negative.
    """

    def __init__(self, system, model, moves, labels, attributes, width, *, probabilities=False, mean=False):
        super().__init__(system, model, moves, labels, attributes)
        self.width = width
        self.probabilities = probabilities
        self.mean = mean

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
                self.resulting_tree(work, &beam.items[i].state, &tokens[0, 0], root_label, annotated, keep_root_links,
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
            follow(self, state, work.beam.path[at])
            note_link(self, work, state, work.beam.path[at], work.scores)
        return 0
