"""The best tree inside a graph: one head of each word among the heads that the graph gives it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.core.arrays import copied
from crossarc.decode.decoder import checked_numbers, checked_offsets, checked_sizes
from crossarc.decode.spanning import checked_arcs, mst, mst_sparse
from crossarc.errors import DecodeError

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]
Tokens = NDArray[np.int32]
MOST_WORDS = 20_000  # of a sentence whose single root needs the scores of all arcs
LARGE = 1e280  # scores below it in size can be multiplied by the number of words


def tree_in_graph(
    n: int,
    heads: ArrayLike,
    dependents: ArrayLike,
    labels: ArrayLike,
    scores: ArrayLike | None = None,
    *,
    single_root: bool = True,
) -> tuple[Tokens, Tokens]:
    """The heads and labels of the best tree over n words whose arcs are arcs of the graph.

    Arc k goes from `heads[k]` to `dependents[k]`, between words 1 to n or from node 0, and has the number `labels[k]`.
    The best tree has the greatest sum of scores. Without scores it is the one with the shortest arcs, where an arc from
    node 0 is longer than all others. Of parallel arcs the best is taken, of equal ones the first; -inf forbids an arc.

    If the graph contains no tree, the result has as few foreign arcs as possible, that is arcs that are not in the
    graph, and among such trees the best scores; foreign arcs have the label -1. With `single_root`, foreign arcs are
    short and there is exactly one arc from node 0. Without it, foreign arcs come from node 0.

    By Chu-Liu-Edmonds: O(m log n) for m arcs, O(n^2) where a single root needs foreign arcs or a better choice of root;
    then up to 20,000 words.

    >>> heads, labels = tree_in_graph(3, heads=[0, 1, 3, 1], dependents=[1, 2, 2, 3], labels=[7, 8, 8, 9])
    >>> heads.tolist(), labels.tolist()
    ([-1, 0, 1, 1], [-1, 7, 8, 9])
    """
    size = checked_sizes(n, True, 0, 2**30 - 1, "words")
    tops = copied(heads, "heads", DecodeError)
    return trees_in_graphs(size, [0, tops.size], tops, dependents, labels, scores, single_root=single_root)


def trees_in_graphs(
    sizes: ArrayLike,
    starts: ArrayLike,
    heads: ArrayLike,
    dependents: ArrayLike,
    labels: ArrayLike,
    scores: ArrayLike | None = None,
    *,
    single_root: bool = True,
    threads: int = 1,
) -> tuple[Tokens, Tokens]:
    """The best tree inside each of many graphs, see `tree_in_graph`.

    Sentence i has `sizes[i]` words and the arcs `starts[i]` to `starts[i + 1]`. The heads and labels of all sentences
    stand one after the other, with one entry for each dummy root, as `write_trees` takes them.

    >>> heads, _ = trees_in_graphs([1, 2], [0, 1, 3], [0, 0, 1], [1, 1, 2], [0, 0, 0])
    >>> heads.tolist()
    [-1, 0, -1, 0, 1]
    """
    words = checked_sizes(sizes, False, 0, 2**30 - 1, "words")
    tops = copied(heads, "heads", DecodeError)
    begins = checked_offsets(starts, len(words), tops.size)
    owners = np.repeat(np.arange(len(words)), np.diff(begins))
    values = checked_numbers(np.zeros(tops.size) if scores is None else scores, "scores")
    below, above = checked_arcs(words[owners], dependents, tops, values)
    names = checked_labels(labels, len(values))
    values = scaled(values, owners, len(words))
    if scores is None:
        values = -lengths_of(above, below, words[owners])
    arcs = BestArcs(words, owners, above, below, names, values)
    trees = arcs.decode(threads)
    found = trees[np.arange(trees.shape[1]) <= words[:, None]]
    chosen = arcs.labels_of(found)
    if single_root:
        # A tree with one root and no foreign arc is the best of all; the others are searched for among all arcs.
        for i in np.flatnonzero((arcs.count(found == 0) != 1) | (arcs.count(chosen < 0) > 1)).tolist():
            if words[i] > MOST_WORDS:
                raise DecodeError(
                    f"sentence {i}: {words[i]} words need a square of scores for a single root, and {MOST_WORDS} are "
                    "the most; take single_root=False"
                )
            if words[i]:
                found[arcs.first[i] : arcs.first[i + 1]] = mst(arcs.matrix(i), single_root=True)
        chosen = arcs.labels_of(found)
    return found, chosen


def scaled(values: Scores, owners: Numbers, count: int) -> Scores:
    """Scores that leave room for prices: those of sentences with very large ones are divided by a power of two."""
    greatest = np.zeros(count)
    np.maximum.at(greatest, owners, np.abs(np.where(np.isneginf(values), 0.0, values)))
    return np.where(greatest[owners] > LARGE, values * 2.0**-100, values)


def checked_labels(labels: ArrayLike, count: int) -> Tokens:
    """The labels as int32, one for each arc."""
    array = copied(labels, "labels", DecodeError)
    if array.shape != (count,) or (count and array.dtype.kind not in "iu"):
        raise DecodeError(f"labels must be {count} integers, one an arc, not {array.dtype} of shape {array.shape}")
    if count and array.min() < 0:
        raise DecodeError(f"labels[{array.argmin()}] is {array.min()}; labels are numbers from 0")
    return array.astype(np.int32)


def lengths_of(heads: NDArray[np.integer], dependents: NDArray[np.integer], n: ArrayLike) -> Scores:
    """The lengths of arcs; an arc from node 0 is longer than all between n words."""
    return np.where(heads == 0, n, np.abs(heads.astype(np.int64) - dependents)).astype(np.float64)


class BestArcs:
    """The arcs of many sentences, of parallel ones the best, sorted by sentence, dependent and head."""

    def __init__(
        self, words: Tokens, owners: Numbers, heads: Tokens, dependents: Tokens, labels: Tokens, scores: Scores
    ) -> None:
        self.words = words
        self.first = np.concatenate(([0], np.cumsum(words.astype(np.int64) + 1)))  # where each tree begins
        self.width = int(words.max(initial=0)) + 1
        known = np.flatnonzero((heads != dependents) & (dependents > 0) & (scores > -np.inf))
        places = (self.first[owners] + dependents) * self.width + heads
        order = known[np.lexsort((-scores[known], places[known]))]
        self.places, one = np.unique(places[order], return_index=True)
        order = order[one]
        self.owners, self.heads, self.dependents = owners[order], heads[order], dependents[order]
        self.labels, self.scores = labels[order], scores[order]

    def decode(self, threads: int) -> Tokens:
        """The best trees, in the shape of `mst_sparse`, where a word may go under node 0 at a price.

        The price is so high that a tree with fewer foreign arcs always has the higher score.
        """
        count, all_words = len(self.words), np.arange(self.first[-1])
        owners = np.repeat(np.arange(count), np.diff(self.first))
        dependents = all_words - self.first[owners]
        real = dependents > 0
        low, high = np.zeros(count), np.zeros(count)
        np.minimum.at(low, self.owners, self.scores)
        np.maximum.at(high, self.owners, self.scores)
        prices = low - (high - low + 1) * (self.words + 1)
        owner = np.concatenate([self.owners, owners[real]])
        order = np.argsort(owner, kind="stable")
        return mst_sparse(
            self.words,
            np.concatenate([self.dependents, dependents[real]])[order],
            np.concatenate([self.heads, np.zeros(int(real.sum()), np.int32)])[order],
            np.concatenate([self.scores, prices[owners[real]]])[order],
            np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=count)))),
            single_root=False,
            threads=threads,
        )

    def matrix(self, i: int) -> Scores:
        """The scores of all arcs of a sentence; a tree with fewer foreign arcs has the higher score."""
        n = int(self.words[i])
        nodes = np.arange(n + 1)
        lengths = lengths_of(nodes[None, :], nodes[:, None], n)
        mine = slice(*np.searchsorted(self.owners, [i, i + 1]))
        own = self.scores[mine]
        low, high = min(own.min(initial=0.0), -float(n)), max(own.max(initial=0.0), 0.0)
        scores: Scores = -lengths - (high - low + 1) * (n + 1)
        scores[self.dependents[mine], self.heads[mine]] = own
        return scores

    def count(self, entries: NDArray[np.bool_]) -> Numbers:
        """How many entries of each tree are true, dummy roots counted."""
        sums = np.concatenate(([0], np.cumsum(entries)))
        return sums[self.first[1:]] - sums[self.first[:-1]]

    def labels_of(self, found: Tokens) -> Tokens:
        """The label of the arc of each word; -1 for foreign arcs and dummy roots."""
        places = np.arange(len(found)) * self.width + found
        at = np.searchsorted(self.places, places)
        at[at == len(self.places)] = 0
        known = (found >= 0) & (self.places[at] == places) if len(self.places) else np.zeros(len(found), np.bool_)
        return np.where(known, self.labels[at] if len(self.places) else -1, -1).astype(np.int32)
