"""The plan of oracles for a gold tree: its arcs in lists, and which of them a system can build, in which plane.

`Gold.extra` says for each word the plane of its arc, 0 or 1, or -1 where the arc is left to the end or left out. The
first two rows of `Gold.scratch` hold the lists of dependents.
"""
from libc.stdlib cimport abs

from crossarc.core.links cimport is_tree
from crossarc.core.sorting cimport sort_by
from crossarc.core.typedefs cimport label_t, token_t
from crossarc.core.union_find cimport colour_apart, find, find_coloured
from crossarc.transitions.state cimport State


cdef bint is_gold_tree(const Gold* gold) noexcept nogil:
    """Whether the heads are a tree under node 0. Takes the first row of `scratch`."""
    return is_tree(gold.heads, gold.n, gold.scratch)


cdef void list_children(Gold* gold) noexcept nogil:
    """List the gold dependents of each node from left to right."""
    cdef token_t* first = gold.scratch
    cdef token_t* following = gold.scratch + gold.n + 1
    cdef token_t node
    for node in range(gold.n + 1):
        first[node] = following[node] = -1
    for node in range(gold.n, 0, -1):
        if gold.heads[node] >= 0:
            following[node] = first[gold.heads[node]]
            first[gold.heads[node]] = node


cdef struct Planes:
    token_t* parent
    token_t* colour
    token_t* stamp
    token_t* need
    token_t count


cdef bint admit(Planes* planes, token_t arc, token_t other, bint join) noexcept nogil:
    """Note that an arc crosses another that is kept; false if no plane is left for it.

    First without `join`, to see whether all that it crosses lie in one plane as far as they hang together, then with.
    """
    cdef token_t top, flip
    if planes.count == 1:
        return False
    if join:
        return colour_apart(planes.parent, planes.colour, arc, other)
    top = find_coloured(planes.parent, planes.colour, other)
    flip = planes.colour[other] ^ 1
    if planes.stamp[top] == arc:
        return planes.need[top] == flip
    planes.stamp[top] = arc
    planes.need[top] = flip
    return True


cdef token_t meet(const Gold* gold, Planes* planes, token_t arc, bint join) noexcept nogil:
    """The number of kept arcs that this one crosses, -1 without a plane for it. O(length + degrees below it)."""
    cdef token_t left = min(arc, gold.heads[arc])
    cdef token_t right = max(arc, gold.heads[arc])
    cdef token_t crossed = 0
    cdef token_t node, child
    for node in range(left + 1, right):
        if gold.extra[node] >= 0 and (gold.heads[node] < left or gold.heads[node] > right):
            if not admit(planes, arc, node, join):
                return -1
            crossed += 1
        child = gold.scratch[node]
        while child >= 0:
            if gold.extra[child] >= 0 and (child < left or child > right):
                if not admit(planes, arc, child, join):
                    return -1
                crossed += 1
            child = gold.scratch[gold.n + 1 + child]
    return crossed


cdef inline token_t arc_key(const Gold* gold, token_t d, token_t roots) noexcept nogil:
    """The length of an arc; arcs from node 0 come last, or first if all of them are wanted."""
    if gold.heads[d] <= 0:
        return 0 if roots == ALL_ROOTS else gold.n
    return abs(d - gold.heads[d])


cdef void plan_arcs(Gold* gold, token_t planes, token_t roots) noexcept nogil:
    """Give each arc a plane so that no arcs of a plane cross; arcs without a possible plane are left out.

    The graph of crossing arcs is two-coloured component by component, by a union-find with colours; the colour of
    more arcs becomes plane 0, which saves switching. Arcs come in the order of their length, so beyond the class it
    is long arcs that are left out.
    """
    cdef token_t n = gold.n
    cdef token_t rows = n + 1
    cdef token_t* bucket = gold.scratch + 6 * rows          # n + 2 entries, and n of `order` after them
    cdef token_t* order = bucket + rows + 1
    cdef Planes space
    cdef token_t d, place, crossed, top
    space.parent = gold.scratch + 2 * rows
    space.colour = gold.scratch + 3 * rows
    space.stamp = gold.scratch + 4 * rows
    space.need = gold.scratch + 5 * rows
    space.count = planes
    list_children(gold)
    for d in range(rows):
        gold.extra[d] = -1
        space.parent[d] = d
        space.colour[d] = 0
        space.stamp[d] = -1
        space.need[d] = arc_key(gold, d, roots)
    sort_by(space.need, NULL, 1, rows, n, False, bucket, order)
    for place in range(n):
        d = order[place]
        if gold.heads[d] < 0 or (gold.heads[d] == 0 and roots == NO_ROOTS):
            continue
        crossed = meet(gold, &space, d, False)
        if crossed < 0:
            continue
        if crossed:
            meet(gold, &space, d, True)
        gold.extra[d] = 0
    if planes == 1:
        return
    for d in range(rows):
        space.need[d] = 0
    for d in range(1, rows):
        if gold.extra[d] == 0:
            top = find_coloured(space.parent, space.colour, d)
            space.need[top] += 1 - 2 * space.colour[d]
    for d in range(1, rows):
        if gold.extra[d] == 0:
            top = find_coloured(space.parent, space.colour, d)
            gold.extra[d] = space.colour[d] ^ (space.need[top] < 0)


cdef inline token_t plane_of(const State* state, const Gold* gold, token_t d, token_t node) noexcept nogil:
    """The plane in which the arc to d can be built, given its end that is not in the buffer; -1 if in none.

    It is the planned one if the node is on the stack of that, else the other's if it is there.
    """
    cdef token_t active = state.stack > state.stack2
    cdef bint here = is_on_stack(state.stack, state.depth, node)
    if gold.extra[d] == active:
        return active if here else 1 - active if is_on_stack(state.stack2, state.depth2, node) else -1
    return 1 - active if is_on_stack(state.stack2, state.depth2, node) else active if here else -1


