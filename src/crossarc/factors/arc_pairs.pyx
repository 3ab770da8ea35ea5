"""The best tree of a sentence by the scores of its arcs and of pairs of arcs, and learning from whole trees.

A first-order model scores all arcs and keeps a few heads of each word (coarse to fine). A second model scores these
arcs and the pairs of them: an arc with its nearest sibling towards the head, and with the farthest dependents of its
dependent (Carreras 2007). The chart finds the best projective tree; moves of single words then make it non-projective
where that scores more (McDonald and Pereira 2006).
"""
import numpy as np

from libc.stdlib cimport abs
from libc.string cimport memset

from crossarc.core.typedefs cimport int32_t, label_t, offset_t, score_t, token_t, uint8_t
from crossarc.decode.second_order cimport FIRST_CHILD, NO_BETWEEN, NO_BEYOND, Carreras, Reattacher
from crossarc.decode.decoder cimport SOLVED, is_sound_score
from crossarc.decode.projective cimport Eisner
from crossarc.factors.arcs cimport Factors, Learner, Part, TreeFactors, arc_part, distance_class, refuse_scores
from crossarc.learning.scorers cimport Scorer, Weights

include "part_keys.pyx"
include "pair_scores.pyx"
include "candidates.pyx"
include "start_trees.pyx"


cdef enum:
    # Rows of `trees`.
    FOUND = 0
    TRIED = 1
    PARTS_A_WORD = 5

PLACES = ("sibling", "between", "beyond", "past")       # of the third word of a pair


