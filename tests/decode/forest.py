"""All trees over few words, straight from the definition, as the twin that every decoder is compared with."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from crossarc.errors import DecodeError
from crossarc.structure import is_projective


def is_tree(heads) -> bool:
    return bool(are_trees(np.asarray(heads)[None])[0])


def are_trees(heads: np.ndarray) -> np.ndarray:
    """Which rows lead every word to node 0."""
    above = np.maximum(heads, 0)
    for _ in range(heads.shape[1].bit_length()):
        above = np.take_along_axis(above, above, axis=1)
    return (above == 0).all(axis=1)


@cache
def all_trees(n: int, single_root: bool = True, projective: bool = False) -> np.ndarray:
    """The heads of every tree over n words, one a row."""
    choices = [[-1], *([head for head in range(n + 1) if head != word] for word in range(1, n + 1))]
    trees = np.array(list(product(*choices)), dtype=np.int32)
    trees = trees[are_trees(trees)]
    if single_root:
        trees = trees[(trees == 0).sum(axis=1) == 1]
    if projective:
        trees = trees[[is_projective(heads) for heads in trees]]
    return trees


def tree_scores(scores: np.ndarray, trees: np.ndarray) -> np.ndarray:
    """The score of each tree."""
    n = trees.shape[1] - 1
    words = np.arange(1, n + 1)
    return scores[words, trees[:, 1:]].sum(axis=1)


def tree_score(scores: np.ndarray, heads: np.ndarray) -> float:
    return float(tree_scores(np.asarray(scores, dtype=float), np.asarray(heads)[None])[0])


def random_scores(n: int, seed: int, kind: str = "normal") -> np.ndarray:
    """Scores of several kinds: any, small integers with many ties, positive, huge, partly forbidden."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n + 1, n + 1))
    if kind == "ties":
        scores = rng.integers(-2, 3, size=(n + 1, n + 1)).astype(float)
    elif kind == "positive":
        scores = rng.uniform(1, 2, size=(n + 1, n + 1))
    elif kind == "huge":
        scores *= 1e290
    elif kind == "roots":  # node 0 is every word's best head by far
        scores[:, 0] += 1e6
    elif kind == "sparse":
        scores[rng.random(scores.shape) < 0.5] = -np.inf
    elif kind == "integers":
        scores = rng.integers(-100, 100, size=(n + 1, n + 1)).astype(float)
    return scores


KINDS = ("normal", "ties", "positive", "huge", "roots", "sparse", "integers")


def check_k_best(search, scores: np.ndarray, trees: np.ndarray, k: int, single_root: bool) -> None:
    """Compare the k best trees of a search with those of all trees."""
    expected = np.sort(tree_scores(scores, trees))[::-1]
    expected = expected[expected > -np.inf]
    if not len(expected):
        with pytest.raises(DecodeError):
            search(scores, k, single_root=single_root)
        return
    heads, totals = search(scores, k, single_root=single_root)
    size = min(k, len(expected))
    assert totals[:size] == pytest.approx(expected[:size], rel=1e-9, abs=1e-9)
    known = {tuple(tree) for tree in trees.tolist()}
    assert len({tuple(tree) for tree in heads[:size].tolist()} & known) == size
    assert (totals[size:] == -np.inf).all()
    assert (heads[size:] == -1).all()
    assert tree_scores(scores, heads[:size]) == pytest.approx(totals[:size], rel=1e-12)


def check_batch_of_sums(marginals, log_partition, longest: int, word: int, head: int) -> None:
    """Marginals and sums of a batch are those of each sentence alone; long enough ones require a head of a word."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, longest + 1, size=40)
    batch = rng.normal(size=(40, longest + 1, longest + 1))
    required = np.full((40, longest + 1), -1)
    long = lengths >= max(word, head)
    required[long, word] = head
    found = marginals(batch, lengths, required=required, threads=2)
    sums = log_partition(batch, lengths, required=required, threads=2)
    assert found[long, word, head] == pytest.approx(1)
    for s, n in enumerate(lengths):
        alone = batch[s, : n + 1, : n + 1], required[s, : n + 1]
        assert (found[s, : n + 1, : n + 1] == marginals(alone[0], required=alone[1])).all()
        assert sums[s] == log_partition(alone[0], required=alone[1])
        assert found[s, 1 : n + 1].sum(axis=1) == pytest.approx(1)
        assert found[s].sum() == pytest.approx(n)
