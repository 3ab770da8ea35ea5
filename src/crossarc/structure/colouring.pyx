"""Exact colouring of a small graph: DSATUR (Brelaz 1979) as branch and bound, within a budget of steps."""
from libc.stdint cimport uint16_t
from libc.stdlib cimport free
from libc.string cimport memset

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport token_t


cdef enum:
    BUDGET = 20_000     # colours given out; about 10 ms for the largest component


cdef class Colouring:
    """The memory of a search."""

    def __cinit__(self):
        renew(<void**>&self.board.adjacent, LARGEST * LARGEST)
        renew(<void**>&self.board.taken, LARGEST * MOST * sizeof(uint16_t))
        renew(<void**>&self.numbers, 8 * LARGEST * sizeof(token_t))
        self.board.colour = self.numbers
        self.board.best = self.numbers + LARGEST
        self.board.saturation = self.numbers + 2 * LARGEST
        self.board.degree = self.numbers + 3 * LARGEST
        self.board.vertex = self.numbers + 4 * LARGEST
        self.board.trial = self.numbers + 5 * LARGEST
        self.board.used = self.numbers + 6 * LARGEST    # one entry more than steps

    def __dealloc__(self):
        free(self.board.adjacent)
        free(self.board.taken)
        free(self.numbers)


cdef token_t grow_clique(Board* board) noexcept nogil:
    """The size of a clique, grown from the vertex of the highest degree: no colouring has fewer colours."""
    cdef token_t* clique = board.vertex
    cdef token_t size = 0, v, i, pick
    cdef bint fits
    while True:
        pick = -1
        for v in range(board.m):
            fits = pick < 0 or board.degree[v] > board.degree[pick]
            for i in range(size):
                fits = fits and board.adjacent[v * board.m + clique[i]]
            if fits:
                pick = v
        if pick < 0:
            return size
        clique[size] = pick
        size += 1


cdef token_t choose(const Board* board) noexcept nogil:
    """The uncoloured vertex with most colours around it; of equal ones the one of the highest degree."""
    cdef token_t v, pick = -1
    for v in range(board.m):
        if board.colour[v] < 0 and (
            pick < 0 or board.saturation[v] > board.saturation[pick]
            or (board.saturation[v] == board.saturation[pick] and board.degree[v] > board.degree[pick])
        ):
            pick = v
    return pick


cdef void give(Board* board, token_t v, token_t colour) noexcept nogil:
    cdef token_t u
    board.colour[v] = colour
    for u in range(board.m):
        if board.adjacent[v * board.m + u]:
            board.saturation[u] += board.taken[u * MOST + colour] == 0
            board.taken[u * MOST + colour] += 1


cdef void take_back(Board* board, token_t v) noexcept nogil:
    cdef token_t u, colour = board.colour[v]
    board.colour[v] = -1
    for u in range(board.m):
        if board.adjacent[v * board.m + u]:
            board.taken[u * MOST + colour] -= 1
            board.saturation[u] -= board.taken[u * MOST + colour] == 0


cdef token_t reduce_colours(Board* board, token_t colours) noexcept nogil:
    """Colour `adjacent` with as few colours as possible, given `best` with `colours`; return their number.

    The graph must not be bipartite: the search stops at three colours. When the budget is spent, the best so
    far stands.
    """
    cdef token_t m = board.m, v, u, c, limit, lower, step = 0, spent = 0
    for v in range(m):
        board.colour[v] = -1
        board.saturation[v] = 0
        board.degree[v] = 0
        for u in range(m):
            board.degree[v] += board.adjacent[v * m + u]
    lower = max(3, grow_clique(board))
    memset(board.taken, 0, <size_t> m * MOST * sizeof(uint16_t))
    board.vertex[0] = choose(board)
    board.trial[0] = board.used[0] = 0
    while step >= 0 and colours > lower and spent < BUDGET:
        v = board.vertex[step]
        if board.colour[v] >= 0:
            take_back(board, v)
        # One colour that is new here is as good as another; a colouring must beat the best.
        limit = min(board.used[step], colours - 2) if board.used[step] < colours else -1
        c = board.trial[step]
        while c <= limit and board.taken[v * MOST + c]:
            c += 1
        if c > limit:
            step -= 1
            continue
        board.trial[step] = c + 1
        board.used[step + 1] = max(board.used[step], c + 1)
        give(board, v, c)
        spent += 1
        if step + 1 == m:
            colours = board.used[m]
            for u in range(m):
                board.best[u] = board.colour[u]
        else:
            step += 1
            board.vertex[step] = choose(board)
            board.trial[step] = 0
    return colours
