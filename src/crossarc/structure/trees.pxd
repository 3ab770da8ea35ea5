from crossarc.core.typedefs cimport token_t

from crossarc.structure.workspace cimport Space, Workspace

cdef bint arrange(Space* space) noexcept nogil
cdef token_t greatest_depth(Space* space) noexcept nogil
cdef Workspace hold_tree(object heads)


cdef inline bint dominates(const Space* space, token_t v, token_t u) noexcept nogil:
    return space.place[v] <= space.place[u] < space.place[v] + space.size[v]
