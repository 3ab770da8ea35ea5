cimport cython

from crossarc.core.typedefs cimport int32_t, score_t, token_t

from crossarc.decode.decoder cimport NO_MEMORY, Outcome


# Scores of the parts of trees over sparse candidate arcs.
cdef enum GrandRow:
    NO_BETWEEN = 0      # the dependent has no child between itself and its head
    NO_BEYOND = 1       # it has none on its other side
    FIRST_CHILD = 2     # the child of the j-th outgoing arc of the dependent is in row FIRST_CHILD + j


@cython.final
cdef class PartScores:
    cdef token_t n
    cdef int32_t count              # of candidate arcs
    cdef token_t* heads             # [count]; arcs are sorted by dependent, then head
    cdef token_t* dependents        # [count]
    cdef int32_t* first             # [n + 2] by dependent: its first arc; dependent 0 has none
    cdef int32_t* outgoing          # [count] arcs sorted by head, then dependent
    cdef int32_t* first_outgoing    # [n + 2] by head: where its arcs begin in `outgoing`
    cdef int32_t* place             # [count] by arc: its place among the outgoing arcs of its head, from 0
    cdef int32_t* left_count        # [n + 1] by head: how many of its outgoing arcs go to the left
    cdef int32_t* label_count       # [count] how many labels an arc can have; 1 if unlabelled
    cdef Py_ssize_t* arc_at         # [count] where the scores of an arc begin: [label_count]
    cdef Py_ssize_t* sibling_at     # [count] [rank][label_count]: row 0 no sibling, row r the candidate of rank r
    cdef Py_ssize_t* grand_at       # [count] [FIRST_CHILD + outdegree of the dependent][label_count], see GrandRow
    cdef score_t* scores
    cdef Py_ssize_t size            # of `scores`
    cdef int32_t arc_room
    cdef token_t word_room
    cdef Py_ssize_t score_room
    cdef int begin(self, token_t n, int32_t count) except -1 nogil
    cdef int index(self) except -1 nogil
    cdef int32_t find(self, token_t head, token_t dependent) noexcept nogil

    cdef inline int32_t rank(self, int32_t arc) noexcept nogil:
        """1, 2, ... among the arcs of its head in its direction, nearest to the head first."""
        cdef token_t head = self.heads[arc]
        if self.dependents[arc] > head:
            return self.place[arc] - self.left_count[head] + 1
        return self.left_count[head] - self.place[arc]

    cdef inline int32_t outdegree(self, token_t node) noexcept nogil:
        return self.first_outgoing[node + 1] - self.first_outgoing[node]

    cdef inline score_t arc_score(self, int32_t arc, int32_t label) noexcept nogil:
        return self.scores[self.arc_at[arc] + label]

    cdef inline score_t sibling_score(self, int32_t arc, int32_t row, int32_t label) noexcept nogil:
        return self.scores[self.sibling_at[arc] + <Py_ssize_t>row * self.label_count[arc] + label]

    cdef inline score_t grand_score(self, int32_t arc, int32_t row, int32_t label) noexcept nogil:
        return self.scores[self.grand_at[arc] + <Py_ssize_t>row * self.label_count[arc] + label]


# Scores of parts as arrays over all nodes.
cdef class DenseParts:
    cdef readonly bint single
    cdef readonly bint labelled
    cdef readonly Py_ssize_t size
    cdef readonly token_t width
    cdef readonly int32_t labels
    cdef readonly object lengths
    cdef readonly object heads_shape
    cdef readonly object arrays
    cdef readonly object best           # the arcs without labels, in the shape of a batch or of one
    cdef const score_t[:, :, :, ::1] arcs
    cdef const score_t[:, :, :, :, ::1] siblings
    cdef const score_t[:, :, :, :, ::1] grandchildren
    cdef const token_t[::1] words_view
    cdef const unsigned char[:, :, ::1] allowed
    cdef token_t length(self, Py_ssize_t s) noexcept nogil
    cdef bint fill(self, Py_ssize_t s, PartScores parts) except -1 nogil


