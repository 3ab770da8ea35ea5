"""Trees in rounds (Shimizu 2006, section 6.1): words of some parts of speech get their heads in each.

In a round Chu-Liu-Edmonds finds the best heads of its words, free of cycles; what they attached to then knows its new
dependents, which later rounds see. With `absorb` words that have their heads cannot be heads any more, so that all
dependents of a word are known when its turn comes; without, they can, and their own arcs stay as they are.

Only the words of a round are nodes of its graph. All that need no longer be told apart is one node, each word choosing
the best head there: words of later rounds, which have no head yet, are the root of this graph, and what hangs below a
word of this round counts as that word, so that no cycle can go through arcs that are fixed.

One root: with `absorb` node 0 can only take a word of the last round that a sentence has, as words of that round can
hang from nothing else. Without, it takes one word at most until the last round and one in all. "At most one" is exactly
one in a graph with one more node, from which all words of later rounds hang, and which can itself hang from node 0 or
any word of the round at no cost.

Lengths can leave a round without heads for all of its words, because of what earlier rounds found or by themselves.
Then the sentence is parsed once more from the first round on, with arcs of all lengths.
"""
import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport abs
from libc.string cimport memset

from crossarc.core.typedefs cimport int32_t, label_t, offset_t, score_t, token_t, uint8_t
from crossarc.decode.spanning cimport ChuLiuEdmonds
from crossarc.decode.decoder cimport SOLVED, Decoder, Outcome, is_sound
from crossarc.learning.scorers cimport Scorer, Weights


cdef enum:
    OUT = -1                # no head for any word of the round


cdef class RoundGraph:
    """The rounds of a sentence, one after the other; `round_of_tag` has the round of each value in `tag_column`."""

    cdef Words words
    cdef bint absorb
    cdef int32_t tag_column, round_count
    cdef const int32_t[::1] round_of_tag
    cdef Decoder decoder
    cdef Decoder forest                 # for rounds in which any number of words can hang from what is one node
    cdef int32_t[::1] rounds            # by word; that of node 0 is beyond all
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

    cdef inline bint is_now(self, token_t word) noexcept nogil:
        """Whether a word gets its head in this round."""
        return self.rounds[word] == self.round

    cdef inline bint reachable(self, token_t place, token_t head) noexcept nogil:
        """Whether the word in some place of the round can still get a head."""
        return self.nodes[head] != OUT and self.nodes[head] != place

    def __init__(self, Words words, Decoder decoder, int32_t tag_column, const int32_t[::1] round_of_tag, bint absorb):
        self.words = words
        self.decoder = decoder
        self.forest = ChuLiuEdmonds(False)
        self.tag_column = tag_column
        self.round_of_tag = round_of_tag
        self.round_count = np.max(round_of_tag) + 1
        self.absorb = absorb

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.decoder.reserve(n + 1)         # a round's graph may have one node more
        self.forest.reserve(n + 1)
        self.rounds = np.zeros(n + 1, dtype=np.int32)
        self.members = np.zeros(n + 2, dtype=np.int32)
        self.nodes = np.zeros(n + 1, dtype=np.int32)
        self.graph = np.zeros((n + 2) * (n + 2))
        self.chosen = np.zeros(n + 2, dtype=np.int32)
        return 0

    cdef void begin(self) noexcept nogil:
        """Go before the first round."""
        cdef token_t w
        for w in range(self.words.n + 1):
            self.rounds[w] = self.round_of_tag[self.words.value(w, self.tag_column)]
        self.rounds[0] = self.round_count
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
            for w in range(1, self.words.n + 1):
                later += self.rounds[w] > self.round
                if self.rounds[w] == self.round:
                    self.count += 1
                    self.members[self.count] = w
        self.one_root = single and not self.rooted and (later == 0 or not self.absorb)
        self.ground = self.count + 1 if self.one_root and later > 0 else 0
        for w in range(1, self.words.n + 1):
            nodes[w] = self.ground
        nodes[0] = OUT if single and not self.one_root else 0
        for w in range(1, self.count + 1):
            nodes[self.members[w]] = w
        for w in range(1, self.words.n + 1):
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

    cdef bint solve(self, const score_t* matrix, token_t* heads) except -1 nogil:
        """Set the heads of the words of the round by the scores of arcs; False if limits leave none."""
        cdef token_t w, d, h, node
        cdef token_t size = self.count + 1 + (self.ground > 0)
        cdef Py_ssize_t stride = self.words.n + 1
        cdef score_t* row
        cdef const score_t* scores
        cdef score_t best
        cdef Outcome outcome
        for w in range(1, self.count + 1):
            d = self.members[w]
            heads[d] = 0            # should a decoder ever give up, what follows the heads stays within the sentence
            row = &self.graph[w * size]
            scores = matrix + d * stride
            for node in range(size):
                row[node] = -INFINITY
            for h in range(self.words.n + 1):
                node = self.nodes[h]
                if node != OUT and node != w and not scores[h] <= row[node]:    # NaN is kept, and refused below
                    row[node] = scores[h]
        if self.ground > 0:
            row = &self.graph[self.ground * size]
            for node in range(size):
                row[node] = 0
            row[self.ground] = -INFINITY
        if not is_sound(&self.graph[0], size, size - 1):
            refuse_scores()
        if self.one_root:
            outcome = self.decoder.solve(&self.graph[0], size, size - 1, &self.chosen[0])
        else:
            outcome = self.forest.solve(&self.graph[0], size, size - 1, &self.chosen[0])
        if outcome != SOLVED:
            return False
        for w in range(1, self.count + 1):
            d = self.members[w]
            scores = matrix + d * stride
            best = -INFINITY
            for h in range(self.words.n + 1):
                if self.nodes[h] == self.chosen[w] and scores[h] > best:
                    best = scores[h]
                    heads[d] = h
        return True


