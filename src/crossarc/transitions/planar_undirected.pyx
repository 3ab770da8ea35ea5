from crossarc.core.typedefs cimport label_t
from crossarc.transitions.system cimport orient_links
from crossarc.transitions.state cimport State


cdef class PlanarUndirected(Planar):
    """Planar trees without directions (Gomez-Rodriguez and Fernandez-Gonzalez 2012).

    start      ([], 0 ... n, {})
    SHIFT      (S, i|B, A)    =>  (S|i, B, A)
    REDUCE     (S|i, B, A)    =>  (S, B, A)
    ARC        (S|i, j|B, A)  =>  (S|i, j|B, A + i-j)    if i, j are not connected; with one root: 0 takes one link
    end        (S, [], A)

    The oracle makes the links of the gold tree, those of node 0 with `root_links="uncrossed"` only where they cross no
    other. With "none", as in the paper's figure, the buffer begins with word 1. `finish` directs the links away from
    node 0. Everything else is as in the planar system, with ARC in place of LEFT-ARC and RIGHT-ARC.
    """

    def __cinit__(self, **options):
        self.name = "planar-undirected"
        self.moves = ("SHIFT", "REDUCE", "ARC")
        self.labelled = (False, False, True)
        self.directed = False
        self.joins_buffer = False
        # Planar with all its root arcs is projective.
        self.covers = "projective" if self.all_root_links else "planar"

    cdef void finish(self, State* state, label_t root_label) noexcept nogil:
        orient_links(state, self.single_root, root_label)
