"""Required and forbidden arcs, and what to say when they leave no tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.errors import DecodeError

MOST_NAMED = 10
MOST_TRIALS = 400
Arc = tuple[str, int, int]  # "required" or "forbidden", dependent, head
Test = Callable[[NDArray[np.int32] | None, NDArray[np.bool_] | None], bool]


def constrained(
    scores: NDArray[np.float64],
    lengths: NDArray[np.int32] | None,
    required: ArrayLike | None,
    forbidden: ArrayLike | None,
) -> NDArray[np.float64]:
    """A copy of the scores where every arc that the constraints rule out is -inf.

    `required` has the shape of heads: the head a word must have, -1 where it is free. `forbidden` has the shape of the
    scores and is true where an arc may not be. Both are about the cells that a sentence uses; padding is ignored.
    """
    scores = scores.copy()
    if forbidden is not None:
        scores[checked_mask(forbidden, scores.shape)] = -np.inf
    if required is not None:
        rows, heads = checked_heads(required, scores.shape, lengths)
        kept = scores[*rows, heads]
        scores[rows] = -np.inf
        scores[*rows, heads] = kept
    return scores


def undirected_constrained(
    scores: NDArray[np.float64],
    lengths: NDArray[np.int32] | None,
    required: ArrayLike | None,
    forbidden: ArrayLike | None,
) -> NDArray[np.float64]:
    """The same for edges: -inf where an edge is forbidden either way, inf where it is required."""
    scores = scores.copy()
    if forbidden is not None:
        mask = checked_mask(forbidden, scores.shape).copy()
        mask[..., 0, :] = False
        mask |= np.swapaxes(mask, -1, -2)
        scores[mask] = -np.inf
    if required is not None:
        rows, heads = checked_heads(required, scores.shape, lengths)
        contrary = np.isneginf(scores[*rows, heads])
        scores[*rows, heads] = np.inf
        scores[*rows[:-1], heads, rows[-1]] = np.inf
        for *sentence, word in np.stack(rows, axis=1)[
            contrary
        ]:  # no edge is left for a word that needs a forbidden one
            scores[*sentence, word, :] = scores[*sentence, :, word] = -np.inf
    return scores


def checked_mask(forbidden: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """The forbidden arcs as booleans."""
    mask = np.asarray(forbidden)
    if mask.shape != shape or mask.dtype != np.bool_:
        raise DecodeError(
            f"forbidden must be booleans of the shape {shape} of the scores, not {mask.dtype} {mask.shape}"
        )
    return mask


def checked_heads(
    required: ArrayLike, shape: tuple[int, ...], lengths: NDArray[np.int32] | None
) -> tuple[tuple[NDArray[np.intp], ...], NDArray[np.int64]]:
    """The words that have a required head, as indices of rows of the scores, and that head."""
    heads = np.asarray(required)
    if heads.shape != shape[:-1] or heads.dtype.kind not in "iu":
        raise DecodeError(
            f"required must be integers of the shape {shape[:-1]} of the heads, -1 where a word is free, "
            f"not {heads.dtype} {heads.shape}"
        )
    words = np.arange(shape[-1])
    longest = np.full(shape[:-2], shape[-1] - 1) if lengths is None else np.asarray(lengths).reshape(shape[:-2])
    used = (words > 0) & (words <= longest[..., None])
    wrong = np.argwhere(used & ((heads < -1) | (heads > longest[..., None]) | (heads == words)))
    if len(wrong):
        where = tuple(int(place) for place in wrong[0])
        cell = f"required[{', '.join(map(str, where))}]"
        raise DecodeError(f"{cell} is {heads[where]}; word {where[-1]} can have -1 or another node of its sentence")
    rows = np.nonzero(used & (heads >= 0))
    return rows, heads[rows].astype(np.int64)


def explain(
    scores: NDArray[np.float64],
    required: NDArray[np.int32] | None,
    forbidden: NDArray[np.bool_] | None,
    solvable: Test | None,
    wanted: str,
) -> str:
    """Why one sentence has no tree: the constraints that contradict each other, or the -inf scores alone."""
    if solvable is None or not solvable(None, None):
        return f"the scores that are -inf leave no {wanted}; {describe_cut(scores, wanted)}"
    arcs = arcs_of(scores, required, forbidden)

    def contradict(chosen: list[Arc]) -> bool:
        return not solvable(*constraints_of(chosen, len(scores)))

    core, minimal = find_core(arcs, contradict)
    names = ", ".join(f"{kind} {head} -> {dependent}" for kind, dependent, head in core[:MOST_NAMED])
    more = f" and {len(core) - MOST_NAMED} more" if len(core) > MOST_NAMED else ""
    with_scores = " with the scores that are -inf" if np.isneginf(scores[1:]).any() else ""
    verb = "leave" if minimal else "are among the constraints that leave"
    return f"{names}{more}{with_scores} {verb} no {wanted}; take back one of them"


def arcs_of(
    scores: NDArray[np.float64], required: NDArray[np.int32] | None, forbidden: NDArray[np.bool_] | None
) -> list[Arc]:
    """The constraints one by one."""
    n = len(scores) - 1
    arcs: list[Arc] = []
    if required is not None:
        arcs += [("required", d, int(required[d])) for d in range(1, n + 1) if required[d] >= 0]
    if forbidden is not None:
        new = forbidden & ~np.isneginf(scores) & ~np.eye(n + 1, dtype=bool)
        arcs += [("forbidden", int(d), int(h)) for d, h in np.argwhere(new) if d]
    return arcs


def constraints_of(arcs: list[Arc], size: int) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The opposite of `arcs_of`."""
    required = np.full(size, -1, dtype=np.int32)
    forbidden = np.zeros((size, size), dtype=bool)
    for kind, dependent, head in arcs:
        if kind == "required":
            required[dependent] = head
        else:
            forbidden[dependent, head] = True
    return required, forbidden


