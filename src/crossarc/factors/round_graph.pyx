"""The graph of a round: which words get their heads, which can be heads, and what counts as one node.

Only the words of a round are nodes of its graph. All that need no longer be told apart is one node, each word choosing
the best head there: words of later rounds, which have no head yet, are the root of this graph, and what hangs below a
word of this round counts as that word, so that no cycle can go through arcs that are fixed.

One root: with `absorb` node 0 can only take a word of the last round that a sentence has, as words of that round can
hang from nothing else. Without, it takes one word at most until the last round and one in all. "At most one" is exactly
one in a graph with one more node, from which all words of later rounds hang, and which can itself hang from node 0 or
any word of the round at no cost.
"""

import numpy as np

from libc.math cimport INFINITY

from crossarc.core.typedefs cimport int32_t, score_t, token_t
from crossarc.decode.chu_liu_edmonds cimport ChuLiuEdmonds
from crossarc.decode.decoder cimport SOLVED, Decoder, Outcome
from crossarc.factors.words cimport Words


cdef class RoundGraph:
    """The rounds of a sentence, one after the other; `round_of_tag` has the round of each value in `tag_column`."""

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

    cdef bint solve(self, const score_t* matrix, token_t* heads) noexcept nogil:
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
            scores = matrix + d * stride
            best = -INFINITY
            for h in range(self.words.n + 1):
                if self.nodes[h] == self.chosen[w] and scores[h] > best:
                    best = scores[h]
                    heads[d] = h
        return True
