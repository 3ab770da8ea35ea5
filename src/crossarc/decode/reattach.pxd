# Trees improved by moving one word at a time; see reattach.pyx.
from crossarc.core.typedefs cimport int32_t, score_t, token_t

from crossarc.decode.part_scores cimport PartScores


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
