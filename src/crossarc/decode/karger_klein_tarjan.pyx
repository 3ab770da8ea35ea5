"""Spanning forests in expected linear time (Karger, Klein and Tarjan 1995).

Two Boruvka steps leave at most a quarter of the nodes. A random half of the remaining edges is solved by the same
algorithm; its forest F rules out every F-heavy edge (path_maxima.pyx), and few others remain, on average no more
than twice the nodes. The edges of the half that are not in F are heavy, as is known; only the other half is tested.
The rest is solved in the same way, by the next pass of a loop; only the halves recurse, no deeper than
log4 n, since each has a quarter of the nodes at most.

The coins come from a generator with a seed, so that the work is the same every time; the forest is the same for any
seed.
"""
from libc.stdlib cimport free, malloc

from crossarc.core.typedefs cimport int64_t, token_t, uint64_t, uint8_t


cdef enum:
    FEW = 3                 # nodes that are left to Boruvka alone


cdef struct Toss:
    uint64_t state
    uint64_t coins
    token_t left


cdef inline bint toss(Toss* source) noexcept nogil:
    """A fair coin, by SplitMix64 (Steele, Lea and Flood 2014), 64 coins a draw."""
    cdef uint64_t z
    cdef bint coin
    if source.left == 0:
        source.state += 0x9E3779B97F4A7C15ULL
        z = source.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
        source.coins = z ^ (z >> 31)
        source.left = 64
    coin = source.coins & 1
    source.coins >>= 1
    source.left -= 1
    return coin


cdef token_t span_part(Edge* edges, token_t m, token_t n, token_t* chosen, Pick* picks, token_t* part, Toss* source,
                       int64_t* comparisons) noexcept nogil:
    """Find the forest; return its number of edges, -1 if memory ran out. `picks` and `part` have room for n."""
    cdef token_t count = 0, step, sample, i, size
    cdef Edge* half
    cdef token_t* forest
    cdef uint8_t* depths
    while m:
        step = 0
        while m and (step < 2 or n <= FEW):
            comparisons[0] += choose_edges(edges, m, n, picks)
            count += take(n, picks, chosen + count)
            n = join(n, picks, part)
            m = contract(edges, m, part)
            step += 1
        if not m:
            break
        half = <Edge*>malloc(<size_t>m * (sizeof(Edge) + 1) + <size_t>n * sizeof(token_t))
        if half == NULL:
            return -1
        forest = <token_t*>(half + m)
        depths = <uint8_t*>(forest + n)
        sample = 0
        for i in range(m):
            depths[i] = HEAVY if toss(source) else OPEN
            half[sample] = edges[i]
            half[sample].place = i
            sample += depths[i] == HEAVY
        size = span_part(half, sample, n, forest, picks, part, source, comparisons)
        if size >= 0:
            for i in range(size):           # of the half, only its forest can be in the whole one
                depths[forest[i]] = LIGHT
            m = drop_heavy(edges, m, n, forest, size, depths, picks, part, comparisons)
        free(half)
        if size < 0 or m < 0:
            return -1
    return count


cdef class KargerKleinTarjan(Boruvka):
    """Boruvka steps, in the same memory, random halves, and the removal of heavy edges."""

    cdef uint64_t seed

    def __cinit__(self, seed=0):
        self.seed = seed & 0xFFFFFFFFFFFFFFFF

    cdef token_t span(self, Edge* edges, token_t m, token_t n, token_t* chosen) noexcept nogil:
        cdef Toss source
        source.state = self.seed
        source.left = 0
        return span_part(edges, m, n, chosen, self.picks, self.part, &source, &self.comparisons)
