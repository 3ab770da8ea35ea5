from crossarc.core.typedefs cimport hash_t, int32_t, label_t, token_t, uint32_t, uint8_t, weight_t
from crossarc.core.vectors cimport first_greatest
from crossarc.learning.scorers cimport Scorer
from crossarc.transitions.context cimport Program
from crossarc.transitions.graph_arcs cimport has_arc
from crossarc.transitions.memory cimport Workspace
from crossarc.transitions.state cimport Arc, State
from crossarc.transitions.system cimport MOVES, TransitionSystem

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
    cdef void give_tree(self, ParseWorkspace work, State* state, const int32_t* tokens, label_t root_label,
                        bint annotated, bint keep_root_links, token_t* heads, label_t* labels) noexcept nogil
    cdef void attach_headless(self, ParseWorkspace work, State* state, const int32_t* tokens) noexcept nogil
    cdef void attach_to_graph(self, ParseWorkspace work, State* state, const int32_t* tokens) noexcept nogil
    cdef weight_t gain(self, ParseWorkspace work, State* state, token_t head, token_t dependent, const int32_t* tokens,
                       int32_t* action) noexcept nogil
    cdef void label_unlabelled(self, ParseWorkspace work, State* state, const int32_t* tokens, bint annotated,
                               const token_t* heads, label_t* labels) noexcept nogil
    cdef void join(self, State* state, token_t a, token_t b) noexcept nogil
    cdef void score_pair(self, ParseWorkspace work, State* state, token_t a, token_t b,
                         const int32_t* tokens) noexcept nogil


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


cdef inline bint happens(hash_t* random, double probability) noexcept nogil:
    """Draw the next random number: True with the given probability."""
    random[0] ^= random[0] << 13
    random[0] ^= random[0] >> 7
    random[0] ^= random[0] << 17
    return (random[0] >> 11) * (1.0 / 9007199254740992.0) < probability


cdef void note_link(Greedy search, Workspace work, const State* state, int32_t chosen,
                    const weight_t* scores) noexcept nogil
