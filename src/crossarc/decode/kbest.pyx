"""The k best trees, in order (after Lawler 1972; Camerini, Fratta and Maffioli 1980).

The trees other than the best one are split by the first of its arcs that they lack: those without the first arc, those
with the first but not the second, and so on. The best of each such set is found by decoding with these arcs forbidden
and required, and the set is split in the same way when its best tree is given out. As the sets have no tree in common,
ties do no harm.

Few sets have to be decoded, for the contraction of the best tree bounds what a tree must lose that lacks one of its
arcs: the part that chose the arc must be entered by another one, and the least that costs is in the part's row. Sets
are tried in the order of these bounds, and none whose bound is worse than a tree at hand.
"""
import numpy as np

from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from crossarc.core.typedefs cimport int8_t, int64_t, score_t, token_t

from crossarc.decode.chu_liu_edmonds cimport (
    Parts, choose_greedily, contract, expand, hold_matrix, reserve_parts, row_of)
from crossarc.decode.decoder cimport SOLVED, Matrices, Outcome

from crossarc.decode.chu_liu_edmonds import mst
from crossarc.decode.constraints import constrained
from crossarc.decode.decoder import check_all, share
from crossarc.errors import DecodeError


cdef struct Found:
    # A tree, best of a set: the trees of the set of `parent` that share its first `branch` arcs but lack the next.
    score_t score
    score_t key             # its score until it is given out, then the bound of the next set to try
    token_t parent
    token_t branch
    token_t next            # of its arcs, the next to do without; -1 until it is given out
    token_t free            # how many of its arcs are free, in `order`


cdef struct Search:
    token_t n
    bint single_root
    const score_t* scores
    Py_ssize_t stride
    score_t* grid           # the scores with the constraints of a set
    Parts parts
    token_t* up             # by part: the part it is in, or -1
    token_t* sequence       # the words so that each part is a run of them
    token_t* position       # by word, its place there
    int8_t* fixed           # by word: its head is required in the set at hand
    Found* found
    token_t* heads          # of each tree found, n + 1
    token_t* order          # its free words, those first whose arcs are cheapest to do without
    score_t* loss           # what doing without costs at least, in that order
    int64_t count
    int64_t room


cdef score_t cheapest_loss(Search* search, token_t part) noexcept nogil:
    """What it costs at least to enter a part by another arc than the one it chose.

    An arc from far outside enters the parts around as well, and is measured at the outermost: what it falls short of
    there may be less, as those parts were entered at a loss already.
    """
    cdef Parts* parts = &search.parts
    cdef const score_t* row = row_of(parts, part)
    cdef score_t best = -INFINITY, around = 0, inner = 0
    cdef token_t chosen = parts.head[part]
    cdef token_t low = search.position[parts.words[part]], high = search.position[parts.last[part]]
    cdef token_t p, h, child, wide_low, wide_high, outer = part
    while True:
        p = search.up[outer]
        wide_low = search.position[parts.words[p]] if p >= 0 else 0
        wide_high = search.position[parts.last[p]] if p >= 0 else search.n - 1
        while low > wide_low:
            low -= 1
            h = search.sequence[low]
            if h != chosen and row[h] - around > best:
                best = row[h] - around
        while high < wide_high:
            high += 1
            h = search.sequence[high]
            if h != chosen and row[h] - around > best:
                best = row[h] - around
        if p < 0:
            break
        around += parts.value[p]
        outer = p
    # With a single root, a second arc from node 0 is no way out; another one in its stead is.
    if chosen != 0 and (not search.single_root or parts.head[outer] == 0) and row[0] - around > best:
        best = row[0] - around
    # The chosen head may lead to another word of the part; such an arc goes no further than the chosen one.
    outer = part
    while outer > search.n:
        child = parts.first[outer]
        while child >= 0:
            if child != parts.entry[outer] and row_of(parts, child)[chosen] - parts.value[child] - inner > best:
                best = row_of(parts, child)[chosen] - parts.value[child] - inner
            child = parts.next[child]
        outer = parts.entry[outer]
        inner += parts.value[outer]
    return parts.value[part] - best


cdef void bound_losses(Search* search, const token_t* heads, score_t* by_word) noexcept nogil:
    """For each arc of the tree that was just found, what doing without it costs at least."""
    cdef Parts* parts = &search.parts
    cdef token_t n = search.n
    cdef token_t part, child, d, at = 0
    for part in range(1, parts.count):
        search.up[part] = -1
    for part in range(n + 1, parts.count):
        child = parts.first[part]
        while child >= 0:
            search.up[child] = part
            child = parts.next[child]
    for part in range(1, parts.count):          # a list of words runs on into the parts that were joined to it
        if search.up[part] < 0:
            d = parts.words[part]
            while True:
                search.sequence[at] = d
                search.position[d] = at
                at += 1
                if d == parts.last[part]:
                    break
                d = parts.following[d]
    for part in range(1, parts.count):
        if search.up[part] >= 0 and parts.entry[search.up[part]] == part:
            continue                            # its arc gave way to that of the part around it
        d = part
        while d > n:
            d = parts.entry[d]
        by_word[d] = cheapest_loss(search, part)


