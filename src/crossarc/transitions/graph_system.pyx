from crossarc.core.typedefs cimport label_t, token_t
from crossarc.transitions.gold cimport Gold
from crossarc.transitions.graph_arcs cimport UNSEEN, count_arcs, count_heads, has_arc, is_above, missing_arc
from crossarc.transitions.state cimport State, add_further_head, push


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
            and self.keeps_root(state, head, dependent)
            and count_heads(state, dependent) < self.most_heads
            and count_arcs(state, head, dependent) < self.most_parallel
            and (self.allows_cycles or not is_above(state, dependent, head))
        )

    cdef inline bint keeps_root(self, const State* state, token_t head, token_t dependent) noexcept nogil:
        """Whether an arc leaves room for a single root arc above all words.

        Without cycles the root word has no other head: that head would be below the root word, as all words are.
        """
        if not self.single_root:
            return True
        if head == 0:
            return not state.roots and (self.allows_cycles or state.heads[dependent] < 0)
        return self.allows_cycles or state.heads[dependent] != 0

    cdef token_t count_open(self, const State* state, const Gold* gold, token_t node, token_t low,
                            token_t high) noexcept nogil:
        """The gold arcs between a node and those from `low` to `high` that the state lacks and a single root allows."""
        cdef token_t a, k, head, dependent, count = 0
        for a in range(gold.first[node], gold.first[node + 1]):
            k = gold.by_node[a]
            head = gold.arc_heads[k]
            dependent = gold.arc_dependents[k]
            if low <= head + dependent - node <= high and self.keeps_root(state, head, dependent):
                if missing_arc(state, gold, head, dependent) >= 0:
                    count += not has_arc(state, head, dependent, gold.arc_labels[k])
        return count

    cdef token_t lost_to_root(self, const State* state, const Gold* gold, token_t head, token_t word) noexcept nogil:
        """The gold arcs that a wrong arc to the first word of the buffer loses, since there is a single root.

        These are those from node 0 to this word, or after an arc from there, to other words and from other heads.
        """
        cdef token_t a, k, count
        if not self.single_root or (head > 0 and self.allows_cycles):
            return 0
        count = self.count_open(state, gold, 0, word, gold.n if head == 0 else word)
        if head == 0 and not self.allows_cycles:
            for a in range(gold.first[word], gold.first[word + 1]):
                k = gold.by_node[a]
                count += gold.arc_heads[k] > word       # no later word has an arc yet
        return count

    cdef void finish(self, State* state, label_t root_label) noexcept nogil:
        """Put words that node 0 does not reach under it, or with a single root under the root word.

        These are words without a head and, where cycles are allowed, words below closed cycles. Uses the memory of the
        stack.
        """
        cdef token_t head = 0
        cdef token_t word
        if self.single_root and state.n:
            if not state.roots:
                word = root_word(state)
                add_further_head(state, 0, word if word > 0 else busiest_word(state), root_label)
            head = state.arc_dependent[state.arc_first[0]]
        for word in range(1, state.n + 1):
            if state.heads[word] < 0 or (self.allows_cycles and not is_above(state, 0, word)):
                add_further_head(state, head, word, root_label)


cdef token_t busiest_word(const State* state) noexcept nogil:
    """The word with the most dependents, the first of equals."""
    cdef token_t word, best = 1
    for word in range(2, state.n + 1):
        if state.left_count[word] + state.right_count[word] > state.left_count[best] + state.right_count[best]:
            best = word
    return best
