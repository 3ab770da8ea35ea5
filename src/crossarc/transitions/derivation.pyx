"""Derivations: the moves of an oracle over a gold tree, and what they build."""

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from crossarc.core.typedefs cimport label_t, token_t
from crossarc.transitions.plan cimport is_gold_tree
from crossarc.transitions.state cimport State, release_state, reserve_state, reset_state
from crossarc.transitions.system cimport Gold, TransitionSystem

from crossarc.core.arrays import as_int32
from crossarc.errors import StructureError
from crossarc.structure.trees import describe_fault
from crossarc.structure.workspace import checked_heads


def checked_labels(labels, size):
    """Labels as a contiguous int32 array, one for each of `size` heads."""
    array = as_int32(labels, "labels", StructureError)
    if array.shape != (size,):
        raise StructureError(f"{size} heads need as many labels, not an array of shape {array.shape}")
    return array


def derive(TransitionSystem system, heads, labels, label_t root_label=0):
    """The moves that the oracle makes for a tree, as (move, label) pairs, and the heads and labels they build.

    `heads` and `labels` are int32 arrays of n + 1 entries. Undirected systems give their links as
    (left, right, label) instead of heads and labels.

    >>> from crossarc.transitions.arc_hybrid import ArcHybrid
    >>> moves, heads, labels = derive(ArcHybrid(), [-1, 2, 0], [-1, 7, 8])
    >>> [(ArcHybrid().moves[move], label) for move, label in moves], heads.tolist()
    ([('SHIFT', -1), ('LEFT-ARC', 7), ('SHIFT', -1), ('RIGHT-ARC', 8)], [-1, 2, 0])
    """
    cdef const token_t[::1] gold_heads = checked_heads(heads)
    cdef const label_t[::1] gold_labels = checked_labels(labels, len(gold_heads))
    cdef token_t n = <token_t>gold_heads.shape[0] - 1
    cdef State state
    cdef Gold gold
    cdef token_t move, limit, k
    cdef label_t label
    cdef list moves = []
    memset(&state, 0, sizeof(State))
    gold.n = n
    gold.heads = &gold_heads[0]
    gold.labels = &gold_labels[0]
    gold.extra = <token_t*>malloc((n + 1) * 9 * sizeof(token_t))
    if gold.extra == NULL:
        raise MemoryError
    gold.scratch = gold.extra + n + 1
    try:
        reserve_state(&state, n, 1)
        reset_state(&state, n)
        if not is_gold_tree(&gold):
            raise StructureError(describe_fault(heads))
        system.prepare(&gold)
        system.start(&state)
        limit = 10 + 10 * (n + 1) * (n + 1)
        while not system.is_final(&state):
            move = system.oracle(&state, &gold)
            if not system.legal(&state) >> move & 1:
                raise AssertionError(f"{system.name}: the oracle's move {system.moves[move]} is not legal")
            label = system.gold_label(&state, &gold, move)
            system.apply(&state, move, label)
            state.last_move = move
            state.moves += 1
            moves.append((move, label))
            if state.moves > limit:
                raise AssertionError(f"{system.name}: the oracle does not come to an end")
        if not system.directed:
            links = [(state.link_left[k], state.link_right[k], state.link_label[k]) for k in range(state.links)]
            return moves, links
        system.finish(&state, root_label)
        built = np.empty(n + 1, dtype=np.int32)
        built_labels = np.empty(n + 1, dtype=np.int32)
        for k in range(n + 1):
            built[k] = state.heads[k]
            built_labels[k] = state.labels[k]
        return moves, built, built_labels
    finally:
        free(gold.extra)
        release_state(&state)
