"""The best tree of a sentence by a decoder, labels for it, and learning from whole trees.

See crossarc.parsers.arc_scores for the scores of arcs.
"""

import numpy as np

from libc.math cimport INFINITY, NAN
from libc.stdlib cimport abs

from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, score_t, token_t, uint8_t, weight_t
from crossarc.decode.decoder cimport SOLVED, Decoder
from crossarc.decode.enhancement cimport improve
from crossarc.decode.kbest cimport KBest
from crossarc.learning.hildreth cimport find_steps
from crossarc.learning.packed cimport Packed, PackedWeights
from crossarc.learning.weights cimport Weights
from crossarc.parsers.arc_keys cimport distance_class
from crossarc.parsers.arc_scores cimport ALL, SLOTS, ArcScores

# In the order of `Combination`.
COMBINATIONS = ("none", "mean", "product", "max", "min")
ARC_WEIGHTS = SLOTS


cdef const Packed* packed_of(weights) except? NULL:
    """The tables of a trained model; NULL for None, and for weights that learn, which are asked themselves."""
    return &(<PackedWeights?>weights).packed if not isinstance(weights, Weights | None) else NULL


cdef class ArcParser(ArcScores):
    """A feature model and a decoder at work, for one thread.

    With `undirected` scores are those of edges, in both triangles of the matrix. `combine` makes such scores from those
    of arcs. `lengths`, by the tags of head and dependent in the column `tag`, leaves longer arcs out. With `joint` the
    best label of each arc is found first, by what its two ends say, and its score is part of that of the arc. Learning
    looks at the `rivals` best trees. `labels` say where each can be: on arcs from node 0 (1), others (2), both (3).
    """

    def __init__(self, model, Decoder decoder, int32_t columns, const uint8_t[::1] labels, bint undirected=False,
                 combine="none", *, lengths=None, int32_t tag=-1, bint joint=False, int32_t rivals=1):
        super().__init__(model, columns, labels.shape[0], undirected, joint, lengths, tag)
        self.label_places = labels
        self.decoder = decoder
        self.combine = COMBINATIONS.index(combine)
        self.rival_count = rivals
        self.kbest = KBest(decoder.single_root) if rivals > 1 else None

    def reserve(self, token_t n):
        """Make room for sentences of up to n words."""
        super().reserve(n)
        self.decoder.reserve(n)
        self.joined = np.zeros((n + 1) * (n + 1) if self.combine != NONE else 1)
        self.arc_labels = np.zeros((n + 1) * (n + 1) if self.joint else 1, dtype=np.int32)
        self.gold_parts = np.zeros(n + 1)
        if self.kbest is not None:
            self.kbest.reserve(n)
        self.rivals = np.full((self.rival_count, n + 1), -1, dtype=np.int32)
        self.products = np.zeros((self.rival_count, self.rival_count))
        self.lacks = np.zeros(self.rival_count)
        self.steps = np.zeros(self.rival_count)

    # ---- trees

    cdef void enhance(self, Weights weights, const Packed* packed, token_t* heads, int32_t rounds) noexcept nogil:
        """Turn up to so many arcs of a tree round, the one that gains most each time.

        Only arcs that a move would take away or bring in are scored: some four for each word, not all.
        """
        cdef token_t t, u, v, n = self.n
        cdef Py_ssize_t cell
        self.sum_all_alone(weights, packed)
        for cell in range((n + 1) * <Py_ssize_t>(n + 1)):
            self.matrix[cell] = NAN
        while rounds > 0:
            for v in range(1, n + 1):
                u = heads[v]
                if u > 0:
                    t = heads[u]
                    self.fill_pair(weights, packed, min(u, v), max(u, v))
                    self.fill_pair(weights, packed, min(t, u), max(t, u))
                    self.fill_pair(weights, packed, min(t, v), max(t, v))
            if improve(heads, &self.matrix[0], n + 1, n, 1) == 0:
                return
            rounds -= 1

    cdef bint solve(self, token_t* heads) noexcept nogil:
        """Set the heads of the best tree by the scores that were filled in; there is one."""
        cdef token_t i, j, n = self.n
        cdef Py_ssize_t stride = n + 1
        cdef score_t a, b
        heads[0] = -1
        for i in range(1, n + 1):
            heads[i] = 0        # should a decoder ever give up, what follows the heads stays within the sentence
        if self.combine == NONE:
            return self.decoder.solve(&self.matrix[0], stride, n, heads) == SOLVED
        for i in range(1, n + 1):
            self.joined[i * stride] = self.matrix[i * stride]
            for j in range(1, i):
                a = self.matrix[i * stride + j]
                b = self.matrix[j * stride + i]
                if self.combine == MEAN:
                    a = (a + b) / 2
                elif self.combine == PRODUCT:
                    a = a * b * self.unit if a > -INFINITY else a       # what cannot be cannot be both ways
                elif self.combine == GREATEST:
                    a = max(a, b)
                else:
                    a = min(a, b)
                self.joined[i * stride + j] = self.joined[j * stride + i] = a
        return self.decoder.solve(&self.joined[0], stride, n, heads) == SOLVED

    cdef bint find_tree(self, Weights arcs, const Packed* packed_arcs, Weights labels, const Packed* packed_labels,
                        score_t scale, token_t* heads, const token_t* right=NULL, const label_t* gold=NULL,
                        bint augment=False) noexcept nogil:
        """Score all arcs and set the heads of the best tree; a sentence that lengths leave no tree is done in full.

        Joint labels join their scores, times `scale`, to those of the arcs. When learning, `right` and `gold` are the
        right tree and its labels: their scores are kept, and with `augment` all else counts one more.
        """
        cdef token_t h, d, n = self.n
        cdef Py_ssize_t stride = n + 1
        self.pruning = self.tag >= 0
        while True:
            self.fill_matrix(arcs, packed_arcs)
            if right != NULL:
                for d in range(1, n + 1):
                    self.gold_parts[d] = self.matrix[d * stride + right[d]]
            if self.joint:
                self.add_labels(labels, packed_labels, scale, right, gold, augment)
            if augment:
                for d in range(1, n + 1):
                    for h in range(n + 1):
                        self.matrix[d * stride + h] += not self.has_arc(right, h, d)
            if self.solve(heads):
                self.count_arcs()
                return True
            if not self.pruning:
                return False
            self.pruning = False
            self.unpruned += 1

    cdef void add_labels(self, Weights labels, const Packed* packed, score_t scale, const token_t* right,
                         const label_t* gold, bint augment) noexcept nogil:
        """Find the best label of each arc that can be, and add its score to that of the arc."""
        cdef token_t h, d, n = self.n
        cdef Py_ssize_t at
        cdef label_t label, best
        cdef weight_t* scores = &self.scores_room[0]
        for d in range(1, n + 1):
            for h in range(n + 1):
                at = d * <Py_ssize_t>(n + 1) + h
                if self.matrix[at] == -INFINITY:
                    continue
                self.sum_rows(labels, packed, self.keys, self.label_keys(h, d, NULL), self.label_count)
                if right != NULL and right[d] == h:
                    self.gold_parts[d] += scores[gold[d]]
                    if augment:
                        for label in range(self.label_count):
                            scores[label] += label != gold[d]
                best = self.best_of(scores, h)
                self.arc_labels[at] = best
                self.matrix[at] += scale * scores[best]

    cdef int change_arc(self, Weights weights, token_t h, token_t d, weight_t step) except -1 nogil:
        """Add to the weights of an arc; gives how many there are, and only that if the step is 0."""
        cdef int32_t count = self.arc_keys(h, d), direction = 0 if h < d or self.undirected else 1
        cdef int32_t kind = distance_class(abs(h - d))
        self.change_slots(weights, self.keys, count, direction, kind, step)
        if self.undirected:
            self.change_slots(weights, &self.single_keys[min(h, d), 0], self.single_count, 0, kind, step)
            self.change_slots(weights, &self.single_keys[max(h, d), 0], self.single_count, 1, kind, step)
            count += 2 * self.single_count
        return 2 * count if self.distances else count

    cdef int change_slots(self, Weights weights, const hash_t* keys, int32_t count, int32_t direction, int32_t kind,
                          weight_t step) except -1 nogil:
        """Add to the weights of some keys for a direction and a class of distances."""
        if step != 0:
            weights.update(keys, count, 8 * direction + ALL, step)
            if self.distances:
                weights.update(keys, count, 8 * direction + kind, step)
        return 0

    # ---- labels

    cdef label_t best_of(self, const weight_t* scores, token_t h) noexcept nogil:
        """The best label that an arc from a head can have."""
        cdef label_t label, best = -1
        for label in range(self.label_count):
            if self.can_be(label, h) and (best < 0 or scores[label] > scores[best]):
                best = label
        return best

    cdef label_t best_label(self, Weights weights, const Packed* packed, int32_t count, token_t h) noexcept nogil:
        """The label that the keys speak for, of an arc from a head."""
        self.sum_rows(weights, packed, self.keys, count, self.label_count)
        return self.best_of(&self.scores_room[0], h)

    cdef offset_t learn_labels(self, Weights labels, const token_t* right, const label_t* gold_labels,
                               const token_t* best) except -1 nogil:
        """Learn the labels of a gold tree by the perceptron; gives how many words have a wrong head or label."""
        cdef token_t d
        cdef int32_t count
        cdef label_t label, gold
        cdef offset_t wrong = 0
        self.find_kin(right)
        for d in range(1, self.n + 1):
            labels.now += 1
            gold = gold_labels[d]
            count = self.label_keys(right[d], d, right)
            label = self.best_label(labels, NULL, count, right[d])
            wrong += best[d] != right[d] or label != gold
            if label == gold:
                continue
            labels.update(self.keys, count, gold, 1)
            labels.update(self.keys, count, label, -1)
        return wrong

    # ---- learning

    cdef inline bint is_wrong(self, const token_t* tree, const token_t* right, const label_t* gold,
                              token_t d) noexcept nogil:
        """Whether a tree has another arc to a word than the right one, or with joint labels another label for it."""
        return not self.has_arc(right, tree[d], d) or (
            self.joint and self.arc_labels[d * <Py_ssize_t>(self.n + 1) + tree[d]] != gold[d])

    cdef inline bint is_missing(self, const token_t* tree, const token_t* right, const label_t* gold,
                                token_t d) noexcept nogil:
        """Whether a tree lacks the right arc to a word, or with joint labels its label."""
        return not self.has_arc(tree, right[d], d) or (
            self.joint and self.arc_labels[d * <Py_ssize_t>(self.n + 1) + right[d]] != gold[d])

    cdef int change_part(self, Weights arcs, Weights labels, token_t h, token_t d, label_t label, bint arc,
                         weight_t step) except -1 nogil:
        """Add to the weights of an arc, where `arc`, and of its label, if joint; as `change_arc`."""
        cdef int32_t norm = self.change_arc(arcs, h, d, step) if arc else 0
        cdef int32_t count
        if self.joint:
            count = self.label_keys(h, d, NULL)
            if step != 0:
                labels.update(self.keys, count, label, step)
            norm += count
        return norm

    cdef score_t product(self, Weights arcs, const token_t* one, const token_t* other, const token_t* right,
                         const label_t* gold) except? -1 nogil:
        """The inner product of the differences between gold and two trees; different arcs share no feature."""
        cdef token_t d
        cdef score_t result = 0
        cdef bint arc
        for d in range(1, self.n + 1):
            if self.is_missing(one, right, gold, d) and self.is_missing(other, right, gold, d):
                arc = not self.has_arc(one, right[d], d) and not self.has_arc(other, right[d], d)
                result += self.change_part(arcs, None, right[d], d, 0, arc, 0)
            if one[d] == other[d] and self.is_wrong(one, right, gold, d):
                result += self.change_part(arcs, None, one[d], d, 0, not self.has_arc(right, one[d], d), 0)
        return result

    cdef int learn_tree(self, Weights arcs, Weights labels, const token_t* right, const label_t* gold, int32_t count,
                        score_t cost, bint augment) except -1 nogil:
        """Move the gold tree from the first so many rivals."""
        cdef token_t d
        cdef Py_ssize_t at, stride = self.n + 1
        cdef int32_t r, q
        cdef score_t loss, margin
        cdef weight_t step
        cdef const token_t* tree
        for r in range(count):
            tree = &self.rivals[r, 0]
            loss = margin = 0
            for d in range(1, self.n + 1):
                if self.is_missing(tree, right, gold, d):
                    margin += self.gold_parts[d]
                loss += tree[d] != right[d] or self.is_wrong(tree, right, gold, d)
                if self.is_wrong(tree, right, gold, d):
                    margin -= self.matrix[d * stride + tree[d]] - augment
            self.lacks[r] = loss - margin
            self.steps[r] = loss > 0
            if cost > 0:
                for q in range(r + 1):
                    at = r * count + q
                    (&self.products[0, 0])[at] = self.product(arcs, tree, &self.rivals[q, 0], right, gold)
                    (&self.products[0, 0])[q * count + r] = (&self.products[0, 0])[at]
        if cost > 0:
            find_steps(&self.products[0, 0], &self.lacks[0], count, cost, &self.steps[0])
        for r in range(count):
            tree = &self.rivals[r, 0]
            step = <weight_t>self.steps[r]
            if step <= 0:
                continue
            for d in range(1, self.n + 1):
                if self.is_missing(tree, right, gold, d):
                    self.change_part(arcs, labels, right[d], d, gold[d], not self.has_arc(tree, right[d], d), step)
                if self.is_wrong(tree, right, gold, d):
                    at = d * stride + tree[d] if self.joint else 0
                    self.change_part(arcs, labels, tree[d], d, self.arc_labels[at],
                                     not self.has_arc(right, tree[d], d), -step)
        return 0

    # ---- what parsers call

    def train(self, Weights arcs, Weights labels, const int32_t[:, ::1] tokens, const token_t[::1] heads,
              const label_t[::1] gold_labels, const offset_t[::1] starts, const offset_t[::1] order, score_t cost,
              bint augment=False):
        """Learn from sentences in an order; gives the number of words and how many had a wrong head or label.

        After each sentence the gold tree is moved from the best ones by the least steps that make it better than each
        by as much as that has wrong heads, or joint labels, and at most by `cost` each (MIRA); a cost of 0 means steps
        of 1 (the perceptron). With `augment` the rivals are the trees that are best when each wrong arc counts one
        more. Different arcs are taken to share no feature. Undirected parsers move edges, whatever their directions,
        by as much as there are wrong heads. Labels after the tree, unless they are None, are learned on the gold tree
        by the perceptron.
        """
        cdef offset_t words = 0, wrong = 0, begin
        cdef Py_ssize_t s
        cdef token_t n, d
        cdef int32_t count
        cdef const token_t* right
        cdef const label_t* gold
        cdef token_t* best
        cdef token_t longest = 0
        for s in range(order.shape[0]):
            longest = max(longest, <token_t>(starts[order[s] + 1] - starts[order[s]]) - 1)
        self.reserve(longest)
        self.unit = 1
        with nogil:
            for s in range(order.shape[0]):
                begin = starts[order[s]]
                n = <token_t>(starts[order[s] + 1] - begin) - 1
                right = &heads[begin]
                gold = &gold_labels[begin]
                best = &self.rivals[0, 0]
                self.prepare(&tokens[begin, 0], n)
                arcs.now += 1
                words += n
                count = self.find_tree(arcs, NULL, labels, NULL, 1, best, right, gold, augment)
                if self.rival_count > 1:
                    count = <int32_t>self.kbest.solve(&self.matrix[0], n + 1, n, self.rival_count, best,
                                                      self.rivals.shape[1], &self.lacks[0])
                    if count < 0:
                        raise MemoryError
                if self.joint:
                    labels.now += 1
                    for d in range(1, n + 1):
                        wrong += self.is_wrong(best, right, gold, d)
                self.learn_tree(arcs, labels, right, gold, count, cost, augment)
                if labels is not None and not self.joint:
                    wrong += self.learn_labels(labels, right, gold, best)
        return words, wrong

    def parse(self, arcs, labels, const int32_t[:, ::1] tokens, const offset_t[::1] starts, token_t[::1] heads,
              label_t[::1] found, ArcParser other=None, other_arcs=None, int32_t rounds=0):
        """Parse the sentences of flat arrays into `heads` and `found`, the labels, unless their weights are None.

        Weights are those of a trained model, or such as learn. With `other`, a directed parser and its weights, up to
        so many arcs a tree are turned round that it would rather have the other way (local enhancement).
        """
        cdef Py_ssize_t s
        cdef offset_t begin
        cdef token_t n, d, longest = 0
        cdef int32_t count
        cdef const Packed* packed_arcs = packed_of(arcs)
        cdef const Packed* packed_labels = packed_of(labels)
        cdef const Packed* packed_other = packed_of(other_arcs) if other is not None else NULL
        cdef Weights exact_arcs = arcs if packed_arcs == NULL else None
        cdef Weights exact_labels = labels if packed_labels == NULL else None
        cdef Weights exact_other = other_arcs if packed_other == NULL else None
        cdef score_t scale = labels.unit / arcs.unit if packed_arcs != NULL and self.joint else 1
        for s in range(starts.shape[0] - 1):
            longest = max(longest, <token_t>(starts[s + 1] - starts[s]) - 1)
        self.reserve(longest)
        self.unit = arcs.unit if packed_arcs != NULL else 1
        if other is not None:
            other.reserve(longest)
        with nogil:
            for s in range(starts.shape[0] - 1):
                begin = starts[s]
                n = <token_t>(starts[s + 1] - begin) - 1
                self.prepare(&tokens[begin, 0], n)
                self.find_tree(exact_arcs, packed_arcs, exact_labels, packed_labels, scale, &heads[begin])
                if self.joint:
                    for d in range(1, n + 1):
                        found[begin + d] = self.arc_labels[d * <Py_ssize_t>(n + 1) + heads[begin + d]]
                    continue
                if other is not None:
                    other.prepare(&tokens[begin, 0], n)
                    other.pruning = self.pruning
                    other.enhance(exact_other, packed_other, &heads[begin], rounds)
                if labels is None:
                    continue
                self.find_kin(&heads[begin])
                for d in range(1, n + 1):
                    count = self.label_keys(heads[begin + d], d, &heads[begin])
                    found[begin + d] = self.best_label(exact_labels, packed_labels, count, heads[begin + d])

    def scores(self, PackedWeights arcs, const int32_t[:, ::1] tokens, PackedWeights labels=None):
        """The scores of all arcs of one sentence, as [dependent, head], in the unit of the weights.

        With joint labels, whose weights must be given, the score of the best label is part of each.
        """
        cdef token_t n = <token_t>tokens.shape[0] - 1
        cdef Weights none = None
        cdef const Packed* packed_labels = packed_of(labels) if self.joint else NULL
        cdef score_t scale = labels.unit / arcs.unit if self.joint else 1
        self.reserve(n)
        with nogil:
            self.prepare(&tokens[0, 0], n)
            ArcParser.find_tree(self, none, &arcs.packed, none, packed_labels, scale, &self.rivals[0, 0])
        return np.array(self.matrix).reshape(n + 1, n + 1) * arcs.unit

    def label_scores(self, PackedWeights labels, const int32_t[:, ::1] tokens, const token_t[::1] heads):
        """The scores of all labels for each arc of a tree, as [dependent, label], in the unit of the weights.

        They are -inf for labels that such an arc cannot have.
        """
        cdef token_t d, n = <token_t>tokens.shape[0] - 1
        cdef int32_t label, count
        cdef Weights none = None
        result = np.zeros((n + 1, self.label_count))
        cdef score_t[:, ::1] view = result
        self.reserve(n)
        with nogil:
            self.prepare(&tokens[0, 0], n)
            self.find_kin(&heads[0])
            for d in range(1, n + 1):
                count = self.label_keys(heads[d], d, NULL if self.joint else &heads[0])
                self.sum_rows(none, &labels.packed, self.keys, count, self.label_count)
                for label in range(self.label_count):
                    view[d, label] = self.scores_room[label] if self.can_be(label, heads[d]) else -INFINITY
        return result * labels.unit
