"""Maximum spanning arborescences of sparse graphs in O(m log n) (Tarjan 1977), with an exact single root.

The search is that of chu_liu_edmonds.pyx. Instead of a row, each part has a heap of the arcs into it; heaps of a cycle
are melted, and what breaking the cycle gains is added to a whole heap at once. Arcs from node 0 stay outside the
heaps: of each part only the best one matters, and with a single root it is looked at when no other arc is left. A
part that has all words in it takes the arc from node 0 at once and leaves its heap, which may be large, as it is.
"""
from functools import partial

import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport free

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport int8_t, offset_t, score_t, token_t
from crossarc.core.union_find cimport find

from crossarc.decode.decoder cimport NO_SINGLE_ROOT, NO_TREE, SOLVED, Outcome

from crossarc.core.arrays import copied
from crossarc.decode.constraints import checked_heads, describe_cut, explain
from crossarc.decode.decoder import WANTED, checked_numbers, checked_offsets, checked_sizes, share
from crossarc.errors import DecodeError


cdef inline void settle(Heaps* heaps, token_t arc) noexcept nogil:
    """Pass on the pending gain of an arc to its children."""
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


cdef inline token_t remove(Heaps* heaps, token_t arc) noexcept nogil:
    """The heap without the arc at its top."""
    heaps.taken += 1
    settle(heaps, arc)
    return meld(heaps, heaps.left[arc], heaps.right[arc])


cdef bint choose_arc(Heaps* heaps, token_t part, bint single_root) noexcept nogil:
    """Take the best arc into a part from outside it; False if there is none."""
    cdef token_t arc = heaps.heap[part]
    while arc >= 0 and find(heaps.joined, heaps.heads[arc]) == part:
        arc = remove(heaps, arc)
    if arc < 0 or not single_root and heaps.root_gain[part] >= heaps.gain[arc]:
        heaps.heap[part] = arc
        return choose_root(heaps, part)
    heaps.arc[part] = arc
    heaps.value[part] = heaps.gain[arc]
    heaps.heap[part] = remove(heaps, arc)
    return True


cdef bint choose_root(Heaps* heaps, token_t part) noexcept nogil:
    """Take the best arc from node 0 into a part; False if there is none."""
    heaps.arc[part] = -1
    heaps.value[part] = heaps.root_gain[part]
    return heaps.value[part] > -INFINITY


cdef void unite_heaps(Heaps* heaps, token_t fresh, token_t begin, token_t end) noexcept nogil:
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

    def __cinit__(self, token_t n=0, token_t m=0):
        self.word_room = self.arc_room = -1
        self.reserve(n, m)

    def __dealloc__(self):
        free(self.heaps.tokens)
        free(self.heaps.reals)

    @property
    def taken(self):
        """How many arcs were taken from heaps so far, in all sentences."""
        return self.heaps.taken

    cdef int reserve(self, token_t n, token_t m) except -1:
        """Make room for n words and m arcs."""
        cdef size_t size = 2 * (<size_t>n + 1)
        cdef size_t arcs = <size_t>m + 1
        cdef Heaps* heaps = &self.heaps
        if n <= self.word_room and m <= self.arc_room:
            return 0
        self.word_room = self.arc_room = -1
        renew(<void**>&heaps.tokens, (7 * size + 2 * arcs) * sizeof(token_t))
        renew(<void**>&heaps.reals, (2 * size + 2 * arcs) * sizeof(score_t))
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
        cdef token_t i, d, h, start, part, top, k, count = n + 1, roots = 0, parts = n
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
            part = find(heaps.joined, start)
            top = 0
            while heaps.place[part] != DONE:
                if heaps.place[part] == UNSEEN:
                    heaps.place[part] = top
                    heaps.path[top] = part
                    top += 1
                else:
                    k = heaps.place[part]
                    unite_heaps(heaps, count, k, top)
                    part = count
                    count += 1
                    parts -= top - k - 1
                    top = k + 1
                if not (choose_arc(heaps, part, single_root) if parts > 1 else choose_root(heaps, part)):
                    return NO_TREE
                if heaps.arc[part] < 0:
                    roots += 1
                    break
                part = find(heaps.joined, heads[heaps.arc[part]])
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


