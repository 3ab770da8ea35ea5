"""Maximum spanning arborescences of sparse graphs in O(m log n) (Tarjan 1977), with an exact single root.

The search is that of chu_liu_edmonds.pyx. Instead of a row, each part has a heap of the arcs into it; heaps of a cycle
are melted, and what breaking the cycle gains is added to a whole heap at once. Arcs from node 0 stay outside the
heaps: of each part only the best one matters, and with a single root it is looked at when the heap is empty.
"""
import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc

from crossarc.core.typedefs cimport score_t, token_t

from crossarc.decode.decoder cimport NO_SINGLE_ROOT, NO_TREE, SOLVED, Outcome

from crossarc.decode.constraints import explain
from crossarc.decode.decoder import WANTED
from crossarc.errors import DecodeError

cdef enum:
    UNSEEN = -1
    DONE = -2


cdef inline void settle(Heaps* heaps, token_t arc) noexcept nogil:
    """Pass on to its children what is pending with an arc."""
    cdef score_t gain = heaps.pending[arc]
    if gain != 0:
        if heaps.left[arc] >= 0:
            heaps.gain[heaps.left[arc]] += gain
            heaps.pending[heaps.left[arc]] += gain
        if heaps.right[arc] >= 0:
            heaps.gain[heaps.right[arc]] += gain
            heaps.pending[heaps.right[arc]] += gain
        heaps.pending[arc] = 0


cdef token_t meld(Heaps* heaps, token_t a, token_t b) noexcept nogil:
    """One heap of two (Sleator and Tarjan 1986), from the top down: children change sides on the way."""
    cdef token_t root = -1, other
    cdef token_t* slot = &root
    while a >= 0 and b >= 0:
        if heaps.gain[b] > heaps.gain[a] or heaps.gain[b] == heaps.gain[a] and b < a:
            a, b = b, a
        settle(heaps, a)
        slot[0] = a
        other = heaps.right[a]
        heaps.right[a] = heaps.left[a]
        slot = &heaps.left[a]
        a = other
    slot[0] = a if a >= 0 else b
    return root


cdef inline token_t part_of(Heaps* heaps, token_t node) noexcept nogil:
    cdef token_t* joined = heaps.joined
    while joined[node] != node:
        joined[node] = joined[joined[node]]
        node = joined[node]
    return node


cdef bint choose(Heaps* heaps, token_t part, bint single_root) noexcept nogil:
    """Take the best arc into a part from outside it; False if there is none."""
    cdef token_t arc = heaps.heap[part]
    while arc >= 0 and part_of(heaps, heaps.heads[arc]) == part:
        settle(heaps, arc)
        arc = meld(heaps, heaps.left[arc], heaps.right[arc])
    if arc < 0 or not single_root and heaps.root_gain[part] >= heaps.gain[arc]:
        heaps.heap[part] = arc
        heaps.arc[part] = -1
        heaps.value[part] = heaps.root_gain[part]
        return heaps.value[part] > -INFINITY
    heaps.arc[part] = arc
    heaps.value[part] = heaps.gain[arc]
    settle(heaps, arc)
    heaps.heap[part] = meld(heaps, heaps.left[arc], heaps.right[arc])
    return True


cdef void unite(Heaps* heaps, token_t fresh, token_t begin, token_t end) noexcept nogil:
    """Make the parts at begin..end-1 of the path one new part."""
    cdef token_t i, part, heap, melted = -1
    cdef score_t value
    heaps.root_gain[fresh] = -INFINITY
    heaps.root_word[fresh] = -1
    heaps.joined[fresh] = fresh
    for i in range(begin, end):
        part = heaps.path[i]
        value = heaps.value[part]
        heap = heaps.heap[part]
        if heap >= 0:
            heaps.gain[heap] -= value
            heaps.pending[heap] -= value
            melted = meld(heaps, melted, heap)
        if heaps.root_gain[part] - value > heaps.root_gain[fresh]:
            heaps.root_gain[fresh] = heaps.root_gain[part] - value
            heaps.root_word[fresh] = heaps.root_word[part]
        heaps.above[part] = heaps.joined[part] = fresh
    heaps.heap[fresh] = melted
    heaps.above[fresh] = -1
    heaps.path[begin] = fresh
    heaps.place[fresh] = begin


