# The graph of a round: see round_graph.pyx.
from crossarc.core.typedefs cimport int32_t, score_t, token_t
from crossarc.decode.decoder cimport Decoder
from crossarc.factors.words cimport Words

cdef enum:
    OUT = -1                # no head for any word of the round


cdef class RoundGraph:
    cdef Words words
    cdef bint absorb
    cdef int32_t tag_column, round_count
    cdef const int32_t[::1] round_of_tag
    cdef Decoder decoder
    cdef Decoder forest                 # for rounds in which any number of words can hang from what is one node
    cdef int32_t[::1] rounds            # by word; that of node 0 is beyond all
    # Of the round at hand.
    cdef int32_t round
    cdef token_t count                  # its words are members[1..count]
    cdef token_t[::1] members
    cdef token_t[::1] nodes             # by word: which node of the round's graph it is as a head, or OUT
    cdef token_t ground                 # the node that all words of later rounds are
    cdef bint one_root                  # whether exactly one word hangs from the graph's root
    cdef bint rooted                    # whether a word hangs from node 0 already
    cdef score_t[::1] graph
    cdef token_t[::1] chosen

    cdef inline bint is_now(self, token_t word) noexcept nogil:
        """Whether a word gets its head in this round."""
        return self.rounds[word] == self.round

    cdef inline bint reachable(self, token_t place, token_t head) noexcept nogil:
        """Whether the word in some place of the round can still get a head."""
        return self.nodes[head] != OUT and self.nodes[head] != place

    cdef int reserve(self, token_t n) except -1
    cdef void begin(self) noexcept nogil
    cdef bint next_round(self, const token_t* heads) noexcept nogil
    cdef bint solve(self, const score_t* matrix, token_t* heads) noexcept nogil
