# Scores of the parts of trees over sparse candidate arcs; see part_scores.pyx.
cimport cython

from crossarc.core.typedefs cimport int32_t, score_t, token_t

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
