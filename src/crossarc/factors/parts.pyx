"""Parts of trees, and learning from them.

Factors cut a tree into parts, each scored on its own: arcs, arcs with labels, or labels that see the tree
around them. They say which parts a tree has (`parts_of`) and which features a part has (`keys_of`). Learning needs no
more than that: parts that only the gold tree has gain, parts that only a wrong tree has lose.
"""
import numpy as np

from libc.stdlib cimport free, malloc

from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, score_t, token_t
from crossarc.learning.learners cimport Differences


cdef class Factors:
    """The factors that a parser scores and learns, at work for one thread."""

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        raise NotImplementedError

    cdef void prepare(self) noexcept nogil:
        """Hash what is needed of the sentence at hand."""

    cdef int32_t parts_of(self, const token_t* heads, const label_t* labels, Part* parts) noexcept nogil:
        """Write the parts of a tree with their scores, word by word; return how many."""
        return 0

    cdef int keys_of(self, const Part* part) except -1 nogil:
        """Give the learner the keys of a part."""
        return 0

    cdef int find_best(self, token_t* heads, label_t* labels) except -1 nogil:
        """Set the best heads or labels of the sentence at hand."""
        return 0

    cdef offset_t learn_best(self) except -1 nogil:
        """Learn from the gold tree of the sentence at hand; return how many words were wrong before."""
        return 0

    cdef void read(self, const int32_t[:, ::1] tokens, offset_t begin, offset_t end) noexcept nogil:
        """Go to the sentence in some rows."""
        self.words.read(&tokens[begin, 0], <token_t>(end - begin) - 1)
        self.prepare()

    cdef int find_all(self, const int32_t[:, ::1] tokens, const offset_t[::1] starts, token_t[::1] heads,
                      label_t[::1] labels) except -1:
        """Set the best heads or labels of the sentences that begin at `starts`."""
        cdef Py_ssize_t s
        cdef offset_t begin
        cdef bint labelled = labels is not None
        self.gold = NULL
        self.reserve(np.diff(starts).max(initial=1) - 1)
        with nogil:
            for s in range(starts.shape[0] - 1):
                begin = starts[s]
                self.read(tokens, begin, starts[s + 1])
                self.find_best(&heads[begin], &labels[begin] if labelled else NULL)
        return 0

    cdef object learn_all(self, const int32_t[:, ::1] tokens, const token_t[::1] heads, const label_t[::1] labels,
                          const offset_t[::1] starts, const offset_t[::1] order):
        """Learn from sentences in an order; return the number of words and how many were wrong."""
        cdef offset_t words = 0, wrong = 0, begin
        cdef Py_ssize_t s
        cdef bint labelled = labels is not None
        self.reserve(np.diff(starts)[order].max(initial=1) - 1)
        with nogil:
            for s in range(order.shape[0]):
                begin = starts[order[s]]
                self.read(tokens, begin, starts[order[s] + 1])
                self.gold = &heads[begin]
                self.gold_labels = &labels[begin] if labelled else NULL
                words += self.words.n
                wrong += self.learn_best()
        self.gold = NULL
        return words, wrong


cdef inline bint same(const Part* a, const Part* b) noexcept nogil:
    """Whether two parts are the same, in whatever tree."""
    return (a.dependent == b.dependent and a.head == b.head and a.label == b.label
            and a.kind == b.kind and a.third == b.third)


