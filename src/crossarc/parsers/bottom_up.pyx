"""Trees in rounds (Shimizu 2006, section 6.1): words of some parts of speech get their heads in each.

In a round Chu-Liu-Edmonds finds the best heads of its words, free of cycles; what they attached to then knows its new
dependents, which the rounds after look at. With `absorb` words that have their heads can be heads no more, so that all
dependents of a word are known when its turn comes; without, they can, and their own arcs stay as they are.

Only the words of a round are nodes of its graph. All that need no longer be told apart is one node, each word choosing
the best head there: words of later rounds, which have no head yet, are the root of this graph, and what hangs below a
word of this round counts as that word, so that no cycle can go through arcs that are fixed.

One root: with `absorb` node 0 can only take a word of the last round that a sentence has, as words of that round can
hang from nothing else. Without, it takes one word at most until the last round and one in all. "At most one" is exactly
one in a graph with one more node, from which all words of later rounds hang, and which can itself hang from node 0 or
any word of the round at no cost.

Lengths, too, leave arcs out, and can leave a round without heads for all of its words, by what the rounds before have
found or by themselves. Then the sentence is parsed once more from the first round on, with arcs of all lengths.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport abs
from libc.string cimport memset

from crossarc.core.hashing cimport mix
from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, score_t, token_t, uint8_t, weight_t
from crossarc.decode.chu_liu_edmonds cimport ChuLiuEdmonds
from crossarc.decode.decoder cimport SOLVED, Decoder, Outcome
from crossarc.learning.hildreth cimport find_steps
from crossarc.learning.scorer cimport Scorer
from crossarc.learning.weights cimport Weights
from crossarc.parsers.arc_keys cimport MOST_BETWEEN, distance_class, finished
from crossarc.parsers.arcs cimport ArcParser

cdef enum:
    # How an atom of a template looks at a word: itself, its dependents, or their number; as `VIA` of the templates.
    VIA_CHILDREN = 1
    VIA_NUMBER = 3
    MANY = 3                # dependents from so many on count as so many
    LATE_SALT = 27          # keys of templates with dependents are unlike those of all others
    OUT = -1                # no head for any word of the round


cdef class BottomUp(ArcParser):
    """A feature model and rounds at work, for one thread.

    `round_of_tag` gives the round of each value of the attribute in `tag_column`.
    """

    cdef bint absorb
    cdef int32_t tag_column, round_count
    cdef const int32_t[::1] round_of_tag
    cdef Decoder forest                 # for rounds in which any number of words can hang from what is one node
    cdef const int32_t[:, ::1] late_singles
    cdef const int32_t[:, ::1] late_pairs
    cdef int32_t late_single_count, late_pair_count
    # Of the sentence at hand, by word.
    cdef int32_t[::1] rounds            # that of node 0 is beyond all
    cdef token_t[:, ::1] children       # the leftmost and the rightmost dependent so far, and how many there are
    cdef uint8_t[::1] stale             # whether keys and sums of this word must be made anew
    cdef hash_t[:, ::1] late_keys       # as in ArcParser, of templates with dependents; 0 where there is none to see
    cdef hash_t[:, ::1] late_left
    cdef hash_t[:, ::1] late_right
    cdef token_t[::1] following         # the next dependent of the same head, 0 if there is none
    cdef token_t[::1] pending           # while pairs are passed: the first dependent behind the left word
    # Of the round at hand.
    cdef int32_t round
    cdef token_t count                  # its words are members[1..count]
    cdef token_t[::1] members
    cdef token_t[::1] nodes             # by word: which node of the round's graph it is as a head, or OUT
    cdef token_t ground                 # the node that all words of later rounds are
    cdef bint one_root                  # whether exactly one word hangs from the graph's root
    cdef bint rooted                    # whether a word hangs from node 0 already
    cdef score_t[::1] graph
    cdef token_t[::1] chosen
    cdef token_t[::1] rival

    def __init__(self, model, Decoder decoder, int32_t columns, const uint8_t[::1] labels, int32_t tag_column,
                 const int32_t[::1] round_of_tag, bint absorb=True, *, lengths=None):
        super().__init__(model, decoder, columns, labels, lengths=lengths, tag=tag_column)
        self.forest = ChuLiuEdmonds(False)
        self.tag_column = tag_column
        self.round_of_tag = round_of_tag
        self.round_count = np.max(round_of_tag) + 1
        self.absorb = absorb
        self.late_singles, self.late_pairs = model.late_singles, model.late_pairs
        self.late_single_count = len(model.late_singles)
        self.late_pair_count = len(model.late_pairs)

    def reserve(self, token_t n):
        """Make room for sentences of up to n words."""
        super().reserve(n)
        self.decoder.reserve(n + 1)         # a round's graph may have one node more
        self.forest.reserve(n + 1)
        self.rounds = np.zeros(n + 1, dtype=np.int32)
        self.children = np.zeros((n + 1, 3), dtype=np.int32)
        self.stale = np.zeros(n + 1, dtype=np.uint8)
        self.late_keys = np.zeros((n + 1, max(1, self.late_single_count)), dtype=np.uint64)
        self.late_left = np.zeros((n + 1, max(1, self.late_pair_count)), dtype=np.uint64)
        self.late_right = np.zeros((n + 1, max(1, self.late_pair_count)), dtype=np.uint64)
        self.following = np.zeros(n + 1, dtype=np.int32)
        self.pending = np.zeros(n + 1, dtype=np.int32)
        self.members = np.zeros(n + 2, dtype=np.int32)
        self.nodes = np.zeros(n + 1, dtype=np.int32)
        self.graph = np.zeros((n + 2) * (n + 2))
        self.chosen = np.zeros(n + 2, dtype=np.int32)
        self.rival = np.zeros(n + 1, dtype=np.int32)

    # ---- features of dependents

    cdef hash_t late_hash(self, token_t word, int32_t side) noexcept nogil:
        """The hash of a bundle of things that are looked at from a word; 0 if one is a dependent that is not there."""
        cdef hash_t state = 0x51ED270B + <hash_t>side * <hash_t>0x9E3779B97F4A7C15
        cdef int32_t a, via
        cdef token_t seen
        for a in range(self.sides[side], self.sides[side + 1]):
            via = self.atoms[a, 2]
            if via and self.children[word, 2] == 0:
                return 0
            if via == VIA_NUMBER:
                state = mix(state, <hash_t>min(self.children[word, 2], MANY))
                continue
            seen = self.children[word, via - VIA_CHILDREN] if via else word + self.atoms[a, 1]
            state = mix(state, self.attribute(seen, self.atoms[a, 0]))
        return state

    cdef void make_late_keys(self, token_t word) noexcept nogil:
        """Make the keys of a word that depend on its dependents."""
        cdef int32_t t
        cdef hash_t state
        for t in range(self.late_single_count):
            state = self.late_hash(word, self.late_singles[t, 1])
            self.late_keys[word, t] = finished(mix(state, LATE_SALT + self.late_singles[t, 0])) if state else 0
        for t in range(self.late_pair_count):
            state = self.late_hash(word, self.late_pairs[t, 0])
            self.late_left[word, t] = finished(mix(state, LATE_SALT)) if state else 0
            state = self.late_hash(word, self.late_pairs[t, 1])
            self.late_right[word, t] = finished(mix(state, LATE_SALT + 1)) if state else 0

    cdef void renew(self, Scorer weights, token_t word) noexcept nogil:
        """Make the keys of a word that depend on its dependents, and the sums of all templates of it alone."""
        cdef int32_t t, s, filled
        self.make_late_keys(word)
        for s in range(2):
            filled = self.single_keys_of(s, word)
            for t in range(self.late_single_count):
                if self.late_singles[t, 0] == s and self.late_keys[word, t]:
                    self.keys[filled] = self.late_keys[word, t]
                    filled += 1
            self.sum_alone(weights, s, word, filled)
        self.stale[word] = False

    cdef int32_t late_pair_keys(self, token_t i, token_t j, token_t right_sibling, token_t left_sibling,
                                int32_t directions, int32_t filled) noexcept nogil:
        """The keys of the templates of both ends i < j with dependents, for some directions, behind those there are.

        The siblings are those that an arc would have in either direction, 0 where it has none.
        """
        cdef int32_t t, side, column
        cdef token_t sibling
        cdef hash_t key, about
        if self.children[i, 2] == 0 and self.children[j, 2] == 0:
            return filled
        for t in range(self.late_pair_count):
            if not (self.late_left[i, t] and self.late_right[j, t] and self.late_pairs[t, 2] & directions):
                continue
            key = self.late_left[i, t] + self.late_right[j, t]
            column = self.late_pairs[t, 3]
            if column < 0:
                self.keys[filled] = key
                filled += 1
                continue
            for side in range(2):
                sibling = left_sibling if side else right_sibling
                if sibling > 0 and self.late_pairs[t, 2] & directions & (1 << side):
                    # Templates that differ in this column alone have the same key so far.
                    about = (4 * <hash_t>column + 1 + side) * <hash_t>0x9E3779B97F4A7C15
                    self.keys[filled] = key + finished(mix(about, self.attribute(sibling, column)))
                    filled += 1
        return filled

    cdef token_t sibling_of(self, const token_t* heads, token_t h, token_t d) noexcept nogil:
        """The dependent that a head has already between it and another word, the nearest to that; 0 if none."""
        cdef token_t step = 1 if h > d else -1, w = d + step
        while w != h and (heads[w] != h or self.rounds[w] >= self.round):
            w += step
        return 0 if w == h else w

    cdef void find_siblings(self, const token_t* heads) noexcept nogil:
        """Link the dependents of each head, from left to right."""
        cdef token_t w
        memset(&self.pending[0], 0, (<size_t>self.n + 1) * sizeof(token_t))
        for w in range(self.n, 0, -1):
            if self.rounds[w] < self.round:
                self.following[w] = self.pending[heads[w]]
                self.pending[heads[w]] = w

    cdef int32_t late_arc_keys(self, const token_t* heads, token_t h, token_t d) noexcept nogil:
        """The keys of all features of an arc that look at dependents."""
        cdef token_t sibling = self.sibling_of(heads, h, d) if self.children[h, 2] else 0
        cdef int32_t t, w, count = self.late_pair_keys(min(h, d), max(h, d), sibling, sibling, 1 if h < d else 2, 0)
        for t in range(self.late_single_count):
            w = d if self.late_singles[t, 0] else h
            if self.late_keys[w, t]:
                self.keys[count] = self.late_keys[w, t]
                count += 1
        return count

    cdef int add_late(self, const token_t* heads, token_t h, token_t d, weight_t value) except -1 nogil:
        """Add the features of an arc, those of dependents too, to the difference that is learned from."""
        self.add_arc(h, d, 0, value)
        self.add_slots(self.keys, self.late_arc_keys(heads, h, d), 0 if h < d else 1, distance_class(abs(h - d)), 0,
                       value)
        return 0

    def late_features_of(self, const int32_t[:, ::1] tokens, token_t h, token_t d, const token_t[::1] heads):
        """The keys of the features of an arc that look at dependents, where some words, not -1, have their heads."""
        cdef token_t w, n = <token_t>tokens.shape[0] - 1
        self.reserve(n)
        self.prepare(&tokens[0, 0], n)
        self.begin(&self.rivals[0, 0])
        self.round = 1
        self.count = 0
        for w in range(1, n + 1):
            self.rounds[w] = 0 if heads[w] >= 0 else 1
            if heads[w] >= 0:
                self.count += 1
                self.members[self.count] = w
        self.attach(&heads[0])
        for w in range(n + 1):
            self.make_late_keys(w)
        return np.array([self.keys[t] for t in range(self.late_arc_keys(&heads[0], h, d))], dtype=np.uint64)

    # ---- rounds

    cdef void begin(self, token_t* heads) noexcept nogil:
        """Stand before the first round."""
        cdef token_t w
        for w in range(self.n + 1):
            self.rounds[w] = self.round_of_tag[self.tokens[<Py_ssize_t>w * self.columns + self.tag_column]]
            heads[w] = -1
        self.rounds[0] = self.round_count
        memset(&self.children[0, 0], 0, (<size_t>self.n + 1) * 3 * sizeof(token_t))
        memset(&self.stale[0], True, <size_t>self.n + 1)
        self.round = -1
        self.rooted = False

    cdef bint next_round(self, const token_t* heads) noexcept nogil:
        """Go to the next round that the sentence has words for, and set up its graph; False after the last."""
        cdef token_t w, top, later = 0
        cdef bint single = self.decoder.single_root
        cdef token_t* nodes = &self.nodes[0]
        self.count = 0
        while self.count == 0:
            self.round += 1
            if self.round == self.round_count:
                return False
            later = 0
            for w in range(1, self.n + 1):
                later += self.rounds[w] > self.round
                if self.rounds[w] == self.round:
                    self.count += 1
                    self.members[self.count] = w
        self.one_root = single and not self.rooted and (later == 0 or not self.absorb)
        self.ground = self.count + 1 if self.one_root and later > 0 else 0
        for w in range(1, self.n + 1):
            nodes[w] = self.ground
        nodes[0] = OUT if single and not self.one_root else 0
        for w in range(1, self.count + 1):
            nodes[self.members[w]] = w
        for w in range(1, self.n + 1):
            if self.rounds[w] >= self.round:
                continue
            if self.absorb:
                nodes[w] = OUT
                continue
            # What hangs below a word of this round is the same node as that word, and all else is where later words
            # are. Words on the left are known already.
            top = heads[w]
            while top > w and self.rounds[top] < self.round:
                top = heads[top]
            nodes[w] = nodes[top] if top > 0 else self.ground
        return True

    cdef void fill_round(self, Scorer weights, const token_t* heads) noexcept nogil:
        """The scores of all arcs into words of the round from words that can be heads; -inf if they are too long."""
        cdef token_t i, j, end, sibling, n = self.n
        cdef Py_ssize_t stride = n + 1
        cdef int32_t t, filled, between = self.pair_count - self.plain_pairs
        cdef hash_t kinds[4][MOST_BETWEEN]
        cdef int32_t counts[4]
        cdef bint turn, there, back
        cdef score_t* matrix = &self.matrix[0]
        cdef weight_t* row = &self.scores_room[0]
        for i in range(n + 1):
            if self.stale[i] and self.nodes[i] != OUT:
                self.renew(weights, i)
        self.find_siblings(heads)
        for i in range(n + 1):
            if self.nodes[i] == OUT:
                continue
            turn = self.rounds[i] == self.round
            end = n if turn else self.members[self.count]
            for t in range(between):
                counts[t] = 0
            sibling = 0
            for j in range(i + 1, end + 1):
                if self.rounds[j - 1] < self.round and heads[j - 1] == i:
                    sibling = j - 1
                for t in range(between):
                    if j > i + 1:
                        counts[t] = self.add_kind(j - 1, self.pairs[self.plain_pairs + t, 4], kinds[t], counts[t])
                if self.nodes[j] == OUT or not (turn or self.rounds[j] == self.round):
                    continue
                there = self.rounds[j] == self.round and self.survives(i, j)
                back = turn and self.survives(j, i)
                if self.rounds[j] == self.round and not there:
                    matrix[j * stride + i] = -INFINITY
                if turn and not back:
                    matrix[i * stride + j] = -INFINITY
                if not there and not back:
                    continue
                filled = self.plain_keys(i, j)
                for t in range(between):
                    filled = self.between_keys(i, j, kinds[t], counts[t], self.plain_pairs + t, filled)
                while 0 < self.pending[j] <= i:
                    self.pending[j] = self.following[self.pending[j]]
                filled = self.late_pair_keys(i, j, sibling, self.pending[j] if self.pending[j] < j else 0, 3, filled)
                weights.score(self.keys, filled, 0, row)
                if there:
                    matrix[j * stride + i] = self.arc_score(row, i, j)
                if back:
                    matrix[i * stride + j] = self.arc_score(row, j, i)

    cdef bint solve_round(self, token_t* heads) noexcept nogil:
        """Set the heads of the words of the round by the scores that were filled in; False if lengths leave none."""
        cdef token_t w, d, h, node
        cdef token_t size = self.count + 1 + (self.ground > 0)
        cdef Py_ssize_t stride = self.n + 1
        cdef score_t* row
        cdef const score_t* scores
        cdef score_t best
        cdef Outcome outcome
        for w in range(1, self.count + 1):
            d = self.members[w]
            heads[d] = 0            # should a decoder ever give up, what follows the heads stays within the sentence
            row = &self.graph[w * size]
            scores = &self.matrix[d * stride]
            for node in range(size):
                row[node] = -INFINITY
            for h in range(self.n + 1):
                node = self.nodes[h]
                if node != OUT and node != w and scores[h] > row[node]:
                    row[node] = scores[h]
        if self.ground > 0:
            row = &self.graph[self.ground * size]
            for node in range(size):
                row[node] = 0
            row[self.ground] = -INFINITY
        if self.one_root:
            outcome = self.decoder.solve(&self.graph[0], size, size - 1, &self.chosen[0])
        else:
            outcome = self.forest.solve(&self.graph[0], size, size - 1, &self.chosen[0])
        if outcome != SOLVED:
            return False
        for w in range(1, self.count + 1):
            d = self.members[w]
            scores = &self.matrix[d * stride]
            best = -INFINITY
            for h in range(self.n + 1):
                if self.nodes[h] == self.chosen[w] and scores[h] > best:
                    best = scores[h]
                    heads[d] = h
        return True

    cdef void attach(self, const token_t* heads) noexcept nogil:
        """Tell the heads of the words of the round of their new dependents."""
        cdef token_t w, d, h
        for w in range(1, self.count + 1):
            d = self.members[w]
            h = heads[d]
            self.rooted = self.rooted or h == 0
            self.children[h, 0] = min(self.children[h, 0], d) if self.children[h, 2] else d
            self.children[h, 1] = max(self.children[h, 1], d)
            self.children[h, 2] += 1
            self.stale[h] = True

    cdef bint find_tree(self, Scorer arcs, Scorer labels,
                        score_t scale, token_t* heads, const token_t* right=NULL, const label_t* gold=NULL,
                        bint augment=False) noexcept nogil:
        """Set the heads of all words, round by round; a sentence in which a round finds no heads is done in full."""
        self.pruning = self.tag >= 0
        while not self.go_round_by_round(arcs, heads):
            self.pruning = False
            self.unpruned += 1
        self.count_arcs()
        return True

    cdef bint go_round_by_round(self, Scorer arcs, token_t* heads) noexcept nogil:
        """Set the heads of all words; False if lengths left none for some."""
        self.begin(heads)
        while self.next_round(heads):
            self.fill_round(arcs, heads)
            if not self.solve_round(heads) and self.pruning:
                return False
            self.attach(heads)
        return True

    # ---- learning

    cdef inline bint reachable(self, token_t place, token_t head) noexcept nogil:
        """Whether a word of the round can still get a head."""
        return self.nodes[head] != OUT and self.nodes[head] != place

    cdef int learn_round(self, Weights weights, const token_t* right, score_t cost, bint augment) except -1 nogil:
        """Move the right heads that can still be reached from the best ones, as `train` says."""
        cdef token_t w, d, h
        cdef Py_ssize_t stride = self.n + 1
        cdef const token_t* best = &self.rivals[0, 0]
        cdef const token_t* rival = &self.rival[0]
        cdef score_t loss = 0, margin = 0, norm = 0, lack, step = 1
        if augment:
            for w in range(1, self.count + 1):
                d = self.members[w]
                for h in range(self.n + 1):
                    self.matrix[d * stride + h] += right[d] != h
        self.solve_round(&self.rival[0])
        self.arc_parts.begin(1)
        for w in range(1, self.count + 1):
            d = self.members[w]
            if rival[d] != right[d] and self.reachable(w, right[d]):
                loss += 1
                margin += self.matrix[d * stride + right[d]]
                margin -= self.matrix[d * stride + rival[d]] - augment
                self.add_late(best, right[d], d, 1)
                self.add_late(best, rival[d], d, -1)
        if loss == 0:
            return 0
        self.arc_parts.settle(weights, &norm)
        lack = loss - margin
        if cost > 0:
            find_steps(&norm, &lack, 1, cost, &step)
        if step > 0:
            self.arc_parts.apply(weights, &step)
            memset(&self.stale[0], True, <size_t>self.n + 1)
        return 0

    cdef int learn_rounds(self, Weights arcs, const token_t* right, score_t cost, bint augment) except -1 nogil:
        """Learn from one sentence, round by round; 0 if lengths left a round no heads, which stops there, else 1."""
        cdef token_t* best = &self.rivals[0, 0]
        self.begin(best)
        while self.next_round(best):
            self.fill_round(arcs, best)
            if not self.solve_round(best) and self.pruning:
                return 0
            self.learn_round(arcs, right, cost, augment)
            self.attach(best)
        return 1

    def train(self, Weights arcs, Weights labels, const int32_t[:, ::1] tokens, const token_t[::1] heads,
              const label_t[::1] gold_labels, const offset_t[::1] starts, const offset_t[::1] order, score_t cost,
              bint augment=False):
        """Learn from sentences in an order; gives the number of words and how many had a wrong head or label.

        As in `ArcParser`, but round by round: each learns the right heads that can still be reached, and those after it
        see what it found itself, right or wrong.
        """
        cdef offset_t words = 0, wrong = 0, begin
        cdef Py_ssize_t s
        cdef token_t longest = 0
        for s in range(order.shape[0]):
            longest = max(longest, <token_t>(starts[order[s] + 1] - starts[order[s]]) - 1)
        self.reserve(longest)
        self.reserve_matrix(longest)
        with nogil:
            for s in range(order.shape[0]):
                begin = starts[order[s]]
                self.prepare(&tokens[begin, 0], <token_t>(starts[order[s] + 1] - begin) - 1)
                arcs.now += 1
                words += self.n
                self.pruning = self.tag >= 0
                while not self.learn_rounds(arcs, &heads[begin], cost, augment):
                    self.pruning = False
                wrong += self.learn_labels(labels, &heads[begin], &gold_labels[begin], &self.rivals[0, 0])
        return words, wrong