cdef class RoundFactors(TreeFactors):
    """A feature model and rounds at work, for one thread.

    `round_of_tag` gives the round of each value of the attribute in `tag_column`. A part is an arc, whose features see
    the dependents that its ends have when the round begins. Each round learns the gold heads that can still be reached,
    and later rounds see what it found, right or wrong. `scores` are those of arcs without dependents.

    With `label_places`, see `LabelFactors`, templates see the labels of dependents too: when a round is done, the arcs
    that it found get labels by the weights of a label model, from what its templates know of the arcs and the
    dependents below them.
    """

    cdef RoundGraph graph
    cdef DependentKeys dependents
    cdef LabelScores labels             # of dependents, if templates see them; else None
    cdef Scorer label_scorer
    cdef uint8_t[::1] stale             # by word: whether its keys and sums must be made again
    cdef token_t[::1] wrong             # while learning: the heads that the round is moved from

    def __init__(self, model, Decoder decoder, int32_t tag_column, const int32_t[::1] round_of_tag, bint absorb=True,
                 *, lengths=None, label_places=None):
        super().__init__(model, decoder, False, "none", lengths, tag_column, Learner())
        self.graph = RoundGraph(self.words, decoder, tag_column, round_of_tag, absorb)
        self.dependents = DependentKeys(model, self.keys, label_places is not None)
        if label_places is not None:
            self.labels = LabelScores(LabelKeys(model, self.words, "dependents"), label_places)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        TreeFactors.reserve(self, n)
        self.graph.reserve(n)
        self.dependents.reserve(n)
        if self.labels is not None:
            self.labels.keys.reserve(n)
        self.stale = np.zeros(n + 1, dtype=np.uint8)
        self.wrong = np.zeros(n + 1, dtype=np.int32)
        return 0

    cdef void renew(self, token_t word) noexcept nogil:
        """Hash what depends on a word and its dependents, and sum the weights of all templates of it alone."""
        cdef int32_t end
        self.dependents.prepare_word(word)
        for end in range(2):
            self.arc_scores.sum_alone(self.scorer, end, word,
                                      self.dependents.end_keys(end, word, self.keys.end_keys(end, word)))
        self.stale[word] = False

    cdef void fill_round(self) noexcept nogil:
        """Score all arcs into words of the round from words that can be heads; -inf if they are too long."""
        cdef token_t i, j, end, sibling, n = self.words.n
        cdef Between between
        cdef bint now, there, back
        for i in range(n + 1):
            if self.stale[i] and self.graph.nodes[i] != OUT:
                self.renew(i)
        self.dependents.link_siblings()
        for i in range(n + 1):
            if self.graph.nodes[i] == OUT:
                continue
            now = self.graph.is_now(i)
            end = n if now else self.graph.members[self.graph.count]
            clear(&between)
            sibling = 0
            for j in range(i + 1, end + 1):
                if self.dependents.heads[j - 1] == i:
                    sibling = j - 1
                if j > i + 1:
                    self.keys.pass_word(&between, j - 1)
                if self.graph.nodes[j] == OUT or not (now or self.graph.is_now(j)):
                    continue
                there = self.graph.is_now(j) and self.limits.allow(i, j)
                back = now and self.limits.allow(j, i)
                if self.graph.is_now(j) and not there:
                    self.cell(i, j)[0] = -INFINITY
                if now and not back:
                    self.cell(j, i)[0] = -INFINITY
                if not there and not back:
                    continue
                self.arc_scores.score_row(
                    self.scorer, self.dependents.pair_keys(i, j, sibling, self.keys.pair_keys(i, j, &between)))
                if there:
                    self.cell(i, j)[0] = self.arc_scores.arc_score(i, j)
                if back:
                    self.cell(j, i)[0] = self.arc_scores.arc_score(j, i)

    cdef void attach(self, const token_t* heads) noexcept nogil:
        """Give the words of the round their heads, which have new dependents then."""
        cdef token_t w, d
        for w in range(1, self.graph.count + 1):
            d = self.graph.members[w]
            self.graph.rooted = self.graph.rooted or heads[d] == 0
            self.dependents.attach(heads[d], d)
            self.stale[heads[d]] = True
        if self.labels is None:
            return
        self.labels.keys.find_kin(&self.dependents.heads[0])
        for w in range(1, self.graph.count + 1):
            d = self.graph.members[w]
            self.labels.score(self.label_scorer, heads[d], d, heads)
            self.dependents.labels[d] = self.labels.best(heads[d])

    cdef int try_tree(self, token_t* heads) except -1 nogil:
        """Set the heads of all words, round by round, and learn from each round if there is a gold tree.

        0 if limits leave a round no heads, which is the last then.
        """
        memset(heads, -1, (<size_t>self.words.n + 1) * sizeof(token_t))
        memset(&self.stale[0], True, <size_t>self.words.n + 1)
        self.graph.begin()
        self.dependents.begin()
        while self.graph.next_round(heads):
            self.fill_round()
            if not self.graph.solve(&self.arc_scores.matrix[0], heads) and self.limits.pruning:
                return 0
            if self.gold != NULL:
                self.learn_round()
            self.attach(heads)
        return 1

    # ---- learning

    cdef int32_t parts_of(self, const token_t* heads, const label_t* labels, Part* parts) noexcept nogil:
        """Write the arcs of the words of the round whose gold heads can still be reached."""
        cdef token_t w, d
        cdef int32_t count = 0
        for w in range(1, self.graph.count + 1):
            d = self.graph.members[w]
            if self.graph.reachable(w, self.gold[d]):
                parts[count] = arc_part(heads[d], d, -1, self.cell(heads[d], d)[0])
                count += 1
        return count

    cdef int keys_of(self, const Part* part) except -1 nogil:
        """Give the learner the keys of an arc, those that see dependents too."""
        cdef token_t h = part.head, d = part.dependent
        self.add_arc(h, d)
        return self.add_slots(self.keys.keys, self.dependents.keys_of(h, d), h > d, distance_class(abs(h - d)))

    cdef int learn_round(self) except -1 nogil:
        """Move the gold heads that can still be reached from the best ones."""
        cdef token_t w, d, h
        if self.learner.augment:
            for w in range(1, self.graph.count + 1):
                d = self.graph.members[w]
                for h in range(self.words.n + 1):
                    self.cell(h, d)[0] += self.gold[d] != h
        self.graph.solve(&self.arc_scores.matrix[0], &self.wrong[0])
        self.learner.begin()
        self.learner.compare(self, &self.wrong[0], NULL)
        if self.learner.learn():
            memset(&self.stale[0], True, <size_t>self.words.n + 1)
        return 0

    cdef offset_t learn_best(self) except -1 nogil:
        """Learn round by round; return how many words of the tree that was found are wrong."""
        self.learner.next_step()
        self.find_tree(&self.tree[0])
        return self.count_wrong(&self.tree[0])

    # ---- what parsers call

    cdef int use_labels(self, Scorer label_scorer) except -1:
        """Score the labels of dependents with these weights from now on."""
        if (label_scorer is None) != (self.labels is None):
            raise ValueError("the labels of dependents need weights, and label_places when the object is made")
        self.label_scorer = label_scorer
        return 0

    def find_trees(self, Scorer scorer not None, const int32_t[:, ::1] tokens, const offset_t[::1] starts,
                   token_t[::1] heads, Scorer label_scorer=None):
        """Set the heads of the sentences that begin at `starts`."""
        self.use_labels(label_scorer)
        super().find_trees(scorer, tokens, starts, heads)

    def learn(self, Weights weights not None, const int32_t[:, ::1] tokens, const token_t[::1] heads,
              const offset_t[::1] starts, const offset_t[::1] order, score_t cost, bint augment=False,
              Scorer label_scorer=None):
        """Learn as `ArcFactors` does, but round by round; return the number of words and of wrong heads."""
        self.use_labels(label_scorer)
        return super().learn(weights, tokens, heads, starts, order, cost, augment)

    def late_features_of(self, const int32_t[:, ::1] tokens, token_t h, token_t d, const token_t[::1] heads,
                         const label_t[::1] labels=None):
        """The keys of the features of an arc that see dependents, where some words, not -1, have their heads."""
        cdef token_t w
        self.reserve(<token_t>tokens.shape[0] - 1)
        self.read(tokens, 0, tokens.shape[0])
        self.dependents.begin()
        for w in range(1, self.words.n + 1):
            if heads[w] >= 0:
                self.dependents.attach(heads[w], w)
                self.dependents.labels[w] = labels[w] if labels is not None else -1
        for w in range(self.words.n + 1):
            self.dependents.prepare_word(w)
        return np.array([self.keys.keys[t] for t in range(self.dependents.keys_of(h, d))], dtype=np.uint64)