def find_core(arcs: list[Arc], contradict: Callable[[list[Arc]], bool]) -> tuple[list[Arc], bool]:
    """Constraints that contradict each other while any of them less does not, and whether that was seen to the end.

    Growing runs of constraints are left out while the rest still contradict, so that a few culprits among many take
    few trials.
    """
    trials = 0
    place = 0
    run = max(1, len(arcs) // 2)
    while place < len(arcs):
        rest = arcs[:place] + arcs[place + run :]
        trials += 1
        if trials > MOST_TRIALS:
            return arcs, False
        if contradict(rest):
            arcs = rest
            run = min(2 * run, max(1, len(arcs) - place))
        elif run > 1:
            run = max(1, run // 2)
        else:
            place += 1
    return arcs, True


def describe_cut(scores: NDArray[np.float64], wanted: str) -> str:
    """The words that cannot be reached, or the groups of words that only node 0 can lead to."""
    allowed = ~np.isneginf(scores)
    allowed[0] = False
    np.fill_diagonal(allowed, False)
    lost = np.flatnonzero(~reached(allowed, [0]))
    if lost.size:
        return f"no path of allowed arcs leads from node 0 to {name_words(lost)}"
    if wanted != "tree with a single root":
        return "every word can be reached, but not by arcs that go together in such a tree"
    inner = allowed.copy()
    inner[:, 0] = False
    left = np.ones(len(scores), dtype=bool)
    left[0] = False
    for root in range(1, len(scores)):  # keeps the last word of each group that nothing outside it leads to
        if left[root]:
            below = reached(inner, [root])
            below[root] = False
            left &= ~below
    return f"only node 0 leads to {name_words(np.flatnonzero(left))} and what is below each"


def reached(allowed: NDArray[np.bool_], start: list[int]) -> NDArray[np.bool_]:
    """The nodes that allowed arcs lead to from any of `start`, themselves included."""
    seen = np.zeros(len(allowed), dtype=bool)
    seen[start] = True
    fresh = seen.copy()
    while fresh.any():
        fresh = allowed[:, fresh].any(axis=1) & ~seen
        seen |= fresh
    return seen


def name_words(words: NDArray[np.intp]) -> str:
    """word 3; or words 3, 5, 8 and 12 more."""
    names = ", ".join(str(word) for word in words[:MOST_NAMED])
    more = f" and {len(words) - MOST_NAMED} more" if len(words) > MOST_NAMED else ""
    return f"word{'s' if len(words) > 1 else ''} {names}{more}"
