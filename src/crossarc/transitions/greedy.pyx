"""Greedy search: the action that scores best, until the parse is complete."""
import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from crossarc.core.buffers cimport Buffer, extend, take_array
from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, score_t, token_t, uint32_t, weight_t
from crossarc.learning.scorers cimport Scorer, score_room
from crossarc.transitions.system cimport TransitionSystem, Workspace, make
from crossarc.transitions.state cimport State, buffer_at, reserve_arcs, words_for

from crossarc.errors import CrossarcError


cdef class ParseWorkspace(Workspace):
    """The memory of one thread for parsing with a scorer of some number of actions."""

    def __cinit__(self, token_t set_words, Scorer scorer, int32_t actions, *of_subclasses):
        self.scorer = scorer
        self.scores = <weight_t*>malloc(score_room(actions) * sizeof(weight_t))
        if self.scores == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.scores)


cdef int append(Buffer* buffer, const int32_t* values, token_t count) except -1 nogil:
    """Put numbers behind those of a buffer."""
    cdef int32_t* target = extend(buffer, count)
    if count == 0:
        return 0
    if target == NULL:
        raise MemoryError
    memcpy(target, values, <size_t>count * sizeof(int32_t))
    return 0


cdef void note_link(Greedy search, Workspace work, const State* state, int32_t chosen,
                    const weight_t* scores) noexcept nogil:
    """After an action that made a link: store how much better it scored than the best one in the other direction.

    If no action has the other direction, the difference is 0: no link of node 0 changes direction, and nothing is
    known about others.
    """
    cdef label_t label = search.labels[chosen]
    cdef token_t link = state.arcs - 1
    cdef int32_t other = -1
    cdef int32_t a
    if label < 0:
        return
    for a in range(search.actions):
        if search.labels[a] >= 0 and (search.labels[a] ^ label) & 1 and (other < 0 or scores[a] > scores[other]):
            other = a
    work.turned_label[link] = search.labels[other] if other >= 0 else label
    work.turn[link] = <score_t>scores[chosen] - scores[other] if other >= 0 else 0
    if label & 1 == 0:
        work.turn[link] = -work.turn[link]


cdef inline bint find_choice(Greedy search, State* state, uint32_t* legal) except -1 nogil:
    """Make moves while there is nothing to choose; then give the legal moves, or return False if all is done."""
    while not search.system.is_final(state):
        legal[0] = search.system.legal(state)
        if not search.forced(legal[0]):
            return True
        make(search.system, state, lowest_bit(legal[0]), -1)
    return False