cdef class Learner:
    """Moves weights from the parts of wrong trees to those of the gold tree, by MIRA or the perceptron.

    The gold tree is moved from a wrong one by the least step that makes it better by as much as that has wrong parts,
    and at most by `cost` (MIRA); a cost of 0 means steps of 1 (the perceptron).
    """

    def __init__(self, bint labels=False, bint count_heads=False, bint pairs=False):
        self.count_heads = count_heads
        self.differences = Differences()
        self.label_differences = Differences() if labels else None
        self.pair_differences = Differences() if pairs else None

    def __dealloc__(self):
        free(self.parts)

    cdef int reserve(self, Py_ssize_t parts) except -1 nogil:
        """Make room for trees of so many parts."""
        if 2 * parts <= self.room:
            return 0
        free(self.parts)
        self.room = 2 * parts
        self.parts = <Part*>malloc(self.room * sizeof(Part))
        if self.parts == NULL:
            self.room = 0
            raise MemoryError
        return 0

    cdef void next_step(self) noexcept nogil:
        """Count one more step, by which weights are averaged."""
        self.weights.now += 1
        if self.label_weights is not None:
            self.label_weights.now += 1
        if self.pair_weights is not None:
            self.pair_weights.now += 1

    cdef void begin(self) noexcept nogil:
        """Begin with no difference."""
        self.differences.begin()
        if self.label_weights is not None:
            self.label_differences.begin()
        if self.pair_weights is not None:
            self.pair_differences.begin()

    cdef int compare(self, Factors factors, const token_t* tree, const label_t* labels) except -1 nogil:
        """Add the difference between the gold tree of the sentence at hand and a wrong one."""
        cdef int32_t gold = factors.parts_of(factors.gold, factors.gold_labels, self.parts)
        cdef int32_t found = factors.parts_of(tree, labels, self.parts + gold)
        cdef score_t loss = -1
        cdef token_t d
        if self.count_heads:
            loss = 0
            for d in range(1, factors.words.n + 1):
                loss += tree[d] != factors.gold[d]
        return self.compare_parts(factors, gold, found, loss)

    cdef int compare_parts(self, Factors factors, int32_t gold_count, int32_t found_count,
                           score_t given_loss) except -1 nogil:
        """Add the difference between the first parts, which are gold, and those behind them, of what was found.

        The loss is the one that is given, or if that is below 0 by the parts that only one of the two has.
        """
        cdef Part* gold = self.parts
        cdef Part* middle = gold + gold_count
        cdef Part* wrong = middle
        cdef Part* end = middle + found_count
        cdef score_t margin = 0, loss = 0
        while gold < middle:            # parts of both cancel
            wrong = middle
            while wrong < end and not same(gold, wrong):
                wrong += 1
            gold.shared = wrong < end
            if gold.shared:
                wrong.shared = True
            gold += 1
        gold, wrong = self.parts, middle
        while gold < middle or wrong < end:
            if wrong == end or (gold < middle and gold.word <= wrong.word):
                if not gold.shared:
                    margin += gold.score
                    if gold.kind == 0:
                        loss += self.missing
                    self.sign = 1
                    factors.keys_of(gold)
                gold += 1
            else:
                if not wrong.shared:
                    margin -= wrong.score
                    if wrong.kind == 0:
                        margin += self.augment
                        loss += 1
                    self.sign = -1
                    factors.keys_of(wrong)
                wrong += 1
        if given_loss >= 0:
            loss = given_loss
        self.loss, self.margin = loss, margin
        return 0

    cdef int add(self, const hash_t* keys, int32_t count, int32_t action) except -1 nogil:
        """Add keys of the part at hand, for an action of the weights."""
        return self.differences.add(keys, count, action, self.sign)

    cdef int add_label(self, const hash_t* keys, int32_t count, label_t label) except -1 nogil:
        """Add keys of the part at hand, for an action of the weights of labels."""
        return self.label_differences.add(keys, count, label, self.sign)

    cdef int add_pair(self, const hash_t* keys, int32_t count) except -1 nogil:
        """Add keys of the pair of arcs at hand."""
        return self.pair_differences.add(keys, count, 0, self.sign)

    cdef int learn(self) except -1 nogil:
        """Move the weights by the differences; return whether they moved."""
        cdef score_t norm, step = 1
        if not self.loss > 0:
            return False
        norm = self.differences.settle(self.weights)
        if self.label_weights is not None:
            norm += self.label_differences.settle(self.label_weights)
        if self.pair_weights is not None:
            norm += self.pair_differences.settle(self.pair_weights)
        if self.cost > 0:
            step = min(self.cost, max(0, (self.loss - self.margin) / norm)) if norm > 0 else 0
        self.differences.apply(self.weights, step)
        if self.label_weights is not None:
            self.label_differences.apply(self.label_weights, step)
        if self.pair_weights is not None:
            self.pair_differences.apply(self.pair_weights, step)
        return True
