from crossarc.core.typedefs cimport token_t

from crossarc.transitions.state cimport State
from crossarc.transitions.system cimport TransitionSystem


cdef class Planar(TransitionSystem):
    cdef token_t planes         # in which arcs are planned: one for each stack


cdef inline token_t active_plane(const State* state) noexcept nogil:
    """The plane of the active stack: 0 for the stack that comes first in memory."""
    return state.stack > state.stack2


cdef class TwoPlanar(Planar):
    cdef token_t switch         # the number of SWITCH


cdef class Covington(TransitionSystem):
    cdef token_t none_left      # what `left` is when the first list is empty
