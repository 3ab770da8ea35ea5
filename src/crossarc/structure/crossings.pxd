from crossarc.core.typedefs cimport offset_t, token_t

from crossarc.structure.workspace cimport Space, Workspace

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
    """Open the arcs from number `opened` on that begin before a place; gives the number of the next one."""
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
