"""Required and forbidden arcs, and the error messages when they leave no tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.errors import DecodeError

MOST_NAMED = 10
Scores = NDArray[np.float64]
Lengths = NDArray[np.int32] | None
Given = ArrayLike | None
Arcs = NDArray[np.int64]  # rows of: 1 if required or 0 if forbidden, dependent, head
Test = Callable[[Arcs], bool]
Below = Callable[[NDArray[np.intp]], NDArray[np.intp]]  # the dependents that some nodes may have


def constrained(scores: Scores, lengths: Lengths, required: Given, forbidden: Given) -> Scores:
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


def undirected_constrained(scores: Scores, lengths: Lengths, required: Given, forbidden: Given) -> Scores:
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
        # No edge is left for a word that needs a forbidden one.
        for *sentence, word in np.stack(rows, axis=1)[contrary]:
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
    required: ArrayLike, shape: tuple[int, ...], lengths: Lengths
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


def broken(heads: NDArray[np.int32], lengths: Lengths, required: Given, forbidden: Given) -> tuple[int, str] | None:
    """The first of many trees that breaks a constraint, and that constraint."""
    sentences, size = heads.shape
    longest = np.full(sentences, size - 1) if lengths is None else lengths
    words = np.arange(size)
    used = (words > 0) & (words <= longest[:, None])
    needed = np.full(heads.shape, -1) if required is None else np.asarray(required).reshape(heads.shape)
    wrong = used & (needed >= 0) & (needed != heads)
    barred = np.zeros(heads.shape, dtype=bool)
    if forbidden is not None:
        mask = np.asarray(forbidden).reshape(sentences, size, size)
        barred = used & np.take_along_axis(mask, np.maximum(heads, 0)[..., None].astype(np.intp), axis=-1)[..., 0]
    bad = np.flatnonzero((wrong | barred).any(axis=1))
    if not bad.size:
        return None
    s = int(bad[0])
    arcs = [(1, word, needed[s, word]) for word in np.flatnonzero(wrong[s])]
    arcs += [(0, word, heads[s, word]) for word in np.flatnonzero(barred[s])]
    return s, name_arcs(np.array(arcs))


def arcs_of(
    scores: NDArray[np.float64], required: NDArray[np.int32] | None, forbidden: NDArray[np.bool_] | None
) -> Arcs:
    """The constraints one by one: the required arcs, then those that only `forbidden` rules out."""
    size = len(scores)
    arcs = np.empty((0, 3), dtype=np.int64)
    if required is not None:
        words = np.flatnonzero(required[1:] >= 0) + 1
        arcs = np.stack([np.ones_like(words), words, required[words]], axis=1)
    if forbidden is not None:
        new = forbidden & ~np.isneginf(scores) & ~np.eye(size, dtype=bool)
        new[0] = False
        cells = np.argwhere(new)
        arcs = np.concatenate([arcs, np.insert(cells, 0, 0, axis=1)])
    return arcs


def constraints_of(arcs: Arcs, size: int) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The opposite of `arcs_of`."""
    required = np.full(size, -1, dtype=np.int32)
    forbidden = np.zeros((size, size), dtype=bool)
    needed = arcs[:, 0] == 1
    required[arcs[needed, 1]] = arcs[needed, 2]
    forbidden[arcs[~needed, 1], arcs[~needed, 2]] = True
    return required, forbidden


def explain(arcs: Arcs, solvable: Test, wanted: str, lacking: str, describe: Callable[[], str]) -> str:
    """The reason why one sentence has no tree: constraints that contradict each other, or else `lacking` alone.

    `solvable` says whether there is a tree under some of the constraints. `lacking` names what else rules out arcs; it
    is empty if nothing does. `describe` says how that cuts off words.
    """
    if not len(arcs) or not solvable(arcs[:0]):
        return f"the {lacking} leave no {wanted}; {describe()}"
    core, complete = find_core(arcs, solvable)
    others = "" if complete else " and others"
    with_scores = f" with the {lacking}" if lacking else ""
    verb, remedy = ("leaves", "take it back") if len(core) == 1 and complete else ("leave", "take back one of them")
    return f"{name_arcs(core)}{others}{with_scores} {verb} no {wanted}; {remedy}"


def find_core(arcs: Arcs, solvable: Test) -> tuple[Arcs, bool]:
    """A smallest set of constraints that contradict each other, and whether the set is complete.

    The fewest first constraints that contradict end with one that cannot be spared; with that one kept, the fewest of
    those before it end with the next, and so on (Junker 2004), up to the number that an error names. Few are
    tried before many, since required arcs come first and are the usual cause.
    """
    core = arcs[:0]
    while solvable(core):
        if len(core) == MOST_NAMED:
            return core, False
        low, high = 0, len(arcs)  # the first `low` do not contradict, the first `high` do
        while high - low > 1:
            middle = min((low + high) // 2, 2 * low + 1)
            if solvable(np.concatenate([arcs[:middle], core])):
                low = middle
            else:
                high = middle
        core = np.concatenate([arcs[high - 1 : high], core])
        arcs = arcs[: high - 1]
    return core, True


def describe_cut(n: int, below: Below, single_root: bool) -> str:
    """The words that node 0 does not lead to, or the groups of words that only node 0 leads to."""
    lost = np.flatnonzero(~reached(n, below, [0]))
    if lost.size:
        return f"no path of allowed arcs leads from node 0 to {name_words(lost)}"
    starts = find_starts(n, below) if single_root else []
    if len(starts) > 1:
        return f"only node 0 leads to {name_words(np.array(starts))} and what is below each"
    return "every word can be reached, but not by arcs that go together in such a tree"


def below_in(scores: NDArray[np.float64]) -> Below:
    """Which nodes lead to which by the allowed arcs of a matrix."""
    allowed = ~np.isneginf(scores)
    allowed[0] = False
    np.fill_diagonal(allowed, False)
    return lambda nodes: np.flatnonzero(allowed[:, nodes].any(axis=1))


def reached(n: int, below: Below, start: list[int], seen: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
    """The nodes that arcs lead to from any of `start`, themselves included, and those seen before."""
    seen = np.zeros(n + 1, dtype=bool) if seen is None else seen
    fresh = np.array(start)
    seen[fresh] = True
    while fresh.size:
        fresh = below(fresh)
        fresh = fresh[~seen[fresh]]
        seen[fresh] = True
    return seen


def find_starts(n: int, below: Below) -> list[int]:
    """The fewest words that lead to all others: one of each group that no word outside of it leads to.

    In order, a word that no word before it leads to is a start. In reverse order, those starts stay that no later one
    leads to.
    """
    starts = list(range(1, n + 1))
    for _ in range(2):
        seen = np.zeros(n + 1, dtype=bool)
        kept = []
        for word in starts:
            if not seen[word]:
                kept.append(word)
                reached(n, below, [word], seen)
        starts = kept[::-1]
    return starts


def name_arcs(arcs: Arcs) -> str:
    """required 2 -> 1, forbidden 0 -> 2."""
    names = [f"{'required' if kind else 'forbidden'} {head} -> {dependent}" for kind, dependent, head in arcs]
    return ", ".join(names[:MOST_NAMED])


def name_words(words: NDArray[np.intp]) -> str:
    """word 3; or words 3, 5, 8 and 12 more."""
    names = ", ".join(str(word) for word in words[:MOST_NAMED])
    more = f" and {len(words) - MOST_NAMED} more" if len(words) > MOST_NAMED else ""
    return f"word{'s' if len(words) > 1 else ''} {names}{more}"
