from libc.stdlib cimport abs

from crossarc.core.typedefs cimport hash_t, int32_t, int64_t, label_t, offset_t, score_t, token_t, uint8_t, weight_t

from crossarc.decode.decoder cimport Decoder
from crossarc.decode.undirected cimport Edge, Undirected
from crossarc.learning.learners cimport Differences
from crossarc.learning.scorers cimport MOST_KEYS, Scorer, Weights


# The keys of the features of parts.
cdef enum:
    # The ends of an arc, as in the tables of a feature model.
    HEAD = 0
    DEP = 1
    LABEL = -2              # in the place of an attribute's column: the label of a dependent
    MOST_BETWEEN = 64       # kinds of words between two that are looked at
    MOST_PASSING = 4        # templates that look at them, as in crossarc.features.edges


cdef struct Between:
    # The words between two: for each template that looks at them, the kinds that there are.
    int32_t counts[MOST_PASSING]
    hash_t kinds[MOST_PASSING][MOST_BETWEEN]


cdef inline int32_t distance_class(token_t distance) noexcept nogil:
    """The class of a distance: each up to five on its own, up to ten, and more."""
    return distance - 1 if distance <= 5 else 5 if distance <= 10 else 6


cdef inline hash_t finished(hash_t state) noexcept nogil:
    """A hash whose every bit depends on all that went into it, so that sums of two are good hashes too."""
    state = (state ^ (state >> 32)) * <hash_t>0xD6E8FEB86659FD93
    return state ^ (state >> 32)


cdef inline void clear(Between* between) noexcept nogil:
    """Begin with two words side by side."""
    cdef int32_t t
    for t in range(MOST_PASSING):
        between.counts[t] = 0


cdef class Words:
    cdef token_t n
    cdef int32_t columns
    cdef const int32_t* tokens

    cdef inline int32_t value(self, token_t word, int32_t column) noexcept nogil:
        """The number that an attribute has for a word of the sentence."""
        return self.tokens[<Py_ssize_t>word * self.columns + column]

    cdef inline hash_t attribute(self, token_t word, int32_t column) noexcept nogil:
        """The same as something to hash; 0 for places outside the sentence."""
        if word < 0 or word > self.n:
            return 0
        return <hash_t>(self.value(word, column) + 2)

    cdef inline void read(self, const int32_t* tokens, token_t n) noexcept nogil:
        """Go to a sentence of n words."""
        self.tokens = tokens
        self.n = n


cdef class ArcKeys:
    cdef Words words
    cdef bint undirected
    cdef bint distances                 # whether each class of them has weights of its own
    cdef int32_t single_count, pair_count, first_distance, plain_pairs
    cdef const int32_t[:, ::1] atoms
    cdef const int32_t[::1] sides
    cdef const int32_t[:, ::1] singles
    cdef const int32_t[:, ::1] pairs
    # Of the sentence at hand.
    cdef hash_t[:, ::1] single_keys     # by word: the key of each template of one end
    cdef hash_t[:, ::1] left_keys       # by word: its part of the key of each template of both ends, on the left
    cdef hash_t[:, ::1] right_keys      # and on the right
    cdef hash_t keys[MOST_KEYS]

    cdef int reserve(self, token_t n) except -1
    cdef hash_t side_hash(self, token_t word, int32_t side) noexcept nogil
    cdef void prepare(self) noexcept nogil
    cdef int32_t end_keys(self, int32_t end, token_t word) noexcept nogil
    cdef int32_t plain_keys(self, token_t i, token_t j, hash_t* keys) noexcept nogil
    cdef void pass_word(self, Between* between, token_t word) noexcept nogil
    cdef int32_t between_keys(self, token_t i, token_t j, const Between* between, int32_t t,
                              int32_t filled) noexcept nogil
    cdef int32_t pair_keys(self, token_t i, token_t j, const Between* between) noexcept nogil
    cdef int32_t keys_of(self, token_t h, token_t d) noexcept nogil


cdef class LabelKeys:
    cdef Words words
    cdef bint distances                 # whether they are told apart by class alone
    cdef int32_t templates
    cdef const int32_t[::1] numbers     # of the templates in the feature model
    cdef int32_t widest                 # terms of a template
    cdef const int32_t[:, :, ::1] cells
    cdef token_t[:, ::1] kin            # by word: siblings on the left and right, outermost dependents on either side
    cdef token_t[::1] previous
    cdef hash_t keys[MOST_KEYS]

    cdef int reserve(self, token_t n) except -1
    cdef void find_kin(self, const token_t* heads) noexcept nogil
    cdef int32_t keys_of(self, token_t h, token_t d, const token_t* heads) noexcept nogil


