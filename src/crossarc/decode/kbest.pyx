"""The k best trees, in order (after Lawler 1972; Camerini, Fratta and Maffioli 1980).

The trees other than the best one are split by the first of its arcs that they lack: those without the first arc, those
with the first but not the second, and so on. The best of each such set is found by decoding with these arcs forbidden
and required, and the set is split in the same way when its best tree is given out. As the sets have no tree in common,
ties do no harm.

Few sets have to be decoded: the contraction of the best tree bounds the loss of a tree that lacks one of its arcs. The
contraction gives a loss for every arc; losses add up, so a tree loses at least the sum of the losses of its arcs. Sets
are tried in the order of these bounds, and sets whose bound is worse than a tree already found are not tried.
"""
from functools import partial

from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport int64_t, score_t, token_t

from crossarc.decode.decoder cimport SOLVED, Matrices

from crossarc.decode.decoder import decode_several


cdef score_t cheapest_loss(const Search* search, token_t part, bint counted) noexcept nogil:
    """The least cost of entering a part by another arc than the one it chose.

    `counted` says that arcs from node 0 counted for more than any score: then a part that had none cannot take one.
    """
    cdef const Parts* parts = &search.parts
    cdef const score_t* row = row_of(parts, part)
    cdef token_t chosen = parts.head[part], h, child, outer = part
    cdef score_t best = -INFINITY, inner = 0, value
    for h in range(1 if counted else 0, search.n + 1):
        if h != chosen and h != part and row[h] > best:
            best = row[h]
    # The chosen head may lead to another word of the part.
    while outer > search.n:
        child = parts.first[outer]
        while child >= 0:
            value = row_of(parts, child)[chosen] - parts.value[child] - inner
            if child != parts.entry[outer] and value > best:
                best = value
            child = parts.next[child]
        outer = parts.entry[outer]
        inner += parts.value[outer]
    return parts.value[part] - best


cdef token_t bound_losses(Search* search, bint counted, token_t* order, score_t* loss) noexcept nogil:
    """The free words of the tree that was just found, those of outer parts first, and what each arc's loss costs.

    Returns how many there are. Only the part that chose the arc has to be looked at: the arcs of the parts around it
    come first in the order, so the trees that lack this one have those, and an arc from outside that entered such a
    part a second time would lose what it gains by that.
    """
    cdef Parts* parts = &search.parts
    cdef token_t part, d, count = 0
    cdef token_t* entered = search.entered
    for part in range(1, parts.count):
        entered[part] = False
    for part in range(parts.count - 1, 0, -1):      # later parts are not inside earlier ones
        if part > search.n:
            entered[parts.entry[part]] = True
        if entered[part]:
            continue                                # its arc gave way to that of the part around it
        d = part
        while d > search.n:
            d = parts.entry[d]
        if not search.fixed[d]:
            order[count] = d
            loss[count] = cheapest_loss(search, part, counted)
            count += 1
    return count


cdef void take_greedy(Search* search, const token_t* heads) noexcept nogil:
    """Set the parts for a tree that needed no contraction: every word has its best head."""
    cdef Parts* parts = &search.parts
    cdef token_t d
    for d in range(1, search.n + 1):
        parts.head[d] = heads[d]
        parts.value[d] = search.grid[d * <Py_ssize_t>(search.n + 1) + heads[d]]


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
    cdef token_t* trial
    cdef score_t* loss
    cdef score_t scale = 0, mine
    cdef bint counted = search.single_root
    cdef token_t d, i, k
    if search.count == search.room and not make_room(search):
        return False
    tree = search.found + search.count
    heads = search.heads + search.count * size
    order = search.order + search.count * size
    trial = search.trial + search.count * size
    loss = search.loss + search.count * size
    hold_matrix(parts, search.grid, size, n)
    heads[0] = -1
    if choose_greedily(parts, search.single_root, heads):
        take_greedy(search, heads)
        counted = False
    elif contract(parts, search.single_root) == SOLVED:
        expand(parts, heads)
    else:
        return True
    tree.score = 0
    for d in range(1, n + 1):
        tree.score += search.scores[d * search.stride + heads[d]]
        scale += fabs(search.scores[d * search.stride + heads[d]])
    tree.free = bound_losses(search, counted, order, loss)
    for k in range(tree.free):
        mine = loss[k]
        if mine < INFINITY:                         # rounded on the way; keep it on the safe side
            loss[k] = mine = mine - 1e-10 * (scale + fabs(mine))
        i = k
        while i and loss[trial[i - 1]] > mine:
            trial[i] = trial[i - 1]
            i -= 1
        trial[i] = k
    tree.key = tree.score
    tree.parent = parent
    tree.branch = branch
    tree.next = -1
    search.count += 1
    return True


