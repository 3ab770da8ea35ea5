from crossarc.core.typedefs cimport label_t, token_t
from crossarc.transitions.graph_arcs cimport UNSEEN, count_arcs, count_heads, is_above
from crossarc.transitions.state cimport State, add_further_head, push
from crossarc.transitions.system cimport TransitionSystem, root_word


cdef class GraphSystem(TransitionSystem):
    """The base of systems that build graphs, in which words may have several heads.

    A word has at most `most_heads` heads and a pair of words at most `most_parallel` arcs in one direction, each with
    another label. Unless `cycles` is "allow", no move closes a cycle; then each word can be reached from node 0, as
    every word has a head in the end.
    """

    def __cinit__(self, **options):
        self.several_heads = True
        self.covers = "projective"

    cdef void start(self, State* state) noexcept nogil:
        """Put node 0 on the stack if the system expects it there, and prepare the search for paths."""
        cdef token_t node
        for node in range(state.n + 1):
            state.stack2[node] = UNSEEN
        if self.root_on_stack:
            push(state, 0)

    cdef bint may_add(self, State* state, token_t head, token_t dependent) noexcept nogil:
        """Whether an arc with some label can be added: it closes no cycle, and the limits leave room for it."""
        return (
            dependent > 0
            and count_heads(state, dependent) < self.most_heads
            and count_arcs(state, head, dependent) < self.most_parallel
            and (self.allows_cycles or not is_above(state, dependent, head))
        )

    cdef void finish(self, State* state, label_t root_label) noexcept nogil:
        """Put words that node 0 does not reach under it, or with a single root under the root word.

        These are words without a head and, where cycles are allowed, words below closed cycles. A word above the root
        word goes under node 0 all the same, so that no cycle is closed. Uses the memory of the stack.
        """
        cdef token_t head = 0
        cdef token_t word
        if self.single_root:
            head = root_word(state)
            if head > 0 and state.heads[head] < 0:
                add_further_head(state, 0, head, root_label)
        for word in range(1, state.n + 1):
            if state.heads[word] < 0 or (self.allows_cycles and not is_above(state, 0, word)):
                add_further_head(state, 0 if head > 0 and is_above(state, word, head) else head, word, root_label)
