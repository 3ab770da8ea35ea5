"""Derivations: the moves of an oracle over a gold tree, and what they build."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from crossarc.transitions.system import Configuration, TransitionSystem


def derive(system: TransitionSystem, heads: ArrayLike, labels: ArrayLike, root_label: int = 0) -> tuple[Any, ...]:
    """Return the moves that the oracle makes for a tree, as (move, label) pairs, and the heads and labels they build.

    `heads` and `labels` are int32 arrays of n + 1 entries. Undirected systems give their links as
    (left, right, label) instead of heads and labels.

    >>> from crossarc.transitions.stack_systems import ArcHybrid
    >>> moves, heads, labels = derive(ArcHybrid(), [-1, 2, 0], [-1, 7, 8])
    >>> [(ArcHybrid().moves[move], label) for move, label in moves], heads.tolist()
    ([('SHIFT', -1), ('LEFT-ARC', 7), ('SHIFT', -1), ('RIGHT-ARC', 8)], [-1, 2, 0])
    """
    configuration = Configuration(system, heads, labels)
    moves = []
    while not configuration.is_final():
        move = configuration.oracle()
        moves.append((move, configuration.gold_label(move)))
        configuration.apply(*moves[-1])
    if not system.directed:
        return moves, configuration.links
    configuration.finish(root_label)
    return moves, np.array(configuration.heads, dtype=np.int32), np.array(configuration.labels, dtype=np.int32)
