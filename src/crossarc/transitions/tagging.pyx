from crossarc.core.typedefs cimport token_t, uint32_t
from crossarc.transitions.state cimport Arc, State, arc_to, buffer_at, shift
from crossarc.transitions.system cimport Gold, TransitionSystem


cdef class Tagging(TransitionSystem):
    """A tag for each word from left to right: the label of an arc from node 0 to the word is its tag.

    start  ([], 1 ... n, {})
    TAG    (S, i|B, A)  =>  (S|i, B, A + 0->i)
    end    (S, [], A)

    So the tags of the words before are the `deprel` of `stack[0]`, `stack[1]` and so on.
    """

    def __cinit__(self, **options):
        self.name = "tagging"
        self.moves = ("TAG",)
        self.labelled = (True,)
        self.covers = "flat"
        self.exact_costs = True
        self.single_root = False

    cdef uint32_t legal(self, State* state) noexcept nogil:
        return state.front < state.end

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        return arc_to(0, buffer_at(state, 0))

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        shift(state)

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        costs[0] = 0
