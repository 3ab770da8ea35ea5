"""The base of transition systems: a start, an end, moves with preconditions and effects, and an oracle."""
from crossarc.core.typedefs cimport label_t, token_t, uint32_t
from crossarc.transitions.state cimport Arc, State, add_arc, arc_to, find_group, push

from crossarc.errors import CrossarcError, UnknownName


ROOT_LINKS = ("all", "uncrossed", "none")


cdef class TransitionSystem:
    """The base of all systems. A system sets its names in `__cinit__` and overrides the methods that differ.

    A move is a number, its place in `moves`. `legal` gives the set of legal moves as bits, `arc_of` the arc that a move
    makes; `apply` does what else the move does. `oracle` gives the next move towards the gold tree in a state on the
    path to it. `costs` gives for every legal move the number of gold arcs that can no longer be built after it; with
    `exact_costs` false, it is exact on the gold path only and nearly right elsewhere.
    """

    def __cinit__(self, *, bint single_root=True, str root_links="uncrossed", token_t most_heads=1,
                  token_t most_parallel=1, bint allows_cycles=False):
        if root_links not in ROOT_LINKS:
            raise UnknownName("choice of root links", root_links, ROOT_LINKS)
        if most_heads < 1 or most_parallel < 1:
            raise CrossarcError(f"{most_heads} heads and {most_parallel} arcs between two words; at least 1 is needed")
        self.single_root = single_root
        self.reads_root = root_links != "none"
        self.all_root_links = root_links == "all"
        self.directed = True
        self.memory = "stack"
        self.most_heads = most_heads
        self.most_parallel = most_parallel
        self.allows_cycles = allows_cycles

    cdef void start(self, State* state) noexcept nogil:
        """Put node 0 where the system expects it, in a state that was reset: on the stack, in the buffer or nowhere."""
        cdef token_t node
        if self.root_on_stack:
            push(state, 0)
        elif not self.directed and self.reads_root:
            for node in range(state.n + 1):
                state.queue[node] = node
            state.end = state.n + 1

    cdef bint is_final(self, const State* state) noexcept nogil:
        """Whether the state is terminal: no word is left in the buffer."""
        return state.front >= state.end

    cdef uint32_t legal(self, State* state) noexcept nogil:
        """The moves whose preconditions hold, as bits; at least one unless the state is final."""
        return 0

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        """The arc that a legal move makes, from node -1 if it makes none; a link has its left node as the head."""
        return arc_to(-1, -1)

    cdef void apply(self, State* state, token_t move) noexcept nogil:
        """Change the stacks, the lists and the buffer by a legal move."""

    cdef void finish(self, State* state, label_t root_label) noexcept nogil:
        """Attach the words without a head to node 0, or with a single root to the root word.

        Uses the memory of the stack.
        """
        cdef token_t head = 0
        cdef token_t word
        if self.single_root:
            head = root_word(state)
            if head > 0 and state.heads[head] < 0:
                add_arc(state, 0, head, root_label)
        for word in range(1, state.n + 1):
            if state.heads[word] < 0:
                add_arc(state, head, word, root_label)

    cdef void prepare(self, Gold* gold) noexcept nogil:
        """Compute once the plan of the oracle for a gold tree."""

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """The gold move in a state from which the gold tree, as far as the system covers it, can be reached."""
        return 0

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        """The number of gold arcs that each legal move loses; by default 0 for the oracle's move, 1 for others."""
        cdef token_t move
        for move in range(MOVES):
            costs[move] = 1
        costs[self.oracle(state, gold)] = 0

    cdef token_t cheapest(self, State* state, const Gold* gold, token_t preferred) noexcept nogil:
        """The legal move that costs least, the preferred one if several do: for oracles off the gold path."""
        cdef token_t[MOVES] costs
        cdef uint32_t moves = self.legal(state)
        cdef token_t best = -1
        cdef token_t move
        self.costs(state, gold, costs)
        for move in range(MOVES):
            if moves >> move & 1 and (best < 0 or costs[move] < costs[best]):
                best = move
        return preferred if moves >> preferred & 1 and costs[preferred] <= costs[best] else best


cdef token_t root_word(State* state) noexcept nogil:
    """The word under node 0; if there is none yet, the top of the largest part, the first of equals; 0 without words.

    Uses the memory of the stack.
    """
    cdef token_t* size = state.stack
    cdef token_t root = 0
    cdef token_t word
    for word in range(state.n + 1):
        size[word] = 0
    for word in range(1, state.n + 1):
        size[find_group(state, word)] += 1
        if state.heads[word] == 0:
            root = word
    if root > 0:
        return root
    for word in range(1, state.n + 1):
        if state.heads[word] < 0 and (root == 0 or size[find_group(state, word)] > size[find_group(state, root)]):
            root = word
    return root
