"""The best tree of a sentence by the scores of its arcs, with labels or without, and learning from whole trees.

See arc_scores.pyx for the scores and parts.pyx for how they are learned.
"""
import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport abs

from crossarc.core.typedefs cimport hash_t, int32_t, int64_t, label_t, offset_t, score_t, token_t, uint8_t, weight_t
from crossarc.decode.decoder cimport Decoder
from crossarc.learning.scorers cimport Scorer, Weights


ARC_WEIGHTS = SLOTS


cdef class TreeFactors(Factors):
    """Base of all ways to find trees by arcs: keys, limits, scores and the search."""

    def __init__(self, model, Decoder decoder, bint undirected, combine, lengths, int32_t tag, Learner learner):
        self.words = Words(len(model.attributes))
        self.keys = ArcKeys(model, self.words, undirected)
        self.limits = LengthLimits(self.words, lengths, tag)
        self.arc_scores = ArcScores(self.words, self.keys, self.limits, combine)
        self.search = TreeSearch(decoder, self.arc_scores)
        self.learner = learner
        self.forbidden = None

    cdef int use(self, Scorer scorer) except -1:
        """Score with these weights from now on."""
        self.scorer = scorer
        self.arc_scores.unit = scorer.unit
        return 0

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.arc_scores.reserve(n)
        self.learner.reserve(n)
        self.tree = np.full(n + 1, -1, dtype=np.int32)
        if not self.sparse:
            self.search.reserve_matrix(n)
        return 0

    cdef void prepare(self) noexcept nogil:
        """Hash all that depends on one word alone."""
        self.keys.prepare()

    # ---- trees

    cdef void add_labels(self) noexcept nogil:
        """Add the scores of labels to those of the arcs, if labels are found with them."""

    cdef bint solve_arcs(self, token_t* heads) except -1 nogil:
        """Score all arcs and set the heads of the best tree; False if there is none.

        While learning with `augment`, arcs that the gold tree lacks count one more.
        """
        cdef token_t h, d
        self.arc_scores.fill_matrix(self.scorer)
        self.add_labels()
        if self.forbidden is not None:
            for d in range(1, self.words.n + 1):
                for h in range(self.words.n + 1):
                    if self.forbidden[d, h]:
                        self.cell(h, d)[0] = -INFINITY
        if self.gold != NULL and self.learner.augment:
            for d in range(1, self.words.n + 1):
                for h in range(self.words.n + 1):
                    self.cell(h, d)[0] += not self.has_arc(self.gold, h, d)
        return self.search.solve(heads)

    cdef int try_tree(self, token_t* heads) except -1 nogil:
        """Set the heads of the best tree of the arcs that limits allow; 0 if there is none."""
        return self.solve_arcs(heads)

    cdef void count_arcs(self, int64_t pruned) noexcept nogil:
        """Count the arcs between the words of a sentence that was parsed."""
        self.arcs += <int64_t>self.words.n * (self.words.n - 1)
        self.pruned += pruned

    cdef bint find_tree(self, token_t* heads) except -1 nogil:
        """Set the heads of the best tree; all arcs count in a sentence that limits leave no tree."""
        self.limits.begin()
        while not self.try_tree(heads):
            if not self.limits.pruning:
                return False
            self.limits.pruning = False
            self.unpruned += 1
        self.count_arcs(self.limits.count_pruned())
        return True

    cdef int find_sure_tree(self, token_t* heads) except -1 nogil:
        """Set the heads of the best tree, which a sentence without constraints always has by sound scores."""
        return 0 if self.find_tree(heads) else refuse_scores()

    cdef int find_best(self, token_t* heads, label_t* labels) except -1 nogil:
        """Set the heads of the best tree; where possible, only edges that limits allow are scored."""
        cdef token_t edges
        if self.sparse:
            self.limits.begin()
            edges = self.search.solve_edges(self.scorer, heads)
            if edges >= 0:
                self.count_arcs(<int64_t>self.words.n * (self.words.n - 1) - 2 * <int64_t>edges)
                return 0
            with gil:
                self.search.reserve_matrix(self.words.n)
        return self.find_sure_tree(heads)

    cdef object matrix_of(self, const int32_t[:, ::1] tokens):
        """The scores of all arcs of one sentence, in true units."""
        cdef token_t n = <token_t>tokens.shape[0] - 1
        self.gold = NULL
        self.reserve(n)
        with nogil:
            self.read(tokens, 0, n + 1)
            self.limits.begin()
            while not self.solve_arcs(&self.tree[0]) and self.limits.pruning:
                self.limits.pruning = False
        return np.array(self.arc_scores.matrix).reshape(n + 1, n + 1) * self.scorer.unit

    # ---- learning

    cdef int add_slots(self, const hash_t* keys, int32_t count, int32_t direction, int32_t kind) except -1 nogil:
        """Give the learner keys for a direction and a class of distances."""
        self.learner.add(keys, count, 8 * direction + ALL)
        if self.keys.distances:
            self.learner.add(keys, count, 8 * direction + kind)
        return 0

    cdef int add_arc(self, token_t h, token_t d) except -1 nogil:
        """Give the learner the keys of an arc, or of an edge h < d."""
        cdef int32_t kind = distance_class(abs(h - d))
        self.add_slots(self.keys.keys, self.keys.keys_of(h, d), h > d, kind)
        if self.keys.undirected:
            self.add_slots(&self.keys.single_keys[h, 0], self.keys.single_count, 0, kind)
            self.add_slots(&self.keys.single_keys[d, 0], self.keys.single_count, 1, kind)
        return 0

    cdef const label_t* labels_of(self, const token_t* heads) noexcept nogil:
        """The labels of a tree that was found, if labels are found with it."""
        return NULL

    cdef offset_t count_wrong(self, const token_t* heads) noexcept nogil:
        """How many words have a wrong head or label in a tree that was found."""
        cdef const label_t* labels = self.labels_of(heads)
        cdef offset_t wrong = 0
        cdef token_t d
        for d in range(1, self.words.n + 1):
            wrong += heads[d] != self.gold[d] or (labels != NULL and labels[d] != self.gold_labels[d])
        return wrong

    cdef offset_t learn_best(self) except -1 nogil:
        """Move the gold tree from the best one; return how many words of that are wrong."""
        cdef offset_t wrong
        self.learner.next_step()
        self.find_sure_tree(&self.tree[0])
        wrong = self.count_wrong(&self.tree[0])
        self.learner.begin()
        self.learner.compare(self, &self.tree[0], self.labels_of(&self.tree[0]))
        self.learner.learn()
        return wrong

    # ---- what parsers call

    def find_trees(self, Scorer scorer not None, const int32_t[:, ::1] tokens, const offset_t[::1] starts,
                   token_t[::1] heads):
        """Set the heads of the sentences that begin at `starts`."""
        cdef token_t longest = np.diff(starts).max(initial=1) - 1, most = 0
        cdef Py_ssize_t s
        self.use(scorer)
        self.sparse = self.search.edge_decoder is not None
        if self.sparse:
            self.limits.begin()
            for s in range(starts.shape[0] - 1):
                self.words.read(&tokens[starts[s], 0], <token_t>(starts[s + 1] - starts[s]) - 1)
                most = max(most, self.limits.count_edges() + self.words.n)
            self.search.reserve_edges(longest, most)
        self.find_all(tokens, starts, heads, None)
        self.sparse = False

    def learn(self, Weights weights not None, const int32_t[:, ::1] tokens, const token_t[::1] heads,
              const offset_t[::1] starts, const offset_t[::1] order, score_t cost, bint augment=False):
        """Learn from sentences in an order; return the number of words and of wrong heads.

        `cost` is the longest step of MIRA, or 0 for the perceptron. With `augment` the gold tree is moved from the
        trees that are best when each wrong arc counts one more. With `undirected` edges are moved, whatever their
        directions.
        """
        self.use(weights)
        self.learner.weights, self.learner.cost, self.learner.augment = weights, cost, augment
        return self.learn_all(tokens, heads, None, starts, order)

    def scores(self, Scorer scorer not None, const int32_t[:, ::1] tokens):
        """The scores of all arcs of one sentence, as [dependent, head], in true units."""
        self.use(scorer)
        return self.matrix_of(tokens)


