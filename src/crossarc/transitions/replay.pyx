"""Oracles over whole treebanks: which trees does a system rebuild?"""

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from crossarc.core.typedefs cimport label_t, offset_t, token_t
from crossarc.transitions.plan cimport is_gold_tree
from crossarc.transitions.state cimport State, release_state, reserve_state, reset_state
from crossarc.transitions.system cimport Gold, TransitionSystem

from crossarc.errors import StructureError
from crossarc.structure.classification import checked_batch
from crossarc.structure.trees import describe_fault


def replay(TransitionSystem system, heads, starts):
    """For each sentence how many words get their gold head by the oracle's moves, and how many moves they are.

    `heads` holds the n + 1 heads of one sentence after another, which begin at `starts`, as for
    `crossarc.structure.classify`. A move that is not legal, and one too many, make the count of moves negative: oracles
    promise neither. Gives two int32 arrays; a tree is rebuilt exactly if as many words as it has are right.

    Words whose head is not node 0 count only if a move made the arc, not if the rule for the rest happened to. For
    undirected systems it is links that count, and root links that the oracle leaves to the reconstruction count too.

    >>> from crossarc.transitions.arc_hybrid import ArcHybrid
    >>> right, moves = replay(ArcHybrid(), [-1, 2, 0, -1, 3, 4, 0, 3], [0, 3, 8])
    >>> right.tolist(), moves.tolist()
    ([2, 3], [4, 8])
    """
    flat, bounds = checked_batch(heads, starts)
    cdef const token_t[::1] gold_heads = flat
    cdef const offset_t[::1] edges = bounds
    cdef offset_t sentences = edges.shape[0] - 1
    cdef token_t[::1] right = np.zeros(sentences, dtype=np.int32)
    cdef token_t[::1] moves = np.zeros(sentences, dtype=np.int32)
    cdef token_t longest = 0
    cdef token_t* memory
    cdef State state
    cdef Gold gold
    cdef offset_t s, fault = -1
    cdef token_t k
    if sentences:
        longest = <token_t>np.diff(bounds).max()
    memset(&state, 0, sizeof(State))
    memory = <token_t*>malloc((10 * <size_t>longest + 1) * sizeof(token_t))
    if memory == NULL:
        raise MemoryError
    gold.extra = memory
    gold.scratch = memory + longest
    gold.labels = memory + 9 * <size_t>longest
    for k in range(longest):
        (<label_t*>gold.labels)[k] = 0
    try:
        reserve_state(&state, longest, 1)
        with nogil:
            for s in range(sentences):
                gold.n = <token_t>(edges[s + 1] - edges[s]) - 1
                gold.heads = &gold_heads[edges[s]]
                if not is_gold_tree(&gold):
                    fault = s
                    break
                moves[s] = rebuild(system, &state, &gold, &right[s])
    finally:
        free(memory)
        release_state(&state)
    if fault >= 0:
        raise StructureError(f"sentence {fault}: {describe_fault(flat[bounds[fault]:bounds[fault + 1]])}")
    return np.asarray(right), np.asarray(moves)


cdef token_t rebuild(TransitionSystem system, State* state, Gold* gold, token_t* right) noexcept nogil:
    """Make the moves of the oracle and count what they build; gives their number, negative if one was wrong."""
    cdef token_t limit = <token_t>min(<offset_t>2_000_000_000, 10 + 4 * <offset_t>gold.n * (gold.n + 3))
    cdef token_t move, word, link, head, roots, total = 0
    reset_state(state, gold.n)
    system.prepare(gold)
    system.start(state)
    while not system.is_final(state):
        move = system.oracle(state, gold)
        if not system.legal(state) >> move & 1 or state.moves > limit:
            return -1 - state.moves
        system.apply(state, move, system.gold_label(state, gold, move))
        state.last_move = move
        state.moves += 1
    if system.directed:
        for word in range(1, gold.n + 1):
            total += gold.heads[word] > 0 and state.heads[word] == gold.heads[word]
        system.finish(state, 0)
        for word in range(1, gold.n + 1):
            total += gold.heads[word] == 0 and state.heads[word] == 0
    else:
        for link in range(state.links):
            word, head = state.link_right[link], state.link_left[link]
            total += gold.heads[word] == head or gold.heads[head] == word
        roots = state.roots
        if not system.all_root_links:
            for word in range(1, gold.n + 1):
                if gold.heads[word] == 0 and gold.extra[word] < 0 and not (system.single_root and roots):
                    roots += 1
        total += roots - state.roots
        system.finish(state, 0)
    right[0] = total
    return state.moves
