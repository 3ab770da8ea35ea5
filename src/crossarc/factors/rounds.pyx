"""Trees in rounds (Shimizu 2006, section 6.1): words of some parts of speech get their heads in each.

In a round Chu-Liu-Edmonds finds the best heads of its words, free of cycles; what they attached to then knows its new
dependents, which later rounds see. With `absorb` words that have their heads cannot be heads any more, so that all
dependents of a word are known when its turn comes; without, they can, and their own arcs stay as they are. See
crossarc.factors.round_graph.

Lengths can leave a round without heads for all of its words, because of what earlier rounds found or by themselves.
Then the sentence is parsed once more from the first round on, with arcs of all lengths.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport abs
from libc.string cimport memset

from crossarc.core.typedefs cimport int32_t, label_t, offset_t, score_t, token_t, uint8_t
from crossarc.decode.decoder cimport Decoder
from crossarc.factors.arc_keys cimport Between, clear
from crossarc.factors.arcs cimport TreeFactors
from crossarc.factors.dependent_keys cimport DependentKeys
from crossarc.factors.parts cimport Learner, Part
from crossarc.factors.round_graph cimport OUT, RoundGraph
from crossarc.factors.words cimport distance_class
from crossarc.learning.scorer cimport Scorer
from crossarc.learning.weights cimport Weights


cdef class RoundFactors(TreeFactors):
    """A feature model and rounds at work, for one thread.

    `round_of_tag` gives the round of each value of the attribute in `tag_column`. A part is an arc, whose features see
    the dependents that its ends have when the round begins.
    """

    cdef RoundGraph graph
    cdef DependentKeys late
    cdef uint8_t[::1] stale             # by word: whether its keys and sums must be made again
    cdef token_t[::1] wrong             # while learning: the heads that the round is moved from

    def __init__(self, model, Decoder decoder, int32_t tag_column, const int32_t[::1] round_of_tag, bint absorb=True,
                 *, lengths=None):
        super().__init__(model, decoder, False, "none", lengths, tag_column, 1, Learner())
        self.graph = RoundGraph(self.words, decoder, tag_column, round_of_tag, absorb)
        self.late = DependentKeys(model, self.keys)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        TreeFactors.reserve(self, n)
        self.graph.reserve(n)
        self.late.reserve(n)
        self.stale = np.zeros(n + 1, dtype=np.uint8)
        self.wrong = np.zeros(n + 1, dtype=np.int32)
        return 0

    cdef void renew(self, token_t word) noexcept nogil:
        """Hash what depends on a word and its dependents, and sum the weights of all templates of it alone."""
        cdef int32_t end
        self.late.prepare_word(word)
        for end in range(2):
            self.arc_scores.sum_alone(self.scorer, end, word,
                                      self.late.end_keys(end, word, self.keys.end_keys(end, word)))
        self.stale[word] = False

    cdef void fill_round(self) noexcept nogil:
        """Score all arcs into words of the round from words that can be heads; -inf if they are too long."""
        cdef token_t i, j, end, sibling, n = self.words.n
        cdef Between between
        cdef bint now, there, back
        for i in range(n + 1):
            if self.stale[i] and self.graph.nodes[i] != OUT:
                self.renew(i)
        self.late.link_siblings()
        for i in range(n + 1):
            if self.graph.nodes[i] == OUT:
                continue
            now = self.graph.is_now(i)
            end = n if now else self.graph.members[self.graph.count]
            clear(&between)
            sibling = 0
            for j in range(i + 1, end + 1):
                if self.late.heads[j - 1] == i:
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
                    self.scorer, self.late.pair_keys(i, j, sibling, self.keys.pair_keys(i, j, &between)))
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
            self.late.attach(heads[d], d)
            self.stale[heads[d]] = True

    cdef int try_tree(self, token_t* heads) except -1 nogil:
        """Set the heads of all words, round by round, and learn from each round if there is a gold tree.

        0 if limits leave a round no heads, which is the last then.
        """
        memset(heads, -1, (<size_t>self.words.n + 1) * sizeof(token_t))
        memset(&self.stale[0], True, <size_t>self.words.n + 1)
        self.graph.begin()
        self.late.begin()
        while self.graph.next_round(heads):
            self.fill_round()
            if not self.graph.solve(&self.arc_scores.matrix[0], heads) and self.limits.pruning:
                return 0
            if self.gold != NULL:
                self.learn_round()
            self.attach(heads)
        return 1

    cdef int find_best(self, token_t* heads, label_t* labels) except -1 nogil:
        """Set the heads of all words."""
        self.find_tree(heads)
        return 0

    # ---- learning

    cdef int32_t parts_of(self, const token_t* heads, const label_t* labels, Part* parts) noexcept nogil:
        """Write the arcs of the words of the round whose gold heads can still be reached."""
        cdef token_t w, d
        cdef int32_t count = 0
        for w in range(1, self.graph.count + 1):
            d = self.graph.members[w]
            if self.graph.reachable(w, self.gold[d]):
                parts[count] = Part(heads[d], d, -1, d, 0, self.cell(heads[d], d)[0])
                count += 1
        return count

    cdef int keys_of(self, const Part* part) except -1 nogil:
        """Give the learner the keys of an arc, those that see dependents too."""
        cdef token_t h = part.head, d = part.dependent
        self.add_arc(h, d)
        return self.add_slots(self.keys.keys, self.late.keys_of(h, d), h > d, distance_class(abs(h - d)))

    cdef int learn_round(self) except -1 nogil:
        """Move the gold heads that can still be reached from the best ones."""
        cdef token_t w, d, h
        if self.learner.augment:
            for w in range(1, self.graph.count + 1):
                d = self.graph.members[w]
                for h in range(self.words.n + 1):
                    self.cell(h, d)[0] += self.gold[d] != h
        self.graph.solve(&self.arc_scores.matrix[0], &self.wrong[0])
        self.learner.begin(1)
        self.learner.compare(self, &self.wrong[0], NULL)
        if self.learner.learn():
            memset(&self.stale[0], True, <size_t>self.words.n + 1)
        return 0

    cdef offset_t learn_best(self) except -1 nogil:
        """Learn round by round; return how many words of the tree that was found are wrong."""
        self.learner.next_step()
        self.find_tree(&self.trees[0, 0])
        return self.count_wrong(&self.trees[0, 0])

    # ---- what parsers call

    def find_trees(self, Scorer scorer not None, const int32_t[:, ::1] tokens, const offset_t[::1] starts,
                   token_t[::1] heads):
        """Set the heads of the sentences that begin at `starts`."""
        self.use(scorer)
        self.find_all(tokens, starts, heads, None)

    def learn(self, Weights weights not None, const int32_t[:, ::1] tokens, const token_t[::1] heads,
              const offset_t[::1] starts, const offset_t[::1] order, score_t cost, bint augment=False):
        """Learn as `ArcFactors` does, but round by round; return the number of words and of wrong heads.

        Each round learns the gold heads that can still be reached, and later rounds see what it found, right or wrong.
        """
        self.use(weights)
        self.learner.weights, self.learner.cost, self.learner.augment = weights, cost, augment
        return self.learn_all(tokens, heads, None, starts, order)

    def scores(self, Scorer scorer not None, const int32_t[:, ::1] tokens):
        """The scores of all arcs of one sentence without dependents, as [dependent, head], in true units."""
        self.use(scorer)
        return self.matrix_of(tokens)

    def late_features_of(self, const int32_t[:, ::1] tokens, token_t h, token_t d, const token_t[::1] heads):
        """The keys of the features of an arc that see dependents, where some words, not -1, have their heads."""
        cdef token_t w
        self.reserve(<token_t>tokens.shape[0] - 1)
        self.read(tokens, 0, tokens.shape[0])
        self.late.begin()
        for w in range(1, self.words.n + 1):
            if heads[w] >= 0:
                self.late.attach(heads[w], w)
        for w in range(self.words.n + 1):
            self.late.prepare_word(w)
        return np.array([self.keys.keys[t] for t in range(self.late.keys_of(h, d))], dtype=np.uint64)
