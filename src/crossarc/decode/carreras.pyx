"""Best projective trees with siblings and grandchildren (Carreras 2007), over sparse candidate arcs.

Two kinds of items, for an arc h -> m:

    open(h -> m, label)     the span between h and m. The last child s of h before the split r gives the sibling, the
                            child c of m farthest from m after the split gives the grandchild between
    closed(h -> m, e)       open, and all below m up to the end e on its other side. The child of m with the same end
                            gives the grandchild beyond

         h    s  r|r+1  c    m    c'  e
         |____|___||____|____|____|___|

The scores of parts of h -> m do not depend on other labels, so that closed items have no label. There is one item for
each candidate arc and end: with K candidate heads a word and L labels the search takes O(K^2 n^2 L) time, O(n^4 L)
over all arcs, and O(K n^2) memory.

The left end of spans falls, so that an arc to the right is closed at all its ends at once; arcs to the left are closed
at one end at a time. No back pointers are kept: the way back finds each maximum again.
"""
import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport free

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport int32_t, score_t, token_t

from crossarc.decode.decoder cimport NO_MEMORY, NO_PROJECTIVE_TREE, SOLVED, Outcome, best_split, best_sum


cdef struct Half:
    # One half of a span and where the scores of its outermost child are, under one label.
    token_t node            # its head
    score_t none            # the score of no child
    const score_t* scores   # of the child of the arc at place p: scores[p * step]
    Py_ssize_t step


cdef inline void describe(PartScores parts, int32_t arc, int32_t label, Half* right, Half* left) noexcept nogil:
    """The halves of the span that an arc closes: one has siblings of its dependent, the other children of it."""
    cdef token_t h = parts.heads[arc], m = parts.dependents[arc]
    cdef Py_ssize_t labels = parts.label_count[arc]
    cdef const score_t* siblings = parts.scores + parts.sibling_at[arc] + label
    cdef const score_t* children = parts.scores + parts.grand_at[arc] + label
    cdef Half* of_head = right if h < m else left
    cdef Half* of_dependent = left if h < m else right
    of_head.node = h
    of_head.none = siblings[0]
    if h < m:
        of_head.scores = siblings - (parts.left_count[h] - 1) * labels
        of_head.step = labels
    else:
        of_head.scores = siblings + parts.left_count[h] * labels
        of_head.step = -labels
    of_dependent.node = m
    of_dependent.none = children[NO_BETWEEN * labels]
    of_dependent.scores = children + FIRST_CHILD * labels
    of_dependent.step = labels


cdef inline void raise_to(score_t* best, const score_t* row, score_t more, token_t begin, token_t end) noexcept nogil:
    """Raise the entries begin..end-1 to those of a row plus a number."""
    cdef token_t e
    cdef score_t x
    for e in range(begin, end):
        x = row[e] + more
        best[e] = x if x > best[e] else best[e]


cdef void fill_right(PartScores parts, SpanTable* table, const Half* half, token_t end) noexcept nogil:
    """The best right half for each last node before `end`."""
    cdef token_t node = half.node, child, r
    cdef int32_t begin = parts.first_outgoing[node], p, arc
    cdef score_t* row = table.right
    cdef score_t more
    row[node] = half.none
    for r in range(node + 1, end):
        row[r] = -INFINITY
    for p in range(parts.left_count[node], parts.first_outgoing[node + 1] - begin):
        arc = parts.outgoing[begin + p]
        child = parts.dependents[arc]
        if child >= end:
            break
        more = half.scores[p * half.step]
        if more > -INFINITY and table.best_open[arc] > -INFINITY:
            raise_to(row, table.closed + table.closed_at[arc], more, child, end)


