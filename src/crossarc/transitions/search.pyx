"""Greedy search, guided by an oracle while it learns and by the model when it parses."""

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, score_t, token_t, uint32_t, weight_t
from crossarc.learning.weights cimport Cell, Packed, Place, Weights, score_packed
from crossarc.transitions.reconstruction cimport SCRATCH, Links, orient
from crossarc.transitions.context cimport MOST_ADDRESSES, MOST_SLOTS, MOST_TEMPLATES, Program, fill_keys
from crossarc.transitions.state cimport State, release_state, reserve_state, reset_state
from crossarc.transitions.system cimport MOVES, Gold, TransitionSystem

from crossarc.errors import CrossarcError

cdef enum:
    WRONG_LABEL = 1         # what a wrong label costs, as much as a lost arc


cdef class Workspace:
    """A state with the memory of its gold tree and scores, for one thread."""

    cdef State state
    cdef Gold gold
    cdef token_t room
    cdef token_t* scratch       # of reconstruction: its own, the links by which words hang, and the costs of turning

    def __cinit__(self):
        memset(&self.state, 0, sizeof(State))
        self.gold.extra = NULL
        self.scratch = NULL

    def __dealloc__(self):
        release_state(&self.state)
        free(self.gold.extra)
        free(self.scratch)

    cdef int reserve(self, token_t n) except -1 nogil:
        """Make room for a sentence of n words."""
        if self.gold.extra != NULL and n <= self.room:
            return 0
        free(self.gold.extra)
        free(self.scratch)
        self.gold.extra = <token_t*>malloc((<size_t>n + 1) * 9 * sizeof(token_t))
        self.scratch = <token_t*>malloc((<size_t>n + 2) * ((SCRATCH + 1) * sizeof(token_t) + 2 * sizeof(score_t)))
        if self.gold.extra == NULL or self.scratch == NULL:
            raise MemoryError
        self.gold.scratch = self.gold.extra + n + 1
        self.room = n
        reserve_state(&self.state, n)
        return 0

    cdef void begin(self, TransitionSystem system, token_t n, const token_t* heads,
                    const label_t* labels) noexcept nogil:
        """Start a sentence, with its gold tree if there is one."""
        reset_state(&self.state, n)
        system.start(&self.state)
        if heads != NULL:
            self.gold.n = n
            self.gold.heads = heads
            self.gold.labels = labels
            system.prepare(&self.gold)

    cdef void reconstruct(self, bint keep_root_links, bint single_root, label_t root_label) noexcept nogil:
        """Heads and labels of an undirected parse whose labels say which way their links should point.

        A label X comes as 2 X where the head should be on the right, 2 X + 1 where on the left.
        """
        cdef State* state = &self.state
        cdef token_t n = state.n
        cdef score_t* turn = <score_t*>self.scratch
        cdef score_t* costs = turn + n + 2
        cdef token_t* via = <token_t*>(costs + n + 2)
        cdef Links links
        cdef token_t k
        for k in range(state.links):
            turn[k] = 1 if state.link_label[k] & 1 else -1
        links.n = n
        links.m = state.links
        links.left = state.link_left
        links.right = state.link_right
        links.turn = turn
        links.root = NULL
        links.keep_root_links = keep_root_links
        links.single_root = single_root
        orient(&links, state.heads, via, via + n + 2, costs)
        state.labels[0] = -1
        for k in range(1, n + 1):
            state.labels[k] = state.link_label[via[k]] >> 1 if via[k] >= 0 else root_label


cdef inline void make(TransitionSystem system, State* state, token_t move, label_t label) noexcept nogil:
    system.apply(state, move, label)
    state.last_move = move
    state.moves += 1


def collect_actions(TransitionSystem system, const token_t[::1] heads, const label_t[::1] labels,
                    const offset_t[::1] starts, label_t label_count):
    """How often the oracle makes each move with each label: an array of moves x (labels + 1), the last for no label."""
    cdef Workspace work = Workspace()
    cdef Py_ssize_t s
    cdef token_t n, move
    cdef label_t label
    counts = np.zeros((len(system.moves), label_count + 1), dtype=np.int64)
    cdef offset_t[:, ::1] view = counts
    for s in range(starts.shape[0] - 1):
        n = <token_t>(starts[s + 1] - starts[s]) - 1
        work.reserve(n)
        with nogil:
            work.begin(system, n, &heads[starts[s]], &labels[starts[s]])
            while not system.is_final(&work.state):
                move = system.oracle(&work.state, &work.gold)
                label = system.gold_label(&work.state, &work.gold, move)
                view[move, label if label >= 0 else label_count] += 1
                make(system, &work.state, move, label)
    return counts