cdef class ArcFactors(TreeFactors):
    """Trees by arcs, each scored on its own: a feature model and a decoder at work, for one thread.

    With `undirected` scores are those of edges, in both triangles of the matrix. `combine` makes such scores from those
    of arcs. `lengths`, by the tags of head and dependent in the column `tag`, leaves longer arcs out. In learning, the
    loss of a tree is the number of its wrong heads, or with `undirected` of its wrong edges, unless `loss` is "heads".
    """

    cdef Enhancer enhancer

    def __init__(self, model, Decoder decoder, *, bint undirected=False, combine="none", lengths=None, int32_t tag=-1,
                 loss="edges"):
        learner = Learner(count_heads=undirected and loss == "heads")
        super().__init__(model, decoder, undirected, combine, lengths, tag, learner)
        self.enhancer = Enhancer(self.arc_scores)

    cdef int32_t parts_of(self, const token_t* heads, const label_t* labels, Part* parts) noexcept nogil:
        """Write the arcs of a tree, or its edges from left to right."""
        cdef token_t d, h
        for d in range(1, self.words.n + 1):
            h = heads[d]
            parts[d - 1] = arc_part(h, d, -1, self.cell(h, d)[0])
            if self.keys.undirected and h > d:
                parts[d - 1].head = d
                parts[d - 1].dependent = h
        return self.words.n

    cdef int keys_of(self, const Part* part) except -1 nogil:
        """Give the learner the keys of an arc."""
        return self.add_arc(part.head, part.dependent)

    def enhance_trees(self, Scorer scorer not None, const int32_t[:, ::1] tokens, const offset_t[::1] starts,
                      token_t[::1] heads, int32_t rounds):
        """Reverse up to `rounds` arcs of each tree, in place, that score more the other way (local enhancement).

        A tree with an arc that is longer than `lengths` allow was found among all arcs, and so it is enhanced.
        """
        cdef Py_ssize_t s
        cdef token_t longest = np.diff(starts).max(initial=1) - 1
        self.arc_scores.reserve(longest)
        self.enhancer.reserve(longest)
        with nogil:
            for s in range(starts.shape[0] - 1):
                self.read(tokens, starts[s], starts[s + 1])
                self.limits.begin()
                self.limits.pruning = self.limits.pruning and self.limits.allow_tree(&heads[starts[s]])
                self.enhancer.enhance(scorer, &heads[starts[s]], rounds)

    def features_of(self, const int32_t[:, ::1] tokens, token_t h, token_t d):
        """The keys of the features of an arc."""
        self.arc_scores.reserve(<token_t>tokens.shape[0] - 1)
        self.read(tokens, 0, tokens.shape[0])
        return np.array([self.keys.keys[t] for t in range(self.keys.keys_of(h, d))], dtype=np.uint64)