cdef class DependentKeys:
    cdef Words words
    cdef ArcKeys arcs
    cdef const int32_t[:, ::1] singles
    cdef const int32_t[:, ::1] pairs
    cdef int32_t single_count, pair_count
    # Of the sentence at hand, by word.
    cdef token_t[:, ::1] children       # the leftmost and the rightmost dependent so far, and how many there are
    cdef token_t[::1] heads             # so far; -1 for words that have none
    cdef label_t[::1] labels            # of words that have heads, if templates see them
    cdef token_t[::1] following         # the next dependent of the same head, 0 if there is none
    cdef token_t[::1] pending           # while pairs are passed: the first dependent behind the left word
    cdef hash_t[:, ::1] single_keys     # as in ArcKeys; 0 where a dependent that is looked at is not there
    cdef hash_t[:, ::1] left_keys
    cdef hash_t[:, ::1] right_keys

    cdef inline hash_t attribute(self, token_t word, int32_t column) noexcept nogil:
        """An attribute of a word or its label, as something to hash."""
        return <hash_t>(self.labels[word] + 2) if column == LABEL else self.words.attribute(word, column)

    cdef int reserve(self, token_t n) except -1
    cdef void begin(self) noexcept nogil
    cdef void attach(self, token_t h, token_t d) noexcept nogil
    cdef hash_t side_hash(self, token_t word, int32_t side) noexcept nogil
    cdef void prepare_word(self, token_t word) noexcept nogil
    cdef int32_t end_keys(self, int32_t end, token_t word, int32_t filled) noexcept nogil
    cdef int32_t add_pair(self, token_t i, token_t j, token_t right_sibling, token_t left_sibling, int32_t directions,
                          int32_t filled) noexcept nogil
    cdef token_t sibling_of(self, token_t h, token_t d) noexcept nogil
    cdef void link_siblings(self) noexcept nogil
    cdef int32_t pair_keys(self, token_t i, token_t j, token_t sibling, int32_t filled) noexcept nogil
    cdef int32_t keys_of(self, token_t h, token_t d) noexcept nogil


# The scores of arcs, and which arcs are scored.
cdef enum:
    SLOTS = 16              # weights of an arc feature
    ALL = 7                 # the slot for all distances, in either direction; those before it are for classes


# How the scores of an arc and its reverse become that of an edge, for undirected decoders; as in COMBINATIONS.
cdef enum Combination:
    NONE
    MEAN
    PRODUCT
    GREATEST
    LEAST


cdef class LengthLimits:
    cdef Words words
    cdef const int32_t[:, ::1] lengths
    cdef token_t[::1] reach             # by tag: the greatest length of any arc of such a word
    cdef int32_t tag                    # the column; -1 if arcs of any length can be
    cdef bint pruning                   # whether the sentence at hand has only the arcs that lengths leave

    cdef inline bint allow(self, token_t h, token_t d) noexcept nogil:
        """Whether an arc is not longer than those of training between such tags."""
        return (not self.pruning or h == 0
                or abs(h - d) <= self.lengths[self.words.value(h, self.tag), self.words.value(d, self.tag)])

    cdef inline token_t first_neighbour(self, token_t j) noexcept nogil:
        """The leftmost word that an edge to a word can come from."""
        return max(1, j - self.reach[self.words.value(j, self.tag)])

    cdef void begin(self) noexcept nogil
    cdef bint allow_tree(self, const token_t* heads) noexcept nogil
    cdef token_t count_edges(self) noexcept nogil
    cdef int64_t count_pruned(self) noexcept nogil


