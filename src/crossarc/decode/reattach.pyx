"""Trees of second order improved by moving one word at a time, also to where arcs cross (McDonald and Pereira 2006).

A round looks at all words, all candidate arcs that keep a tree, and all labels (Figure 2 of Björkelund and Kuhn 2012),
and makes the move that gains most, if it gains more than a threshold. The start is usually the best projective tree.

A move of i from the head o to the head p changes few parts:

    i           all of its parts
    siblings    those of the next child outwards, under o and under p
    o and p     their grandchildren, if i is or becomes the farthest child on its side

The parts of all candidate arcs under the current tree are kept. They change only for arcs from and to o and p, so a
round takes O(1) time for each candidate arc. Numbers of a walk from node 0 tell whether a move keeps a tree.

With a single root, a word becomes the root only if the old root is attached to a word below it in the same move.

Each move raises the score by more than the threshold, which is not negative, so that no tree comes back; there are
finitely many trees, so the moves end. A bound on the number of moves is for sums that rounding makes unequal.
"""
import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport free

from crossarc.core.allocation cimport renew
from crossarc.core.links cimport is_tree
from crossarc.core.typedefs cimport int32_t, score_t, token_t

from crossarc.errors import DecodeError


cdef inline int32_t sibling_row(PartScores parts, int32_t sibling) noexcept nogil:
    return parts.rank(sibling) if sibling >= 0 else 0


cdef inline score_t parts_of(PartScores parts, int32_t arc, int32_t sibling, const GrandRows* rows,
                             int32_t label) noexcept nogil:
    """The score of all parts of an arc."""
    return (parts.arc_score(arc, label) + parts.sibling_score(arc, sibling_row(parts, sibling), label)
            + grand_total(parts, arc, rows, label))


cdef inline score_t grand_total(PartScores parts, int32_t arc, const GrandRows* rows, int32_t label) noexcept nogil:
    cdef score_t total = parts.grand_score(arc, rows.between, label) + parts.grand_score(arc, rows.beyond, label)
    return total + parts.grand_score(arc, rows.past, label) if rows.past >= 0 else total


cdef inline bint is_past(PartScores parts, int32_t arc, token_t child) noexcept nogil:
    """Whether a child of the dependent is on the far side of the head."""
    cdef token_t h = parts.heads[arc]
    return child < h if h < parts.dependents[arc] else child > h


cdef inline int32_t* row_of(PartScores parts, int32_t arc, int32_t below, GrandRows* rows) noexcept nogil:
    """Where the row of a child of the dependent belongs."""
    cdef token_t h = parts.heads[arc], m = parts.dependents[arc], child = parts.dependents[below]
    if (child < m) != (h < m):
        return &rows.beyond
    return &rows.past if is_past(parts, arc, child) else &rows.between


cdef inline bint add_child(PartScores parts, int32_t arc, int32_t below, GrandRows* rows) noexcept nogil:
    """The rows with one child more, and whether they change."""
    cdef int32_t* row = row_of(parts, arc, below, rows)
    cdef int32_t new = FIRST_CHILD + parts.place[below]
    cdef bint left = parts.dependents[below] < parts.dependents[arc]
    if parts.dependents[below] == parts.heads[arc]:
        return False
    if row[0] >= FIRST_CHILD and (row[0] < new if left else row[0] > new):
        return False
    row[0] = new
    return True


cdef inline bint remove_child(PartScores parts, int32_t arc, int32_t below, int32_t inner,
                              GrandRows* rows) noexcept nogil:
    """The rows with one child less, and whether they change; `inner` is the arc to the next child inwards."""
    cdef int32_t* row = row_of(parts, arc, below, rows)
    if row[0] != FIRST_CHILD + parts.place[below]:
        return False
    if row == &rows.past:
        row[0] = FIRST_CHILD + parts.place[inner] if inner >= 0 and is_past(parts, arc, parts.dependents[inner]) else -1
    elif inner >= 0:
        row[0] = FIRST_CHILD + parts.place[inner]
    else:
        row[0] = NO_BETWEEN if row == &rows.between else NO_BEYOND
    return True


cdef inline GrandRows childless() noexcept nogil:
    cdef GrandRows rows
    rows.between = NO_BETWEEN
    rows.beyond = NO_BEYOND
    rows.past = -1
    return rows


cdef inline void note_children(PartScores parts, const token_t* heads, token_t node, int32_t* last_of, int32_t p,
                               int32_t end, int32_t step) noexcept nogil:
    """Note for each of some arcs from a node, in the order of steps, the last one before it to a child of the node."""
    cdef int32_t arc, last = -1
    while p != end:
        arc = parts.outgoing[p]
        last_of[arc] = last
        if heads[parts.dependents[arc]] == node:
            last = arc
        p += step