cdef class Greedy:
    """Greedy search over a system with a feature model and a set of actions.

    `moves` and `labels` give for each action its move and its label, -1 for none.
    """

    cdef readonly TransitionSystem system
    cdef readonly object model
    cdef Program program
    cdef const int32_t[:, ::1] addresses
    cdef const int32_t[:, ::1] slots
    cdef const int32_t[:, ::1] templates
    cdef const int32_t[::1] moves
    cdef const int32_t[::1] labels
    cdef int32_t actions

    def __init__(self, TransitionSystem system, model, moves, labels, int32_t attributes):
        if (len(model.addresses) > MOST_ADDRESSES or len(model.slots) > MOST_SLOTS
                or len(model.templates) > MOST_TEMPLATES):
            raise CrossarcError(
                f"{model.name}: {len(model.addresses)} addresses, {len(model.slots)} terms and {len(model.templates)} "
                f"templates; {MOST_ADDRESSES}, {MOST_SLOTS} and {MOST_TEMPLATES} are the most"
            )
        self.system = system
        self.model = model
        self.addresses = model.addresses
        self.slots = model.slots
        self.templates = model.templates
        self.moves = np.ascontiguousarray(moves, dtype=np.int32)
        self.labels = np.ascontiguousarray(labels, dtype=np.int32)
        self.actions = self.moves.shape[0]
        self.program.addresses = &self.addresses[0, 0]
        self.program.address_count = self.addresses.shape[0]
        self.program.slots = &self.slots[0, 0]
        self.program.slot_count = self.slots.shape[0]
        self.program.templates = &self.templates[0, 0]
        self.program.template_count = self.templates.shape[0]
        self.program.attributes = attributes

    def train(self, Weights weights, const int32_t[:, ::1] tokens, const token_t[::1] heads, const label_t[::1] labels,
              const offset_t[::1] starts, const offset_t[::1] order, double explore=0.0):
        """The averaged perceptron over an epoch or a part of it; gives the decisions made and the wrong ones.

        Where the model is wrong it learns from the best action that loses least; it then goes on as the model would
        have with probability `explore`, so that it learns in states of its own making, and else as the oracle says.
        """
        cdef Workspace work = Workspace()
        cdef State* state = &work.state
        cdef hash_t keys[MOST_TEMPLATES]
        cdef token_t costs[MOVES]
        cdef label_t gold_labels[MOVES]
        cdef hash_t random = weights.random
        cdef offset_t decisions = 0, wrong = 0
        cdef Py_ssize_t i, s
        cdef token_t n, move, cost, least
        cdef int32_t a, best, gold
        cdef uint32_t legal
        cdef weight_t* scores = <weight_t*>malloc(self.actions * sizeof(weight_t))
        cdef int32_t count = self.program.template_count
        if scores == NULL:
            raise MemoryError
        try:
            with nogil:
                for i in range(order.shape[0]):
                    s = order[i]
                    n = <token_t>(starts[s + 1] - starts[s]) - 1
                    work.reserve(n)
                    work.begin(self.system, n, &heads[starts[s]], &labels[starts[s]])
                    while not self.system.is_final(state):
                        legal = self.system.legal(state)
                        self.system.costs(state, &work.gold, costs)
                        for move in range(MOVES):
                            gold_labels[move] = -1
                            if legal >> move & 1:
                                gold_labels[move] = self.system.gold_label(state, &work.gold, move)
                        fill_keys(&self.program, state, &tokens[starts[s], 0], keys)
                        weights.score(keys, count, scores)
                        best = gold = -1
                        least = 0
                        for a in range(self.actions):
                            move = self.moves[a]
                            if not legal >> move & 1:
                                continue
                            cost = costs[move]
                            if gold_labels[move] >= 0 and gold_labels[move] != self.labels[a]:
                                cost += WRONG_LABEL
                            if best < 0 or scores[a] > scores[best]:
                                best = a
                            if gold < 0 or cost < least or (cost == least and scores[a] > scores[gold]):
                                gold = a
                                least = cost
                        decisions += 1
                        weights.now += 1
                        move = self.moves[best]
                        cost = costs[move] + (WRONG_LABEL if gold_labels[move] >= 0
                                              and gold_labels[move] != self.labels[best] else 0)
                        if cost > least:
                            wrong += 1
                            weights.update(keys, count, gold, 1)
                            weights.update(keys, count, best, -1)
                            random ^= random << 13
                            random ^= random >> 7
                            random ^= random << 17
                            if (random >> 11) * (1.0 / 9007199254740992.0) >= explore:
                                best = gold
                        make(self.system, state, self.moves[best], self.labels[best])
        finally:
            free(scores)
        weights.random = random
        return decisions, wrong

    def parse(self, places, cells, const int32_t[:, ::1] tokens, const offset_t[::1] starts, token_t[::1] heads,
              label_t[::1] labels, label_t root_label, bint annotated=False, bint keep_root_links=False):
        """Parse the sentences of flat arrays into `heads` and `labels`, which are arrays of the same layout.

        With `annotated` the labels of an undirected system say which way links should point.
        """
        cdef Workspace work = Workspace()
        cdef State* state = &work.state
        cdef const Place[::1] place_view = places
        cdef const Cell[::1] cell_view = cells
        cdef hash_t keys[MOST_TEMPLATES]
        cdef Packed packed
        cdef Py_ssize_t s
        cdef token_t n, node
        cdef int32_t a, best
        cdef uint32_t legal
        # One more than there are actions: what `TransitionModel.check` lets pass of a model that is not sound.
        cdef int32_t* scores = <int32_t*>malloc((self.actions + 1) * sizeof(int32_t))
        if scores == NULL:
            raise MemoryError
        packed.places = &place_view[0]
        packed.cells = &cell_view[0]
        packed.mask = place_view.shape[0] - 1
        packed.actions = self.actions
        try:
            with nogil:
                for s in range(starts.shape[0] - 1):
                    n = <token_t>(starts[s + 1] - starts[s]) - 1
                    work.reserve(n)
                    work.begin(self.system, n, NULL, NULL)
                    while not self.system.is_final(state):
                        legal = self.system.legal(state)
                        fill_keys(&self.program, state, &tokens[starts[s], 0], keys)
                        score_packed(&packed, keys, self.program.template_count, scores)
                        best = -1
                        for a in range(self.actions):
                            if legal >> self.moves[a] & 1 and (best < 0 or scores[a] > scores[best]):
                                best = a
                        make(self.system, state, self.moves[best], self.labels[best])
                    if annotated:
                        work.reconstruct(keep_root_links, self.system.single_root, root_label)
                    else:
                        self.system.finish(state, root_label)
                    for node in range(n + 1):
                        heads[starts[s] + node] = state.heads[node]
                        labels[starts[s] + node] = state.labels[node]
        finally:
            free(scores)
