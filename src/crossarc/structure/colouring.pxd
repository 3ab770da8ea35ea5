from libc.stdint cimport uint8_t, uint16_t

from crossarc.core.typedefs cimport token_t

cdef enum:
    LARGEST = 512       # arcs of a component that is coloured exactly
    MOST = 32           # planes of such a component


cdef struct Board:
    # The crossing graph of one component, and the state of the search for its colours.
    uint8_t* adjacent       # (m, m)
    uint16_t* taken         # (m, MOST): how many coloured neighbours have the colour
    token_t* colour
    token_t* best
    token_t* saturation
    token_t* degree
    token_t* vertex         # by step: the vertex, the next colour to try, the colours in use before it
    token_t* trial
    token_t* used
    token_t m


cdef class Colouring:
    cdef Board board
    cdef token_t* numbers


cdef token_t reduce_colours(Board* board, token_t colours) noexcept nogil