cdef class LabelledFactors(TreeFactors):
    """The base of what gives arcs labels: the best one, by what the two ends of an arc say, is part of its score.

    See `ArcFactors` for the other arguments, and `LabelFactors` for `label_places`.
    """

    def __init__(self, model, Decoder decoder, const uint8_t[::1] label_places, lengths, int32_t tag):
        super().__init__(model, decoder, False, "none", lengths, tag, Learner(labels=True))
        self.labels = LabelScores(LabelKeys(model, self.words, "ends"), label_places)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        TreeFactors.reserve(self, n)
        self.labels.keys.reserve(n)
        self.arc_labels = np.zeros((n + 1) * (n + 1), dtype=np.int32)
        return 0

    cdef int use_both(self, Scorer scorer, Scorer label_scorer) except -1:
        """Score with these weights from now on."""
        self.use(scorer)
        self.label_scorer = label_scorer
        self.scale = label_scorer.unit / scorer.unit
        return 0

    def scores(self, Scorer scorer not None, Scorer label_scorer not None, const int32_t[:, ::1] tokens):
        """The scores of all arcs of one sentence with their best labels, as [dependent, head], in true units."""
        self.use_both(scorer, label_scorer)
        return self.matrix_of(tokens)

    def label_scores(self, Scorer label_scorer not None, const int32_t[:, ::1] tokens, const token_t[::1] heads):
        """The scores of all labels for each arc of a tree, as [dependent, label], in true units.

        They are -inf for labels that such an arc cannot have.
        """
        return self.labels.table(label_scorer, tokens, heads)


