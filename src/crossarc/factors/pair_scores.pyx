"""Scores of candidate arcs and of all pairs of them, with or without labels, for the decoders of second order.

An arc is paired with the nearest sibling towards its head, and with the farthest dependents of its dependent: between
both, beyond the dependent, and past the head (Carreras 2007; the last only where arcs cross). The weights of a pair are
asked for while those of the pair before are added up: most of the time goes into waiting for memory.
"""
import numpy as np

from crossarc.core.typedefs cimport hash_t, int32_t, label_t, score_t, token_t, weight_t
from crossarc.decode.second_order cimport FIRST_CHILD, NO_BETWEEN, NO_BEYOND, PartScores
from crossarc.factors.arcs cimport ArcKeys, ArcScores, Between, LabelKeys, LabelScores, LengthLimits, clear
from crossarc.learning.scorers cimport Scorer, score_room


cdef class LabelFilter:
    """The labels that arcs can have, by the tags of both ends in a column; `places` say which roots can have.

    `rows` are numbers of lists, by [tag of the head, tag of the dependent]; the labels of each begin at `starts`.
    """

    def __init__(self, LabelScores places, int32_t tag=-1, rows=None, starts=None, labels=None):
        self.places = places
        self.tag = tag
        if tag >= 0:
            self.rows, self.starts, self.labels = rows, starts, labels

    cdef int32_t list_labels(self, token_t h, token_t d, label_t* found) noexcept nogil:
        """Write the labels that an arc can have; return how many."""
        cdef int32_t row, i, count = 0
        cdef label_t label
        if self.tag >= 0:
            row = self.rows[self.places.keys.words.value(h, self.tag), self.places.keys.words.value(d, self.tag)]
            for i in range(self.starts[row], self.starts[row + 1]):
                if self.places.can_be(self.labels[i], h):
                    found[count] = self.labels[i]
                    count += 1
        if count == 0:
            for label in range(self.places.count):
                if self.places.can_be(label, h):
                    found[count] = label
                    count += 1
        return count


