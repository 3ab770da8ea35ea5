# The steps of MIRA towards several rivals at once; see hildreth.pyx.
from crossarc.core.typedefs cimport int32_t, score_t

cdef void find_steps(const score_t* products, const score_t* violations, int32_t count, score_t most,
                     score_t* steps) noexcept nogil