def solve_some(SparseChuLiuEdmonds decoder, const token_t[::1] sizes, const offset_t[::1] begins,
               const token_t[::1] words, const token_t[::1] tops, const score_t[::1] scores, bint single_root,
               token_t[:, ::1] found, int8_t[::1] outcomes, Py_ssize_t begin, Py_ssize_t end):
    """Decode some sentences."""
    cdef Py_ssize_t s
    cdef offset_t at
    cdef token_t m
    with nogil:
        for s in range(begin, end):
            at = begins[s]
            m = <token_t>(begins[s + 1] - at)
            if m == 0:                          # no arc need have an address
                outcomes[s] = NO_TREE if sizes[s] else SOLVED
                continue
            outcomes[s] = decoder.solve(sizes[s], m, &words[at], &tops[at], &scores[at], single_root, &found[s, 0])


def mst_sparse(n, dependents, heads, scores, offsets=None, *, single_root=True, required=None, forbidden=None,
               threads=1):
    """The heads of the best tree over n words with the given arcs only: Chu-Liu-Edmonds in O(m log n).

    `dependents`, `heads` and `scores` have one entry for each of m arcs; `forbidden`, m booleans, leaves arcs out;
    `required` has n + 1 heads, -1 where a word is free. Worth it when most arcs are pruned: see `mst`.

    Many sentences have their arcs one after the other: n is a row of numbers of words, and the arcs of sentence s are
    those from offsets[s] to offsets[s + 1], the last offset being m. Heads, the result as well as `required`, then have
    the shape (sentences, N + 1) for a greatest n of N, with -1 in the padding. Threads share the sentences.

    >>> mst_sparse(3, [1, 2, 2, 3, 1], [0, 1, 3, 2, 2], [1.0, 2.0, 9.0, 9.0, 5.0]).tolist()
    [-1, 0, 1, 2]
    >>> mst_sparse([1, 2], [1, 1, 2], [0, 0, 1], [1.0, 1.0, 1.0], [0, 1, 3], threads=2).tolist()
    [[-1, 0, -1], [-1, 0, 1]]
    """
    single = offsets is None
    sizes = checked_sizes(n, single, 0, 2**30 - 1, "words")
    values = checked_numbers(scores, "scores")
    begins = checked_offsets([0, len(values)] if single else offsets, len(sizes), len(values))
    owners = np.repeat(np.arange(len(sizes)), np.diff(begins))
    words, tops = checked_arcs(sizes[owners], dependents, heads, values)
    given = values
    size = int(sizes.max(initial=0)) + 1
    if forbidden is not None:
        forbidden = copied(forbidden, "forbidden", DecodeError)
        if forbidden.shape != values.shape or forbidden.dtype != np.bool_:
            raise DecodeError(f"forbidden must be {len(values)} booleans, one an arc, not {forbidden.dtype} of shape "
                              f"{forbidden.shape}")
        values = np.where(forbidden, -np.inf, values)
    if required is not None:
        required = copied(required, "required", DecodeError)
        rows, needed = checked_heads(required, (size, size) if single else (len(sizes), size, size),
                                     None if single else sizes)
        required = np.full((len(sizes), size), -1)
        required[(0, *rows) if single else rows] = needed
        wanted = required[owners, words]
        values = np.where((wanted >= 0) & (wanted != tops), -np.inf, values)
    found = np.full((len(sizes), size), -1, dtype=np.int32)
    outcomes = np.zeros(len(sizes), dtype=np.int8)
    room = sizes.max(initial=0), np.diff(begins).max(initial=0)
    share(threads, len(sizes), lambda: partial(
        solve_some, SparseChuLiuEdmonds(*room), sizes, begins, words, tops, values, single_root, found, outcomes))
    wrong = np.flatnonzero(outcomes)
    if wrong.size:
        s = wrong[0]
        arcs = slice(begins[s], begins[s + 1])
        raise DecodeError(("" if single else f"sentence {s}: ") + explain_sparse(
            sizes[s], words[arcs], tops[arcs], given[arcs], None if required is None else required[s],
            None if forbidden is None else forbidden[arcs], single_root, outcomes[s]))
    return found[0] if single else found


