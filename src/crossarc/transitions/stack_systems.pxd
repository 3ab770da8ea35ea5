from crossarc.core.typedefs cimport uint32_t

from crossarc.transitions.state cimport State
from crossarc.transitions.system cimport TransitionSystem


cdef enum:
    SHIFT, LEFT_ARC, RIGHT_ARC


cdef class ArcStandard(TransitionSystem):
    pass


cdef inline uint32_t shift_or_right_arc(const State* state, bint single_root) noexcept nogil:
    """Whether SHIFT and RIGHT-ARC are legal, as bits; with one root, RIGHT-ARC from node 0 only as the last move."""
    if state.front >= state.end:
        return (state.depth > 1) << RIGHT_ARC
    return 1 << SHIFT | (state.depth > 1 + single_root) << RIGHT_ARC
