from crossarc.core.typedefs cimport int64_t, label_t, score_t, token_t, uint16_t, uint64_t


# Graphs with several heads, from a tree and more arcs.
cdef struct Arc:
    score_t score
    token_t head
    token_t dependent
    label_t label


cdef class GraphBuilder:
    cdef bint single_root
    cdef bint acyclic
    cdef token_t most_heads             # arcs to a word
    cdef token_t most_parallel          # arcs from one word to another
    cdef token_t n                      # of the sentence at hand
    cdef token_t room                   # words
    cdef token_t blocks                 # of 64 nodes
    cdef uint64_t* above                # by node: the nodes from which it can be reached, and itself, as bits
    cdef uint16_t* parallel             # by dependent and head: how many arcs there are
    cdef token_t* heads                 # by word: how many it has
    cdef token_t* path
    # Arcs that can be added, and those of the graph: of the tree word by word, then the others as they were added.
    cdef Arc* offers
    cdef Py_ssize_t offered
    cdef Py_ssize_t offer_room
    cdef bint out_of_memory
    cdef Arc* arcs
    cdef Py_ssize_t count
    cdef Py_ssize_t arc_room

    cdef int reserve(self, token_t n) except -1
    cdef void begin(self, token_t n) noexcept nogil
    cdef void offer(self, token_t h, token_t d, label_t label, score_t score) noexcept nogil
    cdef int build(self, const token_t* heads, const label_t* labels, const score_t* scores,
                   Py_ssize_t stride) except -1 nogil
    cdef void add(self, const Arc* arc) noexcept nogil
    cdef void begin_above(self, const token_t* heads) noexcept nogil
    cdef void join_above(self, token_t h, token_t d) noexcept nogil
    cdef bint can_add(self, const Arc* arc) noexcept nogil


# Local enhancement of a tree.
cdef int64_t improve(token_t* heads, const score_t* scores, Py_ssize_t stride, token_t n,
                     int64_t rounds) noexcept nogil
