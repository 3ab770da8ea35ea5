"""What a transition system is: a start, an end, moves with preconditions and effects, and an oracle."""

from crossarc.core.typedefs cimport label_t, token_t, uint32_t
from crossarc.transitions.state cimport State, add_arc, find_group

from crossarc.errors import UnknownName

ROOT_LINKS = ("all", "uncrossed", "none")


cdef class TransitionSystem:
    """The base of all systems. A system sets its names in `__cinit__` and overrides the methods that differ.

    A move is a number, its place in `moves`; `legal` gives the set of legal moves as bits. `oracle` gives the move that
    leads on to the gold tree from a state on its path. `costs` gives for every legal move how many gold arcs can no
    longer be built after it; where `exact_costs` is false that is only known on the gold path, and nearly right off it.
    """

    def __cinit__(self, *, bint single_root=True, str root_links="uncrossed"):
        if root_links not in ROOT_LINKS:
            raise UnknownName("choice of root links", root_links, ROOT_LINKS)
        self.single_root = single_root
        self.reads_root = root_links != "none"
        self.all_root_links = root_links == "all"
        self.directed = True

    cdef void start(self, State* state) noexcept nogil:
        """Set up the initial configuration of a state that was reset."""

    cdef bint is_final(self, const State* state) noexcept nogil:
        """Whether the state is terminal: no word is left in the buffer."""
        return state.front >= state.end

    cdef uint32_t legal(self, State* state) noexcept nogil:
        """The moves whose preconditions hold, as bits; never none unless the state is final."""
        return 0

    cdef void apply(self, State* state, token_t move, label_t label) noexcept nogil:
        """Make a move that is legal."""

    cdef void finish(self, State* state, label_t root_label) noexcept nogil:
        """Give the words that are left without a head one: node 0, or with a single root the root word.

        Takes the memory of the stack.
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
        """Compute once what the oracle needs of a gold tree."""

    cdef token_t oracle(self, State* state, const Gold* gold) noexcept nogil:
        """The gold move in a state from which the gold tree, as far as the system covers it, can be reached."""
        return 0

    cdef void costs(self, State* state, const Gold* gold, token_t* costs) noexcept nogil:
        """The gold arcs that each legal move loses; by default 0 for the oracle's move and 1 for the others."""
        cdef token_t move
        for move in range(MOVES):
            costs[move] = 1
        costs[self.oracle(state, gold)] = 0

    cdef token_t cheapest(self, State* state, const Gold* gold, token_t preferred) noexcept nogil:
        """The legal move that costs least, by preference the one given: for oracles where the gold tree is lost."""
        cdef token_t[MOVES] costs
        cdef uint32_t moves = self.legal(state)
        cdef token_t best = -1
        cdef token_t move
        self.costs(state, gold, costs)
        for move in range(MOVES):
            if moves >> move & 1 and (best < 0 or costs[move] < costs[best]):
                best = move
        return preferred if moves >> preferred & 1 and costs[preferred] <= costs[best] else best

    cdef label_t gold_label(self, State* state, const Gold* gold, token_t move) noexcept nogil:
        """The label of the arc that a move makes if it is a gold arc, else -1."""
        return -1


cdef token_t root_word(State* state) noexcept nogil:
    """The word under node 0; if there is none yet, that of the largest part, the first of equals. 0 without words.

    Takes the memory of the stack.
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
