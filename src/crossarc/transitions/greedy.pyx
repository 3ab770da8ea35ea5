"""Greedy search, guided by an oracle while it learns and by the model when it parses."""
import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from crossarc.core.buffers cimport Buffer, extend, take_array
from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, score_t, token_t, uint32_t, weight_t
from crossarc.learning.scorers cimport Scorer, Weights, grouped, score_room
from crossarc.learning.learners cimport Decision, UpdateRule
from crossarc.transitions.graph_arcs cimport is_above
from crossarc.transitions.system cimport (
    MOVES, Targets, TransitionSystem, Workspace, costs_label, gold_label, make, root_word,
)
from crossarc.transitions.state cimport (
    Arc, State, add_arc, add_further_head, add_link, buffer_at, reserve_arcs, words_for,
)

from crossarc.errors import CrossarcError


cdef enum:
    WRONG_LABEL = 1         # what a wrong label costs, as much as a lost arc


cdef class ParseWorkspace(Workspace):
    """What one thread needs to parse with a scorer of some number of actions."""

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


def collect_actions(TransitionSystem system, Targets targets, label_t label_count):
    """Count the oracle's moves by label: returns an array of moves x (labels + 1), the last column for no label."""
    cdef Workspace work = Workspace(words_for(label_count))
    cdef Py_ssize_t s
    cdef token_t move
    cdef label_t label
    counts = np.zeros((len(system.moves), label_count + 1), dtype=np.int64)
    cdef offset_t[:, ::1] view = counts
    for s in range(len(targets)):
        with nogil:
            targets.begin(system, work, s)
            while not system.is_final(&work.state):
                move = system.oracle(&work.state, &work.gold)
                label = gold_label(system, &work.state, &work.gold, move)
                view[move, label if label >= 0 else label_count] += 1
                make(system, &work.state, move, label)
    return counts


