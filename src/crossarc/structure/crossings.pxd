from crossarc.core.typedefs cimport offset_t, token_t

from crossarc.structure.workspace cimport Space

cdef void take_tree_arcs(Space* space, bint root) noexcept nogil
cdef void sort_arcs(Space* space) noexcept nogil
cdef offset_t list_crossings(Space* space, token_t* pairs) noexcept nogil
cdef void sort_pairs(
    token_t* pairs, token_t* scratch, offset_t count, offset_t* bucket, token_t names
) noexcept nogil
cdef bint any_crossing(Space* space) noexcept nogil
cdef offset_t measure_edges(Space* space, token_t* degree) noexcept nogil


cdef inline void open_arc(Space* space, token_t* last, token_t arc) noexcept nogil:
    """Append an arc to the list of open arcs, which stands in the order of the arcs."""
    space.before[arc] = last[0]
    space.after[arc] = -1
    if last[0] >= 0:
        space.after[last[0]] = arc
    last[0] = arc


cdef inline void close_arc(Space* space, token_t* last, token_t arc) noexcept nogil:
    """Take an arc out of the list of open arcs."""
    if space.before[arc] >= 0:
        space.after[space.before[arc]] = space.after[arc]
    if space.after[arc] >= 0:
        space.before[space.after[arc]] = space.before[arc]
    else:
        last[0] = space.before[arc]
