from crossarc.core.typedefs cimport score_t, token_t

from crossarc.decode.decoder cimport Decoder


# The best projective tree.
cdef struct Chart:
    # Squares of n + 1 nodes. A span i..j is complete when its head, at one end, takes no more dependents in it.
    token_t n
    score_t* right          # complete with head i, at [i][j] and at [j][i]
    score_t* left           # complete with head j, at [i][j] and at [j][i]
    score_t* arc            # spans that an arc between their ends closes: with head i at [i][j], with head j at [j][i]
    token_t* stack


cdef class Eisner(Decoder):
    cdef Chart chart
    cdef score_t* memory
