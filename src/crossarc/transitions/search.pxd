cimport cython

from crossarc.core.typedefs cimport hash_t, int32_t, int8_t, label_t, token_t, uint32_t, uint8_t, weight_t
from crossarc.core.vectors cimport first_greatest

from crossarc.learning.scorers cimport Scorer
from crossarc.transitions.graph_arcs cimport has_arc
from crossarc.transitions.state cimport Arc, State
from crossarc.transitions.system cimport MOVES, TransitionSystem, Workspace, make


cdef enum:
    MOST_ADDRESSES = 96
    MOST_SLOTS = 256
    MOST_TEMPLATES = 512

cdef struct Program:            # a compiled feature model
    const int32_t* addresses    # rows of kind, parent, place
    int32_t address_count
    const int32_t* slots        # rows of kind, address, other
    int32_t slot_count
    const int32_t* templates    # rows of WIDEST slots
    int32_t template_count
    int32_t attributes          # how many a token has
    int32_t tree_column         # the one that is its head in a given tree; -1 for none

cdef void fill_keys(const Program* program, State* state, const int32_t* tokens, hash_t* keys) noexcept nogil
cdef void fill_values(const Program* program, State* state, const int32_t* tokens, hash_t* values) noexcept nogil
cdef void hash_values(const Program* program, const hash_t* values, int32_t begin, int32_t end,
                      hash_t* keys) noexcept nogil
cdef void hash_chosen(const Program* program, const hash_t* values, const int32_t* templates, int32_t count,
                      hash_t* keys) noexcept nogil


cdef enum:
    ROOT_ARCS = 1           # arcs from node 0
    WORD_ARCS = 2           # arcs between words

cdef class ParseWorkspace(Workspace):
    cdef Scorer scorer          # of actions
    cdef weight_t* scores       # room for the scores of all actions

cdef class Greedy:
    cdef readonly TransitionSystem system
    cdef readonly object model
    cdef Program program
    cdef const int32_t[:, ::1] addresses
    cdef const int32_t[:, ::1] slots
    cdef const int32_t[:, ::1] templates
    cdef const int32_t[::1] moves
    cdef const int32_t[::1] labels
    cdef int32_t actions
    cdef token_t set_words      # of the sets of labels in states
    cdef const uint8_t[::1] places      # by action: what its label can be on, ROOT_ARCS and WORD_ARCS as bits
    cdef uint32_t labelled      # the moves that take a label, as bits
    cdef int32_t[MOVES] first_action    # the actions of a move are between these two
    cdef int32_t[MOVES] end_action
    cdef bint in_order          # whether the actions of each move stand together, in the order of the moves
    cdef const int32_t[:, ::1] action_table     # the action of a move and a label, which counts from -1
    cdef readonly int32_t label_templates       # the first template by which labels are chosen
    cdef readonly int32_t tag_column    # the attribute whose value is the group of a state; -1 for none
    cdef token_t left_arc       # of systems that join the buffer: the moves
    cdef token_t right_arc

    cdef ParseWorkspace workspace(self, weights)
    cdef State* derive(self, ParseWorkspace work, const int32_t* tokens, token_t n) except NULL nogil
    cdef bint repeats_arc(self, const State* state, int32_t action) noexcept nogil
    cdef bint forced(self, uint32_t legal) noexcept nogil
    cdef int32_t action_of(self, token_t move, label_t label) noexcept nogil
    cdef int32_t group_of(self, const State* state, const int32_t* tokens) noexcept nogil
    cdef void resulting_tree(self, ParseWorkspace work, State* state, const int32_t* tokens, label_t root_label,
                             bint annotated, bint keep_root_links, token_t* heads, label_t* labels) noexcept nogil


cdef inline token_t lowest_bit(uint32_t bits) noexcept nogil:
    cdef token_t place = 0
    while not bits >> place & 1:
        place += 1
    return place