cdef void bound_greedy_losses(Search* search, const token_t* heads, score_t* by_word) noexcept nogil:
    """The same for a tree of every word's best head: the loss to its second best."""
    cdef const score_t* row
    cdef score_t second
    cdef token_t d, h
    for d in range(1, search.n + 1):
        row = search.grid + d * <Py_ssize_t>(search.n + 1)
        second = -INFINITY
        for h in range(search.n + 1):
            if h != d and h != heads[d] and row[h] > second:
                second = row[h]
        by_word[d] = row[heads[d]] - second


cdef inline void add_slack(score_t* loss, score_t scale) noexcept nogil:
    """Bounds were rounded on the way; keep them on the safe side."""
    if loss[0] < INFINITY:
        loss[0] -= 1e-10 * (scale + fabs(loss[0]))


cdef void restrict(Search* search, token_t tree, token_t branch) noexcept nogil:
    """Set the grid to a set of trees."""
    cdef token_t n = search.n
    cdef Py_ssize_t size = n + 1
    cdef const token_t* heads
    cdef const token_t* order
    cdef score_t* row
    cdef score_t kept
    cdef token_t d, h, i
    for d in range(1, n + 1):
        memcpy(search.grid + d * size, search.scores + d * search.stride, size * sizeof(score_t))
        search.fixed[d] = False
    while tree >= 0:
        heads = search.heads + tree * size
        order = search.order + tree * size
        for i in range(branch):
            d = order[i]
            row = search.grid + d * size
            kept = row[heads[d]]
            for h in range(n + 1):
                row[h] = -INFINITY
            row[heads[d]] = kept
            search.fixed[d] = True
        d = order[branch]
        search.grid[d * size + heads[d]] = -INFINITY
        branch = search.found[tree].branch
        tree = search.found[tree].parent


cdef bint add_best(Search* search, token_t parent, token_t branch) noexcept nogil:
    """Decode the grid and add its best tree if it has one; False if memory ran out."""
    cdef Parts* parts = &search.parts
    cdef token_t n = search.n
    cdef Py_ssize_t size = n + 1
    cdef Found* tree
    cdef token_t* heads
    cdef token_t* order
    cdef score_t* loss
    cdef score_t* by_word = search.grid             # its row 0, which nothing else uses
    cdef score_t scale = 0, mine
    cdef token_t d, i, at
    if search.count == search.room and not make_room(search):
        return False
    tree = search.found + search.count
    heads = search.heads + search.count * size
    order = search.order + search.count * size
    loss = search.loss + search.count * size
    hold_matrix(parts, search.grid, size, n)
    heads[0] = -1
    if choose_greedily(parts, search.single_root, heads):
        bound_greedy_losses(search, heads, by_word)
    elif contract(parts, search.single_root) == SOLVED:
        expand(parts, heads)
        bound_losses(search, heads, by_word)
    else:
        return True
    tree.score = 0
    tree.free = 0
    for d in range(1, n + 1):
        tree.score += search.scores[d * search.stride + heads[d]]
        scale += fabs(search.scores[d * search.stride + heads[d]])
    for d in range(1, n + 1):                       # insertion sort: short, and nearly all come late
        if search.fixed[d]:
            continue
        mine = by_word[d]
        add_slack(&mine, scale)
        i = tree.free
        while i and loss[i - 1] > mine:
            loss[i] = loss[i - 1]
            order[i] = order[i - 1]
            i -= 1
        loss[i] = mine
        order[i] = d
        tree.free += 1
    tree.key = tree.score
    tree.parent = parent
    tree.branch = branch
    tree.next = -1
    search.count += 1
    return True


cdef bint make_room(Search* search) noexcept nogil:
    """Room for twice as many trees."""
    cdef int64_t room = 2 * search.room + 8
    cdef size_t cells = <size_t>room * (<size_t>search.n + 1)
    cdef Found* found = <Found*>realloc(search.found, <size_t>room * sizeof(Found))
    if found == NULL:
        return False
    search.found = found
    cdef token_t* heads = <token_t*>realloc(search.heads, cells * sizeof(token_t))
    if heads == NULL:
        return False
    search.heads = heads
    cdef token_t* order = <token_t*>realloc(search.order, cells * sizeof(token_t))
    if order == NULL:
        return False
    search.order = order
    cdef score_t* loss = <score_t*>realloc(search.loss, cells * sizeof(score_t))
    if loss == NULL:
        return False
    search.loss = loss
    search.room = room
    return True