cdef class SparseChuLiuEdmonds:
    """The decoder with the memory it works in, for one thread."""

    def __cinit__(self):
        self.heaps.tokens = NULL
        self.heaps.reals = NULL
        self.word_room = self.arc_room = -1

    def __dealloc__(self):
        free(self.heaps.tokens)
        free(self.heaps.reals)

    cdef int reserve(self, token_t n, token_t m) except -1:
        """Make room for n words and m arcs."""
        cdef size_t size = 2 * (<size_t>n + 1)
        cdef size_t arcs = <size_t>m + 1
        cdef Heaps* heaps = &self.heaps
        if n <= self.word_room and m <= self.arc_room:
            return 0
        free(heaps.tokens)
        free(heaps.reals)
        self.word_room = self.arc_room = -1
        heaps.tokens = <token_t*>malloc((7 * size + 2 * arcs) * sizeof(token_t))
        heaps.reals = <score_t*>malloc((2 * size + 2 * arcs) * sizeof(score_t))
        if heaps.tokens == NULL or heaps.reals == NULL:
            raise MemoryError
        heaps.heap = heaps.tokens
        heaps.arc = heaps.tokens + size
        heaps.above = heaps.tokens + 2 * size
        heaps.root_word = heaps.tokens + 3 * size
        heaps.joined = heaps.tokens + 4 * size
        heaps.path = heaps.tokens + 5 * size
        heaps.place = heaps.tokens + 6 * size
        heaps.left = heaps.tokens + 7 * size
        heaps.right = heaps.left + arcs
        heaps.value = heaps.reals
        heaps.root_gain = heaps.reals + size
        heaps.gain = heaps.reals + 2 * size
        heaps.pending = heaps.gain + arcs
        self.word_room = n
        self.arc_room = m
        return 0

    cdef Outcome solve(self, token_t n, token_t m, const token_t* dependents, const token_t* heads,
                       const score_t* scores, bint single_root, token_t* result) noexcept nogil:
        """Set result[0..n] to the heads of the best tree. Arcs into node 0, loops and scores of -inf are no arcs."""
        cdef Heaps* heaps = &self.heaps
        cdef token_t i, d, h, start, part, top, k, count = n + 1, roots = 0
        heaps.dependents = dependents
        heaps.heads = heads
        for d in range(n + 1):
            heaps.heap[d] = heaps.above[d] = heaps.root_word[d] = -1
            heaps.place[d] = UNSEEN
            heaps.joined[d] = d
            heaps.root_gain[d] = -INFINITY
        for i in range(m):
            d = dependents[i]
            h = heads[i]
            if d == 0 or d == h or scores[i] == -INFINITY:
                continue
            if h == 0:
                if scores[i] > heaps.root_gain[d]:
                    heaps.root_gain[d] = scores[i]
                    heaps.root_word[d] = d
                continue
            heaps.gain[i] = scores[i]
            heaps.pending[i] = 0
            heaps.left[i] = heaps.right[i] = -1
            heaps.heap[d] = meld(heaps, heaps.heap[d], i)
        for start in range(1, n + 1):
            part = part_of(heaps, start)
            top = 0
            while heaps.place[part] != DONE:
                if heaps.place[part] == UNSEEN:
                    heaps.place[part] = top
                    heaps.path[top] = part
                    top += 1
                else:
                    k = heaps.place[part]
                    unite(heaps, count, k, top)
                    part = count
                    count += 1
                    top = k + 1
                if not choose(heaps, part, single_root):
                    return NO_TREE
                if heaps.arc[part] < 0:
                    roots += 1
                    break
                part = part_of(heaps, heads[heaps.arc[part]])
            for k in range(top):
                heaps.place[heaps.path[k]] = DONE
        if single_root and roots > 1:
            return NO_SINGLE_ROOT
        # The arc of a part holds for all parts within it that hold the word it enters; each part is passed once.
        result[0] = -1
        for part in range(count):
            heaps.place[part] = UNSEEN
        for part in range(count - 1, 0, -1):
            if heaps.place[part] == DONE:
                continue
            i = heaps.arc[part]
            d = dependents[i] if i >= 0 else heaps.root_word[part]
            result[d] = heads[i] if i >= 0 else 0
            k = d
            while k != part:
                heaps.place[k] = DONE
                k = heaps.above[k]
            heaps.place[part] = DONE
        return SOLVED


