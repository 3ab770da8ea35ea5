from crossarc.core.typedefs cimport label_t, offset_t, token_t
from crossarc.transitions.memory cimport Workspace
from crossarc.transitions.system cimport TransitionSystem

cdef class Targets:
    cdef readonly object starts             # as an array
    cdef const offset_t[::1] nodes          # where the nodes of each sentence begin, and the end
    cdef const token_t[::1] heads
    cdef const label_t[::1] labels

    cdef int begin(self, TransitionSystem system, Workspace work, Py_ssize_t s) except -1 nogil

cdef class GraphTargets(Targets):
    cdef const offset_t[::1] arcs           # where the arcs of each sentence begin, and the end
    cdef const token_t[::1] dependents
