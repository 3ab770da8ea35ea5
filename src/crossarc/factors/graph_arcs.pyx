"""Graphs in which words have several heads, by arcs with labels, and learning from whole graphs.

The best tree is found first, and then arcs are added whose scores are positive: see crossarc.decode.arc_sets. Arcs of
the tree and those added have the same weights. So the zero of the scores matters, and each arc has a bias by its
direction and distance.
"""
import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport abs, free
from libc.string cimport memcpy

from crossarc.core.allocation cimport resize
from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, score_t, token_t, uint8_t, weight_t
from crossarc.decode.arc_sets cimport Arc, GraphBuilder
from crossarc.decode.decoder cimport Decoder
from crossarc.factors.arcs cimport SLOTS, LabelledFactors, Part, arc_part, distance_class
from crossarc.learning.scorers cimport Scorer, Weights

cdef hash_t BIAS = 0xB1A5B1A5B1A5B1A5      # the key of all arcs


cdef class GraphArcFactors(LabelledFactors):
    """Graphs by arcs with labels: the best label of each arc, by what its two ends say, is part of the arc's score.

    A word has at most `most_heads` heads, and `most_parallel` arcs at most go from one word to another. The decoder
    finds the tree. See `ArcFactors` for the other arguments, and `LabelFactors` for `label_places`.
    """

    cdef GraphBuilder builder
    cdef weight_t bias[SLOTS + 8]       # with the room that scorers ask for
    cdef label_t[::1] tree_labels
    # The gold graph; `gold` and `gold_labels` have its arcs in the order of their dependents.
    cdef const token_t* gold_dependents
    cdef int32_t gold_count
    cdef int32_t[::1] gold_starts       # by word: where its arcs begin, and the end
    cdef score_t[::1] gold_scores       # by arc
    cdef const token_t* given           # the heads of a tree to begin with, NULL for the best one
    # The graphs found so far.
    cdef Arc* arcs
    cdef Py_ssize_t arc_count
    cdef Py_ssize_t arc_room

    def __init__(self, model, Decoder decoder, const uint8_t[::1] label_places, *, bint acyclic=True,
                 token_t most_heads=2**31 - 1, token_t most_parallel=1, lengths=None, int32_t tag=-1):
        super().__init__(model, decoder, label_places, lengths, tag)
        self.builder = GraphBuilder(decoder.single_root, acyclic, most_heads, most_parallel)
        self.gold_scores = np.zeros(1)

    def __dealloc__(self):
        free(self.arcs)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        LabelledFactors.reserve(self, n)
        self.builder.reserve(n)
        self.tree_labels = np.zeros(n + 1, dtype=np.int32)
        self.gold_starts = np.zeros(n + 2, dtype=np.int32)
        return 0

    # ---- graphs

    cdef void score_labels(self, token_t h, token_t d, score_t arc) noexcept nogil:
        """Score all labels of an arc; while learning, note the scores of gold arcs, and lower them with `augment`.

        `arc` is the score of the arc without a label.
        """
        cdef weight_t* row = self.labels.row
        cdef int32_t k
        self.labels.score(self.label_scorer, h, d, NULL)
        if self.gold == NULL:
            return
        for k in range(self.gold_starts[d], self.gold_starts[d + 1]):
            if self.gold[k] == h:
                self.gold_scores[k] = arc + self.scale * row[self.gold_labels[k]]
        if self.learner.augment:
            for k in range(self.gold_starts[d], self.gold_starts[d + 1]):
                if self.gold[k] == h:
                    row[self.gold_labels[k]] -= <weight_t>(1 + self.learner.missing)

    cdef void offer_labels(self, token_t h, token_t d, score_t arc) noexcept nogil:
        """Offer an arc with each of its labels."""
        cdef label_t label
        for label in range(self.labels.count):
            if self.labels.can_be(label, h):
                self.builder.offer(h, d, label, arc + self.scale * self.labels.row[label])

    cdef void add_labels(self) noexcept nogil:
        """Add the bias and the score of the best label to the score of each arc, and offer arcs to the graph."""
        cdef token_t h, d, n = self.words.n
        cdef label_t best
        cdef score_t arc
        cdef score_t* cell
        cdef bint augment = self.gold != NULL and self.learner.augment
        self.scorer.score(&BIAS, 1, 0, self.bias)
        for d in range(1, n + 1):
            for h in range(n + 1):
                cell = self.cell(h, d)
                if cell[0] == -INFINITY:
                    continue
                arc = cell[0] + self.arc_scores.slot_score(self.bias, h > d, distance_class(abs(h - d)))
                self.score_labels(h, d, arc)
                arc += augment
                best = self.labels.best(h)
                self.arc_labels[d * <Py_ssize_t>(n + 1) + h] = best
                cell[0] = arc + self.scale * self.labels.row[best] if best >= 0 else -INFINITY
                if self.builder.most_parallel > 1:
                    self.offer_labels(h, d, arc)
                else:
                    self.builder.offer(h, d, best, cell[0])

    cdef bint solve_arcs(self, token_t* heads) except -1 nogil:
        """Score all arcs and set the heads of the given tree or the best one; False if there is none.

        While learning with `augment`, wrong arcs count one more, and gold arcs less by what it costs to miss them.
        """
        self.builder.begin(self.words.n)
        self.arc_scores.fill_matrix(self.scorer)
        self.add_labels()
        if self.given == NULL:
            return self.search.solve(heads)
        self.search.check()
        memcpy(heads, self.given, (<size_t>self.words.n + 1) * sizeof(token_t))
        return True

    cdef int find_graph(self) except -1 nogil:
        """Let the builder have the graph of the sentence at hand."""
        cdef token_t* heads = &self.tree[0]
        cdef token_t d
        cdef Py_ssize_t stride = self.words.n + 1
        self.find_sure_tree(heads)
        for d in range(1, self.words.n + 1):
            self.tree_labels[d] = self.arc_labels[d * stride + heads[d]]
        return self.builder.build(heads, &self.tree_labels[0], &self.arc_scores.matrix[0], stride)

    cdef int keep_graph(self) except -1 nogil:
        """Put the arcs of the graph behind those found so far."""
        cdef Py_ssize_t needed = self.arc_count + self.builder.count
        if needed > self.arc_room:
            resize(<void**>&self.arcs, 2 * needed * sizeof(Arc))
            self.arc_room = 2 * needed
        memcpy(self.arcs + self.arc_count, self.builder.arcs, self.builder.count * sizeof(Arc))
        self.arc_count = needed
        return 0

    # ---- learning

    cdef int32_t gold_parts(self) noexcept nogil:
        """Write the arcs of the gold graph; return how many."""
        cdef int32_t k
        for k in range(self.gold_count):
            self.learner.parts[k] = arc_part(self.gold[k], self.gold_dependents[k], self.gold_labels[k],
                                             self.gold_scores[k])
        return self.gold_count

    cdef int32_t found_parts(self) noexcept nogil:
        """Write the arcs of the graph that was found behind those of the gold graph; return how many."""
        cdef Part* parts = self.learner.parts + self.gold_count
        cdef Arc* arcs = self.builder.arcs
        cdef Py_ssize_t k
        for k in range(self.builder.count):
            parts[k] = arc_part(arcs[k].head, arcs[k].dependent, arcs[k].label, arcs[k].score)
        return <int32_t>self.builder.count

    cdef int keys_of(self, const Part* part) except -1 nogil:
        """Give the learner the keys of an arc and its label."""
        cdef token_t h = part.head, d = part.dependent
        self.add_arc(h, d)
        self.add_slots(&BIAS, 1, h > d, distance_class(abs(h - d)))
        return self.learner.add_label(self.labels.keys.keys, self.labels.keys.keys_of(h, d, NULL), part.label)

    cdef void begin_gold(self) noexcept nogil:
        """Find where the arcs of each word begin in the gold graph."""
        cdef int32_t k
        cdef token_t d
        for d in range(self.words.n + 2):
            self.gold_starts[d] = 0
        for k in range(self.gold_count):
            self.gold_starts[self.gold_dependents[k] + 1] += 1
        for d in range(1, self.words.n + 2):
            self.gold_starts[d] += self.gold_starts[d - 1]

    cdef offset_t learn_best(self) except -1 nogil:
        """Move the gold graph from the one that was found; return how many arcs are in only one of the two."""
        cdef int32_t k, gold, found
        cdef offset_t wrong = 0
        self.learner.next_step()
        self.begin_gold()
        self.find_graph()
        self.learner.reserve(max(self.gold_count, self.builder.count))
        gold, found = self.gold_parts(), self.found_parts()
        self.learner.begin()
        self.learner.compare_parts(self, gold, found, -1)
        for k in range(gold + found):
            wrong += not self.learner.parts[k].shared
        self.learner.learn()
        return wrong

    # ---- what parsers call

    cdef void begin_with(self, const token_t[::1] trees, offset_t begin) noexcept nogil:
        """Begin with the tree of the sentence whose node 0 is at `begin`, if there is one."""
        self.given = &trees[begin] if self.words.n and trees.shape[0] and trees[begin + 1] >= 0 else NULL

    def find_graphs(self, Scorer scorer not None, Scorer label_scorer not None, const int32_t[:, ::1] tokens,
                    const offset_t[::1] starts, const token_t[::1] trees):
        """The arcs of the sentences that begin at `starts`: where those of each begin, heads, dependents, labels.

        Arcs of the tree come first, word by word, then those added to it, the best first. `trees` has the heads of all
        nodes in trees to begin with, -1 where the best tree is to be found; or it is empty.
        """
        cdef Py_ssize_t s, k
        cdef offset_t[::1] arc_starts = np.zeros(starts.shape[0], dtype=np.int64)
        cdef token_t[::1] heads, dependents
        cdef label_t[::1] labels
        self.use_both(scorer, label_scorer)
        self.gold = NULL
        self.reserve(np.diff(starts).max(initial=1) - 1)
        self.arc_count = 0
        with nogil:
            for s in range(starts.shape[0] - 1):
                self.read(tokens, starts[s], starts[s + 1])
                self.begin_with(trees, starts[s])
                self.find_graph()
                self.keep_graph()
                arc_starts[s + 1] = self.arc_count
        self.given = NULL
        heads, dependents, labels = (np.empty(self.arc_count, dtype=np.int32) for _ in range(3))
        for k in range(self.arc_count):
            heads[k], dependents[k], labels[k] = self.arcs[k].head, self.arcs[k].dependent, self.arcs[k].label
        return np.asarray(arc_starts), np.asarray(heads), np.asarray(dependents), np.asarray(labels)

    def learn(self, Weights weights not None, Weights label_weights not None, const int32_t[:, ::1] tokens,
              const offset_t[::1] starts, const offset_t[::1] arc_starts, const token_t[::1] heads,
              const token_t[::1] dependents, const label_t[::1] labels, const token_t[::1] trees,
              const offset_t[::1] order, score_t cost, bint augment=False, score_t missing=1):
        """Learn from sentences in an order; return the number of arcs, gold and found, and how many are in one only.

        The arcs of a sentence are in the order of their dependents. `trees` is as in `find_graphs`. `cost` is the
        longest step of MIRA, or 0 for the perceptron. The loss of a graph is the number of its wrong arcs, and
        `missing` for each gold arc it lacks. With `augment` the gold graph is moved from the one that is best when its
        loss is added to its score.
        """
        cdef offset_t arcs = 0, wrong = 0, begin
        cdef Py_ssize_t s
        self.use_both(weights, label_weights)
        self.learner.weights, self.learner.label_weights = weights, label_weights
        self.learner.cost, self.learner.augment, self.learner.missing = cost, augment, missing
        self.reserve(np.diff(starts)[order].max(initial=1) - 1)
        self.gold_scores = np.zeros(np.diff(arc_starts)[order].max(initial=1))
        with nogil:
            for s in range(order.shape[0]):
                begin = arc_starts[order[s]]
                self.gold_count = <int32_t>(arc_starts[order[s] + 1] - begin)
                if self.gold_count == 0:
                    continue
                self.gold, self.gold_dependents = &heads[begin], &dependents[begin]
                self.gold_labels = &labels[begin]
                self.read(tokens, starts[order[s]], starts[order[s] + 1])
                self.begin_with(trees, starts[order[s]])
                wrong += self.learn_best()
                arcs += self.gold_count + self.builder.count
        self.gold = self.given = NULL
        return arcs, wrong
