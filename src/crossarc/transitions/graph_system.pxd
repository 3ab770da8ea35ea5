from crossarc.core.typedefs cimport token_t
from crossarc.transitions.state cimport State
from crossarc.transitions.system cimport TransitionSystem

cdef class GraphSystem(TransitionSystem):
    cdef bint may_add(self, State* state, token_t head, token_t dependent) noexcept nogil
