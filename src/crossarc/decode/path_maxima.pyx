"""F-heavy edges in linear time: those worse than every edge on the path of a forest F between their ends.

Such an edge is in no best forest. The method is King's (1997) in the form of Hagerup (2009):

1. Run Boruvka on the forest and make a tree of it: a node for each part that ever was, below the part it became part
   of, by an edge as bad as the one it chose. The worst edge between two leaves is as bad as on the path in the forest
   (King), every inner node has two children or more, and the depth is at most log2 n.
2. Split each question at the lowest common ancestor, found in constant time from bits (Schieber and Vishkin 1988).
   Only its depth matters.
3. Walk down the tree with the answers for the depths that are asked about above each node (Komlos 1985). They get
   better with depth, so that the new edge's place among them is found by bisection. Sets of depths are the bits of
   one word, and the steps on them a few instructions.

All steps but the comparisons are O(1) a node or edge; the comparisons are O(m) by Komlos.
"""
from libc.stdlib cimport free, malloc

from crossarc.core.prefetch cimport prefetch
from crossarc.core.typedefs cimport int32_t, int64_t, score_t, token_t, uint32_t, uint8_t


cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static int crossarc_high_bit(unsigned x) { unsigned long i; _BitScanReverse(&i, x); return (int)i; }
    static int crossarc_low_bit(unsigned x) { unsigned long i; _BitScanForward(&i, x); return (int)i; }
    #else
    static int crossarc_high_bit(unsigned x) { return 31 - __builtin_clz(x); }
    static int crossarc_low_bit(unsigned x) { return __builtin_ctz(x); }
    #endif
    static int crossarc_bits(unsigned x) {
        x = x - ((x >> 1) & 0x55555555u);
        x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
        return (int)((((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u) >> 24);
    }
    """
    int32_t high_bit "crossarc_high_bit"(uint32_t x) noexcept nogil
    int32_t low_bit "crossarc_low_bit"(uint32_t x) noexcept nogil
    int32_t bits "crossarc_bits"(uint32_t x) noexcept nogil


cdef struct Worst:
    score_t weight
    token_t name


cdef struct Node:
    # A node of the Boruvka tree, by its place in preorder; place 1 is a node above all trees of the forest.
    Worst edge              # to its parent
    token_t parent
    uint32_t inlabel        # Schieber and Vishkin: the path of the tree's decomposition that it is on
    uint32_t above          # the paths met on the way up, as bits
    uint32_t asked          # depths at which questions from below end
    token_t leaf            # the node of the graph if it is a leaf, else -1
    uint8_t depth


cdef struct Leaf:
    # What is asked of a node of the graph, by its number.
    uint32_t inlabel
    uint32_t above
    uint32_t asked
    token_t answers         # where the worst edges for `asked` begin
    token_t depth


cdef inline uint32_t below(int32_t depth) noexcept nogil:
    """The depths less than this one, as bits."""
    return (<uint32_t>1 << depth) - 1


cdef inline uint32_t successors(uint32_t depths, uint32_t among) noexcept nogil:
    """For each of some depths the next greater one in another set, all as bits.

    Adding a bit to a run of bits that are not in the set carries it on to the next that is.
    """
    cdef uint32_t next_depths = depths << 1
    return (next_depths & among) | (((next_depths & ~among) + ~among) & among)


cdef inline int32_t nth_bit(uint32_t word, int32_t rank) noexcept nogil:
    """The place of the bit of this rank, from 0, in five halvings."""
    cdef int32_t place = 0, width = 16, inside
    while width:
        inside = bits(word & (((<uint32_t>1 << width) - 1) << place))
        if rank >= inside:
            rank -= inside
            place += width
        width >>= 1
    return place


cdef inline bint is_worse(const Worst* edge, const Worst* other) noexcept nogil:
    return is_better(other.weight, other.name, edge.weight, edge.name)


cdef token_t build(Edge* forest, token_t count, token_t n, token_t* up, Worst* edge, Pick* picks, token_t* part,
                   int64_t* comparisons) noexcept nogil:
    """The Boruvka tree: up[b] is the node above b, -1 for the root of a tree; leaves are 0..n-1. Gives its size."""
    cdef token_t base = 0, v, parts
    while n:
        comparisons[0] += choose_edges(forest, count, n, picks)
        parts = join(n, picks, part)
        for v in range(n):
            up[base + v] = base + n + part[v] if part[v] >= 0 else -1
            edge[base + v].weight = picks[v].weight
            edge[base + v].name = picks[v].name
        count = contract(forest, count, part)
        base += n
        n = parts
    return base


cdef void lay_out(const token_t* up, const Worst* edge, token_t size, token_t n, token_t* extent, token_t* cursor,
                  token_t* place, Node* nodes, uint8_t* tops) noexcept nogil:
    """Place the tree in preorder, with the labels of Schieber and Vishkin. Parents have greater numbers."""
    cdef token_t b, p, free_place = 2
    for b in range(size):
        extent[b] = 1
    for b in range(size):
        if up[b] >= 0:
            extent[up[b]] += extent[b]
    label(nodes + 1, NULL, 1, size + 1, tops)
    for b in range(size - 1, -1, -1):
        if up[b] < 0:
            p = free_place
            free_place += extent[b]
            nodes[p].parent = 1
        else:
            p = cursor[up[b]]
            cursor[up[b]] += extent[b]
            nodes[p].parent = place[up[b]]
            nodes[p].edge = edge[b]
        place[b] = p
        cursor[b] = p + 1
        nodes[p].leaf = b if b < n else -1
        label(nodes + p, nodes + nodes[p].parent, p, extent[b], tops)


cdef inline void label(Node* node, const Node* parent, token_t place, token_t extent, uint8_t* tops) noexcept nogil:
    """The path a node is on: the place in its subtree that most powers of two divide."""
    cdef uint32_t last = <uint32_t>(place + extent - 1)
    node.asked = 0
    node.depth = <uint8_t>(parent.depth + 1) if parent != NULL else 0
    node.inlabel = last & ~below(high_bit(<uint32_t>(place - 1) ^ last))
    if parent != NULL and node.inlabel == parent.inlabel:
        node.above = parent.above
        return
    node.above = node.inlabel & (0 - node.inlabel)
    if parent != NULL:
        node.above |= parent.above
    tops[node.inlabel] = node.depth


cdef inline int32_t climb(const Leaf* x, uint32_t inlabel, int32_t level, const uint8_t* tops) noexcept nogil:
    """The depth of the lowest ancestor of x that is on a given path."""
    cdef int32_t k
    if x.inlabel == inlabel:
        return x.depth
    k = high_bit(x.above & below(level))
    return tops[(x.inlabel & ~below(k + 1)) | (<uint32_t>1 << k)] - 1


cdef inline int32_t meeting_depth(const Leaf* x, const Leaf* y, const uint8_t* tops) noexcept nogil:
    """The depth of the lowest common ancestor."""
    cdef int32_t i, level
    cdef uint32_t inlabel
    if x.inlabel == y.inlabel:
        return min(x.depth, y.depth)
    i = high_bit(x.inlabel ^ y.inlabel)
    level = low_bit(x.above & y.above & ~below(i))
    inlabel = (x.inlabel & ~below(level + 1)) | (<uint32_t>1 << level)
    return min(climb(x, inlabel, level, tops), climb(y, inlabel, level, tops))


cdef void answer(const Node* nodes, token_t size, const Leaf* leaves, Worst* answers,
                 int64_t* comparisons) noexcept nogil:
    """The worst edge from every leaf up to each depth that is asked about."""
    cdef Worst path[34]
    cdef uint32_t worst[34]             # by depth of the path: where its worst edges are, as depths
    cdef token_t p, at
    cdef int32_t depth, low, high, middle
    cdef uint32_t known, asked
    cdef const Node* node
    worst[0] = 0
    for p in range(2, size + 2):
        node = nodes + p
        depth = node.depth
        path[depth] = node.edge
        asked = node.asked
        if not asked:
            worst[depth] = 0
            continue
        known = successors(asked, worst[depth - 1])
        low = 0
        high = bits(known)
        while low < high:               # how many of the known ones are worse than the new edge
            middle = (low + high) >> 1
            comparisons[0] += 1
            if is_worse(&path[nth_bit(known, middle)], &node.edge):
                low = middle + 1
            else:
                high = middle
        if low < bits(known):
            known &= below(nth_bit(known, low))
        known = worst[depth] = successors(asked, known | (<uint32_t>1 << depth))
        if node.leaf >= 0:
            at = leaves[node.leaf].answers
            while asked:
                answers[at] = path[low_bit(successors(asked & (0 - asked), known))]
                at += 1
                asked &= asked - 1


cdef inline const Worst* answer_of(const Leaf* leaf, int32_t depth, const Worst* answers) noexcept nogil:
    return answers + leaf.answers + bits(leaf.asked & below(depth))


cdef void ask(const Edge* edges, token_t m, Leaf* leaves, const uint8_t* tops, uint8_t* depths) noexcept nogil:
    """Note with both ends of every edge how far up its path goes; those the forest does not join are light."""
    cdef token_t i
    cdef int32_t depth
    cdef Leaf* left
    cdef Leaf* right
    for i in range(m):
        if i + AHEAD < m:
            prefetch(leaves + edges[i + AHEAD].left)
            prefetch(leaves + edges[i + AHEAD].right)
        if depths[i] != OPEN:
            continue
        left = leaves + edges[i].left
        right = leaves + edges[i].right
        depth = meeting_depth(left, right, tops)
        depths[i] = <uint8_t>depth
        if depth:
            left.asked |= <uint32_t>1 << depth
            right.asked |= <uint32_t>1 << depth
        else:
            depths[i] = LIGHT


cdef token_t sift(Edge* edges, token_t m, const Leaf* leaves, const uint8_t* depths, const Worst* answers,
                  int64_t* comparisons) noexcept nogil:
    """Keep the edges that are better than some edge of their path; return how many."""
    cdef token_t i, ahead, kept = 0
    cdef const Worst* worst
    for i in range(m):
        ahead = i + 2 * AHEAD
        if ahead < m:
            prefetch(leaves + edges[ahead].left)
            prefetch(leaves + edges[ahead].right)
        ahead = i + AHEAD
        if ahead < m and depths[ahead] < LIGHT:
            prefetch(answer_of(leaves + edges[ahead].left, depths[ahead], answers))
            prefetch(answer_of(leaves + edges[ahead].right, depths[ahead], answers))
        if depths[i] == HEAVY:
            continue
        if depths[i] != LIGHT:
            worst = answer_of(leaves + edges[i].left, depths[i], answers)
            comparisons[0] += 1
            if is_better(worst.weight, worst.name, edges[i].weight, edges[i].name):
                worst = answer_of(leaves + edges[i].right, depths[i], answers)
                comparisons[0] += 1
                if is_better(worst.weight, worst.name, edges[i].weight, edges[i].name):
                    continue
        edges[kept] = edges[i]
        kept += 1
    return kept


cdef token_t drop_heavy(Edge* edges, token_t m, token_t n, const token_t* forest, token_t count, uint8_t* depths,
                        Pick* picks, token_t* part, int64_t* comparisons) noexcept nogil:
    """Keep the edges that are not F-heavy, F being the edges at `forest`; return how many, -1 if memory ran out.

    `depths` says what is known of each edge: OPEN, LIGHT or HEAVY. `picks` and `part` have room for n.
    """
    cdef size_t most = 2 * <size_t>n + 2
    cdef Edge* own = <Edge*>malloc((<size_t>count + 1) * sizeof(Edge))
    cdef Node* nodes = <Node*>malloc(most * sizeof(Node))
    cdef Leaf* leaves = <Leaf*>malloc(most * sizeof(Leaf))
    cdef Worst* edge = <Worst*>malloc(most * sizeof(Worst))
    cdef token_t* up = <token_t*>malloc(4 * most * sizeof(token_t))
    cdef uint8_t* tops = <uint8_t*>malloc(2 * most)             # by label, which is below twice the size of the tree
    cdef Worst* answers = NULL
    cdef token_t i, p, size, kept = -1, total = 0
    cdef Node* node
    cdef bint good = own != NULL and nodes != NULL and leaves != NULL and edge != NULL and up != NULL and tops != NULL
    if good:
        for i in range(count):
            own[i] = edges[forest[i]]
        size = build(own, count, n, up, edge, picks, part, comparisons)
        lay_out(up, edge, size, n, up + most, up + 2 * most, up + 3 * most, nodes, tops)
        for p in range(2, size + 2):
            node = nodes + p
            if node.leaf >= 0:
                leaves[node.leaf].inlabel = node.inlabel
                leaves[node.leaf].above = node.above
                leaves[node.leaf].depth = node.depth
                leaves[node.leaf].asked = 0
        ask(edges, m, leaves, tops, depths)
        for p in range(size + 1, 1, -1):
            node = nodes + p
            if node.leaf >= 0:
                node.asked = leaves[node.leaf].asked
                leaves[node.leaf].answers = total
                total += bits(node.asked)
            nodes[node.parent].asked |= node.asked & below(nodes[node.parent].depth)
        answers = <Worst*>malloc((<size_t>total + 1) * sizeof(Worst))
        if answers != NULL:
            answer(nodes, size, leaves, answers, comparisons)
            kept = sift(edges, m, leaves, depths, answers, comparisons)
    free(own)
    free(nodes)
    free(leaves)
    free(edge)
    free(up)
    free(tops)
    free(answers)
    return kept
