from crossarc.core.typedefs cimport token_t
from crossarc.transitions.planar cimport Planar


cdef class TwoPlanar(Planar):
    cdef token_t switch         # the number of SWITCH
