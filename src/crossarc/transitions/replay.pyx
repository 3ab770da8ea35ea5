"""Oracles over whole treebanks: the trees that a system rebuilds."""
import numpy as np

from crossarc.core.typedefs cimport label_t, offset_t, token_t
from crossarc.transitions.state cimport State

from crossarc.errors import StructureError
from crossarc.structure.trees import checked_batch, describe_fault


def replay(TransitionSystem system, heads, starts):
    """Return how many words of each sentence get their gold head by the oracle's moves, and how many moves it makes.

    `heads` holds the n + 1 heads of one sentence after another, which begin at `starts`, as for
    `crossarc.structure.classify`. The results are two int32 arrays. A tree is rebuilt exactly if all its words are
    right. The number of moves is negative if the oracle made an illegal move or did not end, which is an error in it.

    Words under another word count only if a move made the arc, not if `finish` did. For undirected systems links count,
    and so do root links that the oracle leaves to the reconstruction.

    >>> from crossarc.transitions.stack_systems import ArcHybrid
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
    cdef const label_t[::1] labels = np.zeros(len(flat), dtype=np.int32)
    cdef Workspace work = Workspace(1)
    cdef offset_t s, fault = -1
    cdef token_t n
    with nogil:
        for s in range(sentences):
            n = <token_t>(edges[s + 1] - edges[s]) - 1
            work.reserve(n)
            work.set_gold(n, &gold_heads[edges[s]], &labels[edges[s]])
            if not is_gold_tree(&work.gold):
                fault = s
                break
            work.begin_gold(system, n, &gold_heads[edges[s]], &labels[edges[s]])
            moves[s] = rebuild(system, &work.state, &work.gold, &right[s])
    if fault >= 0:
        raise StructureError(f"sentence {fault}: {describe_fault(flat[bounds[fault]:bounds[fault + 1]])}")
    return np.asarray(right), np.asarray(moves)


def replay_graphs(TransitionSystem system, GraphTargets targets):
    """Return for each graph how many of its arcs the oracle's moves build, how many other arcs, and the moves made.

    The results are three int32 arrays. The number of moves is negative if the oracle made an illegal move or did not
    end, which is an error in it. Arcs that `finish` adds do not count.
    """
    cdef Workspace work = Workspace(1)
    cdef State* state = &work.state
    cdef const Gold* gold = &work.gold
    cdef Py_ssize_t s
    cdef token_t k
    found = np.zeros((3, len(targets)), dtype=np.int32)
    cdef token_t[:, ::1] view = found
    with nogil:
        for s in range(view.shape[1]):
            targets.begin(system, work, s)
            view[2, s] = follow_oracle(system, state, gold)
            for k in range(state.arcs):
                if is_gold_arc(gold, state.arc_head[k], state.arc_dependent[k], state.arc_label[k]):
                    view[0, s] += 1
                else:
                    view[1, s] += 1
    return found[0], found[1], found[2]


cdef bint is_gold_arc(const Gold* gold, token_t head, token_t dependent, label_t label) noexcept nogil:
    """Whether a gold graph has an arc."""
    cdef token_t a, k
    for a in range(gold.first[dependent], gold.first[dependent + 1]):
        k = gold.by_node[a]
        if gold.arc_heads[k] == head and gold.arc_dependents[k] == dependent and gold.arc_labels[k] == label:
            return True
    return False


cdef token_t follow_oracle(TransitionSystem system, State* state, const Gold* gold) except? -1 nogil:
    """Make the moves of the oracle to the end; returns their number, negative if one was wrong."""
    cdef token_t limit = <token_t>min(<offset_t>2_000_000_000, 10 + 4 * <offset_t>gold.n * (gold.n + 3))
    cdef token_t move
    while not system.is_final(state):
        move = system.oracle(state, gold)
        if not system.legal(state) >> move & 1 or state.moves > limit:
            return -1 - state.moves
        make(system, state, move, gold_label(system, state, gold, move))
    return state.moves


cdef token_t rebuild(TransitionSystem system, State* state, Gold* gold, token_t* right) except? -1 nogil:
    """Make the moves of the oracle and count what they build; returns their number, negative if one was wrong."""
    cdef token_t moves = follow_oracle(system, state, gold)
    cdef token_t word, link, head, roots, total = 0
    if moves < 0:
        return moves
    if system.directed:
        for word in range(1, gold.n + 1):
            total += gold.heads[word] > 0 and state.heads[word] == gold.heads[word]
        system.finish(state, 0)
        for word in range(1, gold.n + 1):
            total += gold.heads[word] == 0 and state.heads[word] == 0
    else:
        for link in range(state.arcs):
            word, head = state.arc_dependent[link], state.arc_head[link]
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
