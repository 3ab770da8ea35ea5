"""Heads for words, and labels for arcs, that a search left without one."""
from libc.math cimport INFINITY

from crossarc.core.typedefs cimport hash_t, int32_t, label_t, token_t, uint32_t, weight_t
from crossarc.transitions.graph_arcs cimport is_above
from crossarc.transitions.system cimport root_word
from crossarc.transitions.state cimport State, add_arc, add_further_head, add_link


cdef int32_t best_link(Greedy search, bint annotated, bint leftwards, const weight_t* scores) noexcept nogil:
    """The labelled action that scores best, if possible with a label that arcs between words have.

    With `annotated`, if possible one of that direction.
    """
    cdef int32_t best = -1
    cdef int32_t a, rank, best_rank = 0
    for a in range(search.actions):
        if search.labels[a] < 0:
            continue
        rank = (search.places[a] & WORD_ARCS) + (not annotated or (search.labels[a] & 1) != leftwards)
        if best < 0 or rank > best_rank or (rank == best_rank and scores[a] > scores[best]):
            best = a
            best_rank = rank
    return best


cdef void attach_headless(Greedy search, ParseWorkspace work, State* state, const int32_t* tokens) noexcept nogil:
    """Attach words without a head to the root word, each with the label that scores best.

    Labels are scored as if the two words were to be joined next. Heads that score better than the root word are
    right less often, since the parser could have chosen them before. Graphs are another matter (`attach_to_graph`).
    """
    cdef token_t end = state.front
    cdef token_t root, word
    cdef int32_t best
    if not search.system.joins_buffer:
        return
    if search.system.several_heads:
        attach_to_graph(search, work, state, tokens)
    elif search.system.single_root and state.arcs < state.n - 1:
        root = root_word(state)
        for word in range(1, state.n + 1):
            if word != root and state.heads[word] < 0:
                score_pair(search, work, state, root, word, tokens)
                best = best_of_move(search, work.scores, search.left_arc if word < root else search.right_arc)
                add_arc(state, root, word, search.labels[best])
    state.front = end


cdef void attach_to_graph(Greedy search, ParseWorkspace work, State* state, const int32_t* tokens) noexcept nogil:
    """Give each word without a head, from left to right, the one that gains most.

    The head is one that the system allows, and not below the word. If a single root arc is still missing, since
    closed cycles leave no word without a head, the one that gains most is added.
    """
    cdef token_t word, node, head, root = 0
    cdef int32_t action, best
    cdef weight_t score, most
    for word in range(1, state.n + 1):
        if state.heads[word] >= 0:
            continue
        most = -INFINITY
        head = best = -1
        for node in range(state.n + 1):
            if node != word and not is_above(state, word, node):
                score = gain_of(search, work, state, node, word, tokens, &action)
                if score > most:
                    most = score
                    head = node
                    best = action
        if head >= 0:
            add_further_head(state, head, word, search.labels[best])
    if not search.system.single_root or state.roots:
        return
    most = -INFINITY
    for word in range(1, state.n + 1):
        score = gain_of(search, work, state, 0, word, tokens, &action)
        if score > most:
            most = score
            root = word
            best = action
    if root > 0:
        add_further_head(state, 0, root, search.labels[best])


cdef weight_t gain_of(Greedy search, ParseWorkspace work, State* state, token_t head, token_t dependent,
                      const int32_t* tokens, int32_t* action) noexcept nogil:
    """The score of the best action that makes an arc, less that of the best move without one.

    -INFINITY if no action may make it.
    Labels are those that such arcs have. Scores are as if the two nodes were to be joined next.
    """
    cdef token_t move = search.left_arc if dependent < head else search.right_arc
    cdef int32_t place = WORD_ARCS if head > 0 else ROOT_ARCS
    cdef int32_t best = -1
    cdef int32_t a
    cdef uint32_t legal
    join_next(state, head, dependent)
    legal = search.system.legal(state)
    if not legal >> move & 1:
        return -INFINITY
    score_pair(search, work, state, head, dependent, tokens)
    for a in range(search.first_action[move], search.end_action[move]):
        if search.moves[a] == move and search.places[a] & place and (best < 0 or work.scores[a] > work.scores[best]):
            best = a
    if best < 0:
        return -INFINITY
    action[0] = best
    return work.scores[best] - work.scores[best_of(search, work.scores, legal & ~search.labelled)]


cdef void label_unlabelled(Greedy search, ParseWorkspace work, State* state, const int32_t* tokens, bint annotated,
                           const token_t* heads, label_t* labels) noexcept nogil:
    """Give words that an undirected system attached without a label the one that scores best.

    Labels are scored as in `attach_headless`.
    """
    cdef bint ready = False
    cdef token_t word, node
    cdef label_t label
    if search.system.directed:
        return
    for word in range(1, state.n + 1):
        if labels[word] >= 0:
            continue
        if not ready:
            # Restore the state after the last move: reconstruction used the buffer's memory and set heads.
            for node in range(state.n + 1):
                state.heads[node] = state.labels[node] = -1
            for node in range(state.end):
                state.queue[node] = node + state.n + 1 - state.end
            ready = True
        score_pair(search, work, state, heads[word], word, tokens)
        label = search.labels[best_link(search, annotated, word < heads[word], work.scores)]
        add_link(state, heads[word], word, label)
        labels[word] = label >> 1 if annotated else label


cdef void join_next(State* state, token_t a, token_t b) noexcept nogil:
    """Put one of two nodes on the stack and the other in front of the buffer."""
    state.stack[0] = state.left = min(a, b)
    state.depth = 1
    # The buffer began with node 0 or with the first word, and is as long as there were nodes in it.
    state.front = max(a, b) + state.end - state.n - 1


cdef void score_pair(Greedy search, ParseWorkspace work, State* state, token_t a, token_t b,
                     const int32_t* tokens) noexcept nogil:
    """Score all actions as if two words were to be joined next."""
    cdef hash_t keys[MOST_TEMPLATES]
    cdef int32_t first = search.label_templates, count = search.program.template_count - first
    join_next(state, a, b)
    fill_keys(&search.program, state, tokens, keys)
    work.scorer.score(keys + first, count, search.group_of(state, tokens), work.scores)
