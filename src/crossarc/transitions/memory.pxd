from crossarc.core.typedefs cimport label_t, score_t, token_t
from crossarc.transitions.state cimport State
from crossarc.transitions.system cimport Gold, TransitionSystem

cdef class Workspace:
    cdef State state
    cdef Gold gold
    cdef token_t set_words
    cdef token_t room
    cdef token_t* graph_memory  # of a gold graph
    cdef Py_ssize_t graph_room
    cdef token_t* scratch       # of reconstruction, which looks for the cheapest tree
    # Of each link: the extra cost if its head is on the right, and its label if it turns out against its annotation.
    cdef score_t* turn
    cdef label_t* turned_label
    cdef bint scored            # whether these come from scores stored while parsing, or from annotations alone

    cdef int reserve(self, token_t n) except -1 nogil
    cdef void set_gold(self, token_t n, const token_t* heads, const label_t* labels) noexcept nogil
    cdef void begin(self, TransitionSystem system, token_t n) noexcept nogil
    cdef int begin_gold(self, TransitionSystem system, token_t n, const token_t* heads,
                        const label_t* labels) except -1 nogil
    cdef int begin_graph(self, TransitionSystem system, token_t n, token_t count, const token_t* heads,
                         const token_t* dependents, const label_t* labels) except -1 nogil
    cdef void list_arc(self, token_t node, token_t arc) noexcept nogil
    cdef void give_tree(self, TransitionSystem system, State* state, label_t root_label, bint annotated,
                        bint keep_root_links, token_t* heads, label_t* labels) noexcept nogil
    cdef void reconstruct(self, State* state, bint keep_root_links, bint single_root,
                          label_t root_label) noexcept nogil
