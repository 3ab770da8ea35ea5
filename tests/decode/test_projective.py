"""k-best projective trees, their marginals and partition function against sums over all projective trees."""

import numpy as np
import pytest

from crossarc import decode
from crossarc.errors import DecodeError
from crossarc.structure import is_projective
from decode.forest import KINDS, all_trees, check_batch_of_sums, check_k_best, random_scores, tree_scores
from decode.test_distribution import check_sums


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single_root", [True, False])
def test_k_best_of_all_trees(single_root, kind):
    for n in range(1, 7):
        trees = all_trees(n, single_root, projective=True)
        for seed in range(6 if n < 5 else 3):
            scores = random_scores(n, seed, kind)
            for k in (2, len(trees) + 1):
                check_k_best(decode.projective_kbest, scores, trees, k, single_root)
            if (tree_scores(scores, trees) > -np.inf).any():  # of equal trees the same
                best = decode.eisner(scores, single_root=single_root)
                assert (decode.projective_kbest(scores, 2, single_root=single_root)[0][0] == best).all()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("single_root", [True, False])
def test_k_best_in_batches(single_root, threads):
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 9, size=40)
    batch = np.full((40, 9, 9), np.nan)  # padding may hold anything
    for s, n in enumerate(lengths):
        batch[s, : n + 1, : n + 1] = random_scores(n, s, "sparse" if s % 2 else "normal")
        batch[s, :, 0] = rng.normal()
        batch[s, range(1, n + 1), range(n)] = rng.normal()
    heads, totals = decode.projective_kbest(batch, 4, lengths, single_root=single_root, threads=threads)
    assert heads.shape == (40, 4, 9)
    for s, n in enumerate(lengths):
        one, scores = decode.projective_kbest(batch[s, : n + 1, : n + 1], 4, single_root=single_root)
        assert (heads[s, :, : n + 1] == one).all()
        assert (heads[s, :, n + 1 :] == -1).all()
        assert totals[s].tolist() == scores.tolist()


def test_k_best_of_scores_near_the_limit():
    scores = random_scores(4, 2)
    scores *= 9.9e299 / np.abs(scores).max()
    expected = np.sort(tree_scores(scores, all_trees(4, projective=True)))[::-1][:5]
    assert decode.projective_kbest(scores, 5)[1] == pytest.approx(expected)


def test_long_sentences_have_k_best_trees():
    scores = random_scores(120, 1)
    heads, totals = decode.projective_kbest(scores, 30)
    assert (np.diff(totals) <= 0).all()
    assert len({tuple(tree) for tree in heads.tolist()}) == 30
    assert all(is_projective(tree) for tree in heads)


def test_k_best_under_constraints():
    scores = random_scores(5, 1)
    required = np.array([-1, -1, 3, -1, -1, -1])
    forbidden = np.zeros((6, 6), dtype=bool)
    forbidden[4, 0] = forbidden[1, 2] = True
    trees = all_trees(5, projective=True)
    trees = trees[(trees[:, 2] == 3) & (trees[:, 4] != 0) & (trees[:, 1] != 2)]
    heads, totals = decode.projective_kbest(scores, len(trees) + 1, required=required, forbidden=forbidden)
    assert {tuple(tree) for tree in heads[:-1].tolist()} == {tuple(tree) for tree in trees.tolist()}
    assert totals[:-1] == pytest.approx(np.sort(tree_scores(scores, trees))[::-1])
    with pytest.raises(DecodeError, match="required 3 -> 1, required 4 -> 2 leave no projective tree"):
        decode.projective_kbest(scores, 2, required=[-1, 3, 4, -1, -1, -1])
    with pytest.raises(DecodeError, match="k must be"):
        decode.projective_kbest(scores, 0)


@pytest.mark.parametrize("scale", [1, 30, 1000])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "huge"])
@pytest.mark.parametrize("single_root", [True, False])
def test_marginals_over_all_trees(single_root, kind, scale):
    for n in range(1, 7):
        trees = all_trees(n, single_root, projective=True)
        for seed in range(6 if n < 6 else 2):
            scores = random_scores(n, seed, kind) * scale
            sums = decode.projective_marginals, decode.projective_log_partition
            check_sums(*sums, scores, trees, single_root, "leave no")


def test_marginals_under_constraints_and_in_batches():
    check_batch_of_sums(decode.projective_marginals, decode.projective_log_partition, longest=11, word=1, head=2)


def test_long_sentences_have_marginals():
    found = decode.projective_marginals(random_scores(200, 1) * 50)
    assert found[1:].sum(axis=1) == pytest.approx(1)