cdef class SecondOrderFactors(Factors):
    """Trees by arcs and pairs of arcs: a feature model, a coarse model and the chart at work, for one thread.

    `coarse` keeps up to `heads` heads of each word, those at most `margin` below the best (see `Candidates`). With a
    `threshold` words of the projective tree are moved as long as that gains more; without, the tree stays projective.
    Moves also start from the trees named in `starts` (see `StartTrees`) and from those given to `find_trees`; the best
    end is taken. With `label_places` labels are found with the tree, where `label_filter` (a column, rows, starts,
    labels; see `LabelFilter`) allows them.
    """

    def __init__(self, model, TreeFactors coarse not None, bint single_root, *, int32_t heads=8, score_t margin=1e300,
                 threshold=None, starts=(), label_places=None, label_filter=()):
        self.coarse = coarse
        self.words = coarse.words
        self.scores = PairScores(model, coarse.keys, label_places, label_filter)
        self.part_keys, self.parts, self.labels = self.scores.keys, self.scores.parts, self.scores.labels
        self.chart = Carreras(single_root)
        self.fallback = Eisner(single_root)
        self.reattacher = Reattacher(single_root) if threshold is not None else None
        self.threshold = threshold if threshold is not None else 0
        self.candidates = Candidates(coarse, self.parts, heads, margin)
        self.starts = StartTrees(coarse, starts, single_root)
        self.learner = Learner(labels=label_places is not None, pairs=label_places is None)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        self.coarse.reserve(n)
        self.scores.reserve(n)
        self.fallback.reserve(n)
        self.learner.reserve(PARTS_A_WORD * n)
        self.candidates.reserve(n)
        self.starts.reserve(n)
        self.trees = np.full((2, n + 1), -1, dtype=np.int32)
        self.choices = np.zeros((2, n + 1), dtype=np.int32)
        self.found = np.zeros((2, n + 1), dtype=np.int32)
        self.context = np.zeros((n + 1, 4), dtype=np.int32)
        return 0

    cdef void read(self, const int32_t[:, ::1] tokens, offset_t begin, offset_t end) noexcept nogil:
        """Go to the sentence in some rows."""
        self.sentence = begin
        Factors.read(self, tokens, begin, end)

    cdef void prepare(self) noexcept nogil:
        """Hash all that depends on one word alone."""
        self.coarse.keys.prepare()
        self.part_keys.prepare()

    # ---- candidate arcs and their scores

    cdef int choose_arcs(self) except -1 nogil:
        """Choose the candidate arcs; those of the coarse tree, of starts and of the gold tree are always among them."""
        cdef const token_t* trees[MOST_STARTS + 3]
        cdef int32_t start, count = 2
        trees[0] = &self.coarse.tree[0]
        trees[1] = &self.trees[FOUND, 0]        # a tree that must be among the candidates, if there is one yet
        for start in range(self.starts.count):
            trees[count] = &self.starts.trees[start, 0]
            count += 1
        if self.gold != NULL:
            trees[count] = self.gold
            count += 1
        return self.candidates.choose(trees, count)

    cdef int score_parts(self) except -1 nogil:
        """Score the candidate arcs and all pairs of them.

        While learning with `augment`, arcs that the gold tree lacks count one more.
        """
        cdef int32_t a, k
        cdef Py_ssize_t p
        cdef bint sound = True
        cdef token_t d
        cdef score_t* scores
        self.scores.score()
        for p in range(self.parts.size):
            sound &= is_sound_score(self.parts.scores[p])
        if not sound:
            refuse_scores()
        if self.gold == NULL or not self.learner.augment:
            return 0
        for a in range(self.parts.count):
            d = self.parts.dependents[a]
            scores = self.parts.scores + self.parts.arc_at[a]
            for k in range(self.parts.label_count[a]):
                scores[k] += self.gold[d] != self.parts.heads[a] or (
                    self.labels is not None and self.scores.label_of(a, k) != self.gold_labels[d])
        return 0

    # ---- trees

    cdef int solve(self) except -1 nogil:
        """Find the best tree of the sentence at hand and its labels."""
        cdef token_t* heads = &self.trees[FOUND, 0]
        cdef int32_t* choices = &self.choices[FOUND, 0]
        cdef token_t d
        cdef int32_t start
        for d in range(self.words.n + 1):
            heads[d] = -1
        self.starts.count = 0
        if self.gold == NULL and self.reattacher is not None:
            self.starts.find(self.sentence)
        self.choose_arcs()
        self.score_parts()
        if self.chart.solve(self.parts, heads, choices) != SOLVED:
            if self.fallback.solve(&self.coarse.arc_scores.matrix[0], self.words.n + 1, self.words.n, heads) == SOLVED:
                self.choose_arcs()
                self.score_parts()
                self.chart.solve(self.parts, heads, choices)
            else:                               # constraints or lengths leave no projective tree
                self.begin_with(&self.coarse.tree[0], FOUND)
        if self.reattacher is not None:
            self.moves += self.reattacher.improve(self.parts, self.threshold / self.scorer.unit, heads, choices)
            for start in range(self.starts.count):
                self.try_start(&self.starts.trees[start, 0])
        self.name_choices(FOUND)
        return 0

    cdef void begin_with(self, const token_t* start, int32_t tree) noexcept nogil:
        """Set a tree to the one to start from, with the label of each arc that is best for the arc alone."""
        cdef token_t d
        cdef int32_t arc, k
        self.trees[tree, 0] = self.choices[tree, 0] = -1
        for d in range(1, self.words.n + 1):
            self.trees[tree, d] = start[d]
            arc = self.parts.find(start[d], d)
            self.choices[tree, d] = 0
            for k in range(1, self.parts.label_count[arc]):
                if self.parts.arc_score(arc, k) > self.parts.arc_score(arc, self.choices[tree, d]):
                    self.choices[tree, d] = k

    cdef int try_start(self, const token_t* start) except -1 nogil:
        """Move words of a tree as long as that gains, and take it if it ends better than the one found so far."""
        cdef token_t* heads = &self.trees[TRIED, 0]
        cdef int32_t* choices = &self.choices[TRIED, 0]
        cdef token_t d
        self.begin_with(start, TRIED)
        self.reattacher.improve(self.parts, self.threshold / self.scorer.unit, heads, choices)
        if (self.reattacher.score_of(self.parts, heads, choices)
                <= self.reattacher.score_of(self.parts, &self.trees[FOUND, 0], &self.choices[FOUND, 0])):
            return 0
        for d in range(self.words.n + 1):
            self.trees[FOUND, d] = heads[d]
            self.choices[FOUND, d] = choices[d]
        return 0

    cdef void name_choices(self, int32_t tree) noexcept nogil:
        """Set the labels of a tree by which of the labels of their arcs they are."""
        cdef token_t d
        cdef int32_t arc
        if self.labels is None:
            return
        for d in range(1, self.words.n + 1):
            arc = self.parts.find(self.trees[tree, d], d)
            self.found[tree, d] = self.scores.label_of(arc, self.choices[tree, d])

    cdef int find_best(self, token_t* heads, label_t* labels) except -1 nogil:
        """Set the heads of the best tree, and its labels if they are found with it."""
        cdef token_t d
        self.coarse.find_sure_tree(&self.coarse.tree[0])
        self.solve()
        for d in range(self.words.n + 1):
            heads[d] = self.trees[FOUND, d]
            if labels != NULL:
                labels[d] = self.found[FOUND, d] if d > 0 else -1
        return 0

    # ---- learning

    cdef void find_context(self, const token_t* heads) noexcept nogil:
        """Find the words that the arc to each word is paired with; -1 where there is none."""
        cdef token_t h, m, c, last, step, n = self.words.n
        cdef int32_t place
        memset(&self.context[0, 0], -1, (<size_t>n + 1) * 4 * sizeof(token_t))
        for c in range(1, n + 1):
            m = heads[c]
            h = heads[m] if m > 0 else -1
            if h < 0:
                continue
            place = region(h, m, c) // 2
            last = self.context[m, place]
            if last < 0 or abs(c - m) > abs(last - m):
                self.context[m, place] = c
        for c in range(1, n + 1):
            h = heads[c]
            step = 1 if h > c else -1
            m = c + step
            while m != h and heads[m] != h:
                m += step
            if m != h:
                self.context[c, 0] = m

    cdef int32_t parts_of(self, const token_t* heads, const label_t* labels, Part* parts) noexcept nogil:
        """Write the arcs of a tree and their pairs."""
        cdef token_t d, h, c
        cdef int32_t arc, label, place, row, count = 0
        cdef label_t name
        self.find_context(heads)
        for d in range(1, self.words.n + 1):
            h = heads[d]
            name = labels[d] if labels != NULL else -1
            arc = self.parts.find(h, d)
            label = self.scores.choice_of(arc, name)
            parts[count] = arc_part(h, d, name, self.parts.arc_score(arc, label))
            count += 1
            c = self.context[d, 0]
            row = self.parts.rank(self.parts.find(h, c)) if c >= 0 else 0
            parts[count] = arc_part(h, d, name, self.parts.sibling_score(arc, row, label))
            parts[count].kind, parts[count].third = 1 + SIBLING, c
            count += 1
            for place in range(1, 4):
                c = self.context[d, place]
                if c < 0 and 2 * place == PAST:
                    continue
                if c < 0:
                    row = NO_BETWEEN if 2 * place == BETWEEN else NO_BEYOND
                else:
                    row = FIRST_CHILD + self.parts.place[self.parts.find(d, c)]
                parts[count] = arc_part(h, d, name, self.parts.grand_score(arc, row, label))
                parts[count].kind, parts[count].third = 1 + 2 * place, c
                count += 1
        return count

    cdef int keys_of(self, const Part* part) except -1 nogil:
        """Give the learner the keys of an arc or of a pair."""
        cdef token_t h = part.head, d = part.dependent
        cdef int32_t slot = part.kind - 1 + (h > d), count
        cdef int32_t kind = SIBLINGS if part.kind == 1 + SIBLING else GRANDCHILDREN
        if part.kind == 0:
            self.add_arc(h, d)
            if self.labels is not None:
                self.learner.add_label(self.labels.keys.keys, self.labels.keys.keys_of(h, d, NULL), part.label)
            return 0
        self.part_keys.begin(kind, h, d)
        count = self.part_keys.fill(kind, part.third, slot)
        if self.labels is None:
            return self.learner.add_pair(self.part_keys.keys(), count)
        self.learner.add_label(self.part_keys.keys(), count, self.labels.count)
        return self.learner.add_label(self.part_keys.keys(), count, part.label)

    cdef int add_arc(self, token_t h, token_t d) except -1 nogil:
        """Give the learner the keys of an arc."""
        cdef int32_t count = self.coarse.keys.keys_of(h, d), direction = h > d
        self.learner.add(self.coarse.keys.keys, count, 8 * direction + 7)
        if self.coarse.keys.distances:
            self.learner.add(self.coarse.keys.keys, count, 8 * direction + distance_class(abs(h - d)))
        return 0

    cdef offset_t learn_best(self) except -1 nogil:
        """Move the gold tree from the best ones of both models; return how many words of the best are wrong."""
        cdef token_t d
        cdef offset_t wrong = 0
        cdef bint labelled = self.labels is not None
        self.coarse.gold, self.coarse.gold_labels = self.gold, self.gold_labels
        self.coarse.learn_best()
        self.learner.next_step()
        self.solve()
        for d in range(1, self.words.n + 1):
            wrong += self.trees[FOUND, d] != self.gold[d] or (
                labelled and self.found[FOUND, d] != self.gold_labels[d])
        if wrong == 0:
            return 0
        self.learner.begin()
        self.learner.compare(self, &self.trees[FOUND, 0], &self.found[FOUND, 0] if labelled else NULL)
        self.learner.learn()
        return wrong

    # ---- what parsers call

    @property
    def words_seen(self):
        """How many words were parsed, for the object's whole life."""
        return self.candidates.words_seen

    @property
    def arcs_kept(self):
        """How many candidate arcs they had."""
        return self.candidates.arcs_kept

    def label_scores(self, Scorer label_scorer not None, const int32_t[:, ::1] tokens, const token_t[::1] heads):
        """The scores of all labels for each arc of a tree, as [dependent, label], in true units.

        They are -inf for labels that such an arc cannot have.
        """
        cdef token_t d, n = <token_t>tokens.shape[0] - 1
        cdef label_t[::1] names = np.zeros(self.labels.count, dtype=np.int32)
        cdef int32_t k, place, slot
        result = np.full((n + 1, self.labels.count), -np.inf)
        result[0] = 0
        cdef score_t[:, ::1] view = result
        self.reserve(n)
        with nogil:
            self.read(tokens, 0, n + 1)
            self.find_context(&heads[0])
            for d in range(1, n + 1):
                self.labels.score(label_scorer, heads[d], d, NULL)
                for k in range(self.scores.filter.list_labels(heads[d], d, &names[0])):
                    view[d, names[k]] = self.labels.row[names[k]]
                for place in range(4):
                    if 2 * place == PAST and self.context[d, place] < 0:
                        continue
                    slot = 2 * place + (heads[d] > d)
                    self.part_keys.begin(GRANDCHILDREN if place else SIBLINGS, heads[d], d)
                    k = self.part_keys.fill(GRANDCHILDREN if place else SIBLINGS, self.context[d, place], slot)
                    label_scorer.score(self.part_keys.keys(), k, 0, &self.scores.row[0])
                    for k in range(self.labels.count):
                        view[d, k] += self.scores.row[k]
        return result * label_scorer.unit

    cdef int use(self, Scorer coarse, Scorer scorer, Scorer pair_scorer) except -1:
        """Score with these weights from now on."""
        self.coarse.use(coarse)
        self.scorer = scorer
        return self.scores.use(scorer, pair_scorer)

    def find_trees(self, Scorer coarse not None, Scorer scorer not None, Scorer pair_scorer not None,
                   const int32_t[:, ::1] tokens, const offset_t[::1] starts, token_t[::1] heads,
                   label_t[::1] labels=None, const token_t[:, ::1] given=None):
        """Set the heads of the sentences that begin at `starts`, and their labels if they are found with the tree.

        `given` has a row of heads for each of some trees that moves start from, too.
        """
        if given is not None and given.shape[0] > MOST_STARTS - 2:
            raise ValueError(f"{given.shape[0]} trees to start from; {MOST_STARTS - 2} are the most")
        self.use(coarse, scorer, pair_scorer)
        self.coarse.gold = NULL
        self.starts.given = given
        self.find_all(tokens, starts, heads, labels)

    def count_kept(self, Scorer coarse not None, const int32_t[:, ::1] tokens, const offset_t[::1] starts,
                   const token_t[::1] gold):
        """How many arcs the coarse model keeps, and how many of them are in the gold trees."""
        cdef Py_ssize_t s
        cdef offset_t arcs = 0, right = 0
        cdef int32_t a
        self.gold = self.coarse.gold = NULL
        self.starts.count = 0
        self.coarse.use(coarse)
        self.reserve(np.diff(starts).max(initial=1) - 1)
        with nogil:
            for s in range(starts.shape[0] - 1):
                self.read(tokens, starts[s], starts[s + 1])
                self.coarse.find_tree(&self.coarse.tree[0])
                self.choose_arcs()
                arcs += self.parts.count
                for a in range(self.parts.count):
                    right += gold[starts[s] + self.parts.dependents[a]] == self.parts.heads[a]
        return arcs, right

    def find_tree(self, Scorer coarse not None, Scorer scorer not None, Scorer pair_scorer not None,
                  const int32_t[:, ::1] tokens, const uint8_t[:, ::1] forbidden):
        """The heads of the best tree of one sentence without arcs that are forbidden at [dependent, head].

        None if there is no tree, without a threshold no projective one.
        """
        cdef token_t n = <token_t>tokens.shape[0] - 1
        cdef bint solved = False
        self.use(coarse, scorer, pair_scorer)
        self.gold = self.coarse.gold = NULL
        self.reserve(n)
        self.coarse.forbidden = forbidden
        try:
            with nogil:
                self.read(tokens, 0, n + 1)
                solved = self.coarse.find_tree(&self.coarse.tree[0])
                if solved:
                    self.solve()
        finally:
            self.coarse.forbidden = None
        return np.array(self.trees[FOUND]) if solved else None

    def part_scores(self, Scorer coarse not None, Scorer scorer not None, Scorer pair_scorer not None,
                    const int32_t[:, ::1] tokens, const token_t[::1] heads, const label_t[::1] labels=None):
        """The scores of all parts of a tree, as learning compares them, in true units."""
        cdef token_t n = <token_t>tokens.shape[0] - 1
        cdef int32_t p
        self.use(coarse, scorer, pair_scorer)
        self.learner.augment = self.coarse.learner.augment = False
        self.reserve(n)
        self.gold = &heads[0]           # whose arcs are always kept
        self.trees[FOUND, :] = -1
        try:
            with nogil:
                self.read(tokens, 0, n + 1)
                self.coarse.find_tree(&self.coarse.tree[0])
                self.choose_arcs()
                self.score_parts()
                p = self.parts_of(&heads[0], &labels[0] if labels is not None else NULL, self.learner.parts)
        finally:
            self.gold = NULL
        return np.array([self.learner.parts[i].score for i in range(p)]) * self.scorer.unit

    def features_of(self, const int32_t[:, ::1] tokens, place, token_t h, token_t d, token_t third=-1):
        """The keys of the features of an arc with a third word at a place of `PLACES`, -1 if there is none."""
        cdef int32_t slot = 2 * PLACES.index(place), kind = SIBLINGS if slot == SIBLING else GRANDCHILDREN, count
        self.reserve(<token_t>tokens.shape[0] - 1)
        self.read(tokens, 0, tokens.shape[0])
        self.part_keys.begin(kind, h, d)
        count = self.part_keys.fill(kind, third, slot + (h > d))
        return np.array([self.part_keys.keys()[t] for t in range(count)], dtype=np.uint64)

    def label_features_of(self, const int32_t[:, ::1] tokens, token_t h, token_t d):
        """The keys of the features of the label of an arc, where labels are found with the tree."""
        self.reserve(<token_t>tokens.shape[0] - 1)
        self.read(tokens, 0, tokens.shape[0])
        count = self.labels.keys.keys_of(h, d, NULL)
        return np.array([self.labels.keys.keys[t] for t in range(count)], dtype=np.uint64)

    def learn(self, Weights coarse not None, Weights weights not None, Weights pair_weights not None,
              const int32_t[:, ::1] tokens, const token_t[::1] heads, const label_t[::1] labels,
              const offset_t[::1] starts, const offset_t[::1] order, score_t cost, bint augment=False):
        """Learn from sentences in an order; return the number of words and of those with a wrong head or label.

        See `ArcFactors.learn` for the arguments.
        """
        cdef Learner learner
        cdef bint joint = self.labels is not None
        self.use(coarse, weights, pair_weights)
        self.coarse.learner.weights = coarse
        self.learner.weights = weights
        self.learner.pair_weights, self.learner.label_weights = (
            (None, pair_weights) if joint else (pair_weights, None))
        for learner in (self.coarse.learner, self.learner):
            learner.cost, learner.augment = cost, augment
        result = self.learn_all(tokens, heads, labels, starts, order)
        self.coarse.gold = NULL
        return result
