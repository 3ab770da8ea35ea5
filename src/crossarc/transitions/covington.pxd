from crossarc.core.typedefs cimport token_t
from crossarc.transitions.system cimport TransitionSystem


cdef class Covington(TransitionSystem):
    cdef token_t none_left      # what `left` is when the first list is empty
