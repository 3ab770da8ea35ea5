"""Best undirected trees: of a graph given by its edges, and of a sentence given by a symmetric matrix."""
from functools import partial

import numpy as np

from libc.math cimport INFINITY, sqrt
from libc.stdlib cimport free, malloc

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport offset_t, score_t, token_t

from crossarc.decode.decoder cimport NOT_CONNECTED, NOT_SYMMETRIC, NO_MEMORY, SOLVED, Decoder, Outcome

from crossarc.core.arrays import copied
from crossarc.decode.constraints import undirected_constrained
from crossarc.decode.decoder import checked_count, checked_numbers, checked_offsets, checked_sizes, decode, share
from crossarc.errors import DecodeError, UnknownName


METHODS = {"prim": Prim, "kruskal": Kruskal, "boruvka": Boruvka, "kkt": KargerKleinTarjan}
MOST_PRIM_NODES = 20_000


def make_spanner(method, seed):
    """The algorithm of a name."""
    if not isinstance(method, str) or method not in METHODS:
        raise UnknownName("method", str(method), METHODS)
    if not isinstance(seed, (int, np.integer)):
        raise DecodeError(f"seed must be an integer, not {seed!r}")
    return METHODS[method](int(seed)) if method == "kkt" else METHODS[method]()


cdef inline token_t row_of_place(token_t place) noexcept nogil:
    """The d of a place d (d - 1) / 2 + h, h < d."""
    cdef Py_ssize_t d = <Py_ssize_t>((1 + sqrt(1 + 8.0 * place)) / 2)
    while d * (d - 1) // 2 > place:
        d -= 1
    while d * (d + 1) // 2 <= place:
        d += 1
    return <token_t>d


cdef token_t add_root(const score_t* roots, Py_ssize_t stride, token_t n, token_t* left, token_t* right,
                      token_t count) noexcept nogil:
    """Put the best edge of node 0, if there is one, behind so many others; return how many there are then."""
    cdef token_t d, root = 0
    for d in range(1, n + 1):
        if roots[d * stride] > (roots[root * stride] if root else -INFINITY):
            root = d
    if root == 0:
        return count
    left[count] = 0
    right[count] = root
    return count + 1