cdef void fill_left(PartScores parts, SpanTable* table, const Half* half, token_t end) noexcept nogil:
    """The best left half for each first node after `end`."""
    cdef token_t node = half.node, child, q
    cdef int32_t begin = parts.first_outgoing[node], p, arc
    cdef score_t* row = table.left
    cdef score_t more
    row[node] = half.none
    for q in range(end + 1, node):
        row[q] = -INFINITY
    for p in range(parts.left_count[node] - 1, -1, -1):
        arc = parts.outgoing[begin + p]
        child = parts.dependents[arc]
        if child <= end:
            break
        more = half.scores[p * half.step]
        if more > -INFINITY and table.best_open[arc] > -INFINITY:
            raise_to(row, table.closed + table.closed_at[arc], more, end + 1, child + 1)


cdef void open_span(PartScores parts, SpanTable* table, int32_t arc, bint alone) noexcept nogil:
    """The best span that an arc closes, for each label; `alone` if the head may have no other children."""
    cdef token_t h = parts.heads[arc], m = parts.dependents[arc]
    cdef token_t i = h if h < m else m, j = m if h < m else h
    cdef int32_t label, labels = parts.label_count[arc], p, begin, end
    cdef const score_t* arc_scores = parts.scores + parts.arc_at[arc]
    cdef const score_t* children = parts.scores + parts.grand_at[arc]
    cdef score_t* spans = table.open + table.open_at[arc]
    cdef score_t* weights = table.weights + table.weights_at[arc]
    cdef score_t best = -INFINITY
    for label in range(labels):
        if arc_scores[label] == -INFINITY:
            spans[label] = -INFINITY
            continue
        fill_halves(parts, table, arc, label, alone)
        spans[label] = best_sum(table.right + i, table.left + i + 1, 1 if alone else j - i) + arc_scores[label]
        best = spans[label] if spans[label] > best else best
    table.best_open[arc] = best
    table.childless[arc] = best_sum(spans, children + NO_BEYOND * labels, labels)
    begin = parts.left_count[m] if h < m else 0
    end = parts.outdegree(m) if h < m else parts.left_count[m]
    for p in range(begin, end):
        weights[p] = best_sum(spans, children + (FIRST_CHILD + p) * labels, labels)


cdef void fill_halves(PartScores parts, SpanTable* table, int32_t arc, int32_t label, bint alone) noexcept nogil:
    """Both halves of the span that an arc closes, for all splits, or for the one right after a head that is alone."""
    cdef Half right, left
    describe(parts, arc, label, &right, &left)
    fill_right(parts, table, &right, right.node + 1 if alone else left.node)
    fill_left(parts, table, &left, right.node)


cdef void close_right(PartScores parts, SpanTable* table, int32_t arc) noexcept nogil:
    """Close an arc to the right at all its ends."""
    cdef token_t m = parts.dependents[arc], e
    cdef int32_t begin = parts.first_outgoing[m], p, below
    cdef score_t* row = table.closed + table.closed_at[arc]
    cdef const score_t* weights = table.weights + table.weights_at[arc]
    row[m] = table.childless[arc]
    for e in range(m + 1, parts.n + 1):
        row[e] = -INFINITY
    if table.best_open[arc] == -INFINITY:
        return
    for p in range(parts.left_count[m], parts.first_outgoing[m + 1] - begin):
        below = parts.outgoing[begin + p]
        if weights[p] > -INFINITY and table.best_open[below] > -INFINITY:
            raise_to(row, table.closed + table.closed_at[below], weights[p], parts.dependents[below], parts.n + 1)


cdef void close_left(PartScores parts, SpanTable* table, token_t head, token_t e) noexcept nogil:
    """Close the arcs of a head to the left at one end."""
    cdef int32_t begin = parts.first_outgoing[head], p, arc, places
    cdef token_t m
    cdef score_t best
    for p in range(table.low[head], parts.left_count[head]):
        arc = parts.outgoing[begin + p]
        m = parts.dependents[arc]
        if m == e:
            best = table.childless[arc]
        elif table.best_open[arc] == -INFINITY:
            best = -INFINITY
        else:
            places = parts.left_count[m] - table.low[m]
            best = best_sum(table.column + parts.first_outgoing[m] + table.low[m],
                            table.weights + table.weights_at[arc] + table.low[m], places)
        table.closed[table.closed_at[arc] + e] = best
        table.column[begin + p] = best


