"""What oracles know of a gold tree: its arcs in lists, and which of them a system can build, in which plane.

`Gold.extra` says for each word the plane of its arc, 0 or 1, or -1 where the arc is left to the end or left out. The
first two rows of `Gold.scratch` hold the lists of dependents.
"""

from libc.stdlib cimport abs

from crossarc.core.typedefs cimport label_t, token_t
from crossarc.transitions.state cimport State
from crossarc.transitions.system cimport Gold


cdef bint is_gold_tree(const Gold* gold) noexcept nogil:
    """Whether the heads are a tree under node 0. Takes the first row of `scratch`."""
    cdef token_t* seen = gold.scratch
    cdef token_t word, node
    for word in range(gold.n + 1):
        seen[word] = 0
        if word > 0 and not 0 <= gold.heads[word] <= gold.n:
            return False
    for word in range(1, gold.n + 1):
        node = word
        while node > 0 and seen[node] == 0:
            seen[node] = word
            node = gold.heads[node]
        if node > 0 and seen[node] == word:
            return False
    return True


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


cdef inline token_t find(token_t* parent, token_t* parity, token_t arc) noexcept nogil:
    """The representative of the arcs that this one crosses, through others too; parity[arc] is relative to it."""
    while parent[arc] != parent[parent[arc]]:
        parity[arc] ^= parity[parent[arc]]
        parent[arc] = parent[parent[arc]]
    return parent[arc]


cdef struct Planes:
    token_t* parent
    token_t* parity
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
    top = find(planes.parent, planes.parity, other)
    flip = planes.parity[other] ^ 1
    if not join:
        if planes.stamp[top] == arc:
            return planes.need[top] == flip
        planes.stamp[top] = arc
        planes.need[top] = flip
    elif top != find(planes.parent, planes.parity, arc):
        # The arc may stand under a representative already.
        planes.parity[top] = flip ^ planes.parity[arc]
        planes.parent[top] = planes.parent[arc]
    return True


cdef token_t meet(const Gold* gold, Planes* planes, token_t arc, bint join) noexcept nogil:
    """How many kept arcs this one crosses, -1 if there is no plane for it. O(its length and the degrees below it)."""
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
    """Give each arc its plane so that within a plane none cross; arcs for which there is none are left out.

    The graph of crossing arcs is two-coloured component by component, by a union-find with parities; the colour of
    more arcs becomes plane 0, which saves switching. Arcs come in the order of their length, so beyond the class it
    is long arcs that are left out.
    """
    cdef token_t n = gold.n
    cdef token_t rows = n + 1
    cdef token_t* order = gold.scratch + 6 * rows
    cdef token_t* bucket = gold.scratch + 7 * rows
    cdef Planes space
    cdef token_t d, key, place, total, crossed, top
    space.parent = gold.scratch + 2 * rows
    space.parity = gold.scratch + 3 * rows
    space.stamp = gold.scratch + 4 * rows
    space.need = gold.scratch + 5 * rows
    space.count = planes
    list_children(gold)
    for d in range(rows):
        gold.extra[d] = -1
        space.parent[d] = d
        space.parity[d] = 0
        space.stamp[d] = -1
        bucket[d] = 0
    for d in range(1, rows):
        bucket[arc_key(gold, d, roots)] += 1
    total = 0
    for key in range(rows):
        total += bucket[key]
        bucket[key] = total - bucket[key]
    for d in range(1, rows):
        key = arc_key(gold, d, roots)
        order[bucket[key]] = d
        bucket[key] += 1
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
            top = find(space.parent, space.parity, d)
            space.need[top] += 1 - 2 * space.parity[d]
    for d in range(1, rows):
        if gold.extra[d] == 0:
            top = find(space.parent, space.parity, d)
            gold.extra[d] = space.parity[d] ^ (space.need[top] < 0)


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
    """What an arc loses: the gold head of d, and one arc if others to come would close a cycle with the new one.

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
    """What the arc j -> i loses."""
    return cost_of_arc(state, gold, j, i, j)


cdef token_t cost_of_right_arc(State* state, const Gold* gold, token_t i, token_t j) noexcept nogil:
    """What the arc i -> j loses."""
    return cost_of_arc(state, gold, i, j, j)


cdef inline token_t find_root(token_t* parent, token_t node) noexcept nogil:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


cdef token_t cost_of_link(
    State* state, const Gold* gold, token_t i, token_t j, bint one_root, bint lists
) noexcept nogil:
    """What the link of i and j loses: one other if gold links still to come would join the two, and node 0's only one.

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
            # A root link that is left to the reconstruction joins its word to the others all the same.
            parent[find_root(parent, d)] = find_root(parent, 0)
            continue
        if high < j or not is_open(state, gold, d, one_root):
            continue
        if low < j and (high == j and low > state.left if lists else plane_of(state, gold, d, low) < 0):
            continue
        if low == 0 and i == 0 and one_root:
            # The one link of node 0 is spent.
            lost += 1
            continue
        parent[find_root(parent, low)] = find_root(parent, high)
    return lost + (find_root(parent, i) == find_root(parent, j))


cdef void orient_links(State* state, bint one_root, label_t root_label) noexcept nogil:
    """Make a tree of links by directing them away from node 0; a part not linked with it hangs by its first word.

    With one root, such parts hang from the root word by arcs without a label, -1. Takes the memory of stack and buffer.
    O(n).
    """
    cdef token_t* order = state.queue
    cdef token_t root = 0
    cdef token_t start, place, found, node, other, link
    for node in range(state.n + 1):
        state.heads[node] = state.labels[node] = -1
    for start in range(state.n + 1):
        if start > 0:
            if state.heads[start] >= 0:
                continue
            state.heads[start] = root if one_root else 0
            state.labels[start] = root_label if state.heads[start] == 0 else -1
        order[0] = start
        found = 1
        place = 0
        while place < found:
            node = order[place]
            place += 1
            link = state.arc_first[node]
            while link >= 0:
                other = state.arc_head[link] + state.arc_dependent[link] - node
                if other > 0 and state.heads[other] < 0:
                    state.heads[other] = node
                    state.labels[other] = state.arc_label[link]
                    order[found] = other
                    found += 1
                link = state.arc_next[2 * link + (node == state.arc_dependent[link])]
        if root == 0:
            for node in range(1, state.n + 1):
                if state.heads[node] == 0:
                    root = node
                    break
