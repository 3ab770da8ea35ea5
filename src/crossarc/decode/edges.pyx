"""Spanning forests of undirected graphs: what the algorithms share.

An algorithm takes edges over the nodes 0..n-1 and gives the places of those in the best spanning forest, the one with
the greatest total weight. Ties are broken by the name of an edge, so every algorithm finds the same forest.
"""
from crossarc.core.typedefs cimport token_t


cdef class Spanner:
    """An algorithm for spanning forests with the memory it works in; `comparisons` counts those between edges."""

    def __cinit__(self):
        self.node_room = self.edge_room = -1

    cdef int reserve(self, token_t n, token_t m) except -1:
        """Make room for graphs of up to n nodes and m edges."""
        raise NotImplementedError

    cdef token_t span(self, Edge* edges, token_t m, token_t n, token_t* chosen) noexcept nogil:
        """Set `chosen` to the places of the edges in the best forest, give how many; -1 if memory ran out.

        The edges come in the order of their names and may be left in any state.
        """
        return 0