cdef void fill_table(PartScores parts, SpanTable* table, bint single_root) noexcept nogil:
    """All items, by falling left ends of spans and then rising right ends."""
    cdef token_t i, j
    cdef int32_t p, outgoing_end, incoming, incoming_end, arc
    for i in range(parts.n + 1):
        table.low[i] = parts.left_count[i]
    for i in range(parts.n, -1, -1):
        p = parts.first_outgoing[i] + parts.left_count[i]
        outgoing_end = parts.first_outgoing[i + 1]
        incoming_end = parts.first[i + 1]
        incoming = parts.first[i]
        while incoming < incoming_end and parts.heads[incoming] < i:
            incoming += 1
        for j in range(i + 1, parts.n + 1):
            if p < outgoing_end and parts.dependents[parts.outgoing[p]] == j:
                arc = parts.outgoing[p]
                open_span(parts, table, arc, single_root and i == 0)
                close_right(parts, table, arc)
                p += 1
            if incoming < incoming_end and parts.heads[incoming] == j:
                open_span(parts, table, incoming, False)
                table.low[j] = parts.place[incoming]
                incoming += 1
            if i:
                close_left(parts, table, j, i)


cdef inline int32_t find_child(PartScores parts, SpanTable* table, token_t node, token_t e, const score_t* scores,
                               Py_ssize_t step, score_t total) noexcept nogil:
    """The place of the child of a node whose item with the end e, with a score by its place, makes a total."""
    cdef int32_t begin = parts.first_outgoing[node], p, arc
    cdef int32_t start = parts.left_count[node] if e > node else 0
    cdef int32_t end = parts.outdegree(node) if e > node else parts.left_count[node]
    cdef token_t child
    for p in range(start, end):
        arc = parts.outgoing[begin + p]
        child = parts.dependents[arc]
        if ((child <= e if e > node else child >= e) and table.best_open[arc] > -INFINITY
                and table.closed[table.closed_at[arc] + e] + scores[p * step] == total):
            return p
    return -1               # never: the total was made of one of these


cdef void walk_back(PartScores parts, SpanTable* table, bint single_root, int32_t top, token_t* heads,
                    int32_t* choices) noexcept nogil:
    """The heads and labels of the closed items on the stack, pairs of an arc and an end."""
    cdef int32_t* stack = table.stack
    cdef int32_t arc, p, row, labels
    cdef token_t h, m, e, i, j, r
    cdef bint alone
    cdef Half right, left
    while top:
        top -= 1
        arc = stack[2 * top]
        e = stack[2 * top + 1]
        h = parts.heads[arc]
        m = parts.dependents[arc]
        i = h if h < m else m
        j = m if h < m else h
        labels = parts.label_count[arc]
        row = NO_BEYOND
        if e != m:
            p = find_child(parts, table, m, e, table.weights + table.weights_at[arc], 1,
                           table.closed[table.closed_at[arc] + e])
            row = FIRST_CHILD + p
            top = push(parts, stack, top, m, p, e)
        heads[m] = h
        choices[m] = best_split(table.open + table.open_at[arc],
                                parts.scores + parts.grand_at[arc] + <Py_ssize_t>row * labels, labels)
        alone = single_root and h == 0
        fill_halves(parts, table, arc, choices[m], alone)
        describe(parts, arc, choices[m], &right, &left)
        r = i + best_split(table.right + i, table.left + i + 1, 1 if alone else j - i)
        if r > i:
            p = find_child(parts, table, i, r, right.scores, right.step, table.right[r])
            top = push(parts, stack, top, i, p, r)
        if r + 1 < j:
            p = find_child(parts, table, j, r + 1, left.scores, left.step, table.left[r + 1])
            top = push(parts, stack, top, j, p, r + 1)