cdef class Greedy:
    """Greedy search over a system with a feature model and a set of actions.

    `moves` and `labels` give for each action its move and its label, -1 for none.
    """

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
        self.places = np.full(self.actions, ROOT_ARCS | WORD_ARCS, dtype=np.uint8)
        self.tag_column = model.attributes.index("upos") if "upos" in model.attributes else -1
        # States are copied in a beam; without features of label sets these take one word, whatever is in it.
        self.set_words = words_for(max(self.labels, default=-1) + 1) if model.has_label_sets else 1
        for move in range(len(system.moves)):
            actions = np.flatnonzero(np.asarray(self.moves) == move)
            self.first_action[move] = actions[0] if len(actions) else 0
            self.end_action[move] = actions[-1] + 1 if len(actions) else 0
        self.in_order = bool((np.diff(np.asarray(self.moves)) >= 0).all())
        self.labelled = sum(1 << move for move, labelled in enumerate(system.labelled) if labelled)
        table = np.full((len(system.moves), max(self.labels, default=-1) + 2), -1, dtype=np.int32)
        table[self.moves, np.asarray(self.labels) + 1] = np.arange(self.actions)
        # Where the system cannot build the tree, the oracle makes arcs that are not gold and have no label: such a move
        # is its first action.
        for row in table:
            if row[0] < 0 and (row >= 0).any():
                row[0] = row[row >= 0][0]
        self.action_table = table
        if system.joins_buffer:
            self.left_arc = system.moves.index("LEFT-ARC")
            self.right_arc = system.moves.index("RIGHT-ARC")
        self.program.addresses = &self.addresses[0, 0]
        self.program.address_count = self.addresses.shape[0]
        self.program.slots = &self.slots[0, 0]
        self.program.slot_count = self.slots.shape[0]
        self.program.templates = &self.templates[0, 0]
        self.program.template_count = self.templates.shape[0]
        self.program.attributes = attributes
        self.program.tree_column = model.attributes.index("tree_head") if "tree_head" in model.attributes else -1

    def set_places(self, places):
        """Set for each action where its label can be: on arcs from node 0 (1), on arcs between words (2), or both.

        Arcs that are added after the last move get only such labels.
        """
        if np.shape(places) != (self.actions,):
            raise ValueError("one entry for each action is needed")
        self.places = np.ascontiguousarray(places, dtype=np.uint8)

    def parse(self, weights, const int32_t[:, ::1] tokens, const offset_t[::1] starts, token_t[::1] heads,
              label_t[::1] labels, label_t root_label, bint annotated=False, bint keep_root_links=False,
              bint scored=False):
        """Parse the sentences of flat arrays into `heads` and `labels`, which are arrays of the same layout.

        With `annotated` the labels of an undirected system say which way links should point, with `scored` as strongly
        as their scores. Words that are under node 0 without a move get `root_label`; if it is -1, words attached after
        the last move have no label.
        """
        cdef ParseWorkspace work = self.workspace(weights)
        cdef State* state
        cdef Py_ssize_t s
        cdef token_t n
        work.scored = scored
        with nogil:
            for s in range(starts.shape[0] - 1):
                n = <token_t>(starts[s + 1] - starts[s]) - 1
                work.reserve(n)
                state = self.derive(work, &tokens[starts[s], 0], n)
                self.resulting_tree(work, state, &tokens[starts[s], 0], root_label, annotated, keep_root_links,
                                    &heads[starts[s]], &labels[starts[s]])

    def parse_graphs(self, weights, const int32_t[:, ::1] tokens, const offset_t[::1] starts, label_t root_label):
        """Parse the sentences of flat arrays into graphs; returns the heads, dependents and labels of all arcs.

        The fourth result says where the arcs of each sentence begin, and the end. Words that are under node 0 without a
        move get `root_label`.
        """
        cdef ParseWorkspace work = self.workspace(weights)
        cdef Buffer arcs[3]
        cdef State* state
        cdef Py_ssize_t s
        cdef token_t n
        found = np.zeros(starts.shape[0], dtype=np.int64)
        cdef offset_t[::1] ends = found
        memset(arcs, 0, sizeof(arcs))
        try:
            with nogil:
                for s in range(starts.shape[0] - 1):
                    n = <token_t>(starts[s + 1] - starts[s]) - 1
                    work.reserve(n)
                    state = self.derive(work, &tokens[starts[s], 0], n)
                    reserve_arcs(state, state.arcs + 2 * n + 1)
                    attach_headless(self, work, state, &tokens[starts[s], 0])
                    self.system.finish(state, root_label)
                    append(&arcs[0], state.arc_head, state.arcs)
                    append(&arcs[1], state.arc_dependent, state.arcs)
                    append(&arcs[2], state.arc_label, state.arcs)
                    ends[s + 1] = arcs[0].size
            return take_array(&arcs[0]), take_array(&arcs[1]), take_array(&arcs[2]), found
        finally:
            for s in range(3):
                free(arcs[s].data)

    cdef ParseWorkspace workspace(self, weights):
        """The memory for parsing with weights."""
        return ParseWorkspace(self.set_words, (<Scorer?>weights).for_thread(), self.actions)

    cdef State* derive(self, ParseWorkspace work, const int32_t* tokens, token_t n) except NULL nogil:
        """Derive the best parse of a sentence; returns its final state."""
        cdef hash_t keys[MOST_TEMPLATES]
        cdef State* state = &work.state
        cdef weight_t* scores = work.scores
        cdef int32_t best
        cdef uint32_t legal
        work.begin(self.system, n)
        while find_choice(self, state, &legal):
            fill_keys(&self.program, state, tokens, keys)
            work.scorer.score(keys, self.program.template_count, self.group_of(state, tokens), scores)
            best = best_of(self, scores, legal)
            while self.system.several_heads and best >= 0 and self.repeats_arc(state, best):
                scores[best] = -INFINITY
                best = best_of(self, scores, legal)
                if scores[best] == -INFINITY:
                    best = -1
            if best < 0:
                make(self.system, state, self.system.last_resort, -1)
                continue
            make(self.system, state, self.moves[best], self.labels[best])
            if work.scored:
                note_link(self, work, state, best, scores)
        return state

    cdef bint repeats_arc(self, const State* state, int32_t action) noexcept nogil:
        """Whether an action would make an arc that is there, with the same label."""
        return repeats(self, state, self.system.arc_of(state, self.moves[action]), self.labels[action])

    cdef inline bint forced(self, uint32_t legal) noexcept nogil:
        """Whether there is nothing to choose: one move is legal, and it takes no label."""
        return legal & (legal - 1) == 0 and not legal & self.labelled

    cdef int32_t action_of(self, token_t move, label_t label) noexcept nogil:
        """The action of a move and a label, -1 if there is none."""
        return self.action_table[move, label + 1] if label + 1 < self.action_table.shape[1] else -1

    cdef void resulting_tree(self, ParseWorkspace work, State* state, const int32_t* tokens, label_t root_label,
                             bint annotated, bint keep_root_links, token_t* heads, label_t* labels) noexcept nogil:
        """The tree of a final state, complete and with labels."""
        attach_headless(self, work, state, tokens)
        work.resulting_tree(self.system, state, root_label, annotated, keep_root_links, heads, labels)
        if root_label >= 0:
            label_unlabelled(self, work, state, tokens, annotated, heads, labels)

    @property
    def action_count(self):
        return self.actions

    cdef inline int32_t group_of(self, const State* state, const int32_t* tokens) noexcept nogil:
        """The tag of the first word in the buffer plus 1; 0 if there is no word or no tag."""
        cdef token_t word = buffer_at(state, 0) if self.tag_column >= 0 else -1
        return tokens[<Py_ssize_t>word * self.program.attributes + self.tag_column] + 1 if word >= 0 else 0

    def keys_after(self, const int32_t[:, ::1] tokens, const int32_t[::1] actions):
        """Return the keys of the features of one sentence after some actions, which must be legal."""
        cdef Workspace work = Workspace(self.set_words)
        cdef Py_ssize_t i
        keys = np.empty(self.program.template_count, dtype=np.uint64)
        cdef hash_t[::1] view = keys
        work.reserve(<token_t>tokens.shape[0] - 1)
        work.begin(self.system, <token_t>tokens.shape[0] - 1)
        for i in range(actions.shape[0]):
            if not 0 <= actions[i] < self.actions or not self.system.legal(&work.state) >> self.moves[actions[i]] & 1:
                raise ValueError(f"action {actions[i]} is not legal")
            make(self.system, &work.state, self.moves[actions[i]], self.labels[actions[i]])
        fill_keys(&self.program, &work.state, &tokens[0, 0], &view[0])
        return keys