cdef inline int32_t best_of(Greedy search, const weight_t* scores, uint32_t moves) noexcept nogil:
    """The action that scores best among those that make one of some moves, given as bits."""
    cdef int32_t best = -1
    cdef int32_t a
    cdef token_t move
    if search.in_order:
        for move in range(MOVES):
            if moves >> move & 1 and search.end_action[move] > search.first_action[move]:
                a = best_of_move(search, scores, move)
                if best < 0 or scores[a] > scores[best]:
                    best = a
        return best
    return best_among(scores, &search.moves[0], search.actions, moves)


cdef inline int32_t best_of_move(Greedy search, const weight_t* scores, token_t move) noexcept nogil:
    """The action that scores best among those that make a move."""
    cdef int32_t first = search.first_action[move]
    cdef int32_t count = search.end_action[move] - first
    if search.in_order:
        return first + first_greatest(scores + first, count)
    return first + best_among(scores + first, &search.moves[first], count, 1 << move)


cdef inline int32_t best_among(const weight_t* scores, const int32_t* move_of, int32_t actions,
                               uint32_t moves) noexcept nogil:
    # Plain pointers, which the compiler keeps in registers.
    cdef int32_t best = -1
    cdef int32_t a
    for a in range(actions):
        if moves >> move_of[a] & 1 and (best < 0 or scores[a] > scores[best]):
            best = a
    return best


cdef inline bint repeats(Greedy search, const State* state, Arc arc, label_t label) noexcept nogil:
    """Whether a graph has an arc with a label already; trees never do."""
    return search.system.several_heads and arc.head >= 0 and has_arc(state, arc.head, arc.dependent, label)


cdef inline int follow(Greedy search, State* state, int32_t action) except -1 nogil:
    """Make the move of an action."""
    return make(search.system, state, search.moves[action], search.labels[action])


cdef class TwoStage(Greedy):
    cdef readonly int32_t move_templates


cdef enum:
    STAY = -1               # instead of an action: the derivation is finished
    MOST_KEPT = 512         # sums of a group of templates

cdef struct Step:
    int32_t before          # the step before, -1 for none
    int32_t action

cdef struct Item:           # a derivation
    State state
    double score
    double log_probability  # 0 unless it is asked for
    int32_t last            # its last step, -1 before the first
    bint gold               # whether all its steps are those of the oracle
    # Its next step:
    uint32_t legal          # the legal moves, as bits; 0 if it is finished
    uint32_t occupied       # those that make an arc between words that have one in the same direction
    int32_t place           # of the scores of its state
    int32_t children        # the derivations of the next generation that are still to be made of it

cdef struct Candidate:      # a derivation and its next step
    double score
    double log_probability
    int32_t item
    int32_t action


