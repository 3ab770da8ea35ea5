from crossarc.core.typedefs cimport label_t, token_t

cdef struct Gold:
    token_t n
    # Trees.
    const token_t* heads    # heads[0] is -1
    const label_t* labels
    token_t* extra          # n + 1 entries that `prepare` fills as the system likes: planes, projective order ...
    token_t* scratch        # 8 (n + 1) entries that `prepare`, `oracle` and `costs` may use
    # Graphs: arcs instead of heads and labels. The arcs of node v, from it and to it, are numbers by_node[first[v]] to
    # by_node[first[v + 1] - 1].
    token_t arcs
    const token_t* arc_heads
    const token_t* arc_dependents
    const label_t* arc_labels
    token_t* first
    token_t* by_node