cdef class JointFactors(LabelledFactors):
    """Trees by arcs with labels: the best label of each arc, by what its two ends say, is part of the arc's score.

    See `ArcFactors` for the other arguments, and `LabelFactors` for `label_places`.
    """

    cdef score_t[::1] gold_scores       # by word: the score of the gold arc with the gold label
    cdef label_t[::1] found
    cdef const token_t* compared        # while learning: the tree that the gold tree is compared with

    def __init__(self, model, Decoder decoder, const uint8_t[::1] label_places, *, lengths=None, int32_t tag=-1):
        super().__init__(model, decoder, label_places, lengths, tag)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        LabelledFactors.reserve(self, n)
        self.gold_scores = np.zeros(n + 1)
        self.found = np.zeros(n + 1, dtype=np.int32)
        return 0

    cdef void add_labels(self) noexcept nogil:
        """Find the best label of each arc that can be, and add its score to that of the arc."""
        cdef token_t h, d, n = self.words.n
        cdef label_t label, best
        cdef score_t* cell
        cdef weight_t* row = self.labels.row
        for d in range(1, n + 1):
            if self.gold != NULL:
                self.gold_scores[d] = self.cell(self.gold[d], d)[0]
            for h in range(n + 1):
                cell = self.cell(h, d)
                if cell[0] == -INFINITY:
                    continue
                self.labels.score(self.label_scorer, h, d, NULL)
                if self.gold != NULL and self.gold[d] == h:
                    self.gold_scores[d] += row[self.gold_labels[d]]
                    if self.learner.augment:
                        for label in range(self.labels.count):
                            row[label] += label != self.gold_labels[d]
                best = self.labels.best(h)
                self.arc_labels[d * <Py_ssize_t>(n + 1) + h] = best
                cell[0] = cell[0] + self.scale * row[best] if best >= 0 else -INFINITY      # or no label can be there

    cdef const label_t* labels_of(self, const token_t* heads) noexcept nogil:
        """The labels of a tree that was found."""
        cdef token_t d
        for d in range(1, self.words.n + 1):
            self.found[d] = self.arc_labels[d * <Py_ssize_t>(self.words.n + 1) + heads[d]]
        return &self.found[0]

    cdef int32_t parts_of(self, const token_t* heads, const label_t* labels, Part* parts) noexcept nogil:
        """Write the arcs of a tree with their labels."""
        cdef token_t d
        self.compared = heads           # the gold tree comes first
        for d in range(1, self.words.n + 1):
            parts[d - 1] = arc_part(heads[d], d, labels[d], self.cell(heads[d], d)[0])
            if heads == self.gold:
                parts[d - 1].score = self.gold_scores[d]
        return self.words.n

    cdef int keys_of(self, const Part* part) except -1 nogil:
        """Give the learner the keys of an arc and its label; those of an arc that both trees have would cancel."""
        if self.compared[part.word] != self.gold[part.word]:
            self.add_arc(part.head, part.dependent)
        return self.learner.add_label(self.labels.keys.keys,
                                      self.labels.keys.keys_of(part.head, part.dependent, NULL), part.label)

    cdef int find_best(self, token_t* heads, label_t* labels) except -1 nogil:
        """Set the heads and labels of the best tree."""
        cdef const label_t* found
        cdef token_t d
        self.find_sure_tree(heads)
        found = self.labels_of(heads)
        for d in range(1, self.words.n + 1):
            labels[d] = found[d]
        return 0

    def find_trees(self, Scorer scorer not None, Scorer label_scorer not None, const int32_t[:, ::1] tokens,
                   const offset_t[::1] starts, token_t[::1] heads, label_t[::1] labels):
        """Set the heads and labels of the sentences that begin at `starts`."""
        self.use_both(scorer, label_scorer)
        self.find_all(tokens, starts, heads, labels)

    def learn(self, Weights weights not None, Weights label_weights not None, const int32_t[:, ::1] tokens,
              const token_t[::1] heads, const label_t[::1] labels, const offset_t[::1] starts,
              const offset_t[::1] order, score_t cost, bint augment=False):
        """Learn as `ArcFactors` does; wrong words are those with a wrong head or label."""
        self.use_both(weights, label_weights)
        self.learner.weights, self.learner.label_weights = weights, label_weights
        self.learner.cost, self.learner.augment = cost, augment
        return self.learn_all(tokens, heads, labels, starts, order)