cdef token_t count_behind(State* state, const Gold* gold, token_t j, token_t plane, bint one_root) noexcept nogil:
    """The arcs between j and the stack of a plane that can still be built there."""
    cdef token_t head = gold.heads[j]
    cdef token_t child = first_child(gold, j)
    cdef token_t count = 0
    if 0 <= head < j and is_open(state, gold, j, one_root):
        count += plane_of(state, gold, j, head) == plane
    while 0 <= child < j:
        if is_open(state, gold, child, one_root):
            count += plane_of(state, gold, child, child) == plane
        child = next_child(gold, child)
    return count


cdef token_t count_ahead(
    State* state, const Gold* gold, token_t i, token_t j, token_t plane, bint one_root
) noexcept nogil:
    """The arcs between i, which is on a stack, and the buffer, which begins with j, that can still be built there."""
    cdef token_t child = first_child(gold, i)
    cdef token_t count = 0
    if gold.heads[i] >= j and is_open(state, gold, i, one_root):
        count += plane_of(state, gold, i, i) == plane
    while child >= 0:
        if child >= j and is_open(state, gold, child, one_root):
            count += plane_of(state, gold, child, i) == plane
        child = next_child(gold, child)
    return count


cdef inline token_t lead(const State* state, const Gold* gold, token_t node, token_t j) noexcept nogil:
    """The head that a word has or may still get while the buffer begins with j, -1 if there is none."""
    cdef token_t head = gold.heads[node]
    if state.heads[node] >= 0:
        return state.heads[node]
    if head <= 0 or gold.extra[node] < 0 or max(head, node) < j:
        return -1
    return head if min(head, node) >= j or plane_of(state, gold, node, min(head, node)) >= 0 else -1


cdef bint leads_to(const State* state, const Gold* gold, token_t node, token_t goal, token_t j) noexcept nogil:
    """Whether the heads from a word upwards come to another."""
    cdef token_t steps = 0
    while node >= 0 and node != goal and steps <= gold.n:
        node = lead(state, gold, node, j)
        steps += 1
    return node == goal


cdef token_t cost_of_arc(const State* state, const Gold* gold, token_t head, token_t d, token_t j) noexcept nogil:
    """The cost of an arc: the gold head of d, and one arc if later ones would close a cycle with the new one.

    If the gold head of d was on a cycle with built arcs, it is no new loss. O(depth).
    """
    cdef token_t gold_head = lead(state, gold, d, j)
    if gold_head == head:
        return 0
    return (
        (gold.heads[d] == 0 or (gold_head >= 0 and not leads_to(state, gold, gold_head, d, j)))
        + leads_to(state, gold, head, d, j)
    )


cdef token_t cost_of_left_arc(State* state, const Gold* gold, token_t i, token_t j) noexcept nogil:
    """The cost of the arc j -> i."""
    return cost_of_arc(state, gold, j, i, j)


cdef token_t cost_of_right_arc(State* state, const Gold* gold, token_t i, token_t j) noexcept nogil:
    """The cost of the arc i -> j."""
    return cost_of_arc(state, gold, i, j, j)


cdef token_t cost_of_link(
    State* state, const Gold* gold, token_t i, token_t j, bint one_root, bint lists
) noexcept nogil:
    """The cost of the link of i and j: one other link if later gold links would join the two, and node 0's only one.

    Links that can be built form a matroid, so a link costs one or none. `lists` says that the lists of Covington's
    system decide what is in reach, not the stacks. O(n a(n)).
    """
    cdef token_t* parent = gold.scratch + 2 * (gold.n + 1)
    cdef token_t d, low, high, lost = 0
    if gold_between(state, gold, i, j, one_root) >= 0:
        return 0
    for d in range(gold.n + 1):
        parent[d] = state.group[d]
    for d in range(1, gold.n + 1):
        low = min(d, gold.heads[d])
        high = max(d, gold.heads[d])
        if low == 0 and gold.extra[d] < 0:
            # The reconstruction adds this root link later, so its word counts as linked.
            parent[find(parent, d)] = find(parent, 0)
            continue
        if high < j or not is_open(state, gold, d, one_root):
            continue
        if low < j and (high == j and low > state.left if lists else plane_of(state, gold, d, low) < 0):
            continue
        if low == 0 and i == 0 and one_root:
            # The one link of node 0 is spent.
            lost += 1
            continue
        parent[find(parent, low)] = find(parent, high)
    return lost + (find(parent, i) == find(parent, j))


cdef void orient_links(State* state, bint one_root, label_t root_label) noexcept nogil:
    """Make a tree of links by directing them away from node 0; a part not linked with it hangs by its first word.

    With one root, such parts hang from the root word by arcs without a label, -1. Takes the memory of stack and buffer.
    O(n).
    """
    cdef Links links
    cdef token_t* via = state.labels
    cdef token_t word
    links.n = state.n
    links.m = state.arcs
    links.left = state.arc_head
    links.right = state.arc_dependent
    links.turn = links.root = NULL
    links.keep_root_links = True
    links.single_root = one_root
    orient_listed(&links, state.arc_first, state.arc_next, state.heads, via, state.stack, state.queue, NULL)
    for word in range(1, state.n + 1):
        if via[word] >= 0:
            state.labels[word] = state.arc_label[via[word]]
        elif state.heads[word] == 0:
            state.labels[word] = root_label
