from crossarc.core.typedefs cimport int32_t, label_t, offset_t, score_t, token_t, uint8_t, uint32_t, weight_t
from crossarc.learning.scorer cimport Scorer
from crossarc.transitions.context cimport Program
from crossarc.transitions.state cimport State
from crossarc.transitions.system cimport Gold, TransitionSystem

cdef class Workspace:
    cdef State state
    cdef Gold gold
    cdef token_t set_words
    cdef token_t room
    cdef token_t* scratch       # of reconstruction, which looks for the cheapest tree
    # Of each link: what it costs more with its head on the right, and its label if it turns out against its annotation.
    cdef score_t* turn
    cdef label_t* turned_label
    cdef bint scored            # whether they come from scores, noted while parsing, or from annotations alone

    cdef int reserve(self, token_t n) except -1 nogil
    cdef void begin(self, TransitionSystem system, token_t n, const token_t* heads,
                    const label_t* labels) noexcept nogil
    cdef void give_tree(self, TransitionSystem system, State* state, label_t root_label, bint annotated,
                        bint keep_root_links, token_t* heads, label_t* labels) noexcept nogil
    cdef void reconstruct(self, State* state, bint keep_root_links, bint single_root,
                          label_t root_label) noexcept nogil

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
    cdef const uint8_t[::1] between     # by action: whether its label can be on an arc between two words
    cdef uint32_t labelled      # the moves that take a label, as bits
    cdef readonly int32_t label_templates       # the first template by which labels are chosen
    cdef readonly int32_t tag_column    # the attribute whose value is the group of a state; -1 for none
    cdef token_t left_arc       # of systems that join the buffer: the moves
    cdef token_t right_arc

    cdef bint forced(self, uint32_t legal) noexcept nogil
    cdef int32_t group_of(self, const State* state, const int32_t* tokens) noexcept nogil
    cdef void attach_loose(self, State* state, Scorer scorer, const int32_t* tokens, weight_t* scores) noexcept nogil
    cdef void label_loose(self, State* state, Scorer scorer, const int32_t* tokens, weight_t* scores, bint annotated,
                          const token_t* heads, label_t* labels) noexcept nogil
    cdef void score_pair(self, State* state, token_t a, token_t b, Scorer scorer, const int32_t* tokens,
                         weight_t* scores) noexcept nogil


cdef inline token_t lowest_bit(uint32_t bits) noexcept nogil:
    cdef token_t place = 0
    while not bits >> place & 1:
        place += 1
    return place


cdef inline void make(TransitionSystem system, State* state, token_t move, label_t label) noexcept nogil:
    system.apply(state, move, label)
    state.last_move = move
    state.moves += 1


cdef void note_link(Greedy search, Workspace work, const State* state, int32_t chosen,
                    const weight_t* scores) noexcept nogil
