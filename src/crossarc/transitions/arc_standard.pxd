from crossarc.transitions.system cimport TransitionSystem


cdef class ArcStandard(TransitionSystem):
    pass
