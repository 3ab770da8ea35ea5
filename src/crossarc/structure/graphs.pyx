"""The properties of a graph: acyclic, connected, projective; its cycles, crossings and words with several heads.

All take a `Graph`, whose nodes are numbered by their place in the sentence with the dummy root as node 0. Arcs from
node 0 mark roots; they do not connect words and are not heads in the sentence. Each function says whether they cross
other arcs.
"""
import numpy as np

from crossarc.core.sorting cimport sort_by
from crossarc.core.typedefs cimport token_t
from crossarc.core.union_find cimport find

from crossarc.structure.trees cimport Space, Workspace, any_crossing, note_arc, sort_arcs, sorted_crossings

from crossarc.core.arrays import as_int32
from crossarc.errors import StructureError


cdef class Arcs:
    """The arcs of a graph as the kernels take them, checked."""

    cdef token_t nodes
    cdef token_t count
    cdef const token_t[::1] heads
    cdef const token_t[::1] dependents

    def __init__(self, graph):
        heads = as_int32(graph.heads, "heads", StructureError)
        dependents = as_int32(graph.dependents, "dependents", StructureError)
        nodes = len(graph.nodes)
        if heads.shape != dependents.shape or heads.ndim != 1:
            raise StructureError(
                f"a graph has as many heads as dependents, not {heads.shape} and {dependents.shape}"
            )
        outside = (heads < 0) | (heads >= nodes) | (dependents < 1) | (dependents >= nodes)
        if outside.any():
            k = int(np.argmax(outside))
            raise StructureError(
                f"arc {k}, {heads[k]} -> {dependents[k]}, leaves the sentence, "
                f"whose nodes are 0 to {nodes - 1}"
            )
        self.heads = heads
        self.dependents = dependents
        self.nodes = nodes
        self.count = <token_t> heads.shape[0]

    cdef Workspace open(self):
        """A workspace with room for the nodes and arcs."""
        cdef Workspace work = Workspace()
        work.reserve(max(self.nodes, self.count))
        work.space.n = max(self.nodes - 1, 0)
        return work


cdef void list_dependents(Space* space, Arcs arcs) noexcept nogil:
    """Set first and child, as for trees but with several heads."""
    cdef token_t k
    sort_by(&arcs.heads[0] if arcs.count else NULL, NULL, 0, arcs.count, space.n, False, space.first, space.child)
    for k in range(arcs.count):
        space.child[k] = arcs.dependents[space.child[k]]


cdef void find_components(Space* space, token_t* component) noexcept nogil:
    """The strongly connected component of each node, named by one of its nodes (Tarjan 1972)."""
    cdef token_t* index = space.order               # 0: not met
    cdef token_t* lowest = space.size
    cdef token_t* at = space.place                  # the next dependent to look at
    cdef token_t* path = space.spare[0]
    cdef token_t* open = space.spare[1]             # nodes whose component is not known yet
    cdef token_t start, v, u, length, opened = 0, met = 0
    for v in range(space.n + 1):
        index[v] = 0
        component[v] = -1
    for start in range(space.n + 1):
        if index[start]:
            continue
        length = 0
        u = start
        while True:
            if u >= 0:                              # step down to u
                met += 1
                index[u] = lowest[u] = met
                at[u] = space.first[u]
                path[length] = u
                length += 1
                open[opened] = u
                opened += 1
            v = path[length - 1]
            u = -1
            while at[v] < space.first[v + 1]:
                u = space.child[at[v]]
                at[v] += 1
                if not index[u]:
                    break
                if component[u] < 0:
                    lowest[v] = min(lowest[v], index[u])
                u = -1
            if u >= 0:
                continue
            if lowest[v] == index[v]:
                while True:
                    opened -= 1
                    component[open[opened]] = v
                    if open[opened] == v:
                        break
            length -= 1
            if not length:
                break
            lowest[path[length - 1]] = min(lowest[path[length - 1]], lowest[v])


