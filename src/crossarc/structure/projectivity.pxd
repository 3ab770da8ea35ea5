from crossarc.core.typedefs cimport token_t

from crossarc.structure.workspace cimport Space

cdef token_t mark_non_projective(Space* space) noexcept nogil
cdef token_t count_gaps(Space* space) noexcept nogil
cdef bint nests_well(Space* space) noexcept nogil