cdef int64_t search_best(Search* search, int64_t k, token_t* heads, Py_ssize_t stride, score_t* scores) noexcept nogil:
    """Give out up to k trees, the rows of `heads`, and their scores; how many, -1 if memory ran out."""
    cdef int64_t given = 0, t, best
    cdef Found* tree
    cdef Py_ssize_t size = search.n + 1
    cdef token_t d
    search.count = 0
    for d in range(1, search.n + 1):
        memcpy(search.grid + d * size, search.scores + d * search.stride, size * sizeof(score_t))
        search.fixed[d] = False
    if not add_best(search, -1, -1):
        return -1
    while given < k:
        best = -1
        for t in range(search.count):
            if search.found[t].key > -INFINITY and (best < 0 or search.found[t].key > search.found[best].key):
                best = t
        if best < 0:
            break
        tree = search.found + best
        tree.next += 1
        if tree.next == 0:
            memcpy(heads + given * stride, search.heads + best * size, size * sizeof(token_t))
            scores[given] = tree.score
            given += 1
        else:
            restrict(search, <token_t>best, tree.next - 1)
            if not add_best(search, <token_t>best, tree.next - 1):
                return -1
            tree = search.found + best
        # Later sets share more arcs, but none is better than its own bound.
        tree.key = tree.score - search.loss[best * size + tree.next] if tree.next < tree.free else -INFINITY
    return given


cdef class Worker:
    """The search with the memory it takes, over the sentences of a batch."""

    cdef Search search
    cdef Matrices matrices
    cdef int64_t k
    cdef token_t[:, :, ::1] heads
    cdef score_t[:, ::1] scores
    cdef void* memory

    def __cinit__(self, Matrices matrices, bint single_root, int64_t k, heads, scores):
        cdef size_t size = <size_t>matrices.longest + 1
        self.matrices = matrices
        self.k = k
        self.heads = heads
        self.scores = scores
        self.search.single_root = single_root
        self.search.grid = <score_t*>malloc(size * size * sizeof(score_t))
        self.search.up = <token_t*>malloc(4 * size * sizeof(token_t))
        self.search.fixed = <int8_t*>malloc(size)
        if self.search.grid == NULL or self.search.up == NULL or self.search.fixed == NULL:
            raise MemoryError
        self.search.sequence = self.search.up + 2 * size
        self.search.position = self.search.up + 3 * size
        reserve_parts(&self.search.parts, matrices.longest)

    def __dealloc__(self):
        free(self.search.grid)
        free(self.search.up)
        free(self.search.fixed)
        free(self.search.parts.memory)
        free(self.search.found)
        free(self.search.heads)
        free(self.search.order)
        free(self.search.loss)

    def __call__(self, Py_ssize_t begin, Py_ssize_t end):
        cdef Py_ssize_t s
        cdef int64_t given = 0
        cdef token_t n
        with nogil:
            for s in range(begin, end):
                n = self.matrices.length(s)
                if n == 0:
                    self.scores[s, 0] = 0
                    continue
                self.search.room = 0 if n != self.search.n else self.search.room
                self.search.n = n
                self.search.scores = self.matrices.matrix(s)
                self.search.stride = self.matrices.width
                given = search_best(&self.search, self.k, &self.heads[s, 0, 0], self.matrices.width, &self.scores[s, 0])
                if given < 0:
                    break
        if given < 0:
            raise MemoryError


def kbest(scores, k, lengths=None, *, single_root=True, required=None, forbidden=None, threads=1):
    """The k best trees, the best first, and their scores; of each tree about O(n^2).

    Arguments are those of `mst`. Gives int32 heads of the shape (k, n + 1), or (sentences, k, N + 1), and float64
    scores of the shape (k,) or (sentences, k). Where there are fewer trees, heads are -1 and scores -inf.

    >>> import numpy as np
    >>> heads, scores = kbest(np.array([[0, 0, 0], [9, 0, 20], [8, 30, 0]]), 3)
    >>> heads.tolist(), scores.tolist()
    ([[-1, 0, 1], [-1, 2, 0], [-1, -1, -1]], [39.0, 28.0, -inf])
    """
    cdef Matrices matrices = Matrices(scores, lengths)
    if not (isinstance(k, (int, np.integer)) and k >= 1):
        raise DecodeError(f"k must be the number of trees, 1 or more, not {k!r}")
    check_all(matrices)
    if required is not None or forbidden is not None:
        matrices = Matrices(constrained(matrices.array, matrices.lengths, required, forbidden), lengths)
    if np.isneginf(matrices.array).any():           # a sentence without any tree is an error, as with `mst`
        mst(scores, lengths, single_root=single_root, required=required, forbidden=forbidden)
    heads = np.full((matrices.size, k, matrices.width), -1, dtype=np.int32)
    totals = np.full((matrices.size, k), -np.inf)
    if matrices.size:
        share(threads, matrices.size, lambda: Worker(matrices, single_root, k, heads, totals))
    return (heads[0], totals[0]) if matrices.single else (heads, totals)
