from libc.stdint cimport uint16_t, uint8_t

from crossarc.core.typedefs cimport offset_t, token_t


# The memory of the structure kernels: arrays over the nodes or arcs of one sentence, used again for the next.
cdef enum:
    SPARES = 10


cdef struct Space:
    # The sentence at hand; the caller of a kernel sets these two.
    const token_t* heads
    token_t n
    # The tree in order (heads.pyx). The dependents of h are child[first[h]] .. child[first[h + 1] - 1], left to right;
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


cdef bint arrange(Space* space) noexcept nogil
cdef token_t greatest_depth(Space* space) noexcept nogil
cdef Workspace hold_tree(object heads)


cdef inline bint dominates(const Space* space, token_t v, token_t u) noexcept nogil:
    return space.place[v] <= space.place[u] < space.place[v] + space.size[v]


cdef token_t mark_non_projective(Space* space) noexcept nogil
cdef token_t count_gaps(Space* space) noexcept nogil
cdef bint nests_well(Space* space) noexcept nogil


cdef void take_tree_arcs(Space* space, bint root) noexcept nogil
cdef void sort_arcs(Space* space) noexcept nogil
cdef object sorted_crossings(Workspace work, token_t names)
cdef bint any_crossing(Space* space) noexcept nogil
cdef offset_t measure_edges(Space* space, token_t* degree) noexcept nogil


cdef inline void note_arc(Space* space, token_t head, token_t dependent, token_t name) noexcept nogil:
    """Add an arc to those that `sort_arcs` sorts."""
    space.spare[0][space.m] = min(head, dependent)
    space.spare[1][space.m] = max(head, dependent)
    space.spare[2][space.m] = name
    space.m += 1


cdef inline void open_arc(Space* space, token_t* last, token_t arc) noexcept nogil:
    """Append an arc to the list of open arcs, which is in the order of the arcs."""
    space.before[arc] = last[0]
    space.after[arc] = -1
    if last[0] >= 0:
        space.after[last[0]] = arc
    last[0] = arc


cdef inline token_t open_before(Space* space, token_t* last, token_t opened, token_t place) noexcept nogil:
    """Open the arcs from number `opened` on that begin before a place; return the number of the next one."""
    while opened < space.m and space.begin[opened] < place:
        open_arc(space, last, opened)
        opened += 1
    return opened


cdef inline void close_arc(Space* space, token_t* last, token_t arc) noexcept nogil:
    """Take an arc out of the list of open arcs."""
    if space.before[arc] >= 0:
        space.after[space.before[arc]] = space.after[arc]
    if space.after[arc] >= 0:
        space.before[space.after[arc]] = space.before[arc]
    else:
        last[0] = space.before[arc]


cdef enum:
    LARGEST = 512       # arcs of a component that is coloured exactly
    MOST = 32           # planes of such a component


cdef struct Board:
    # The crossing graph of one component, and the state of the search for its colours.
    uint8_t* adjacent       # (m, m)
    uint16_t* taken         # (m, MOST): how many coloured neighbours have the colour
    token_t* colour
    token_t* best
    token_t* saturation
    token_t* degree
    token_t* vertex         # by step: the vertex, the next colour to try, the colours in use before it
    token_t* trial
    token_t* used
    token_t m


cdef class Colouring:
    cdef Board board
    cdef token_t* numbers


cdef token_t reduce_colours(Board* board, token_t colours) noexcept nogil


cdef token_t join_crossing(Space* space) noexcept nogil
cdef token_t assign_planes(Space* space, Board* board) noexcept nogil