# The best projective tree of second order.
cdef struct SpanTable:
    # What the search keeps of each arc h -> m.
    score_t* memory
    size_t room             # of `memory`, in scores
    Py_ssize_t* offsets
    size_t arc_room
    score_t* open           # [open_at + label] the span between h and m, closed by the arc
    Py_ssize_t* open_at
    score_t* closed         # [closed_at + e] the same with all below m up to the end e, under the best label
    Py_ssize_t* closed_at
    score_t* best_open      # [arc] open under the best label
    score_t* childless      # [arc] open plus the score of no child beyond m, under the best label
    score_t* weights        # [weights_at + place] open plus the score of a child beyond m, under the best label
    Py_ssize_t* weights_at
    score_t* column         # [place in `outgoing`] arcs to the left: `closed` at the current end
    score_t* right          # [n + 2] half of a span: what its left node heads
    score_t* left           # [n + 2] what its right node heads
    int32_t* low            # [n + 1] by head: the place of its first arc to the left that begins at the end or after
    int32_t* stack
    size_t word_room


cdef class Carreras:
    cdef readonly bint single_root
    cdef readonly score_t score     # of the tree found
    cdef SpanTable table
    cdef Outcome solve(self, PartScores parts, token_t* heads, int32_t* choices) except? NO_MEMORY nogil
    cdef int reserve(self, PartScores parts) except -1 nogil


# Trees improved by moving one word at a time.
cdef struct GrandRows:
    # Which children of its dependent an arc is scored with.
    int32_t between
    int32_t beyond
    int32_t past            # -1 if there is none


cdef struct Move:
    score_t gain
    int32_t arc             # the new arc, -1 if no move gains
    int32_t label
    int32_t root_arc        # if the arc is from node 0: the new arc of the word that was the root; else -1
    int32_t root_label


cdef class Reattacher:
    cdef readonly bint single_root
    # By candidate arc h -> m, in the current tree:
    cdef int32_t* inner         # the arc to the nearest child of h between h and m, -1 if there is none
    cdef int32_t* outer         # the arc to the nearest child of h after m in the same direction
    cdef GrandRows* rows        # what m's children are for this arc
    cdef score_t* best          # the score of m's parts under the best label
    cdef int32_t* best_label
    cdef int32_t arc_room
    # By node:
    cdef int32_t* arc_of        # the arc in the tree
    cdef int32_t* entry         # a node is in the subtree of i if its entry is in entry[i]..exit[i]
    cdef int32_t* exit
    cdef int32_t* first_child   # scratch
    cdef int32_t* next_child
    cdef token_t word_room

    cdef int improve(self, PartScores parts, score_t threshold, token_t* heads, int32_t* choices) except -1 nogil
    cdef score_t score_of(self, PartScores parts, const token_t* heads, const int32_t* choices) noexcept nogil

    cdef int reserve(self, PartScores parts) except -1 nogil
    cdef void refresh(self, PartScores parts, const token_t* heads, token_t node) noexcept nogil
    cdef void number(self, const token_t* heads, token_t n) noexcept nogil
    cdef score_t best_label_of(self, PartScores parts, int32_t arc, int32_t sibling, const GrandRows* rows,
                               int32_t* label) noexcept nogil
    cdef score_t leave_siblings(self, PartScores parts, int32_t arc, const int32_t* choices) noexcept nogil
    cdef score_t leave_head(self, PartScores parts, int32_t arc, const int32_t* choices) noexcept nogil
    cdef score_t join(self, PartScores parts, int32_t arc, bint with_head, const int32_t* choices) noexcept nogil
    cdef void try_root(self, PartScores parts, int32_t arc, int32_t root_arc, score_t leaving, const int32_t* choices,
                       Move* move) noexcept nogil
    cdef Move find_move(self, PartScores parts, const token_t* heads, const int32_t* choices) noexcept nogil
    cdef void make(self, PartScores parts, int32_t arc, int32_t label, token_t* heads, int32_t* choices) noexcept nogil
