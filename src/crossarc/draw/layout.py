"""The heights of arcs: nested arcs are below the arcs that span them, crossing arcs have different heights."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

Span = tuple[int, int]


def levels(
    spans: Sequence[Span],
    *,
    share_ends: bool = True,
    order: Sequence[int] | None = None,
    above: Sequence[Collection[int]] = (),
) -> list[int]:
    """The level of each span, from 1: the lowest above all spans inside it that no overlapping span has.

    Shorter spans are placed first, or as in `order`. Spans that only share an end may have the same level if
    `share_ends`. `above[i]` has spans that must be below span i, in addition to those inside it. Quadratic in the
    number of spans, in vector operations.

    >>> levels([(1, 2), (1, 4), (3, 4), (2, 3), (3, 6)])
    [1, 2, 1, 1, 3]
    """
    count = len(spans)
    low: NDArray[np.int64] = np.array([span[0] for span in spans], dtype=np.int64)
    high: NDArray[np.int64] = np.array([span[1] for span in spans], dtype=np.int64)
    level: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
    if order is None:
        order = sorted(range(count), key=lambda i: (spans[i][1] - spans[i][0], spans[i][0]))
    for i in order:
        first, last = spans[i]
        placed = level > 0
        inside = placed & (low >= first) & (high <= last)
        if share_ends:
            overlapping = placed & ~inside & (low < last) & (high > first)
        else:
            overlapping = placed & (low <= last) & (high >= first)
        floor = int(level[inside].max(initial=0))
        if above and above[i]:
            floor = max(floor, *(int(level[j]) for j in above[i]))
        taken = set(level[overlapping].tolist())
        floor += 1
        while floor in taken:
            floor += 1
        level[i] = floor
    return [int(value) for value in level]
