from crossarc.core.typedefs cimport int64_t, score_t, token_t, uint8_t

from crossarc.decode.decoder cimport Decoder, Outcome


# Undirected edges, their order, and what a spanning forest algorithm is.
cdef enum:
    AHEAD = 16              # how many edges or nodes before its use a place in memory is asked for


cdef struct Edge:
    score_t weight
    token_t left
    token_t right
    token_t name            # settles ties: of equal edges the one with the lower name is better
    token_t place           # what an algorithm calls the edge when it gives it back


cdef inline bint is_better(score_t weight, token_t name, score_t other, token_t other_name) noexcept nogil:
    """The order of edges that all algorithms share: no two are equal, so that the best tree is unique."""
    return weight > other or weight == other and name < other_name


cdef class Spanner:
    cdef readonly int64_t comparisons
    cdef token_t node_room
    cdef token_t edge_room
    cdef int reserve(self, token_t n, token_t m) except -1
    cdef token_t span(self, Edge* edges, token_t m, token_t n, token_t* chosen) noexcept nogil


# One Boruvka step in pieces, for the algorithms made of it.
cdef struct Pick:
    # The edge that a node has chosen, copied so that no other memory need be visited.
    score_t weight
    token_t name            # -1 for none
    token_t place
    token_t other           # the node at its other end


cdef int64_t choose_edges(const Edge* edges, token_t m, token_t n, Pick* picks) noexcept nogil
cdef token_t take(token_t n, const Pick* picks, token_t* chosen) noexcept nogil
cdef token_t join(token_t n, const Pick* picks, token_t* part) noexcept nogil
cdef token_t contract(Edge* edges, token_t m, const token_t* part) noexcept nogil


cdef class Boruvka(Spanner):
    cdef Pick* picks
    cdef token_t* part


# Which edges a forest makes superfluous, in linear time.
cdef enum:
    # What is known of an edge before: nothing, that it stays, that it goes.
    OPEN = 0
    LIGHT = 254
    HEAVY = 255


cdef token_t drop_heavy(Edge* edges, token_t m, token_t n, const token_t* forest, token_t count, uint8_t* depths,
                        Pick* picks, token_t* part, int64_t* comparisons) noexcept nogil


# Prim's algorithm over a symmetric matrix.
cdef struct Growth:
    # By place among the nodes outside of the tree: the node, and its best edge into the tree.
    token_t* node
    token_t* inner
    score_t* weight


cdef token_t grow(const score_t* weights, const score_t* first_row, Py_ssize_t stride, token_t begin, token_t end,
                  const token_t* names, Growth* growth, token_t* left, token_t* right) noexcept nogil


# Heads from the edges of an undirected tree.
cdef enum:
    ORIENT_SCRATCH = 5      # arrays of n + 1 tokens that `orient_tree` needs


cdef bint orient_tree(const token_t* left, const token_t* right, token_t n, token_t* heads,
                      token_t* scratch) noexcept nogil


# The best undirected tree of a matrix.
cdef class Undirected(Decoder):
    cdef readonly object method
    cdef readonly object seed
    cdef Spanner spanner
    cdef Edge* edges
    cdef token_t edge_room
    cdef token_t* memory
    cdef score_t* weight
    cdef token_t join(self, const score_t* scores, Py_ssize_t stride, token_t begin, token_t n, token_t* left,
                      token_t* right) noexcept nogil
    cdef int reserve_edges(self, token_t n, token_t m) except -1
    cdef token_t span(self, token_t m, token_t n, token_t* left, token_t* right) noexcept nogil
    cdef Outcome solve_edges(self, token_t m, const score_t* roots, token_t n, token_t* heads) noexcept nogil
