"""k-best trees, arc marginals and the partition function against sums over all trees."""

from math import log

import numpy as np
import pytest
from scipy.special import logsumexp

from crossarc import decode
from crossarc.errors import DecodeError
from decode.forest import KINDS, all_trees, check_batch_of_sums, check_k_best, random_scores, tree_scores


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single_root", [True, False])
def test_k_best_of_all_trees(single_root, kind):
    for n in range(1, 6):
        trees = all_trees(n, single_root)
        for seed in range(12 if n < 5 else 4):
            for k in (2, len(trees) + 1):
                check_k_best(decode.kbest, random_scores(n, seed, kind), trees, k, single_root)


@pytest.mark.parametrize("single_root", [True, False])
def test_k_best_of_all_trees_of_six_words(single_root):
    trees = all_trees(6, single_root)
    for seed, kind in enumerate(("normal", "ties", "sparse", "roots")):
        scores = random_scores(6, seed + 1, kind)
        expected = np.sort(tree_scores(scores, trees))[::-1][:200]
        _, totals = decode.kbest(scores, 200, single_root=single_root)
        assert totals == pytest.approx(expected)


def test_k_best_under_constraints():
    scores = random_scores(5, 1)
    required = np.array([-1, -1, 3, -1, -1, -1])
    forbidden = np.zeros((6, 6), dtype=bool)
    forbidden[4, 0] = forbidden[1, 2] = True
    trees = all_trees(5)
    trees = trees[(trees[:, 2] == 3) & (trees[:, 4] != 0) & (trees[:, 1] != 2)]
    heads, totals = decode.kbest(scores, len(trees) + 1, required=required, forbidden=forbidden)
    assert {tuple(tree) for tree in heads[:-1].tolist()} == {tuple(tree) for tree in trees.tolist()}
    assert totals[:-1] == pytest.approx(np.sort(tree_scores(scores, trees))[::-1])
    assert totals[-1] == -np.inf


@pytest.mark.parametrize("threads", [1, 3])
def test_k_best_in_batches(threads):
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 9, size=40)
    batch = rng.normal(size=(40, 9, 9))
    heads, totals = decode.kbest(batch, 4, lengths, threads=threads)
    assert heads.shape == (40, 4, 9)
    for s, n in enumerate(lengths):
        one, scores = decode.kbest(batch[s, : n + 1, : n + 1], 4)
        assert (heads[s, :, : n + 1] == one).all()
        assert totals[s].tolist() == scores.tolist()


def test_long_sentences_have_k_best_trees():
    scores = random_scores(300, 1)
    heads, totals = decode.kbest(scores, 30)
    assert (np.diff(totals) <= 0).all()
    assert len({tuple(tree) for tree in heads.tolist()}) == 30
    assert heads[0].tolist() == decode.mst(scores).tolist()
    with pytest.raises(DecodeError, match="k must be"):
        decode.kbest(scores, 0)


def all_marginals(scores, trees):
    """From the definition; also the logarithm of the sum."""
    n = trees.shape[1] - 1
    totals = tree_scores(scores, trees)
    if np.isneginf(totals).all():
        return None, -np.inf
    partition = logsumexp(totals)
    result = np.zeros((n + 1, n + 1))
    for d in range(1, n + 1):
        np.add.at(result[d], trees[:, d], np.exp(totals - partition))
    return result, partition


def check_sums(marginals, log_partition, scores, trees, single_root, refusal):
    """Compare both sums with those over all trees; without a tree both are refused."""
    expected, partition = all_marginals(scores, trees)
    if np.isneginf(partition):
        for function in (marginals, log_partition):
            with pytest.raises(DecodeError, match=refusal):
                function(scores, single_root=single_root)
        return
    assert log_partition(scores, single_root=single_root) == pytest.approx(partition, rel=1e-12, abs=1e-9)
    found = marginals(scores, single_root=single_root)
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-12 * np.abs(scores[np.isfinite(scores)]).max())


@pytest.mark.parametrize("scale", [1, 30, 1000])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "huge"])
@pytest.mark.parametrize("single_root", [True, False])
def test_marginals_over_all_trees(single_root, kind, scale):
    for n in range(1, 7):
        trees = all_trees(n, single_root)
        for seed in range(8 if n < 6 else 2):
            scores = random_scores(n, seed, kind) * scale
            check_sums(decode.marginals, decode.log_partition, scores, trees, single_root, r"leaves? no tree")


def test_cycles_that_outweigh_all_ways_out_cost_no_digits():
    """Two words that want each other: usual elimination gives infinity or nonsense."""
    for strength in (30.0, 300.0, 3000.0):
        scores = np.array([[0, 0, 0], [0, 0, strength], [1, strength, 0]])
        odds = 1 / (1 + np.e)  # trees 0 -> 1 -> 2 and 0 -> 2 -> 1
        assert decode.marginals(scores)[1] == pytest.approx([odds, 0, 1 - odds], rel=1e-12)
        assert decode.log_partition(scores) == pytest.approx(strength + np.log1p(np.e), rel=1e-14)


@pytest.mark.parametrize("n", [40, 150])
def test_uniform_scores_count_trees(n):
    """Cayley: (n + 1)^(n - 1) trees, n^(n - 1) with a single root."""
    assert decode.log_partition(np.zeros((n + 1, n + 1)), single_root=False) == pytest.approx((n - 1) * log(n + 1))
    assert decode.log_partition(np.zeros((n + 1, n + 1))) == pytest.approx((n - 1) * log(n))
    found = decode.marginals(np.zeros((n + 1, n + 1)))
    expected = np.full((n + 1, n + 1), (1 - 1 / n) / (n - 1))
    expected[:, 0] = 1 / n
    np.fill_diagonal(expected, 0)
    expected[0] = 0
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("scale", [1, 400])
def test_marginals_are_the_gradient_of_the_partition_function(single_root, scale):
    n = 30
    scores = random_scores(n, 2) * scale
    found = decode.marginals(scores, single_root=single_root)
    assert found[1:].sum(axis=1) == pytest.approx(np.ones(n))
    if single_root:
        assert found[:, 0].sum() == pytest.approx(1)
    step = 1e-5
    for d, h in [(1, 0), (1, 2), (7, 3), (30, 29)]:
        ends = []
        for sign in (1, -1):
            moved = scores.copy()
            moved[d, h] += sign * step
            ends.append(decode.log_partition(moved, single_root=single_root))
        assert found[d, h] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-5)


def test_marginals_under_constraints_and_in_batches():
    check_batch_of_sums(decode.marginals, decode.log_partition, longest=7, word=2, head=1)


def test_long_sentences_have_marginals():
    scores = random_scores(400, 1) * 3
    found = decode.marginals(scores)
    assert found[1:].sum(axis=1) == pytest.approx(np.ones(400))
    assert found[:, 0].sum() == pytest.approx(1)
