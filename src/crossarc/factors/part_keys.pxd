# The keys of the features of pairs of arcs: see part_keys.pyx.
from crossarc.core.typedefs cimport hash_t, int32_t, token_t
from crossarc.factors.keys cimport ArcKeys, Words
from crossarc.learning.scorers cimport MOST_KEYS

cdef enum:
    # Kinds of pairs of arcs, as in crossarc.features.edges.TRIPLES.
    SIBLINGS
    GRANDCHILDREN
    PAIR_SLOTS = 8          # what the third word of a pair can be, by direction of the arc


cdef class PartKeys:
    cdef Words words
    cdef ArcKeys arcs
    cdef int32_t counts[2]              # of templates, by kind
    cdef int32_t bare_counts[2]         # and of those that are used where the third word is missing
    cdef const int32_t[::1] bare        # their numbers among those of their kind, siblings first
    cdef int32_t side_count
    cdef const int32_t[:, ::1] sides    # by template, siblings first: those of the three words
    cdef hash_t[:, ::1] side_hashes     # by word: each bundle of things that are looked at from it
    cdef hash_t[:, :, ::1] word_keys    # by word, behind the last one none; by place among the three; by template
    cdef hash_t salts[PAIR_SLOTS]
    cdef hash_t base[MOST_KEYS]         # what the first two words say
    cdef hash_t buffers[2][MOST_KEYS]
    cdef int32_t current                # the buffer that was filled last

    cdef int reserve(self, token_t n) except -1
    cdef void prepare(self) noexcept nogil
    cdef void begin(self, int32_t kind, token_t first, token_t second) noexcept nogil
    cdef int32_t fill(self, int32_t kind, token_t third, int32_t slot) noexcept nogil

    cdef inline const hash_t* keys(self) noexcept nogil:
        """The keys that were filled in last."""
        return self.buffers[self.current]
