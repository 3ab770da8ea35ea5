# Parts of trees and learning from them: see parts.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, score_t, token_t, weight_t
from crossarc.factors.keys cimport Words
from crossarc.learning.learners cimport Differences
from crossarc.learning.scorers cimport Scorer, Weights


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
    cdef int32_t count                  # of wrong trees
    cdef Part* parts
    cdef Py_ssize_t room
    cdef Differences differences        # the features of the gold tree less those of each wrong one
    cdef Differences label_differences
    cdef Differences pair_differences
    cdef int32_t tree                   # the wrong tree at hand
    cdef weight_t sign                  # of the part at hand: 1 in the gold tree, -1 in a wrong one
    cdef score_t[:, ::1] products       # of the differences
    cdef score_t[::1] shortfalls        # what each margin lacks
    cdef score_t[::1] steps

    cdef int reserve(self, Py_ssize_t parts) except -1 nogil
    cdef void next_step(self) noexcept nogil
    cdef void begin(self, int32_t trees) noexcept nogil
    cdef int compare(self, Factors factors, const token_t* tree, const label_t* labels) except -1 nogil
    cdef int compare_parts(self, Factors factors, int32_t gold_count, int32_t found_count,
                           score_t given_loss) except -1 nogil
    cdef int add(self, const hash_t* keys, int32_t count, int32_t action) except -1 nogil
    cdef int add_pair(self, const hash_t* keys, int32_t count) except -1 nogil
    cdef int add_label(self, const hash_t* keys, int32_t count, label_t label) except -1 nogil
    cdef int learn(self) except -1 nogil