cdef class PairScores:
    """Features of arcs and pairs at work with weights; they fill the scores of `parts`, whose arcs are chosen before.

    With `label_places` parts have a score for each label that `label_filter` (see `LabelFilter`) allows.
    """

    def __init__(self, model, ArcKeys keys, label_places, label_filter):
        self.arc_scores = ArcScores(keys.words, keys, LengthLimits(keys.words, None, -1), "none")
        self.keys = PartKeys(model, keys)
        self.parts = PartScores()
        if label_places is not None:
            self.labels = LabelScores(LabelKeys(model, keys.words, "ends"), label_places)
            self.filter = LabelFilter(self.labels, *label_filter)
        self.row = np.zeros(score_room(self.labels.count + 1 if self.labels is not None else 1), dtype=np.float32)
        self.arc_labels = np.empty(0, dtype=np.int32)
        self.labels_at = np.empty(0, dtype=np.int32)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.arc_scores.reserve(n)
        self.keys.reserve(n)
        if self.labels is not None:
            self.labels.keys.reserve(n)
        return 0

    cdef int use(self, Scorer scorer, Scorer pair_scorer) except -1:
        """Score with these weights from now on."""
        self.scorer, self.pair_scorer = scorer, pair_scorer
        self.scale = pair_scorer.unit / scorer.unit
        return 0

    cdef int score(self) except -1 nogil:
        """Score the candidate arcs and all pairs of them."""
        cdef int32_t arc
        if self.labels is not None:
            self.list_labels()
        self.parts.index()
        self.score_arcs()
        for arc in range(self.parts.count):
            if self.labels is not None:
                self.add_labels(arc)
            self.score_pairs(arc)
        return 0

    cdef int list_labels(self) except -1 nogil:
        """List the labels that each candidate arc can have."""
        cdef int32_t a, at = 0
        cdef Py_ssize_t room = <Py_ssize_t>self.parts.count * self.labels.count
        if self.arc_labels.shape[0] < room:
            with gil:
                self.arc_labels = np.empty(2 * room, dtype=np.int32)
                self.labels_at = np.empty(2 * self.parts.count, dtype=np.int32)
        for a in range(self.parts.count):
            self.labels_at[a] = at
            self.parts.label_count[a] = self.filter.list_labels(
                self.parts.heads[a], self.parts.dependents[a], &self.arc_labels[at])
            at += self.parts.label_count[a]
        return 0

    cdef void add_labels(self, int32_t arc) noexcept nogil:
        """Add to the scores of an arc those of its labels, by what its two ends say."""
        cdef int32_t k
        cdef score_t* scores = self.parts.scores + self.parts.arc_at[arc]
        self.labels.score(self.pair_scorer, self.parts.heads[arc], self.parts.dependents[arc], NULL)
        for k in range(self.parts.label_count[arc]):
            scores[k] += self.scale * self.labels.row[self.label_of(arc, k)]

    cdef void score_arcs(self) noexcept nogil:
        """Score the candidate arcs; both arcs between two words share their keys."""
        cdef int32_t a, back, k
        cdef token_t h, d, w
        cdef Between between
        cdef score_t score
        self.arc_scores.sum_all_alone(self.scorer)
        for a in range(self.parts.count):
            h, d = self.parts.heads[a], self.parts.dependents[a]
            back = self.parts.find(d, h) if h > 0 else -1
            if h > d and back >= 0:
                continue
            clear(&between)
            for w in range(min(h, d) + 1, max(h, d)):
                self.arc_scores.keys.pass_word(&between, w)
            self.arc_scores.score_row(self.scorer, self.arc_scores.keys.pair_keys(min(h, d), max(h, d), &between))
            score = self.arc_scores.arc_score(h, d)
            for k in range(self.parts.label_count[a]):
                self.parts.scores[self.parts.arc_at[a] + k] = score
            if back >= 0:
                score = self.arc_scores.arc_score(d, h)
                for k in range(self.parts.label_count[back]):
                    self.parts.scores[self.parts.arc_at[back] + k] = score

    cdef void score_pair(self, int32_t arc, const hash_t* keys) noexcept nogil:
        """Score the pair that waits, under each of the arc's labels."""
        cdef int32_t k
        cdef weight_t any_label
        self.pair_scorer.score(keys, self.pending_count, 0, &self.row[0])
        if self.labels is None:
            self.pending[0] = self.scale * self.row[0]
            return
        any_label = self.row[self.labels.count]
        for k in range(self.parts.label_count[arc]):
            self.pending[k] = self.scale * (any_label + self.row[self.label_of(arc, k)])

    cdef void next_pair(self, int32_t arc, int32_t kind, int32_t slot, token_t third, score_t* out) noexcept nogil:
        """Prefetch the weights of a pair, and score the one before, whose weights should be there by now.

        `out` is where the scores go; NULL if there is no more pair.
        """
        cdef const hash_t* before = self.keys.keys()
        cdef int32_t count = 0
        if out != NULL:
            count = self.keys.fill(kind, third, slot)
            self.pair_scorer.warm(self.keys.keys(), count)
        if self.pending != NULL:
            self.score_pair(arc, before)
        self.pending = out
        self.pending_count = count

    cdef void score_pairs(self, int32_t arc) noexcept nogil:
        """Score all pairs of an arc."""
        cdef token_t h = self.parts.heads[arc], d = self.parts.dependents[arc], c
        cdef int32_t direction = h > d, step = -1 if direction else 1, labels = self.parts.label_count[arc], r
        cdef int32_t place = self.parts.first_outgoing[h] + self.parts.left_count[h] - direction
        cdef score_t* out = self.parts.scores + self.parts.sibling_at[arc]
        self.keys.begin(SIBLINGS, h, d)
        self.next_pair(arc, SIBLINGS, SIBLING + direction, -1, out)
        for r in range(1, self.parts.rank(arc)):
            c = self.parts.dependents[self.parts.outgoing[place + step * (r - 1)]]
            self.next_pair(arc, SIBLINGS, SIBLING + direction, c, out + r * labels)
        out = self.parts.scores + self.parts.grand_at[arc]
        self.keys.begin(GRANDCHILDREN, h, d)
        self.next_pair(arc, GRANDCHILDREN, BETWEEN + direction, -1, out + NO_BETWEEN * labels)
        self.next_pair(arc, GRANDCHILDREN, BEYOND + direction, -1, out + NO_BEYOND * labels)
        out += FIRST_CHILD * labels
        for r in range(self.parts.first_outgoing[d], self.parts.first_outgoing[d + 1]):
            c = self.parts.dependents[self.parts.outgoing[r]]
            if c != h:
                self.next_pair(arc, GRANDCHILDREN, region(h, d, c) + direction, c, out)
            out += labels
        self.next_pair(arc, 0, 0, -1, NULL)

    cdef int32_t choice_of(self, int32_t arc, label_t label) noexcept nogil:
        """Which of the labels of an arc a label is."""
        cdef int32_t k
        if self.labels is not None:
            for k in range(self.parts.label_count[arc]):
                if self.label_of(arc, k) == label:
                    return k
        return 0
