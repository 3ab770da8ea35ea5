"""Scores of all arcs of a sentence, the best tree by a decoder, labels for it, and learning from whole trees.

See crossarc.features.edges for what the features are. A feature has sixteen weights: eight for arcs to the right and
eight for arcs to the left, one of them for all distances and one for each class of distances. They are kept in the same
tables as those of the transition parsers, with these sixteen in the place of actions.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport abs
from libc.string cimport memset

from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, score_t, token_t, weight_t
from crossarc.decode.decoder cimport SOLVED, Decoder
from crossarc.decode.enhancement cimport improve
from crossarc.learning.packed cimport Packed, PackedWeights, padded, score_packed
from crossarc.learning.updates cimport margin_step
from crossarc.learning.weights cimport Weights

# In the order of `Combination`.
COMBINATIONS = ("none", "mean", "product", "max", "min")
ARC_WEIGHTS = SLOTS


cdef class ArcParser:
    """A feature model and a decoder at work, for one thread.

    With `undirected` features do not know which end is the head, only which is on the left; scores are those of edges,
    in both triangles of the matrix. `combine` makes such scores from those of arcs.
    """

    def __init__(self, model, Decoder decoder, int32_t columns, int32_t labels, bint undirected=False, combine="none"):
        self.decoder = decoder
        self.distances = model.distances
        self.columns = columns
        self.label_count = labels
        self.atoms, self.sides, self.singles, self.pairs = model.atoms, model.sides, model.singles, model.pairs
        self.undirected = undirected
        self.combine = COMBINATIONS.index(combine)
        if undirected:      # a template of either end is one of any end
            self.singles = np.array([[HEAD, side] for side in dict.fromkeys(model.singles[:, 1].tolist())],
                                    dtype=np.int32).reshape(-1, 2)
        self.label_cells = model.labels
        self.single_count = len(self.singles)
        self.pair_count = len(model.pairs)
        self.first_distance = int((model.pairs[:, 3] == 0).sum())
        self.plain_pairs = int((model.pairs[:, 3] != 1).sum())
        self.label_templates = len(model.labels)
        width = padded(max(SLOTS, labels)) + 1
        self.whole = np.zeros(width, dtype=np.int32)
        self.scores_room = np.zeros(width, dtype=np.float32)

    def reserve(self, token_t n):
        """Make room for sentences of up to n words."""
        self.decoder.reserve(n)
        self.single_keys = np.zeros((n + 1, max(1, self.single_count)), dtype=np.uint64)
        self.left_keys = np.zeros((n + 1, max(1, self.pair_count)), dtype=np.uint64)
        self.right_keys = np.zeros((n + 1, max(1, self.pair_count)), dtype=np.uint64)
        self.alone = np.zeros((2, n + 1, SLOTS), dtype=np.float32)
        self.matrix = np.zeros((n + 1) * (n + 1))
        self.joined = np.zeros((n + 1) * (n + 1) if self.combine != NONE else 1)
        self.best = np.zeros(n + 1, dtype=np.int32)
        self.kin = np.zeros((n + 1, 4), dtype=np.int32)
        self.previous = np.zeros(n + 1, dtype=np.int32)

    # ---- keys

    cdef hash_t side_hash(self, token_t word, int32_t side) noexcept nogil:
        """The hash of a bundle of things that are looked at from a word."""
        cdef hash_t state = 0x51ED270B + <hash_t>side * <hash_t>0x9E3779B97F4A7C15
        cdef int32_t a
        for a in range(self.sides[side], self.sides[side + 1]):
            state = mix(state, self.attribute(word + self.atoms[a, 1], self.atoms[a, 0]))
        return state

    cdef void prepare(self, const int32_t* tokens, token_t n) noexcept nogil:
        """Hash all that depends on one word alone."""
        cdef token_t w
        cdef int32_t t
        cdef hash_t salt
        self.tokens = tokens
        self.n = n
        for w in range(n + 1):
            for t in range(self.single_count):
                salt = 1 + self.singles[t, 0]
                self.single_keys[w, t] = finished(mix(self.side_hash(w, self.singles[t, 1]), salt))
            for t in range(self.pair_count):
                salt = 3 + 8 * self.pairs[t, 3] + 32 * self.pairs[t, 4]
                self.left_keys[w, t] = finished(mix(self.side_hash(w, self.pairs[t, 0]), salt))
                self.right_keys[w, t] = finished(mix(self.side_hash(w, self.pairs[t, 1]), salt + 1))

    cdef int32_t plain_keys(self, token_t i, token_t j) noexcept nogil:
        """The keys of the templates of both ends i < j, but for those with words between."""
        cdef int32_t t
        cdef const hash_t* left = &self.left_keys[i, 0]
        cdef const hash_t* right = &self.right_keys[j, 0]
        for t in range(self.plain_pairs):
            self.keys[t] = left[t] + right[t]
        for t in range(self.first_distance, self.plain_pairs):
            self.keys[t] += finished(<hash_t>(j - i))
        return self.plain_pairs

    cdef int32_t between_keys(self, token_t i, token_t j, const hash_t* kinds, int32_t count, int32_t t,
                              int32_t filled) noexcept nogil:
        """The keys of a template with words between, one for each kind of word, behind those that are there."""
        cdef int32_t k
        for k in range(count):
            self.keys[filled + k] = self.left_keys[i, t] + self.right_keys[j, t] + kinds[k]
        return filled + count

    cdef int32_t add_kind(self, token_t word, int32_t column, hash_t* kinds, int32_t count) noexcept nogil:
        """Add the kind of one more word between, if it is new."""
        cdef hash_t kind = finished(self.attribute(word, column))
        cdef int32_t k
        if count == MOST_BETWEEN:
            return count
        for k in range(count):
            if kinds[k] == kind:
                return count
        kinds[count] = kind
        return count + 1

    # ---- scores

    cdef void sum_rows(self, Weights weights, const Packed* packed, const hash_t* keys, int32_t count,
                       int32_t actions) noexcept nogil:
        """The sum of the weights of all keys, into `scores_room`."""
        cdef int32_t a
        if packed == NULL:
            weights.score(keys, count, &self.scores_room[0])
            return
        score_packed(packed, keys, count, &self.whole[0])
        for a in range(actions):
            self.scores_room[a] = <weight_t>self.whole[a]

    cdef void fill_matrix(self, Weights weights, const Packed* packed) noexcept nogil:
        """The scores of all arcs of the sentence that was prepared; -inf where none can be."""
        cdef token_t i, j, n = self.n
        cdef Py_ssize_t stride = n + 1
        cdef int32_t t, s, filled, kind
        cdef int32_t between = self.pair_count - self.plain_pairs
        cdef hash_t kinds[4][MOST_BETWEEN]
        cdef int32_t counts[4]
        cdef score_t* matrix = &self.matrix[0]
        cdef weight_t* row = &self.scores_room[0]
        for i in range(n + 1):
            for s in range(2):
                filled = 0
                for t in range(self.single_count):
                    if self.singles[t, 0] == s:
                        self.keys[filled] = self.single_keys[i, t]
                        filled += 1
                self.sum_rows(weights, packed, self.keys, filled, SLOTS)
                for t in range(SLOTS):
                    self.alone[s, i, t] = row[t]
        for i in range(n + 1):
            matrix[i] = -INFINITY
            matrix[i * stride + i] = -INFINITY
            for t in range(between):
                counts[t] = 0
            for j in range(i + 1, n + 1):
                filled = self.plain_keys(i, j)
                for t in range(between):
                    if j > i + 1:
                        counts[t] = self.add_kind(j - 1, self.pairs[self.plain_pairs + t, 4], kinds[t], counts[t])
                    filled = self.between_keys(i, j, kinds[t], counts[t], self.plain_pairs + t, filled)
                self.sum_rows(weights, packed, self.keys, filled, SLOTS)
                kind = distance_class(j - i)
                if self.undirected:
                    matrix[j * stride + i] = (
                        self.slot_score(row, 0, kind) + self.slot_score(&self.alone[0, i, 0], 0, kind)
                        + self.slot_score(&self.alone[0, j, 0], 1, kind)
                    )
                    if i > 0:
                        matrix[i * stride + j] = matrix[j * stride + i]
                    continue
                matrix[j * stride + i] = (
                    self.slot_score(row, 0, kind) + self.slot_score(&self.alone[HEAD, i, 0], 0, kind)
                    + self.slot_score(&self.alone[DEP, j, 0], 0, kind)
                )
                if i > 0:
                    matrix[i * stride + j] = (
                        self.slot_score(row, 1, kind) + self.slot_score(&self.alone[HEAD, j, 0], 1, kind)
                        + self.slot_score(&self.alone[DEP, i, 0], 1, kind)
                    )

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
                    a = a * b * self.unit
                elif self.combine == GREATEST:
                    a = max(a, b)
                else:
                    a = min(a, b)
                self.joined[i * stride + j] = self.joined[j * stride + i] = a
        return self.decoder.solve(&self.joined[0], stride, n, heads) == SOLVED

    cdef void find_tree(self, Weights weights, const Packed* packed, token_t* heads) noexcept nogil:
        """Set the heads of the sentence that was prepared."""
        self.fill_matrix(weights, packed)
        self.solve(heads)

    cdef int32_t arc_keys(self, token_t h, token_t d) noexcept nogil:
        """The keys of all features of one arc, or of those of both ends of an undirected edge."""
        cdef token_t i = min(h, d), j = max(h, d), w
        cdef int32_t t, count, filled, total = 0, direction = 1 if h < d else 2
        cdef hash_t kinds[MOST_BETWEEN]
        filled = self.plain_keys(i, j)
        for t in range(filled):
            if self.undirected or self.pairs[t, 2] & direction:
                self.keys[total] = self.keys[t]
                total += 1
        for t in range(self.plain_pairs, self.pair_count):
            if not (self.undirected or self.pairs[t, 2] & direction):
                continue
            count = 0
            for w in range(i + 1, j):
                count = self.add_kind(w, self.pairs[t, 4], kinds, count)
            total = self.between_keys(i, j, kinds, count, t, total)
        if self.undirected:
            return total
        for t in range(self.single_count):
            self.keys[total] = self.single_keys[h if self.singles[t, 0] == HEAD else d, t]
            total += 1
        return total

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

    cdef void find_kin(self, const token_t* heads) noexcept nogil:
        """The siblings and outermost dependents of all words of a tree."""
        cdef token_t d, h
        memset(&self.kin[0, 0], -1, (<size_t>self.n + 1) * 4 * sizeof(token_t))
        memset(&self.previous[0], -1, (<size_t>self.n + 1) * sizeof(token_t))
        for d in range(1, self.n + 1):
            h = heads[d]
            self.kin[d, 0] = self.previous[h]
            if self.previous[h] >= 0:
                self.kin[self.previous[h], 1] = d
            else:
                self.kin[h, 2] = d
            self.kin[h, 3] = d
            self.previous[h] = d

    cdef int32_t label_keys(self, const token_t* heads, token_t d) noexcept nogil:
        """The keys of all features of the label of a word's arc."""
        cdef token_t h = heads[d], word
        cdef int32_t t, c, address, offset
        cdef hash_t state, side = 1 if h < d else 2
        for t in range(self.label_templates):
            state = 0x2545F491 + 4 * <hash_t>t + side
            for c in range(WIDEST):
                address = self.label_cells[t, c, 0]
                if address < 0:
                    break
                offset = self.label_cells[t, c, 1]
                if address == DISTANCE:
                    state = mix(state, <hash_t>(1 + distance_class(abs(h - d))))
                    continue
                if address == HEAD:
                    word = h + offset
                elif address == DEP:
                    word = d + offset
                elif address == GRAND:
                    word = heads[h] if h > 0 else -1
                else:
                    word = self.kin[d, 2 * (address - SIB) + (offset > 0)]
                state = mix(state, self.attribute(word, self.label_cells[t, c, 2]))
            self.keys[t] = finished(state)
        return self.label_templates

    cdef label_t best_label(self, Weights weights, const Packed* packed, int32_t count) noexcept nogil:
        """The label that the keys speak for."""
        cdef label_t label, best = 0
        self.sum_rows(weights, packed, self.keys, count, self.label_count)
        for label in range(1, self.label_count):
            if self.scores_room[label] > self.scores_room[best]:
                best = label
        return best

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
            count = self.label_keys(right, d)
            label = self.best_label(labels, NULL, count)
            wrong += best[d] != right[d] or label != gold
            if label == gold:
                continue
            labels.update(self.keys, count, gold, 1)
            labels.update(self.keys, count, label, -1)
        return wrong

    # ---- what parsers call

    def train(self, Weights arcs, Weights labels, const int32_t[:, ::1] tokens, const token_t[::1] heads,
              const label_t[::1] gold_labels, const offset_t[::1] starts, const offset_t[::1] order, score_t cost,
              bint augment=False):
        """Learn from sentences in an order; gives the number of words and how many had a wrong head or label.

        After each sentence the gold tree is moved from the best one by the least step that makes it better by as much
        as the other has wrong heads, at most by `cost` (1-best MIRA); a cost of 0 means steps of 1 (the perceptron).
        With `augment` the rival is the tree that is best when each wrong arc counts one more. Different arcs are taken
        to share no feature. Undirected parsers learn from edges, whatever their directions. Labels, unless they are
        None, are learned on the gold tree by the perceptron.
        """
        cdef offset_t words = 0, wrong = 0, begin
        cdef Py_ssize_t s, stride
        cdef token_t n, d, h
        cdef int32_t norm
        cdef score_t loss, margin
        cdef weight_t step
        cdef const token_t* right
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
                stride = n + 1
                right = &heads[begin]
                best = &self.best[0]
                self.prepare(&tokens[begin, 0], n)
                self.fill_matrix(arcs, NULL)
                arcs.now += 1
                words += n
                if augment:
                    for d in range(1, n + 1):
                        for h in range(n + 1):
                            self.matrix[d * stride + h] += not self.has_arc(right, h, d)
                if self.solve(best):
                    loss = margin = 0
                    norm = 0
                    for d in range(1, n + 1):
                        loss += best[d] != right[d]     # of undirected parsers too: a wrong edge turns others round
                        if not self.has_arc(best, right[d], d):
                            margin += self.matrix[d * stride + right[d]]
                            norm += self.change_arc(arcs, right[d], d, 0)
                        if not self.has_arc(right, best[d], d):
                            margin -= self.matrix[d * stride + best[d]] - augment
                            norm += self.change_arc(arcs, best[d], d, 0)
                    step = margin_step(loss, margin, norm, cost) if cost > 0 else <weight_t>(loss > 0)
                    if step > 0:
                        for d in range(1, n + 1):
                            if not self.has_arc(best, right[d], d):
                                self.change_arc(arcs, right[d], d, step)
                            if not self.has_arc(right, best[d], d):
                                self.change_arc(arcs, best[d], d, -step)
                if labels is None:
                    continue
                wrong += self.learn_labels(labels, right, &gold_labels[begin], best)
        return words, wrong

    def parse(self, PackedWeights arcs, PackedWeights labels, const int32_t[:, ::1] tokens, const offset_t[::1] starts,
              token_t[::1] heads, label_t[::1] found, ArcParser other=None, PackedWeights other_arcs=None,
              int32_t rounds=0):
        """Parse the sentences of flat arrays into `heads` and `found`, the labels, unless their weights are None.

        With `other`, a directed parser and its weights, up to so many arcs a tree are turned round that it would
        rather have the other way (local enhancement).
        """
        cdef Py_ssize_t s
        cdef offset_t begin
        cdef token_t n, d, longest = 0
        cdef int32_t count
        cdef Weights none = None
        for s in range(starts.shape[0] - 1):
            longest = max(longest, <token_t>(starts[s + 1] - starts[s]) - 1)
        self.reserve(longest)
        self.unit = arcs.unit
        if other is not None:
            other.reserve(longest)
        with nogil:
            for s in range(starts.shape[0] - 1):
                begin = starts[s]
                n = <token_t>(starts[s + 1] - begin) - 1
                self.prepare(&tokens[begin, 0], n)
                self.find_tree(none, &arcs.packed, &heads[begin])
                if other is not None:
                    other.prepare(&tokens[begin, 0], n)
                    other.fill_matrix(none, &other_arcs.packed)
                    improve(&heads[begin], &other.matrix[0], n + 1, n, rounds, NULL)
                if labels is None:
                    continue
                self.find_kin(&heads[begin])
                for d in range(1, n + 1):
                    count = self.label_keys(&heads[begin], d)
                    found[begin + d] = self.best_label(none, &labels.packed, count)

    def scores(self, PackedWeights arcs, const int32_t[:, ::1] tokens):
        """The scores of all arcs of one sentence, as [dependent, head], in the unit of the weights."""
        cdef token_t n = <token_t>tokens.shape[0] - 1
        cdef Weights none = None
        self.reserve(n)
        with nogil:
            self.prepare(&tokens[0, 0], n)
            self.fill_matrix(none, &arcs.packed)
        return np.array(self.matrix).reshape(n + 1, n + 1) * arcs.unit

    def label_scores(self, PackedWeights labels, const int32_t[:, ::1] tokens, const token_t[::1] heads):
        """The scores of all labels for each arc of a tree, as [dependent, label], in the unit of the weights."""
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
                count = self.label_keys(&heads[0], d)
                self.sum_rows(none, &labels.packed, self.keys, count, self.label_count)
                for label in range(self.label_count):
                    view[d, label] = self.scores_room[label]
        return result * labels.unit