cdef class ArcScores:
    cdef Words words
    cdef ArcKeys keys
    cdef LengthLimits limits
    cdef Combination combine
    cdef score_t unit                   # what a score of 1 stands for: products must be of true scores
    cdef weight_t[:, :, ::1] alone      # by end and word: the sum of the weights of templates of one end
    cdef score_t[::1] matrix            # of the sentence at hand, n + 1 by n + 1, by dependent and head
    cdef weight_t row[SLOTS + 8]        # what the keys of both ends say, with the room that scorers ask for

    cdef inline score_t slot_score(self, const weight_t* row, int32_t direction, int32_t kind) noexcept nogil:
        """The score of an arc by a row."""
        cdef score_t score = row[8 * direction + ALL]
        return score + row[8 * direction + kind] if self.keys.distances else score

    cdef inline score_t arc_score(self, token_t h, token_t d) noexcept nogil:
        """The score of an arc by the row, that of both its ends together, and by each end alone."""
        cdef int32_t direction = h > d, kind = distance_class(abs(h - d))
        return (
            self.slot_score(self.row, direction, kind) + self.slot_score(&self.alone[HEAD, h, 0], direction, kind)
            + self.slot_score(&self.alone[DEP, d, 0], direction, kind)
        )

    cdef inline score_t edge_score(self, token_t i, token_t j) noexcept nogil:
        """The same of an edge without a direction, i < j."""
        cdef int32_t kind = distance_class(j - i)
        return (
            self.slot_score(self.row, 0, kind) + self.slot_score(&self.alone[0, i, 0], 0, kind)
            + self.slot_score(&self.alone[0, j, 0], 1, kind)
        )

    cdef inline void score_row(self, Scorer weights, int32_t count) noexcept nogil:
        """Let the keys that are filled in make the row."""
        weights.score(self.keys.keys, count, 0, self.row)

    cdef int reserve(self, token_t n) except -1
    cdef int reserve_matrix(self, token_t n) except -1
    cdef void sum_alone(self, Scorer weights, int32_t end, token_t word, int32_t count) noexcept nogil
    cdef void sum_all_alone(self, Scorer weights) noexcept nogil
    cdef void fill_matrix(self, Scorer weights) noexcept nogil
    cdef void score_pair(self, Scorer weights, token_t i, token_t j, score_t* there, score_t* back) noexcept nogil
    cdef token_t fill_edges(self, Scorer weights, Edge* edges, score_t* roots, bint with_roots) noexcept nogil
    cdef score_t join(self, score_t there, score_t back) noexcept nogil


# Trees by the scores of arcs.
cdef class TreeSearch:
    cdef ArcScores scores
    cdef Decoder decoder
    cdef Undirected edge_decoder        # where only the edges that limits allow are scored; else None
    cdef score_t[::1] joined
    cdef score_t[::1] root_scores

    cdef int reserve_matrix(self, token_t n) except -1
    cdef int reserve_edges(self, token_t n, token_t m) except -1
    cdef int check(self) except -1 nogil
    cdef bint solve(self, token_t* heads) except -1 nogil
    cdef token_t solve_edges(self, Scorer weights, token_t* heads) except -2 nogil


cdef int refuse_scores() except -1 nogil