@cython.final
cdef class Generations:
    cdef int32_t width
    cdef Item* items                # best first, `count` of them
    cdef int32_t count
    cdef Item* older                # room for as many
    cdef Candidate* candidates      # as many as `ranks`, in any order
    cdef double* ranks              # what derivations are compared by, best first
    cdef int32_t* places            # of the candidates with these ranks
    cdef Step* steps                # of all derivations, as a tree
    cdef Py_ssize_t step_count
    cdef Py_ssize_t step_room
    cdef int32_t* gold              # the oracle's actions, `gold_count` of them; none when parsing
    cdef token_t gold_count
    cdef int32_t* path              # room for the actions of another derivation
    cdef Py_ssize_t path_room
    cdef weight_t* scores           # room for those of one state
    # The scores of the states met in a step: many derivations in a wide beam look the same to the features.
    cdef hash_t* seen               # what the features see of each such state
    cdef weight_t* seen_scores      # `score_rows` numbers for each
    cdef double* seen_shifts        # for probabilities: the logarithm of the sum that they are shares of
    cdef weight_t* seen_most        # the greatest score of each
    cdef int32_t* seen_at           # by hash: the number of a state, -1 for none
    cdef int32_t seen_count
    cdef size_t score_rows
    cdef hash_t mask                # of `seen_at`
    # Sums of groups of templates, for the states that look the same to one: see `keep_sums`.
    cdef int32_t group_count
    cdef Py_ssize_t kept            # sums of each group, a power of 2
    cdef const int32_t[::1] group_templates     # those of group g are from group_starts[g] to group_starts[g + 1]
    cdef const int32_t[::1] group_starts
    cdef const int32_t[::1] group_slots
    cdef const int32_t[::1] slot_starts
    cdef hash_t* kept_seen          # what each group saw of a state, `kept` entries a group
    cdef weight_t* kept_sums        # `score_rows` numbers for each
    cdef double scale               # of scores before they become probabilities; 0 if nobody asks for them
    cdef bint by_probability        # whether derivations are compared by their probabilities
    cdef double floor               # at least as many candidates as are kept reach this rank
    cdef bint by_mean               # whether they are compared by the mean of their steps, not by the sum
    cdef const token_t* required    # the head that each word must have, -1 if it is free; NULL without constraints
    cdef const int8_t* forbidden    # at [dependent][head]
    cdef bint root_links_optional   # whether reconstruction may drop links of node 0
    cdef token_t set_words          # of the sets of labels
    cdef double* lost               # at [dependent][head]: the probability that left the beam with that arc; or NULL
    cdef double* dropped            # by item and move: the probability of the steps that are not kept

    cdef int begin(self, Greedy search, token_t n) except -1 nogil
    cdef bint advance(self, Greedy search, Scorer scorer, const int32_t* tokens) except -1 nogil
    cdef int32_t scored(self, Greedy search, Scorer scorer, State* state, const int32_t* tokens,
                        uint32_t legal) noexcept nogil
    cdef void score_groups(self, Greedy search, Scorer scorer, const hash_t* values, weight_t* out) noexcept nogil
    cdef void note_scores(self, Greedy search, int32_t place, uint32_t legal) noexcept nogil
    cdef double lowest_best(self, Greedy search) noexcept nogil
    cdef int32_t offer_steps(self, Greedy search, int32_t kept, int32_t i) noexcept nogil
    cdef weight_t least_score(self, int32_t kept, int32_t i) noexcept nogil
    cdef void note_lost(self, Greedy search, int32_t kept) noexcept nogil
    cdef uint32_t allowed(self, Greedy search, const State* state, uint32_t legal) noexcept nogil
    cdef bint permits(self, token_t n, token_t head, token_t dependent) noexcept nogil
    cdef uint32_t occupied(self, Greedy search, const State* state, uint32_t legal) noexcept nogil
    cdef int32_t insert(self, int32_t kept, double rank, double score, double log_probability, int32_t item,
                        int32_t action) noexcept nogil
    cdef int extend(self, Greedy search, Item* item, const Candidate* candidate) except -1 nogil
    cdef int reserve_steps(self, Py_ssize_t count) except -1 nogil
    cdef int reserve_paths(self, Py_ssize_t count) except -1 nogil
    cdef int trace(self, int32_t last, token_t count) except -1 nogil

    cdef inline double gain(self, int32_t place, weight_t score) noexcept nogil:
        """The score of an action in a derivation: its own score, or its log probability."""
        return self.scale * score - self.seen_shifts[place] if self.by_probability else score

    cdef inline double rank_of(self, double score, int32_t item, bint moves) noexcept nogil:
        """The rank of a derivation after a further move, or of a finished one."""
        return score / max(1, self.items[item].state.moves + moves) if self.by_mean else score

    cdef inline int32_t offer(self, int32_t kept, double score, double log_probability, int32_t item,
                              int32_t action) noexcept nogil:
        """Put a candidate in its place among the `kept` best if it is one of them; returns their new number."""
        cdef double rank = self.rank_of(score, item, action != STAY)
        if kept == self.width and not rank > self.ranks[kept - 1]:
            return kept
        return self.insert(kept, rank, score, log_probability, item, action)


cdef class BeamWorkspace(ParseWorkspace):
    cdef Generations beam


cdef class Beam(Greedy):
    cdef readonly int32_t width
    cdef readonly bint probabilities
    cdef readonly bint mean
    cdef object groups          # of templates, and their terms, for sums of scores; found when they are first needed

    cdef int run(self, BeamWorkspace work, const int32_t* tokens, token_t n) except -1 nogil
    cdef int note_links(self, BeamWorkspace work, const int32_t* tokens, int32_t item) except -1 nogil