cdef class Undirected(Decoder):
    """The best undirected tree, oriented from node 0."""

    def __cinit__(self, bint single_root=True, method="prim", seed=0):
        self.method = method
        self.seed = seed
        self.spanner = make_spanner(method, seed)
        self.edge_room = -1

    def __dealloc__(self):
        free(self.edges)
        free(self.memory)
        free(self.weight)

    def twin(self):
        """Another decoder with the same options, for another thread."""
        return Undirected(self.single_root, self.method, self.seed)

    def constrain(self, scores, lengths, required, forbidden):
        """A copy of the scores with constraints on edges."""
        return undirected_constrained(scores, lengths, required, forbidden)

    cdef int reserve(self, token_t n) except -1:
        if n > 60_000:
            raise DecodeError(f"{n} words have more edges than an undirected decoder can count; 60,000 are the most")
        return self.reserve_edges(n, <token_t>((<size_t>n + 1) * n // 2) if self.method != "prim" else 0)

    cdef int reserve_edges(self, token_t n, token_t m) except -1:
        """Make room for graphs of n words and m edges."""
        cdef size_t size = <size_t>n + 2
        if n > self.room:
            self.room = -1
            renew(<void**>&self.memory, (ORIENT_SCRATCH + 4) * size * sizeof(token_t))
            renew(<void**>&self.weight, 2 * size * sizeof(score_t))
            self.room = n
        if self.method != "prim" and m > self.edge_room:
            self.edge_room = -1
            renew(<void**>&self.edges, (<size_t>m + 1) * sizeof(Edge))
            self.edge_room = m
        if self.method != "prim":
            self.spanner.reserve(self.room + 1, self.edge_room)
        return 0

    cdef token_t join(self, const score_t* scores, Py_ssize_t stride, token_t begin, token_t n, token_t* left,
                      token_t* right) noexcept nogil:
        """Find the edges of the best forest over the nodes begin..n, node 0 by its column; return how many."""
        cdef token_t d, h, m = 0
        cdef score_t weight
        for d in range(begin + 1, n + 1):
            for h in range(begin, d):
                weight = scores[d * stride + h]
                if weight > -INFINITY:
                    self.edges[m].weight = weight
                    self.edges[m].left = h
                    self.edges[m].right = d
                    m += 1
        return self.span(m, n, left, right)

    cdef token_t span(self, token_t m, token_t n, token_t* left, token_t* right) noexcept nogil:
        """The ends of the edges in the best forest of the first m, which come by right and then left end."""
        cdef token_t* chosen = self.memory + 2 * (<size_t>self.room + 2)
        cdef token_t d, k, count
        for k in range(m):
            self.edges[k].name = k
            # The algorithm renumbers the ends of edges; their places still give them.
            d = self.edges[k].right
            self.edges[k].place = <token_t>((<Py_ssize_t>d * (d - 1)) // 2 + self.edges[k].left)
        count = self.spanner.span(self.edges, m, n + 1, chosen)
        for k in range(count):
            d = row_of_place(chosen[k])
            right[k] = d
            left[k] = <token_t>(chosen[k] - (<Py_ssize_t>d * (d - 1)) // 2)
        return count

    cdef Outcome solve_edges(self, token_t m, const score_t* roots, token_t n, token_t* heads) noexcept nogil:
        """Set the heads of the best tree of the first m edges, which come by right and then left end.

        With a single root they are between words, and `roots` has the scores of node 0's, by word. For all methods but
        prim.
        """
        cdef token_t* left = self.memory
        cdef token_t* right = left + self.room + 2
        cdef token_t count = self.span(m, n, left, right)
        heads[0] = -1
        if count < 0:
            return NO_MEMORY
        if self.single_root:
            count = add_root(roots, 1, n, left, right, count)
        return SOLVED if count == n and orient_tree(left, right, n, heads, right + self.room + 2) else NOT_CONNECTED

    cdef Outcome solve(self, const score_t* scores, Py_ssize_t stride, token_t n, token_t* heads) noexcept nogil:
        cdef token_t* left = self.memory
        cdef token_t* right = left + self.room + 2
        cdef token_t* scratch = right + self.room + 2
        cdef token_t begin = 1 if self.single_root else 0, d, h, count, needed = 0
        cdef Growth growth
        heads[0] = -1
        for d in range(1, n + 1):
            for h in range(1, d):
                if scores[d * stride + h] != scores[h * stride + d]:
                    return NOT_SYMMETRIC
                needed += scores[d * stride + h] == INFINITY
            needed += scores[d * stride] == INFINITY
        if n == 0:
            return SOLVED
        if self.edges == NULL:
            growth.node = scratch
            growth.inner = scratch + n + 1
            growth.weight = self.weight
            for d in range(1, n + 1):
                self.weight[self.room + 2 + d] = scores[d * stride]
            count = grow(scores, self.weight + self.room + 2, stride, begin, n + 1, NULL, &growth, left, right)
        else:
            count = self.join(scores, stride, begin, n, left, right)
            if count < 0:
                return NO_MEMORY
        if self.single_root:
            count = add_root(scores, stride, n, left, right, count)
        if count < n or not orient_tree(left, right, n, heads, scratch):
            return NOT_CONNECTED
        for d in range(n):              # required edges weigh +inf; those of a cycle are not all in the tree
            h = max(left[d], right[d])
            needed -= scores[h * stride + min(left[d], right[d])] == INFINITY
        return SOLVED if needed == 0 else NOT_CONNECTED


def undirected(scores, lengths=None, *, single_root=True, required=None, forbidden=None, method="prim", seed=0,
               threads=1):
    """The heads of the best undirected tree, seen from node 0 (Levi, Reichart and Rappoport 2016).

    Arguments and result are those of `mst`, but scores between words must be symmetric; those of node 0 are in its
    column. With `single_root` it is the best tree over the words with the best edge to node 0. Constraints are on
    edges: a required one may point either way in the result, and one that is forbidden either way is not in it.
    Methods are prim, kruskal, boruvka and kkt (Karger, Klein and Tarjan, with `seed`); all give the same tree.

    >>> import numpy as np
    >>> scores = np.array([[0, 0, 0, 0], [1, 0, 5, 2], [4, 5, 0, 3], [1, 2, 3, 0]])
    >>> undirected(scores).tolist()
    [-1, 2, 0, 2]
    """
    return decode(Undirected(single_root, method, seed), scores, lengths, required, forbidden, threads)


def spanning_tree(n, edges, weights, offsets=None, *, maximum=True, required=None, forbidden=None, method="kruskal",
                  seed=0, threads=1):
    """The indices, ascending, of the edges in the best spanning tree of an undirected graph of n nodes.

    `edges` are pairs of the nodes 0..n-1, of shape (m, 2); `weights` has m entries, and an edge of weight -inf (inf if
    `maximum` is false) is not an edge. `required` and `forbidden` are indices of edges. Of equal edges the one with the
    lower index is better, in all methods: prim (fills a square of n x n: for dense graphs), kruskal, boruvka and kkt
    (Karger, Klein and Tarjan, with `seed`).

    Many graphs have their edges one after the other: n is a row of numbers of nodes, and the edges of graph g are those
    from offsets[g] to offsets[g + 1], the last offset being m. Threads share the graphs. The indices count the edges of
    all, so those of the trees come one after the other too, n[g] - 1 of each.

    >>> spanning_tree(3, [(0, 1), (1, 2), (2, 0)], [1.0, 2.0, 3.0]).tolist()
    [1, 2]
    >>> spanning_tree(3, [(0, 1), (1, 2), (2, 0)], [1.0, 2.0, 3.0], maximum=False, required=[2]).tolist()
    [0, 2]
    >>> spanning_tree([2, 3], [(0, 1), (0, 1), (1, 2), (2, 0)], [5.0, 1.0, 2.0, 3.0], [0, 1, 4], threads=2).tolist()
    [0, 2, 3]
    """
    single = offsets is None
    sizes = checked_sizes(n, single, 1, 2**31 - 3, "nodes")
    if method == "prim" and sizes.max(initial=0) > MOST_PRIM_NODES:
        raise DecodeError(f"prim fills a square and {sizes.max()} nodes are too many for it ({MOST_PRIM_NODES} are the "
                          "most); use kruskal, boruvka or kkt")
    values = checked_numbers(weights, "weights")
    begins = checked_offsets([0, len(values)] if single else offsets, len(sizes), len(values))
    ends = checked_edges(sizes, begins, edges, values, maximum)
    needed = checked_indices(required, len(values), "required")
    barred = checked_indices(forbidden, len(values), "forbidden")
    both = np.intersect1d(needed, barred)
    if both.size:
        raise DecodeError(f"edge {both[0]} is both required and forbidden")
    gone = needed[np.isneginf(values[needed])]
    if gone.size:
        raise DecodeError(f"required edge {gone[0]} has the weight of no edge")
    values[needed] = np.inf
    values[barred] = -np.inf
    found, counts = span_all(lambda: make_spanner(method, seed), sizes, begins, ends, values, threads)
    missing = np.setdiff1d(needed, found)
    if missing.size:
        graph = int(np.searchsorted(begins, missing[0], side="right")) - 1
        cycle = cycle_of(ends, needed[(needed >= begins[graph]) & (needed < begins[graph + 1])], int(missing[0]))
        raise DecodeError(f"{'' if single else f'graph {graph}: '}required edges {', '.join(map(str, cycle))} form a "
                          "cycle; take back one of them")
    short = np.flatnonzero(counts < sizes - 1)
    if short.size:
        raise DecodeError(("" if single else f"graph {short[0]}: ") + explain_cut(
            sizes[short[0]], begins[short[0]], begins[short[0] + 1], ends, found, barred))
    return found


def span(spanner, n, ends, weights):
    """The indices of the edges in the best forest of one graph, ascending. Edges of weight -inf are left out."""
    return span_all(lambda: spanner, np.array([n], dtype=np.int32), np.array([0, len(weights)]), ends, weights, 1)[0]


def span_all(new_spanner, sizes, begins, ends, weights, threads):
    """The indices of the edges in the best forests of graphs, ascending, and how many edges each forest has."""
    counts = np.zeros(len(sizes), dtype=np.int32)
    if len(sizes) == 1:                 # a short way, which matters for small graphs
        checked_count(threads, "threads")
        chosen = np.empty(sizes[0], dtype=np.int32)
        span_some(new_spanner(), sizes[0], len(weights), sizes, begins, ends, weights, begins[:1], chosen, counts, 0, 1)
        return np.sort(chosen[:counts[0]]), counts
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    chosen = np.empty(starts[len(sizes)], dtype=np.int32)
    most = sizes.max(initial=0), np.diff(begins).max(initial=0)
    share(threads, len(sizes),
          lambda: partial(span_some, new_spanner(), *most, sizes, begins, ends, weights, starts, chosen, counts))
    used = np.arange(len(chosen)) - np.repeat(starts[:-1], sizes) < np.repeat(counts, sizes)
    found = np.sort((chosen + np.repeat(begins[:-1], sizes))[used])
    return found if len(weights) >= 2**31 else found.astype(np.int32), counts


def span_some(Spanner spanner, token_t most_nodes, token_t most_edges, const token_t[::1] sizes,
              const offset_t[::1] begins, const token_t[:, ::1] ends, const score_t[::1] weights,
              const offset_t[::1] starts, token_t[::1] chosen, token_t[::1] counts, Py_ssize_t begin, Py_ssize_t end):
    """Find the forests of some graphs; edges chosen of graph g are numbered within it and begin at starts[g]."""
    cdef Py_ssize_t g
    cdef offset_t at
    cdef token_t i, kept
    cdef Edge* edges = <Edge*>malloc((<size_t>most_edges + 1) * sizeof(Edge))
    if edges == NULL:
        raise MemoryError
    try:
        spanner.reserve(most_nodes, most_edges)
        with nogil:
            for g in range(begin, end):
                at = begins[g]
                kept = 0
                for i in range(<token_t>(begins[g + 1] - at)):
                    if weights[at + i] > -INFINITY and ends[at + i, 0] != ends[at + i, 1]:
                        edges[kept].weight = weights[at + i]
                        edges[kept].left = ends[at + i, 0]
                        edges[kept].right = ends[at + i, 1]
                        edges[kept].name = edges[kept].place = i
                        kept += 1
                counts[g] = spanner.span(edges, kept, sizes[g], &chosen[starts[g]])
                if counts[g] < 0:
                    with gil:
                        raise MemoryError
    finally:
        free(edges)


def checked_edges(sizes, begins, edges, values, maximum):
    """Ends as an int32 copy; of the values, which are changed if need be, the greatest are best."""
    ends = copied(edges, "edges", DecodeError)
    if ends.shape != (len(values), 2) and (len(values) or ends.size):
        raise DecodeError(f"edges must have the shape (m, 2) and weights (m,), not {ends.shape} and {values.shape}")
    ends = ends.reshape(-1, 2)
    if ends.size and ends.dtype.kind not in "iu":
        raise DecodeError(f"edges must be integers, not {ends.dtype}")
    most = sizes if len(sizes) == 1 else np.repeat(sizes, np.diff(begins))
    wrong = np.flatnonzero((ends.min(axis=1, initial=0) < 0) | (ends.max(axis=1, initial=0) >= most))
    if wrong.size:
        size = most[0 if len(sizes) == 1 else wrong[0]]
        raise DecodeError(f"edge {wrong[0]} is {ends[wrong[0]].tolist()}; the nodes are 0..{size - 1}")
    wrong = np.flatnonzero(~(values < np.inf if maximum else values > -np.inf))
    if wrong.size:
        raise DecodeError(f"weights[{wrong[0]}] is {values[wrong[0]]}; weights are numbers, "
                          f"{'-inf' if maximum else 'inf'} for no edge")
    if not maximum:
        np.negative(values, out=values)
    return ends.astype(np.int32, copy=False)


def checked_indices(indices, m, name):
    """Indices of edges, each once."""
    array = np.unique(copied([] if indices is None else indices, name, DecodeError))
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= m:
        raise DecodeError(f"{name} must be indices of edges, 0..{m - 1}, not {indices!r}")
    return array.astype(np.int64)


def explain_cut(n, begin, end, ends, found, barred):
    """Why a graph has no tree: a node that cannot be joined, and the forbidden edges that would."""
    first = reach(neighbours(ends, found[(found >= begin) & (found < end)]), 0)
    lost = next(node for node in range(n) if node not in first)
    cut = [edge for edge in barred[(barred >= begin) & (barred < end)].tolist()
           if (ends[edge, 0] in first) != (ends[edge, 1] in first)]
    more = f" and {len(cut) - 10} more" if len(cut) > 10 else ""
    why = f"; forbidden edges {', '.join(map(str, cut[:10]))}{more} would join them" if cut else ""
    return f"the graph is not connected: no edges join node {lost} with node 0{why}"


def cycle_of(ends, needed, closing):
    """The required edges of the cycle that one of them closes."""
    goal, start = ends[closing].tolist()
    came = reach(neighbours(ends, needed[needed != closing]), start)
    cycle = [closing]
    while came[goal] is not None:
        edge, goal = came[goal]
        cycle.append(edge)
    return sorted(cycle)


def neighbours(ends, chosen):
    """By node, its edges among the chosen ones and the nodes at their other ends."""
    near = {}
    for edge, (left, right) in zip(chosen.tolist(), ends[chosen].tolist(), strict=True):
        near.setdefault(left, []).append((edge, right))
        near.setdefault(right, []).append((edge, left))
    return near


def reach(near, start):
    """The nodes that edges join with `start`, and of each the edge that leads there and the node before."""
    came = {start: None}
    border = [start]
    while border:
        node = border.pop()
        for edge, other in near.get(node, []):
            if other not in came:
                came[other] = (edge, node)
                border.append(other)
    return came
