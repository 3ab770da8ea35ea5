from crossarc.core.typedefs cimport token_t

from crossarc.structure.colouring cimport Board
from crossarc.structure.workspace cimport Space

cdef token_t join_crossing(Space* space) noexcept nogil
cdef token_t assign_planes(Space* space, Board* board) noexcept nogil
