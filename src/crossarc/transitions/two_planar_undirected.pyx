from crossarc.core.typedefs cimport label_t
from crossarc.transitions.system cimport orient_links
from crossarc.transitions.state cimport State


cdef class TwoPlanarUndirected(TwoPlanar):
    """Two-planar trees without directions (Gomez-Rodriguez and Fernandez-Gonzalez 2012).

    start      ([], [], 0 ... n, {})
    SHIFT      (S0, S1, i|B, A)    =>  (S0|i, S1|i, B, A)
    REDUCE     (S0|i, S1, B, A)    =>  (S0, S1, B, A)
    ARC        (S0|i, S1, j|B, A)  =>  (S0|i, S1, j|B, A + i-j)    if i, j are not connected; with one root: 0 takes one
    SWITCH     (S0, S1, B, A)      =>  (S1, S0, B, A)              if the last move was not SWITCH
    end        (S0, S1, [], A)

    The oracle makes the links of the gold tree, those of node 0 with `root_links="uncrossed"` only where there is a
    plane for them. With "none", as in the paper's figure, the buffer begins with word 1. `finish` directs the links
    away from node 0. Everything else is as in the two-planar system, with ARC in place of LEFT-ARC and RIGHT-ARC.
    """

    def __cinit__(self, **options):
        self.name = "two-planar-undirected"
        self.moves = ("SHIFT", "REDUCE", "ARC", "SWITCH")
        self.labelled = (False, False, True, False)
        self.directed = False
        self.joins_buffer = False
        self.switch = 3

    cdef void finish(self, State* state, label_t root_label) noexcept nogil:
        orient_links(state, self.single_root, root_label)
