"""Labels of the arcs of a tree: each is chosen on its own, by what the tree around the arc looks like."""
import numpy as np

from libc.math cimport INFINITY

from crossarc.core.typedefs cimport int32_t, label_t, offset_t, score_t, token_t, uint8_t
from crossarc.learning.scorers cimport Scorer, Weights, score_room


cdef class LabelScores:
    """Keys of labels at work with weights; `places` say where a label can be: arcs from node 0 (1), others (2), both.

    Weights may have one action more than there are labels.
    """

    def __init__(self, LabelKeys keys, const uint8_t[::1] places):
        self.keys = keys
        self.places = places
        self.count = <label_t>places.shape[0]
        self.room = np.zeros(score_room(self.count + 1), dtype=np.float32)
        self.row = &self.room[0]

    cdef void score(self, Scorer weights, token_t h, token_t d, const token_t* heads) noexcept nogil:
        """Score all labels of an arc in a tree; `heads` are NULL before there is one."""
        weights.score(self.keys.keys, self.keys.keys_of(h, d, heads), 0, self.row)

    cdef label_t best(self, token_t h) noexcept nogil:
        """The best label by the scores at hand that an arc from a head can have."""
        cdef label_t label, best = -1
        for label in range(self.count):
            if self.can_be(label, h) and (best < 0 or self.row[label] > self.row[best]):
                best = label
        return best

    cdef object table(self, Scorer weights, const int32_t[:, ::1] tokens, const token_t[::1] heads):
        """The scores of all labels for each arc of a tree, [dependent, label]; -inf for labels that cannot be."""
        cdef token_t d, n = <token_t>tokens.shape[0] - 1
        cdef label_t label
        result = np.zeros((n + 1, self.count))
        cdef score_t[:, ::1] view = result
        self.keys.reserve(n)
        with nogil:
            self.keys.words.read(&tokens[0, 0], n)
            self.keys.find_kin(&heads[0])
            for d in range(1, n + 1):
                self.score(weights, heads[d], d, &heads[0])
                for label in range(self.count):
                    view[d, label] = self.row[label] if self.can_be(label, heads[d]) else -INFINITY
        return result * weights.unit


cdef class LabelFactors(Factors):
    """The label templates of a feature model at work, for one thread.

    `label_places` say where each label can be: on arcs from node 0 (1), others (2), both. A part is the label of one
    arc; its features see the arc's grandparent, siblings and dependents.
    """

    cdef LabelKeys keys
    cdef LabelScores label_scores
    cdef token_t word                   # while learning: the one whose label is learned
    cdef label_t[::1] found

    def __init__(self, model, const uint8_t[::1] label_places):
        self.words = Words(len(model.attributes))
        self.keys = LabelKeys(model, self.words, "tree")
        self.label_scores = LabelScores(self.keys, label_places)
        self.learner = Learner()

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.keys.reserve(n)
        self.found = np.zeros(n + 1, dtype=np.int32)
        self.learner.reserve(1)
        return 0

    cdef int32_t parts_of(self, const token_t* heads, const label_t* labels, Part* parts) noexcept nogil:
        """Write the label of the word at hand."""
        parts[0] = arc_part(heads[self.word], self.word, labels[self.word], 0)
        return 1

    cdef int keys_of(self, const Part* part) except -1 nogil:
        """Give the learner the keys of a label."""
        return self.learner.add(self.keys.keys, self.keys.keys_of(part.head, part.dependent, self.gold), part.label)

    cdef int find_best(self, token_t* heads, label_t* labels) except -1 nogil:
        """Set the best label of each arc of a tree."""
        cdef token_t d
        self.keys.find_kin(heads)
        for d in range(1, self.words.n + 1):
            self.label_scores.score(self.scorer, heads[d], d, heads)
            labels[d] = self.label_scores.best(heads[d])
        return 0

    cdef offset_t learn_best(self) except -1 nogil:
        """Learn the labels of the gold tree word by word; return how many were wrong."""
        cdef token_t d
        cdef offset_t wrong = 0
        self.keys.find_kin(self.gold)
        for d in range(1, self.words.n + 1):
            self.learner.next_step()
            self.label_scores.score(self.scorer, self.gold[d], d, self.gold)
            self.found[d] = self.label_scores.best(self.gold[d])
            if self.found[d] == self.gold_labels[d]:
                continue
            wrong += 1
            self.word = d
            self.learner.begin()
            self.learner.compare(self, self.gold, &self.found[0])
            self.learner.learn()
        return wrong

    def find_labels(self, Scorer scorer not None, const int32_t[:, ::1] tokens, const offset_t[::1] starts,
                    token_t[::1] heads, label_t[::1] labels):
        """Set the labels of the trees of the sentences that begin at `starts`."""
        self.scorer = scorer
        self.find_all(tokens, starts, heads, labels)

    def learn(self, Weights weights not None, const int32_t[:, ::1] tokens, const token_t[::1] heads,
              const label_t[::1] labels, const offset_t[::1] starts, const offset_t[::1] order):
        """Learn the labels of gold trees by the perceptron; return the number of words and of wrong labels."""
        self.scorer = self.learner.weights = weights
        return self.learn_all(tokens, heads, labels, starts, order)

    def scores(self, Scorer scorer not None, const int32_t[:, ::1] tokens, const token_t[::1] heads):
        """The scores of all labels for each arc of a tree, as [dependent, label], in true units.

        They are -inf for labels that such an arc cannot have.
        """
        return self.label_scores.table(scorer, tokens, heads)

    def features_of(self, const int32_t[:, ::1] tokens, token_t h, token_t d, const token_t[::1] heads):
        """The keys of the features of the label of an arc in a tree."""
        self.reserve(<token_t>tokens.shape[0] - 1)
        self.read(tokens, 0, tokens.shape[0])
        self.keys.find_kin(&heads[0])
        return np.array([self.keys.keys[t] for t in range(self.keys.keys_of(h, d, &heads[0]))], dtype=np.uint64)