cdef bint enlarge(void** memory, size_t size) noexcept nogil:
    """Give a block of memory another size and keep what it holds; False if there is not enough."""
    cdef void* fresh = realloc(memory[0], size)
    if fresh != NULL:
        memory[0] = fresh
    return fresh != NULL


cdef bint make_room(Search* search) noexcept nogil:
    """Room for twice as many trees; False if memory ran out."""
    cdef size_t room = 2 * <size_t>search.room + 8
    cdef size_t cells = room * (<size_t>search.n + 1)
    if not (enlarge(<void**>&search.found, room * sizeof(Found))
            and enlarge(<void**>&search.heads, cells * sizeof(token_t))
            and enlarge(<void**>&search.order, cells * sizeof(token_t))
            and enlarge(<void**>&search.trial, cells * sizeof(token_t))
            and enlarge(<void**>&search.loss, cells * sizeof(score_t))):
        return False
    search.room = <int64_t>room
    return True


cdef int64_t search_best(Search* search, int64_t k, token_t* heads, Py_ssize_t stride, score_t* scores) noexcept nogil:
    """Give out up to k trees, the rows of `heads`, and their scores; how many, -1 if memory ran out."""
    cdef int64_t given = 0, t, best
    cdef Found* tree
    cdef Py_ssize_t size = search.n + 1
    cdef token_t d, branch
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
            branch = search.trial[best * size + tree.next - 1]
            restrict(search, <token_t>best, branch)
            if not add_best(search, <token_t>best, branch):
                return -1
            tree = search.found + best
        tree.key = -INFINITY
        if tree.next < tree.free:
            tree.key = tree.score - search.loss[best * size + search.trial[best * size + tree.next]]
    return given


cdef class KBest:
    """The search with the memory it takes, for one thread."""

    def __cinit__(self, bint single_root=True):
        self.search.single_root = single_root
        self.room = -1

    def __dealloc__(self):
        free(self.search.grid)
        free(self.search.entered)
        free(self.search.fixed)
        free(self.search.found)
        free(self.search.heads)
        free(self.search.order)
        free(self.search.trial)
        free(self.search.loss)
        free(self.search.parts.memory)

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words; the trees themselves take more as they are found."""
        cdef size_t size = <size_t>n + 1
        if n <= self.room:
            return 0
        self.room = -1
        renew(<void**>&self.search.grid, size * size * sizeof(score_t))
        renew(<void**>&self.search.entered, 2 * size * sizeof(token_t))
        renew(<void**>&self.search.fixed, size)
        reserve_parts(&self.search.parts, n)
        self.room = n
        return 0

    cdef int64_t solve(self, const score_t* scores, Py_ssize_t stride, token_t n, int64_t k, token_t* heads,
                       Py_ssize_t heads_stride, score_t* totals) noexcept nogil:
        """Set the rows of `heads` and `totals` to up to k trees; return how many, -1 if memory ran out."""
        if n == 0:
            totals[0] = 0
            heads[0] = -1
            return 1
        if n != self.search.n:
            self.search.room = 0
        self.search.n = n
        self.search.scores = scores
        self.search.stride = stride
        return search_best(&self.search, k, heads, heads_stride, totals)


def search_some(KBest search, Matrices matrices, int64_t k, token_t[:, :, ::1] heads, score_t[:, ::1] totals,
                Py_ssize_t begin, Py_ssize_t end):
    """Find the k best trees of some sentences."""
    cdef Py_ssize_t s
    cdef int64_t given = 0
    search.reserve(matrices.longest)
    with nogil:
        for s in range(begin, end):
            given = search.solve(matrices.matrix(s), matrices.width, matrices.length(s), k, &heads[s, 0, 0],
                                 matrices.width, &totals[s, 0])
            if given < 0:
                break
    if given < 0:
        raise MemoryError


def new_worker(matrices, single_root, k, heads, totals):
    """A search for one thread."""
    return partial(search_some, KBest(single_root), matrices, k, heads, totals)


def kbest(scores, k, lengths=None, *, single_root=True, required=None, forbidden=None, threads=1):
    """The k best trees, the best first, and their scores; of each tree about O(n^2).

    Arguments are those of `mst`. Gives int32 heads of the shape (k, n + 1), or (sentences, k, N + 1), and float64
    scores of the shape (k,) or (sentences, k). Where there are fewer trees, heads are -1 and scores -inf. A
    result of more than 2^28 heads is an error.

    >>> import numpy as np
    >>> heads, scores = kbest(np.array([[0, 0, 0], [9, 0, 20], [8, 30, 0]]), 3)
    >>> heads.tolist(), scores.tolist()
    ([[-1, 0, 1], [-1, 2, 0], [-1, -1, -1]], [39.0, 28.0, -inf])
    """
    return decode_several(mst, new_worker, scores, lengths, k, single_root, required, forbidden, threads)