cdef class Enhancer:
    cdef ArcScores scores
    cdef score_t[:, ::1] reversals      # by word: the scores of three arcs

    cdef int reserve(self, token_t n) except -1
    cdef void score_head(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil
    cdef void score_turn(self, Scorer weights, const token_t* heads, token_t d) noexcept nogil
    cdef int enhance(self, Scorer weights, token_t* heads, int32_t rounds) except -1 nogil


# Parts of trees and learning from them.
cdef struct Part:
    # Two parts are the same if kinds, heads, dependents, labels and third words are.
    token_t head                # the left end of an edge without a direction
    token_t dependent           # the right end
    label_t label               # -1 if the part has none
    token_t word                # which the part belongs to: margins are summed word by word
    bint shared                 # whether the other tree has it too
    score_t score
    int32_t kind                # 0 for arcs and labels, which count as right or wrong; others are pairs of arcs
    token_t third               # the third word of a pair of arcs, -1 if there is none


cdef inline Part arc_part(token_t h, token_t d, label_t label, score_t score) noexcept nogil:
    """An arc to a word, with or without its label."""
    return Part(h, d, label, d, False, score, 0, -1)


cdef class Factors:
    cdef Words words
    cdef Learner learner
    cdef Scorer scorer                  # at work
    cdef const token_t* gold            # the heads of the gold tree; NULL while parsing
    cdef const label_t* gold_labels

    # What each kind of factors has of its own.
    cdef int reserve(self, token_t n) except -1
    cdef void prepare(self) noexcept nogil
    cdef int32_t parts_of(self, const token_t* heads, const label_t* labels, Part* parts) noexcept nogil
    cdef int keys_of(self, const Part* part) except -1 nogil
    cdef int find_best(self, token_t* heads, label_t* labels) except -1 nogil
    cdef offset_t learn_best(self) except -1 nogil

    cdef void read(self, const int32_t[:, ::1] tokens, offset_t begin, offset_t end) noexcept nogil
    cdef int find_all(self, const int32_t[:, ::1] tokens, const offset_t[::1] starts, token_t[::1] heads,
                      label_t[::1] labels) except -1
    cdef object learn_all(self, const int32_t[:, ::1] tokens, const token_t[::1] heads, const label_t[::1] labels,
                          const offset_t[::1] starts, const offset_t[::1] order)


cdef class Learner:
    cdef Weights weights
    cdef Weights label_weights          # of labels that are found with the arcs; else None
    cdef Weights pair_weights           # of pairs of arcs; else None
    cdef score_t cost                   # the longest step of MIRA; 0 for steps of 1, the perceptron
    cdef bint augment                   # whether the scores of wrong parts have one more than they should
    cdef score_t missing                # the loss of a gold part that was not found; 0 where a wrong part replaces it
    cdef bint count_heads               # whether a right edge in the wrong direction counts as wrong
    cdef Part* parts
    cdef Py_ssize_t room
    cdef Differences differences        # the features of the gold tree less those of the wrong one
    cdef Differences label_differences
    cdef Differences pair_differences
    cdef weight_t sign                  # of the part at hand: 1 in the gold tree, -1 in a wrong one
    cdef score_t loss                   # how much is wrong
    cdef score_t margin                 # by which the gold tree is better

    cdef int reserve(self, Py_ssize_t parts) except -1 nogil
    cdef void next_step(self) noexcept nogil
    cdef void begin(self) noexcept nogil
    cdef int compare(self, Factors factors, const token_t* tree, const label_t* labels) except -1 nogil
    cdef int compare_parts(self, Factors factors, int32_t gold_count, int32_t found_count,
                           score_t given_loss) except -1 nogil
    cdef int add(self, const hash_t* keys, int32_t count, int32_t action) except -1 nogil
    cdef int add_pair(self, const hash_t* keys, int32_t count) except -1 nogil
    cdef int add_label(self, const hash_t* keys, int32_t count, label_t label) except -1 nogil
    cdef int learn(self) except -1 nogil


# The scores of labels.
# Where a label can be; as in crossarc.parsers.label_places.
cdef enum:
    ON_ROOTS = 1
    ELSEWHERE = 2


cdef class LabelScores:
    cdef LabelKeys keys
    cdef const uint8_t[::1] places
    cdef label_t count
    cdef weight_t[::1] room
    cdef weight_t* row                  # the scores of all labels for the arc at hand

    cdef inline bint can_be(self, label_t label, token_t h) noexcept nogil:
        """Whether arcs from a head can have a label."""
        return self.places[label] & (ON_ROOTS if h == 0 else ELSEWHERE)

    cdef void score(self, Scorer weights, token_t h, token_t d, const token_t* heads) noexcept nogil
    cdef label_t best(self, token_t h) noexcept nogil
    cdef object table(self, Scorer weights, const int32_t[:, ::1] tokens, const token_t[::1] heads)


# Trees by the scores of their arcs: see arcs.pyx. Rounds build on it.
cdef class TreeFactors(Factors):
    cdef ArcKeys keys
    cdef LengthLimits limits
    cdef ArcScores arc_scores
    cdef TreeSearch search
    cdef const uint8_t[:, ::1] forbidden    # arcs of the sentence at hand that cannot be, by [dependent, head]; or None
    cdef bint sparse                    # whether only the edges that limits allow are scored, without a matrix
    cdef readonly int64_t arcs          # so many between words there were, for the object's whole life
    cdef readonly int64_t pruned        # and so many of them lengths left out
    cdef readonly int64_t unpruned      # sentences that had no tree without them
    cdef token_t[::1] tree              # while learning: the best one

    cdef inline score_t* cell(self, token_t h, token_t d) noexcept nogil:
        """The score of an arc."""
        return &self.arc_scores.matrix[d * <Py_ssize_t>(self.words.n + 1) + h]

    cdef inline bint has_arc(self, const token_t* heads, token_t h, token_t d) noexcept nogil:
        """Whether a tree has an arc, or without directions the edge."""
        return heads[d] == h or (self.keys.undirected and h > 0 and heads[h] == d)

    cdef int use(self, Scorer scorer) except -1
    cdef void add_labels(self) noexcept nogil
    cdef bint solve_arcs(self, token_t* heads) except -1 nogil
    cdef int try_tree(self, token_t* heads) except -1 nogil
    cdef void count_arcs(self, int64_t pruned) noexcept nogil
    cdef bint find_tree(self, token_t* heads) except -1 nogil
    cdef int find_sure_tree(self, token_t* heads) except -1 nogil
    cdef const label_t* labels_of(self, const token_t* heads) noexcept nogil
    cdef int add_slots(self, const hash_t* keys, int32_t count, int32_t direction, int32_t kind) except -1 nogil
    cdef int add_arc(self, token_t h, token_t d) except -1 nogil
    cdef offset_t count_wrong(self, const token_t* heads) noexcept nogil
    cdef object matrix_of(self, const int32_t[:, ::1] tokens)


# With the best label of each arc; graphs build on it.
cdef class LabelledFactors(TreeFactors):
    cdef LabelScores labels
    cdef Scorer label_scorer
    cdef score_t scale                  # of the scores of labels, in the unit of arcs
    cdef label_t[::1] arc_labels        # the best of each arc, as in the matrix

    cdef int use_both(self, Scorer scorer, Scorer label_scorer) except -1