cdef void note_link(Greedy search, Workspace work, const State* state, int32_t chosen,
                    const weight_t* scores) noexcept nogil:
    """After an action that made a link: store how much better it scored than the best one in the other direction.

    If no action has the other direction, the difference is 0: no link of node 0 turns, and nothing is known of others.
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


cdef int32_t best_link(Greedy search, bint annotated, bint leftwards, const weight_t* scores) noexcept nogil:
    """The labelled action that scores best, if possible with a label that arcs between words have.

    With `annotated`, if possible one of that direction.
    """
    cdef int32_t best = -1
    cdef int32_t a, rank, best_rank = 0
    for a in range(search.actions):
        if search.labels[a] < 0:
            continue
        rank = (search.places[a] & WORD_ARCS) + (not annotated or (search.labels[a] & 1) != leftwards)
        if best < 0 or rank > best_rank or (rank == best_rank and scores[a] > scores[best]):
            best = a
            best_rank = rank
    return best


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

    def train(self, Weights weights, UpdateRule rule, const int32_t[:, ::1] tokens, Targets targets,
              const offset_t[::1] order, double explore=0.0):
        """Learn from sentences in an order, an epoch or a part of one; returns the counts of decisions and wrong ones.

        After a wrong decision training follows the model with probability `explore`, so that it learns in states that
        the model leads to; else it follows the best action that loses least.
        """
        cdef Workspace work = Workspace(self.set_words)
        cdef State* state = &work.state
        cdef hash_t keys[MOST_TEMPLATES]
        cdef token_t costs[MOVES]
        cdef label_t gold_labels[MOVES]
        cdef hash_t random = weights.random
        cdef offset_t decisions = 0, wrong = 0
        cdef Py_ssize_t i, s
        cdef token_t move
        cdef int32_t a, best, gold
        cdef uint32_t legal
        cdef const int32_t* words
        cdef Arc arcs[MOVES]
        cdef Decision decision
        cdef int32_t count = self.program.template_count
        cdef weight_t* scores = <weight_t*>malloc(2 * score_room(self.actions) * sizeof(weight_t))
        cdef int32_t* losses = <int32_t*>(scores + score_room(self.actions))
        if scores == NULL:
            raise MemoryError
        decision.keys = keys
        decision.key_count = count
        decision.scores = scores
        decision.costs = losses
        decision.action_count = self.actions
        try:
            with nogil:
                for i in range(order.shape[0]):
                    s = order[i]
                    words = &tokens[targets.nodes[s], 0]
                    targets.begin(self.system, work, s)
                    while not self.system.is_final(state):
                        legal = self.system.legal(state)
                        self.system.costs(state, &work.gold, costs)
                        for move in range(MOVES):
                            gold_labels[move] = -1
                            if legal >> move & 1:
                                arcs[move] = self.system.arc_of(state, move)
                                gold_labels[move] = gold_label(self.system, state, &work.gold, move)
                        fill_keys(&self.program, state, words, keys)
                        weights.score(keys, count, 0, scores)
                        best = gold = -1
                        for a in range(self.actions):
                            move = self.moves[a]
                            losses[a] = -1
                            if not legal >> move & 1 or repeats(self, state, arcs[move], self.labels[a]):
                                continue
                            losses[a] = costs[move]
                            if costs_label(self.system, state, &work.gold, arcs[move], gold_labels[move],
                                           self.labels[a]):
                                losses[a] += WRONG_LABEL
                            if best < 0 or scores[a] > scores[best]:
                                best = a
                            if (gold < 0 or losses[a] < losses[gold]
                                    or (losses[a] == losses[gold] and scores[a] > scores[gold])):
                                gold = a
                        if best < 0:
                            make(self.system, state, self.system.last_resort, -1)
                            continue
                        decisions += 1
                        weights.now += 1
                        decision.best = best
                        decision.gold = gold
                        rule.learn(weights, &decision)
                        if losses[best] > losses[gold]:
                            wrong += 1
                            if not happens(&random, explore):
                                best = gold
                        make(self.system, state, self.moves[best], self.labels[best])
        finally:
            free(scores)
        weights.random = random
        return decisions, wrong

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
                self.give_tree(work, state, &tokens[starts[s], 0], root_label, annotated, keep_root_links,
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
                    self.attach_headless(work, state, &tokens[starts[s], 0])
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
        while not self.system.is_final(state):
            legal = self.system.legal(state)
            if self.forced(legal):
                make(self.system, state, lowest_bit(legal), -1)
                continue
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

    cdef void give_tree(self, ParseWorkspace work, State* state, const int32_t* tokens, label_t root_label,
                        bint annotated, bint keep_root_links, token_t* heads, label_t* labels) noexcept nogil:
        """The tree of a final state, complete and with labels."""
        self.attach_headless(work, state, tokens)
        work.give_tree(self.system, state, root_label, annotated, keep_root_links, heads, labels)
        if root_label >= 0:
            self.label_unlabelled(work, state, tokens, annotated, heads, labels)

    cdef void attach_headless(self, ParseWorkspace work, State* state, const int32_t* tokens) noexcept nogil:
        """Attach words without a head to the root word, each with the label that scores best.

        Labels are scored as if the two words were to be joined next. Heads that score better than the root word are
        right less often: the parser had its chance to choose them. Graphs are another matter (`attach_to_graph`).
        """
        cdef token_t end = state.front
        cdef token_t root, word
        cdef int32_t best
        if not self.system.joins_buffer:
            return
        if self.system.several_heads:
            self.attach_to_graph(work, state, tokens)
        elif self.system.single_root and state.arcs < state.n - 1:
            root = root_word(state)
            for word in range(1, state.n + 1):
                if word != root and state.heads[word] < 0:
                    self.score_pair(work, state, root, word, tokens)
                    best = best_of_move(self, work.scores, self.left_arc if word < root else self.right_arc)
                    add_arc(state, root, word, self.labels[best])
        state.front = end

    cdef void attach_to_graph(self, ParseWorkspace work, State* state, const int32_t* tokens) noexcept nogil:
        """Give each word without a head, from left to right, the one that gains most.

        The head is one that the system allows, and not below the word. If a single root arc is missing even so, since
        closed cycles leave no word without a head, the one that gains most is added.
        """
        cdef token_t word, node, head, root = 0
        cdef int32_t action, best
        cdef weight_t score, most
        for word in range(1, state.n + 1):
            if state.heads[word] >= 0:
                continue
            most = -INFINITY
            head = best = -1
            for node in range(state.n + 1):
                if node != word and not is_above(state, word, node):
                    score = self.gain(work, state, node, word, tokens, &action)
                    if score > most:
                        most = score
                        head = node
                        best = action
            if head >= 0:
                add_further_head(state, head, word, self.labels[best])
        if not self.system.single_root or state.roots:
            return
        most = -INFINITY
        for word in range(1, state.n + 1):
            score = self.gain(work, state, 0, word, tokens, &action)
            if score > most:
                most = score
                root = word
                best = action
        if root > 0:
            add_further_head(state, 0, root, self.labels[best])

    cdef weight_t gain(self, ParseWorkspace work, State* state, token_t head, token_t dependent, const int32_t* tokens,
                       int32_t* action) noexcept nogil:
        """How much better the best action that makes an arc scores than the best move without one.

        -INFINITY if no action may make it.
        Labels are those that such arcs have. Scores are as if the two nodes were to be joined next.
        """
        cdef token_t move = self.left_arc if dependent < head else self.right_arc
        cdef int32_t place = WORD_ARCS if head > 0 else ROOT_ARCS
        cdef int32_t best = -1
        cdef int32_t a
        cdef uint32_t legal
        self.join(state, head, dependent)
        legal = self.system.legal(state)
        if not legal >> move & 1:
            return -INFINITY
        self.score_pair(work, state, head, dependent, tokens)
        for a in range(self.first_action[move], self.end_action[move]):
            if self.moves[a] == move and self.places[a] & place and (best < 0 or work.scores[a] > work.scores[best]):
                best = a
        if best < 0:
            return -INFINITY
        action[0] = best
        return work.scores[best] - work.scores[best_of(self, work.scores, legal & ~self.labelled)]

    cdef void label_unlabelled(self, ParseWorkspace work, State* state, const int32_t* tokens, bint annotated,
                               const token_t* heads, label_t* labels) noexcept nogil:
        """Give words that an undirected system attached without a label the one that scores best.

        Labels are scored as in `attach_headless`.
        """
        cdef bint ready = False
        cdef token_t word, node
        cdef label_t label
        if self.system.directed:
            return
        for word in range(1, state.n + 1):
            if labels[word] >= 0:
                continue
            if not ready:
                # Restore the state after the last move: reconstruction used the buffer's memory and set heads.
                for node in range(state.n + 1):
                    state.heads[node] = state.labels[node] = -1
                for node in range(state.end):
                    state.queue[node] = node + state.n + 1 - state.end
                ready = True
            self.score_pair(work, state, heads[word], word, tokens)
            label = self.labels[best_link(self, annotated, word < heads[word], work.scores)]
            add_link(state, heads[word], word, label)
            labels[word] = label >> 1 if annotated else label

    cdef void join(self, State* state, token_t a, token_t b) noexcept nogil:
        """Put one of two nodes on the stack and the other in front of the buffer."""
        state.stack[0] = state.left = min(a, b)
        state.depth = 1
        # The buffer began with node 0 or with the first word, and is as long as there were nodes in it.
        state.front = max(a, b) + state.end - state.n - 1

    cdef void score_pair(self, ParseWorkspace work, State* state, token_t a, token_t b,
                         const int32_t* tokens) noexcept nogil:
        """Score all actions as if two words were to be joined next."""
        cdef hash_t keys[MOST_TEMPLATES]
        cdef int32_t first = self.label_templates, count = self.program.template_count - first
        self.join(state, a, b)
        fill_keys(&self.program, state, tokens, keys)
        work.scorer.score(keys + first, count, self.group_of(state, tokens), work.scores)

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

    def instances(self, const int32_t[:, ::1] tokens, Targets targets, const int32_t[::1] group_of=None):
        """Return the decisions of the static oracle, for learners that need all of them at once.

        These are the keys of the features of each; its action; and its group, `group_of` the tag of the first word in
        the buffer plus 1, or 0. Groups share no features: their keys differ.
        """
        cdef Workspace work = Workspace(self.set_words)
        cdef State* state = &work.state
        cdef Py_ssize_t s, at = 0
        cdef token_t move
        cdef label_t label
        cdef int32_t k, group
        cdef int32_t count = self.program.template_count
        cdef const int32_t* words
        decisions = collect_actions(self.system, targets, max(self.labels) + 1).sum()
        keys = np.empty((decisions, count), dtype=np.uint64)
        chosen, groups = np.empty((2, decisions), dtype=np.int32)
        cdef hash_t[:, ::1] key_view = keys
        cdef int32_t[::1] chosen_view = chosen
        cdef int32_t[::1] group_view = groups
        for s in range(len(targets)):
            words = &tokens[targets.nodes[s], 0]
            with nogil:
                targets.begin(self.system, work, s)
                while not self.system.is_final(state):
                    fill_keys(&self.program, state, words, &key_view[at, 0])
                    group = 0 if group_of is None else group_of[self.group_of(state, words)]
                    for k in range(count):
                        key_view[at, k] = grouped(key_view[at, k], group)
                    move = self.system.oracle(state, &work.gold)
                    label = gold_label(self.system, state, &work.gold, move)
                    chosen_view[at] = self.action_of(move, label)
                    group_view[at] = group
                    at += 1
                    make(self.system, state, move, label)
        return keys, chosen, groups