def mst_sparse(n, dependents, heads, scores, *, single_root=True, required=None, forbidden=None):
    """The heads of the best tree over n words with the given arcs only: Chu-Liu-Edmonds in O(m log n).

    `dependents`, `heads` and `scores` have one entry for each of m arcs; `forbidden`, m booleans, leaves arcs out;
    `required` has n + 1 heads, -1 where a word is free. Worth it when most arcs are pruned: see `mst`.

    >>> mst_sparse(3, [1, 2, 2, 3, 1], [0, 1, 3, 2, 2], [1.0, 2.0, 9.0, 9.0, 5.0]).tolist()
    [-1, 0, 1, 2]
    """
    if not (isinstance(n, (int, np.integer)) and 0 <= n < 2**30):
        raise DecodeError(f"n must be the number of words, not {n!r}")
    words, tops, values = checked_arcs(n, dependents, heads, scores)
    given = values
    if forbidden is not None:
        mask = np.asarray(forbidden)
        if mask.shape != values.shape or mask.dtype != np.bool_:
            raise DecodeError(f"forbidden must be {len(values)} booleans, not {mask.dtype} of shape {mask.shape}")
        values = np.where(mask, -np.inf, values)
    if required is not None:
        needed = np.asarray(required)
        if needed.shape != (n + 1,) or needed.dtype.kind not in "iu" or (needed < -1).any() or (needed > n).any():
            raise DecodeError(f"required must be {n + 1} heads, each -1 or a node 0..{n}")
        values = np.where((needed[words] >= 0) & (needed[words] != tops), -np.inf, values)
    result = np.empty(n + 1, dtype=np.int32)
    outcome = solve_one(words, tops, values, single_root, result)
    if outcome != SOLVED:
        raise DecodeError(explain_sparse(words, tops, given, values, required, forbidden, single_root, n, outcome))
    return result


def solve_one(const token_t[::1] words, const token_t[::1] tops, const score_t[::1] scores, bint single_root,
              token_t[::1] result):
    """The kernel over one sentence."""
    cdef SparseChuLiuEdmonds decoder = SparseChuLiuEdmonds()
    cdef token_t n = <token_t>result.shape[0] - 1
    cdef token_t m = <token_t>scores.shape[0]
    cdef Outcome outcome
    decoder.reserve(n, m)
    with nogil:
        outcome = decoder.solve(n, m, &words[0] if m else NULL, &tops[0] if m else NULL, &scores[0] if m else NULL,
                                single_root, &result[0])
    return <int>outcome


def checked_arcs(n, dependents, heads, scores):
    """Arcs as int32 and doubles, their nodes within the sentence."""
    words, tops = (np.asarray(nodes) for nodes in (dependents, heads))
    values = np.ascontiguousarray(scores, dtype=np.float64)
    if values.ndim != 1 or words.shape != values.shape or tops.shape != values.shape:
        raise DecodeError(f"dependents, heads and scores must be rows of one length, not of shapes {words.shape}, "
                          f"{tops.shape} and {values.shape}")
    for name, nodes in (("dependents", words), ("heads", tops)):
        wrong = np.flatnonzero((nodes < 0) | (nodes > n))
        if wrong.size:
            raise DecodeError(f"{name}[{wrong[0]}] is {nodes[wrong[0]]}; the nodes are 0..{n}")
    wrong = np.flatnonzero(~(np.abs(values) < 1e300) & (values != -np.inf))
    if wrong.size:
        raise DecodeError(f"scores[{wrong[0]}] is {values[wrong[0]]:g}; scores are numbers below 1e300 in size, or "
                          "-inf for an arc that may not be")
    return np.ascontiguousarray(words, dtype=np.int32), np.ascontiguousarray(tops, dtype=np.int32), values


def explain_sparse(words, tops, given, values, required, forbidden, single_root, n, outcome):
    """What leaves no tree, by way of the dense matrix for sentences that are not too long."""
    if n > 2000:
        return f"the arcs leave no {WANTED[outcome]}"
    scores = np.full((n + 1, n + 1), -np.inf)
    scores[words, tops] = np.where(np.isneginf(given), -np.inf, 0.0)
    barred = np.zeros((n + 1, n + 1), dtype=bool)
    if forbidden is not None:
        forbidden = np.asarray(forbidden)
        barred[words[forbidden], tops[forbidden]] = True
        barred[words[~forbidden], tops[~forbidden]] = False         # parallel arcs that may be
    needed = None if required is None else np.asarray(required)

    def solvable(required, forbidden):
        kept = np.zeros(len(words)) if forbidden is None else np.where(forbidden[words, tops], -np.inf, 0.0)
        kept = np.where(np.isneginf(given), -np.inf, kept)
        if required is not None:
            kept = np.where((required[words] >= 0) & (required[words] != tops), -np.inf, kept)
        return solve_one(words, tops, kept, single_root, np.empty(n + 1, dtype=np.int32)) == SOLVED

    constrained = required is not None or forbidden is not None
    return explain(scores, needed, barred, solvable if constrained else None, WANTED[outcome]).replace(
        "scores that are -inf", "arcs that are not there")