cdef inline int32_t push(PartScores parts, int32_t* stack, int32_t top, token_t node, int32_t p,
                         token_t e) noexcept nogil:
    stack[2 * top] = parts.outgoing[parts.first_outgoing[node] + p]
    stack[2 * top + 1] = e
    return top + 1


cdef class Carreras:
    """The search for the best projective tree of second order, with the memory it works in, for one thread."""

    def __cinit__(self, bint single_root=True):
        self.single_root = single_root

    def __dealloc__(self):
        free(self.table.memory)
        free(self.table.offsets)
        free(self.table.stack)

    cdef Outcome solve(self, PartScores parts, token_t* heads, int32_t* choices) except? NO_MEMORY nogil:
        """Set heads[0..n] and choices[0..n], the place of each label among those of the arc; 0 has -1 for both."""
        cdef SpanTable* table = &self.table
        cdef int32_t p, arc, best = -1
        cdef score_t score
        heads[0] = choices[0] = -1
        self.score = 0
        if parts.n == 0:
            return SOLVED
        self.reserve(parts)
        fill_table(parts, table, self.single_root)
        self.score = -INFINITY
        for p in range(parts.first_outgoing[1]):
            arc = parts.outgoing[p]
            score = table.closed[table.closed_at[arc] + parts.n]
            if score > self.score:
                self.score = score
                best = arc
        if best < 0:
            return NO_PROJECTIVE_TREE
        table.stack[0] = best
        table.stack[1] = parts.n
        walk_back(parts, table, self.single_root, 1, heads, choices)
        return SOLVED

    cdef int reserve(self, PartScores parts) except -1 nogil:
        """Lay out the table for the arcs of a sentence, with more memory if needed."""
        cdef SpanTable* table = &self.table
        cdef size_t count = parts.count, n = parts.n, need
        cdef Py_ssize_t labels = 0, ends = 0, weights = 0
        cdef int32_t arc
        cdef token_t m
        if count > table.arc_room:
            table.arc_room = 0
            renew(<void**>&table.offsets, 3 * (count + count // 2) * sizeof(Py_ssize_t))
            table.arc_room = count + count // 2
        if n > table.word_room:
            table.word_room = 0
            renew(<void**>&table.stack, 3 * (n + n // 2 + 1) * sizeof(int32_t))
            table.word_room = n + n // 2
        table.low = table.stack + 2 * n
        table.open_at = table.offsets
        table.closed_at = table.offsets + count
        table.weights_at = table.offsets + 2 * count
        for arc in range(parts.count):
            m = parts.dependents[arc]
            table.open_at[arc] = labels
            labels += parts.label_count[arc]
            if parts.heads[arc] < m:
                table.closed_at[arc] = ends - m                 # ends m..n
                ends += parts.n - m + 1
                table.weights_at[arc] = weights - parts.left_count[m]
                weights += parts.outdegree(m) - parts.left_count[m]
            else:
                table.closed_at[arc] = ends - 1                 # ends 1..m
                ends += m
                table.weights_at[arc] = weights
                weights += parts.left_count[m]
        need = labels + ends + weights + 3 * count + 2 * (n + 2)
        if need > table.room:
            table.room = 0
            renew(<void**>&table.memory, (need + need // 2) * sizeof(score_t))
            table.room = need + need // 2
        table.open = table.memory
        table.closed = table.open + labels
        table.weights = table.closed + ends
        table.childless = table.weights + weights
        table.best_open = table.childless + count
        table.column = table.best_open + count
        table.right = table.column + count
        table.left = table.right + n + 2
        return 0

    def tree(self, PartScores parts):
        """Heads and labels of the best tree for scores in a container, None if there is no projective tree."""
        cdef token_t[::1] heads = np.empty(parts.n + 1, dtype=np.int32)
        cdef int32_t[::1] choices = np.empty(parts.n + 1, dtype=np.int32)
        cdef Outcome outcome
        with nogil:
            outcome = self.solve(parts, &heads[0], &choices[0])
        return (np.asarray(heads), np.asarray(choices)) if outcome == SOLVED else None