def checked_arcs(sizes, dependents, heads, scores):
    """Arcs as int32 copies, their nodes within the sentence, whose size is given for each; their scores are checked."""
    words, tops = copied(dependents, "dependents", DecodeError), copied(heads, "heads", DecodeError)
    if words.shape != scores.shape or tops.shape != scores.shape:
        raise DecodeError(f"dependents, heads and scores must be rows of one length, not of shapes {words.shape}, "
                          f"{tops.shape} and {scores.shape}")
    for name, nodes in (("dependents", words), ("heads", tops)):
        if nodes.size and nodes.dtype.kind not in "iu":
            raise DecodeError(f"{name} must be integers, not {nodes.dtype}")
        wrong = np.flatnonzero((nodes < 0) | (nodes > sizes))
        if wrong.size:
            raise DecodeError(f"{name}[{wrong[0]}] is {nodes[wrong[0]]}; the nodes are 0..{sizes[wrong[0]]}")
    wrong = np.flatnonzero(~(np.abs(scores) < 1e300) & (scores != -np.inf))
    if wrong.size:
        raise DecodeError(f"scores[{wrong[0]}] is {scores[wrong[0]]:g}; scores are numbers below 1e300 in size, or "
                          "-inf for a forbidden arc")
    return words.astype(np.int32, copy=False), tops.astype(np.int32, copy=False)


def explain_sparse(n, words, tops, scores, required, forbidden, single_root, outcome):
    """The error for a sentence that has no tree."""
    size = int(n) + 1
    pairs = words.astype(np.int64) * size + tops
    there = ~np.isneginf(scores) & (words > 0) & (words != tops)
    arcs = np.empty((0, 3), dtype=np.int64)
    if required is not None:
        fixed = np.flatnonzero(required[:size] >= 0)
        arcs = np.stack([np.ones_like(fixed), fixed, required[fixed]], axis=1)
    if forbidden is not None:
        gone = np.setdiff1d(pairs[there & forbidden], pairs[there & ~forbidden])   # of parallel arcs all are
        arcs = np.concatenate([arcs, np.stack([np.zeros_like(gone), gone // size, gone % size], axis=1)])

    def solvable(chosen):
        needed = np.full(size, -1)
        needed[chosen[chosen[:, 0] == 1, 1]] = chosen[chosen[:, 0] == 1, 2]
        barred = chosen[chosen[:, 0] == 0]
        kept = there & ~np.isin(pairs, barred[:, 1] * size + barred[:, 2])
        kept &= (needed[words] < 0) | (needed[words] == tops)
        outcomes = np.zeros(1, dtype=np.int8)
        solve_some(SparseChuLiuEdmonds(n, len(words)), np.array([n], dtype=np.int32), np.array([0, len(words)]), words,
                   tops, np.where(kept, 0.0, -np.inf), single_root, np.empty((1, size), dtype=np.int32), outcomes, 0, 1)
        return outcomes[0] == SOLVED

    def below(nodes):
        return np.unique(np.concatenate([children[first[node]:first[node + 1]] for node in nodes]))

    order = np.argsort(tops[there], kind="stable")
    children = words[there][order]
    first = np.searchsorted(tops[there][order], np.arange(size + 1))
    some = outcome == NO_SINGLE_ROOT
    lacking = "arcs that are not there" if len(np.unique(pairs[there])) < int(n) * int(n) else ""
    return explain(arcs, solvable, WANTED[outcome] + (" with a single root" if some else ""), lacking,
                   lambda: describe_cut(int(n), below, some))