cdef class Reattacher:
    """The search for moves, with the memory it works in, for one thread."""

    def __cinit__(self, bint single_root=True):
        self.single_root = single_root
        self.arc_room = self.word_room = -1

    def __dealloc__(self):
        free(self.inner)
        free(self.rows)
        free(self.best)
        free(self.arc_of)

    cdef int improve(self, PartScores parts, score_t threshold, token_t* heads, int32_t* choices) except -1 nogil:
        """Make moves in a tree, in place, until none gains more than the threshold; return how many.

        All arcs of the tree must be candidates, and with a single root it must have one.
        """
        cdef token_t node
        cdef int32_t arc, moves = 0
        cdef Move move
        self.reserve(parts)
        for arc in range(parts.count):
            self.inner[arc] = -1
            self.rows[arc] = childless()
        for node in range(1, parts.n + 1):
            self.arc_of[node] = parts.find(heads[node], node)
            if self.arc_of[node] < 0:
                raise ValueError("an arc of the tree is not a candidate")
        for node in range(parts.n + 1):
            self.refresh(parts, heads, node)
        while moves < 100 + 10 * parts.n:
            self.number(heads, parts.n)
            move = self.find_move(parts, heads, choices)
            if move.arc < 0 or not move.gain > threshold:
                break
            self.make(parts, move.arc, move.label, heads, choices)
            if move.root_arc >= 0:
                self.make(parts, move.root_arc, move.root_label, heads, choices)
            moves += 1
        return moves

    cdef score_t score_of(self, PartScores parts, const token_t* heads, const int32_t* choices) noexcept nogil:
        """The score of a tree, computed from all its parts; -inf if one of its arcs is not a candidate."""
        cdef score_t total = 0
        cdef token_t m, h
        cdef int32_t arc, sibling, step, p, begin
        cdef GrandRows rows
        for m in range(1, parts.n + 1):
            h = heads[m]
            arc = parts.find(h, m)
            if arc < 0:
                return -INFINITY
            sibling = -1
            step = -1 if h < m else 1
            begin = parts.first_outgoing[h]
            p = parts.place[arc] + step
            while sibling < 0 and (p >= parts.left_count[h] if h < m else p < parts.left_count[h]):
                if heads[parts.dependents[parts.outgoing[begin + p]]] == h:
                    sibling = parts.outgoing[begin + p]
                p += step
            rows = childless()
            for p in range(parts.first_outgoing[m], parts.first_outgoing[m + 1]):
                if heads[parts.dependents[parts.outgoing[p]]] == m:
                    add_child(parts, arc, parts.outgoing[p], &rows)
            total += parts_of(parts, arc, sibling, &rows, choices[m])
        return total

    cdef int reserve(self, PartScores parts) except -1 nogil:
        cdef size_t arcs = <size_t>parts.count + parts.count // 2 + 1
        cdef size_t nodes = <size_t>parts.n + parts.n // 2 + 1
        if parts.count > self.arc_room:
            self.arc_room = -1
            renew(<void**>&self.inner, 3 * arcs * sizeof(int32_t))
            renew(<void**>&self.rows, arcs * sizeof(GrandRows))
            renew(<void**>&self.best, arcs * sizeof(score_t))
            self.outer = self.inner + arcs
            self.best_label = self.inner + 2 * arcs
            self.arc_room = parts.count + parts.count // 2
        if parts.n > self.word_room:
            self.word_room = -1
            renew(<void**>&self.arc_of, 5 * nodes * sizeof(int32_t))
            self.entry = self.arc_of + nodes
            self.exit = self.arc_of + 2 * nodes
            self.first_child = self.arc_of + 3 * nodes
            self.next_child = self.arc_of + 4 * nodes
            self.word_room = parts.n + parts.n // 2
        return 0

    cdef void refresh(self, PartScores parts, const token_t* heads, token_t node) noexcept nogil:
        """Update what is kept of the arcs from and to a node whose children changed."""
        cdef int32_t begin = parts.first_outgoing[node], end = parts.first_outgoing[node + 1]
        cdef int32_t middle = begin + parts.left_count[node]
        cdef int32_t p, arc
        note_children(parts, heads, node, self.outer, begin, middle, 1)
        note_children(parts, heads, node, self.inner, middle, end, 1)
        note_children(parts, heads, node, self.outer, end - 1, middle - 1, -1)
        note_children(parts, heads, node, self.inner, middle - 1, begin - 1, -1)
        for arc in range(parts.first[node], parts.first[node + 1]):
            self.rows[arc] = childless()
        for p in range(begin, end):
            if heads[parts.dependents[parts.outgoing[p]]] == node:
                for arc in range(parts.first[node], parts.first[node + 1]):
                    add_child(parts, arc, parts.outgoing[p], &self.rows[arc])
        for arc in range(parts.first[node], parts.first[node + 1]):
            self.best[arc] = self.best_label_of(parts, arc, self.inner[arc], &self.rows[arc], &self.best_label[arc])
        for p in range(begin, end):
            arc = parts.outgoing[p]
            self.best[arc] = self.best_label_of(parts, arc, self.inner[arc], &self.rows[arc], &self.best_label[arc])

    cdef void number(self, const token_t* heads, token_t n) noexcept nogil:
        """Number the nodes as a walk from node 0 enters them; a node's exit is the last number below it."""
        cdef token_t node, child
        cdef int32_t clock = 0
        for node in range(n + 1):
            self.first_child[node] = -1
        for node in range(n, 0, -1):
            self.next_child[node] = self.first_child[heads[node]]
            self.first_child[heads[node]] = node
        node = 0
        self.entry[0] = 0
        while True:
            child = self.first_child[node]
            if child >= 0:
                self.first_child[node] = self.next_child[child]
                clock += 1
                self.entry[child] = clock
                node = child
            else:
                self.exit[node] = clock
                if node == 0:
                    break
                node = heads[node]

    cdef score_t best_label_of(self, PartScores parts, int32_t arc, int32_t sibling, const GrandRows* rows,
                               int32_t* label) noexcept nogil:
        """The score of all parts of an arc under its first best label."""
        cdef score_t best = parts_of(parts, arc, sibling, rows, 0), score
        cdef int32_t other
        label[0] = 0
        for other in range(1, parts.label_count[arc]):
            score = parts_of(parts, arc, sibling, rows, other)
            if score > best:
                best = score
                label[0] = other
        return best

    cdef score_t leave_siblings(self, PartScores parts, int32_t arc, const int32_t* choices) noexcept nogil:
        """The gain of the next sibling outwards when the dependent of an arc leaves."""
        cdef int32_t next_arc = self.outer[arc], label
        if next_arc < 0:
            return 0
        label = choices[parts.dependents[next_arc]]
        return (parts.sibling_score(next_arc, sibling_row(parts, self.inner[arc]), label)
                - parts.sibling_score(next_arc, parts.rank(arc), label))

    cdef score_t leave_head(self, PartScores parts, int32_t arc, const int32_t* choices) noexcept nogil:
        """The gain of the arc of the head when the dependent leaves."""
        cdef token_t head = parts.heads[arc]
        cdef int32_t above = self.arc_of[head] if head else -1
        cdef GrandRows rows
        if above < 0:
            return 0
        rows = self.rows[above]
        if not remove_child(parts, above, arc, self.inner[arc], &rows):
            return 0
        return (grand_total(parts, above, &rows, choices[head])
                - grand_total(parts, above, &self.rows[above], choices[head]))

    cdef score_t join(self, PartScores parts, int32_t arc, bint with_head, const int32_t* choices) noexcept nogil:
        """The gain of the next sibling outwards and, on request, of the arc of the head when a dependent comes."""
        cdef int32_t next_arc = self.outer[arc], above, label
        cdef token_t head = parts.heads[arc]
        cdef GrandRows rows
        cdef score_t gain = 0
        if next_arc >= 0:
            label = choices[parts.dependents[next_arc]]
            gain = (parts.sibling_score(next_arc, parts.rank(arc), label)
                    - parts.sibling_score(next_arc, sibling_row(parts, self.inner[arc]), label))
        if with_head and head:
            above = self.arc_of[head]
            rows = self.rows[above]
            if add_child(parts, above, arc, &rows):
                gain += (grand_total(parts, above, &rows, choices[head])
                         - grand_total(parts, above, &self.rows[above], choices[head]))
        return gain

    cdef void try_root(self, PartScores parts, int32_t arc, int32_t root_arc, score_t leaving, const int32_t* choices,
                       Move* move) noexcept nogil:
        """Whether the best move is a new root by one arc and the old root below it by another.

        `leaving` is what siblings gain when the new root leaves its head, less the parts it has there.
        """
        cdef token_t i = parts.dependents[arc], root = parts.dependents[root_arc]
        cdef int32_t old = self.arc_of[i], old_root = self.arc_of[root], label, root_label
        cdef GrandRows rows = self.rows[arc], root_rows = self.rows[root_arc]
        cdef score_t gain = leaving - parts_of(parts, old_root, -1, &self.rows[old_root], choices[root])
        if parts.heads[root_arc] == i:
            add_child(parts, arc, root_arc, &rows)
        if parts.heads[old] == root:
            remove_child(parts, root_arc, old, self.inner[old], &root_rows)
        else:
            gain += self.leave_head(parts, old, choices)
        gain += self.join(parts, root_arc, parts.heads[root_arc] != i, choices)
        gain += self.best_label_of(parts, arc, -1, &rows, &label)
        gain += self.best_label_of(parts, root_arc, self.inner[root_arc], &root_rows, &root_label)
        if gain > move.gain:
            move.gain = gain
            move.arc = arc
            move.label = label
            move.root_arc = root_arc
            move.root_label = root_label

    cdef Move find_move(self, PartScores parts, const token_t* heads, const int32_t* choices) noexcept nogil:
        """The move that gains most; of equal ones that of the first word, to the first head, with the first label."""
        cdef Move move
        cdef token_t i, h, root = -1
        cdef int32_t arc, old, other
        cdef score_t leaving, leaving_head, before, gain
        move.gain = 0
        move.arc = move.root_arc = -1
        if self.single_root:
            for i in range(1, parts.n + 1):
                if heads[i] == 0:
                    root = i
        for i in range(1, parts.n + 1):
            old = self.arc_of[i]
            before = parts_of(parts, old, self.inner[old], &self.rows[old], choices[i])
            leaving = self.leave_siblings(parts, old, choices) - before
            leaving_head = self.leave_head(parts, old, choices)
            for arc in range(parts.first[i], parts.first[i + 1]):
                h = parts.heads[arc]
                if arc == old:
                    gain = self.best[arc] - before
                elif i == root or self.entry[i] <= self.entry[h] <= self.exit[i]:
                    continue
                elif h == 0 and self.single_root:
                    for other in range(parts.first[root], parts.first[root + 1]):
                        if self.entry[i] <= self.entry[parts.heads[other]] <= self.exit[i]:
                            self.try_root(parts, arc, other, leaving, choices, &move)
                    continue
                else:
                    gain = self.best[arc] + leaving + leaving_head + self.join(parts, arc, True, choices)
                if gain > move.gain:
                    move.gain = gain
                    move.arc = arc
                    move.label = self.best_label[arc]
                    move.root_arc = -1
        return move

    cdef void make(self, PartScores parts, int32_t arc, int32_t label, token_t* heads, int32_t* choices) noexcept nogil:
        """Give a word a new arc or a new label."""
        cdef token_t i = parts.dependents[arc], old = heads[i]
        heads[i] = parts.heads[arc]
        choices[i] = label
        self.arc_of[i] = arc
        if old != heads[i]:
            self.refresh(parts, heads, old)
            self.refresh(parts, heads, heads[i])

    def improved(self, PartScores parts, heads, choices, threshold=0.0):
        """Heads and labels after all moves, for scores in a container; the start must be a tree."""
        cdef token_t[::1] trees = np.array(heads, dtype=np.int32)
        cdef int32_t[::1] labels = np.array(choices, dtype=np.int32)
        cdef score_t least = threshold
        check_tree(parts, trees, labels)
        with nogil:
            self.improve(parts, least, &trees[0], &labels[0])
        return np.asarray(trees), np.asarray(labels)

    def total(self, PartScores parts, heads, choices):
        """The score of a tree, for scores in a container."""
        cdef token_t[::1] trees = np.array(heads, dtype=np.int32)
        cdef int32_t[::1] labels = np.array(choices, dtype=np.int32)
        check_tree(parts, trees, labels)
        return self.score_of(parts, &trees[0], &labels[0])


cdef int check_tree(PartScores parts, const token_t[::1] heads, const int32_t[::1] choices) except -1:
    """Raise if heads and labels are not a tree of candidate arcs."""
    cdef token_t[::1] met = np.empty(parts.n + 1, dtype=np.int32)
    cdef token_t word
    cdef int32_t arc
    if not heads.shape[0] == choices.shape[0] == parts.n + 1:
        raise DecodeError(f"a tree over {parts.n} words has {parts.n + 1} heads and labels")
    if not is_tree(&heads[0], parts.n, &met[0]):
        raise DecodeError("heads are not a tree")
    for word in range(1, parts.n + 1):
        arc = parts.find(heads[word], word)
        if arc < 0 or not 0 <= choices[word] < parts.label_count[arc]:
            raise DecodeError(f"the arc {heads[word]} -> {word} with label {choices[word]} is not a candidate")
    return 0