cdef token_t find_cycle(Space* space, const token_t* component, token_t start, token_t* cycle) noexcept nogil:
    """Find a shortest cycle through `start`, breadth first within the component; return its length, or 0."""
    cdef token_t* queue = space.spare[0]
    cdef token_t* parent = space.spare[1]           # -1 where not met, for all nodes, when this is called
    cdef token_t head = 0, tail = 1, v, u, i, j, length = 0
    queue[0] = start
    while head < tail and not length:
        v = queue[head]
        head += 1
        for i in range(space.first[v], space.first[v + 1]):
            u = space.child[i]
            if u == start:
                while v != start:
                    cycle[length] = v
                    length += 1
                    v = parent[v]
                cycle[length] = start
                length += 1
                break
            if component[u] == component[start] and parent[u] < 0:
                parent[u] = v
                queue[tail] = u
                tail += 1
    for i in range(length // 2):
        j = length - 1 - i
        cycle[i], cycle[j] = cycle[j], cycle[i]
    return length


def cycles(graph):
    """A shortest cycle through the leftmost node of each strongly connected component that has cycles.

    Each goes from head to dependent; an arc from a node to itself is a cycle of one. O(nodes + arcs).

    >>> from crossarc.treebank.graph import Graph
    >>> cycles(Graph.from_arcs("0123", [(0, 1, "root"), (1, 2, "a"), (2, 3, "b"), (3, 2, "c")]))
    [[2, 3]]
    """
    cdef Arcs arcs = Arcs(graph)
    cdef Workspace work = arcs.open()
    cdef Space* space = &work.space
    cdef token_t* component = space.spare[2]
    cdef token_t* done = space.spare[3]
    cdef token_t* found = space.spare[4]
    cdef token_t* cycle = space.spare[5]
    cdef token_t v, k, length, size = 0
    with nogil:
        list_dependents(space, arcs)
        find_components(space, component)
        for v in range(space.n + 1):
            done[v] = 0
            space.spare[1][v] = -1
        for v in range(1, space.n + 1):
            if done[component[v]]:
                continue
            done[component[v]] = 1
            length = find_cycle(space, component, v, cycle)
            for k in range(length):                 # all cycles end to end; -1 - v marks the last of one
                found[size] = cycle[k] if k < length - 1 else -1 - cycle[k]
                size += 1
    result = []
    current = []
    for k in range(size):
        if found[k] >= 0:
            current.append(found[k])
        else:
            current.append(-1 - found[k])
            result.append(current)
            current = []
    return result


def is_acyclic(graph):
    """Whether the graph has no cycle; an arc from a node to itself is one. O(nodes + arcs)."""
    cdef Arcs arcs = Arcs(graph)
    cdef Workspace work = arcs.open()
    cdef Space* space = &work.space
    cdef token_t* waiting = space.spare[0]          # heads not yet removed
    cdef token_t* queue = space.spare[1]
    cdef token_t v, k, head = 0, tail = 0
    with nogil:
        list_dependents(space, arcs)
        for v in range(space.n + 1):
            waiting[v] = 0
        for k in range(arcs.count):
            waiting[arcs.dependents[k]] += 1
        for v in range(space.n + 1):
            if not waiting[v]:
                queue[tail] = v
                tail += 1
        while head < tail:
            v = queue[head]
            head += 1
            for k in range(space.first[v], space.first[v + 1]):
                waiting[space.child[k]] -= 1
                if not waiting[space.child[k]]:
                    queue[tail] = space.child[k]
                    tail += 1
    return tail == space.n + 1


def is_connected(graph):
    """Whether each node but 0 is linked to each other, in any direction but not through node 0."""
    cdef Arcs arcs = Arcs(graph)
    cdef Workspace work = arcs.open()
    cdef token_t* parent = work.space.spare[0]
    cdef token_t k, a, b, parts = work.space.n
    with nogil:
        for k in range(work.space.n + 1):
            parent[k] = k
        for k in range(arcs.count):
            a = find(parent, arcs.heads[k])
            b = find(parent, arcs.dependents[k])
            if a and a != b:
                parent[b] = a
                parts -= 1
    return parts <= 1


def multi_headed(graph):
    """The nodes with several heads, node 0 counted as a head, as an int32 array.

    Two arcs from the same head count as one head.
    """
    cdef Arcs arcs = Arcs(graph)
    cdef Workspace work = arcs.open()
    cdef token_t* head = work.space.spare[0]
    cdef token_t k, d
    cdef unsigned char[::1] view
    several = np.zeros(max(arcs.nodes, 1), dtype=np.uint8)
    view = several
    with nogil:
        for k in range(work.space.n + 1):
            head[k] = -1
        for k in range(arcs.count):
            d = arcs.dependents[k]
            if head[d] < 0:
                head[d] = arcs.heads[k]
            elif head[d] != arcs.heads[k]:
                view[d] = 1
    return np.flatnonzero(several).astype(np.int32)


cdef void take_arcs(Space* space, Arcs arcs, bint root) noexcept nogil:
    """The arcs of a graph in sweep order, named by their index; one from a node to itself crosses nothing."""
    cdef token_t k
    space.m = 0
    for k in range(arcs.count):
        if arcs.heads[k] != arcs.dependents[k] and (arcs.heads[k] or root):
            note_arc(space, arcs.heads[k], arcs.dependents[k], k)
    sort_arcs(space)


def graph_crossing_pairs(graph, root=False):
    """The pairs of crossing arcs, arcs named by their index in the graph, as an int32 array of shape (k, 2).

    The lesser index comes first and the pairs are sorted. Arcs from node 0 count only with `root`. O(nodes + arcs + k).
    """
    cdef Arcs arcs = Arcs(graph)
    cdef Workspace work = arcs.open()
    take_arcs(&work.space, arcs, root)
    return sorted_crossings(work, arcs.count)


def is_projective_graph(graph):
    """Whether no arcs cross, those of node 0 included, and no root is covered (Sagae and Tsujii 2008). O(nodes + arcs).

    A root is a node without a head in the sentence; a node without any arc is one. An arc from node 0 covers no root.
    Arcs from a node to itself count neither as arcs nor as heads. For trees this is projectivity.

    >>> from crossarc.treebank.graph import Graph
    >>> is_projective_graph(Graph.from_arcs("0123", [(0, 1, "root"), (1, 2, "a"), (1, 3, "b"), (2, 3, "c")]))
    True
    >>> is_projective_graph(Graph.from_arcs("0123", [(0, 2, "root"), (2, 3, "a"), (1, 3, "b"), (2, 1, "c")]))
    False
    """
    cdef Arcs arcs = Arcs(graph)
    cdef Workspace work = arcs.open()
    cdef Space* space = &work.space
    cdef token_t* headed = space.spare[5]
    cdef token_t* cover = space.spare[6]
    cdef token_t k, v, over = 0
    cdef bint result = True
    with nogil:
        take_arcs(space, arcs, True)
        if any_crossing(space):
            result = False
        else:
            for v in range(space.n + 2):
                headed[v] = cover[v] = 0
            for k in range(space.m):
                if not space.begin[k]:
                    continue
                headed[arcs.dependents[space.name[k]]] = 1
                cover[space.begin[k] + 1] += 1
                cover[space.end[k]] -= 1
            for v in range(1, space.n + 1):
                over += cover[v]
                if over and not headed[v]:
                    result = False
                    break
    return result
