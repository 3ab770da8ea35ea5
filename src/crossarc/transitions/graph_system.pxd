from crossarc.core.typedefs cimport token_t
from crossarc.transitions.gold cimport Gold
from crossarc.transitions.state cimport State
from crossarc.transitions.system cimport TransitionSystem

cdef class GraphSystem(TransitionSystem):
    cdef bint may_add(self, State* state, token_t head, token_t dependent) noexcept nogil
    cdef bint keeps_root(self, const State* state, token_t head, token_t dependent) noexcept nogil
    cdef token_t count_open(self, const State* state, const Gold* gold, token_t node, token_t low,
                            token_t high) noexcept nogil
    cdef token_t lost_to_root(self, const State* state, const Gold* gold, token_t head, token_t word) noexcept nogil
