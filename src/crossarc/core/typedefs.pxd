# The integer and floating types of every native signature, each with its reason.
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

ctypedef int32_t token_t    # a node of a sentence: 0 is the dummy root, -1 is "none"; no sentence has 2^31 words
ctypedef int32_t label_t    # a dependency label, a word or a tag as the id of a string table
ctypedef int64_t offset_t   # a place in a flat array over a whole corpus, which may exceed 2^31 entries
ctypedef uint64_t hash_t    # feature keys and string hashes
ctypedef double score_t     # scores of arcs and trees: sums over long sentences need the 53 bits
ctypedef float weight_t     # learned weights: half the memory of a double, and memory latency is everything

cdef enum:
    # Of the declarations that other packages may cimport; see CONTRIBUTING.md. As `PXD_VERSION` of crossarc.core.
    CROSSARC_PXD_VERSION = 1
