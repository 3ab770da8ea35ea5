# The memory of the structure kernels: arrays over the nodes or arcs of one sentence, used again for the next.
from crossarc.core.typedefs cimport token_t

cdef enum:
    SPARES = 10


cdef struct Space:
    # The sentence at hand; the caller of a kernel sets these two.
    const token_t* heads
    token_t n
    # The tree in order (trees.pyx). The dependents of h are child[first[h]] .. child[first[h + 1] - 1], left to right;
    # order is the preorder, place its inverse, so v dominates u iff place[v] <= place[u] < place[v] + size[v].
    token_t* first
    token_t* child
    token_t* order
    token_t* place
    token_t* size
    token_t* depth
    # Projections (projectivity.pyx): the non-projective edges by dependent, and the gaps of each node.
    token_t* non_projective
    token_t* gaps
    # Arcs (crossings.pyx) by begin ascending, then end descending; closing lists them by end ascending, then backwards.
    token_t m
    token_t* begin
    token_t* end
    token_t* name
    token_t* closing
    token_t* before
    token_t* after
    # Planes (planarity.pyx), by arc.
    token_t* plane
    # Scratch; each kernel names the ones it takes and leaves nothing in them for the next.
    token_t* spare[SPARES]
    token_t room
    token_t* memory


cdef class Workspace:
    cdef Space space
    cdef const token_t[::1] held
    cdef token_t reserve(self, token_t size) except -1
    cdef token_t hold(self, object heads) except -1
    cdef object copy_of(self, const token_t* values)
