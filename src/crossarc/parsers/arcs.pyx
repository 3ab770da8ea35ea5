"""The best tree of a sentence by a decoder, labels for it, and learning from whole trees.

See crossarc.parsers.arc_scores for the scores of arcs.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport abs
from libc.string cimport memset

from crossarc.core.typedefs cimport hash_t, int32_t, int64_t, label_t, offset_t, score_t, token_t, uint8_t, weight_t
from crossarc.decode.decoder cimport SOLVED, Decoder
from crossarc.decode.kbest cimport KBest
from crossarc.decode.undirected cimport Undirected
from crossarc.learning.differences cimport Differences
from crossarc.learning.hildreth cimport find_steps
from crossarc.learning.scorer cimport Scorer
from crossarc.learning.weights cimport Weights
from crossarc.parsers.arc_keys cimport distance_class
from crossarc.parsers.arc_scores cimport ALL, NONE, SLOTS, ArcScores

ARC_WEIGHTS = SLOTS


cdef class ArcParser(ArcScores):
    """A feature model and a decoder at work, for one thread.

    With `undirected` scores are those of edges, in both triangles of the matrix. `combine` makes such scores from those
    of arcs. `lengths`, by the tags of head and dependent in the column `tag`, leaves longer arcs out. With `joint` the
    best label of each arc is found first, by what its two ends say, and its score is part of that of the arc. Learning
    looks at the `rivals` best trees; the loss of one is the number of its wrong heads, or with `undirected` of its
    wrong edges, unless `loss` is "heads". `labels` say where each can be: on arcs from node 0 (1), others (2), both.
    """

    def __init__(self, model, Decoder decoder, int32_t columns, const uint8_t[::1] labels, bint undirected=False,
                 combine="none", *, lengths=None, int32_t tag=-1, bint joint=False, int32_t rivals=1,
                 loss="edges"):
        super().__init__(model, columns, labels.shape[0], undirected, combine, joint, lengths, tag)
        self.label_places = labels
        self.decoder = decoder
        # Prim's algorithm goes through all pairs of words anyway.
        sparse = lengths is not None and isinstance(decoder, Undirected) and decoder.method != "prim"
        self.edge_decoder = decoder if sparse else None
        self.rival_count = rivals
        self.kbest = KBest(decoder.single_root) if rivals > 1 else None
        self.count_heads = not undirected or loss == "heads"
        self.arc_parts = Differences(rivals)
        self.label_parts = Differences(rivals)

    def reserve(self, token_t n):
        """Make room for sentences of up to n words."""
        super().reserve(n)
        self.gold_parts = np.zeros(n + 1)
        self.root_scores = np.zeros(n + 1)
        self.turns = np.zeros((3, n + 1))
        if self.kbest is not None:
            self.kbest.reserve(n)
        self.rivals = np.full((self.rival_count, n + 1), -1, dtype=np.int32)
        self.products = np.zeros((self.rival_count, self.rival_count))
        self.lacks = np.zeros(self.rival_count)
        self.steps = np.zeros(self.rival_count)

    def reserve_matrix(self, token_t n):
        """Make room for the scores of all arcs of sentences of up to n words."""
        self.matrix = np.zeros((n + 1) * (n + 1))
        self.decoder.reserve(n)
        self.joined = np.zeros((n + 1) * (n + 1) if self.combine != NONE else 1)
        self.arc_labels = np.zeros((n + 1) * (n + 1) if self.joint else 1, dtype=np.int32)

    # ---- trees

    cdef void score_head(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil:
        """Note the scores of the arc to a word from its head, and of that arc turned round."""
        cdef score_t there = 0, back = 0
        self.score_pair(weights, min(heads[d], d), max(heads[d], d), &there, &back)
        self.turns[0, d] = there if heads[d] < d else back
        self.turns[1, d] = back if heads[d] < d else there

    cdef void score_turn(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil:
        """Note the score of the arc to a word from its head's head, if that is there."""
        cdef score_t there = 0, back = 0
        cdef token_t t
        if heads[d] > 0:
            t = heads[heads[d]]
            self.score_pair(weights, min(t, d), max(t, d), &there, &back)
            self.turns[2, d] = there if t < d else back

    cdef void enhance(self, Scorer weights, token_t* heads, int32_t rounds) noexcept nogil:
        """Turn up to so many arcs of a tree round, the one that gains most each time; as `decode.enhance`.

        Only arcs that a move would take away or bring in are scored: three for each word, and after a move those near.
        """
        cdef token_t u, v, w, best, n = self.n
        cdef score_t gain, best_gain
        self.sum_all_alone(weights)
        for v in range(1, n + 1):
            self.score_head(weights, heads, v)
            self.score_turn(weights, heads, v)
        while rounds > 0:
            best = -1
            best_gain = 0
            for v in range(1, n + 1):
                u = heads[v]
                if u == 0 or self.turns[2, v] == -INFINITY or self.turns[1, v] == -INFINITY:
                    continue
                gain = (self.turns[2, v] + self.turns[1, v]) - (self.turns[0, u] + self.turns[0, v])
                if gain > best_gain:
                    best_gain = gain
                    best = v
            if best < 0:
                return
            u = heads[best]
            heads[best] = heads[u]
            heads[u] = best
            self.score_head(weights, heads, best)
            self.score_head(weights, heads, u)
            for w in range(1, n + 1):
                if w == best or heads[w] == best or heads[w] == u:
                    self.score_turn(weights, heads, w)
            rounds -= 1

    cdef bint find_sparse(self, Scorer arcs, token_t* heads) noexcept nogil:
        """Set the heads of the best tree of the edges that lengths leave, which alone are scored; False if none is."""
        cdef bint with_roots = not self.edge_decoder.single_root
        cdef token_t m = self.fill_edges(arcs, self.edge_decoder.edges, &self.root_scores[0], with_roots)
        if self.edge_decoder.solve_edges(m, &self.root_scores[0], self.n, heads) != SOLVED:
            return False
        self.arcs += <int64_t>self.n * (self.n - 1)
        self.pruned += <int64_t>self.n * (self.n - 1) - 2 * <int64_t>(m - self.n * with_roots)
        return True

    cdef bint solve(self, token_t* heads) noexcept nogil:
        """Set the heads of the best tree by the scores that were filled in; there is one."""
        cdef token_t i, j, n = self.n
        cdef Py_ssize_t stride = n + 1
        heads[0] = -1
        for i in range(1, n + 1):
            heads[i] = 0        # should a decoder ever give up, what follows the heads stays within the sentence
        if self.combine == NONE:
            return self.decoder.solve(&self.matrix[0], stride, n, heads) == SOLVED
        for i in range(1, n + 1):
            self.joined[i * stride] = self.matrix[i * stride]
            for j in range(1, i):
                self.joined[i * stride + j] = self.joined[j * stride + i] = self.join_scores(
                    self.matrix[i * stride + j], self.matrix[j * stride + i])
        return self.decoder.solve(&self.joined[0], stride, n, heads) == SOLVED

    cdef bint find_tree(self, Scorer arcs, Scorer labels,
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
            self.fill_matrix(arcs)
            if right != NULL:
                for d in range(1, n + 1):
                    self.gold_parts[d] = self.matrix[d * stride + right[d]]
            if self.joint:
                self.add_labels(labels, scale, right, gold, augment)
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

    cdef void add_labels(self, Scorer labels, score_t scale, const token_t* right,
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
                labels.score(self.keys, self.label_keys(h, d, NULL), 0, scores)
                if right != NULL and right[d] == h:
                    self.gold_parts[d] += scores[gold[d]]
                    if augment:
                        for label in range(self.label_count):
                            scores[label] += label != gold[d]
                best = self.best_of(scores, h)
                self.arc_labels[at] = best
                self.matrix[at] += scale * scores[best]

    cdef int add_arc(self, token_t h, token_t d, int32_t rival, weight_t value) except -1 nogil:
        """Add the features of an arc, times a value, to the difference between gold and a rival."""
        cdef int32_t count = self.arc_keys(h, d), direction = 0 if h < d or self.undirected else 1
        cdef int32_t kind = distance_class(abs(h - d))
        self.add_slots(self.keys, count, direction, kind, rival, value)
        if self.undirected:
            self.add_slots(&self.single_keys[min(h, d), 0], self.single_count, 0, kind, rival, value)
            self.add_slots(&self.single_keys[max(h, d), 0], self.single_count, 1, kind, rival, value)
        return 0

    cdef int add_slots(self, const hash_t* keys, int32_t count, int32_t direction, int32_t kind, int32_t rival,
                       weight_t value) except -1 nogil:
        """Add some keys for a direction and a class of distances."""
        self.arc_parts.add(keys, count, 8 * direction + ALL, rival, value)
        if self.distances:
            self.arc_parts.add(keys, count, 8 * direction + kind, rival, value)
        return 0

    # ---- labels

    cdef label_t best_of(self, const weight_t* scores, token_t h) noexcept nogil:
        """The best label that an arc from a head can have."""
        cdef label_t label, best = -1
        for label in range(self.label_count):
            if self.can_be(label, h) and (best < 0 or scores[label] > scores[best]):
                best = label
        return best

    cdef label_t best_label(self, Scorer weights, int32_t count, token_t h) noexcept nogil:
        """The label that the keys speak for, of an arc from a head."""
        weights.score(self.keys, count, 0, &self.scores_room[0])
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
            label = self.best_label(labels, count, right[d])
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

    cdef int add_part(self, token_t h, token_t d, label_t label, bint arc, int32_t rival,
                      weight_t value) except -1 nogil:
        """Add an arc, where `arc`, and its label, if joint, times a value, to the difference of gold and a rival."""
        if arc:
            self.add_arc(h, d, rival, value)
        if self.joint:
            self.label_parts.add(self.keys, self.label_keys(h, d, NULL), label, rival, value)
        return 0

    cdef int learn_tree(self, Weights arcs, Weights labels, const token_t* right, const label_t* gold, int32_t count,
                        score_t cost, bint augment) except -1 nogil:
        """Move the gold tree from the first so many rivals."""
        cdef token_t d
        cdef Py_ssize_t at, stride = self.n + 1
        cdef int32_t r
        cdef score_t loss, margin, total = 0
        cdef const token_t* tree
        self.arc_parts.begin(count)
        self.label_parts.begin(count)
        for r in range(count):
            tree = &self.rivals[r, 0]
            loss = margin = 0
            for d in range(1, self.n + 1):
                if self.is_missing(tree, right, gold, d):
                    margin += self.gold_parts[d]
                    self.add_part(right[d], d, gold[d], not self.has_arc(tree, right[d], d), r, 1)
                if self.is_wrong(tree, right, gold, d):
                    at = d * stride + tree[d]
                    margin -= self.matrix[at] - augment
                    self.add_part(tree[d], d, self.arc_labels[at if self.joint else 0],
                                  not self.has_arc(right, tree[d], d), r, -1)
                loss += self.is_wrong(tree, right, gold, d) or (self.count_heads and tree[d] != right[d])
            self.lacks[r] = loss - margin
            self.steps[r] = loss > 0
            total += loss
        if total == 0:
            return 0
        memset(&self.products[0, 0], 0, <size_t>count * count * sizeof(score_t))
        self.arc_parts.settle(arcs, &self.products[0, 0])
        if self.joint:
            self.label_parts.settle(labels, &self.products[0, 0])
        if cost > 0:
            find_steps(&self.products[0, 0], &self.lacks[0], count, cost, &self.steps[0])
        self.arc_parts.apply(arcs, &self.steps[0])
        if self.joint:
            self.label_parts.apply(labels, &self.steps[0])
        return 0

    # ---- what parsers call

    def train(self, Weights arcs, Weights labels, const int32_t[:, ::1] tokens, const token_t[::1] heads,
              const label_t[::1] gold_labels, const offset_t[::1] starts, const offset_t[::1] order, score_t cost,
              bint augment=False):
        """Learn from sentences in an order; gives the number of words and how many had a wrong head or label.

        After each sentence the gold tree is moved from the best ones by the least steps that make it better than each
        by as much as that has wrong heads, or joint labels, and at most by `cost` each (MIRA); a cost of 0 means steps
        of 1 (the perceptron). With `augment` the rivals are the trees that are best when each wrong arc counts one
        more. Undirected parsers move edges, whatever their directions. Labels after the tree, unless they are None, are
        learned on the gold tree by the perceptron.
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
        self.reserve_matrix(longest)
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
                count = self.find_tree(arcs, labels, 1, best, right, gold, augment)
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

    def parse(self, Scorer arcs not None, Scorer labels, const int32_t[:, ::1] tokens, const offset_t[::1] starts,
              token_t[::1] heads, label_t[::1] found, ArcParser other=None, Scorer other_arcs=None, int32_t rounds=0):
        """Parse the sentences of flat arrays into `heads` and `found`, the labels, unless their weights are None.

        With `other`, a directed parser and its weights, up to
        so many arcs a tree are turned round that it would rather have the other way (local enhancement).
        """
        cdef Py_ssize_t s
        cdef offset_t begin
        cdef token_t n, d, longest = 0, most_edges = 0
        cdef int32_t count
        cdef score_t scale = labels.unit / arcs.unit if self.joint else 1
        for s in range(starts.shape[0] - 1):
            longest = max(longest, <token_t>(starts[s + 1] - starts[s]) - 1)
        self.reserve(longest)
        self.unit = arcs.unit
        if self.edge_decoder is None:
            self.reserve_matrix(longest)
        else:
            self.pruning = True
            for s in range(starts.shape[0] - 1):
                self.tokens = &tokens[starts[s], 0]
                self.n = <token_t>(starts[s + 1] - starts[s]) - 1
                most_edges = max(most_edges, self.count_edges() + self.n)
            self.edge_decoder.reserve_edges(longest, most_edges)
        if other is not None:
            other.reserve(longest)
        with nogil:
            for s in range(starts.shape[0] - 1):
                begin = starts[s]
                n = <token_t>(starts[s + 1] - begin) - 1
                self.prepare(&tokens[begin, 0], n)
                self.pruning = self.tag >= 0
                if self.edge_decoder is None or not self.find_sparse(arcs, &heads[begin]):
                    if self.edge_decoder is not None:
                        with gil:
                            self.reserve_matrix(n)
                    self.find_tree(arcs, labels, scale, &heads[begin])
                if self.joint:
                    for d in range(1, n + 1):
                        found[begin + d] = self.arc_labels[d * <Py_ssize_t>(n + 1) + heads[begin + d]]
                    continue
                if other is not None:
                    other.prepare(&tokens[begin, 0], n)
                    other.pruning = self.pruning
                    other.enhance(other_arcs, &heads[begin], rounds)
                if labels is None:
                    continue
                self.find_kin(&heads[begin])
                for d in range(1, n + 1):
                    count = self.label_keys(heads[begin + d], d, &heads[begin])
                    found[begin + d] = self.best_label(labels, count, heads[begin + d])

    def scores(self, Scorer arcs not None, const int32_t[:, ::1] tokens, Scorer labels=None):
        """The scores of all arcs of one sentence, as [dependent, head], in the unit of the weights.

        With joint labels, whose weights must be given, the score of the best label is part of each.
        """
        cdef token_t n = <token_t>tokens.shape[0] - 1
        cdef score_t scale = labels.unit / arcs.unit if self.joint else 1
        self.reserve(n)
        self.reserve_matrix(n)
        with nogil:
            self.prepare(&tokens[0, 0], n)
            ArcParser.find_tree(self, arcs, labels, scale, &self.rivals[0, 0])
        return np.array(self.matrix).reshape(n + 1, n + 1) * arcs.unit

    def features_of(self, const int32_t[:, ::1] tokens, token_t h, token_t d, const token_t[::1] heads):
        """The keys of the features of an arc, and of its label in a tree."""
        self.reserve(<token_t>tokens.shape[0] - 1)
        self.prepare(&tokens[0, 0], <token_t>tokens.shape[0] - 1)
        self.find_kin(&heads[0])
        arc = [self.keys[t] for t in range(self.arc_keys(h, d))]
        label = [self.keys[t] for t in range(self.label_keys(h, d, NULL if self.joint else &heads[0]))]
        return np.array(arc, dtype=np.uint64), np.array(label, dtype=np.uint64)

    def label_scores(self, Scorer labels not None, const int32_t[:, ::1] tokens, const token_t[::1] heads):
        """The scores of all labels for each arc of a tree, as [dependent, label], in the unit of the weights.

        They are -inf for labels that such an arc cannot have.
        """
        cdef token_t d, n = <token_t>tokens.shape[0] - 1
        cdef int32_t label, count
        result = np.zeros((n + 1, self.label_count))
        cdef score_t[:, ::1] view = result
        self.reserve(n)
        with nogil:
            self.prepare(&tokens[0, 0], n)
            self.find_kin(&heads[0])
            for d in range(1, n + 1):
                count = self.label_keys(heads[d], d, NULL if self.joint else &heads[0])
                labels.score(self.keys, count, 0, &self.scores_room[0])
                for label in range(self.label_count):
                    view[d, label] = self.scores_room[label] if self.can_be(label, heads[d]) else -INFINITY
        return result * labels.unit
