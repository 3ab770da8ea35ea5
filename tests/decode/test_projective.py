"""k-best projective trees, their marginals and partition function against sums over all projective trees."""

import numpy as np
import pytest

from crossarc import decode
from crossarc.errors import DecodeError
from decode.forest import KINDS, all_trees, random_scores, tree_scores
from decode.test_distribution import all_marginals


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single_root", [True, False])
def test_k_best_of_all_trees(single_root, kind):
    for n in range(1, 6):
        trees = all_trees(n, single_root, projective=True)
        for seed in range(6 if n < 5 else 3):
            scores = random_scores(n, seed, kind)
            expected = np.sort(tree_scores(scores, trees))[::-1]
            expected = expected[expected > -np.inf]
            for k in (2, len(trees) + 1 if n < 5 else 40):
                if not len(expected):
                    with pytest.raises(DecodeError):
                        decode.projective_kbest(scores, k, single_root=single_root)
                    continue
                heads, totals = decode.projective_kbest(scores, k, single_root=single_root)
                size = min(k, len(expected))
                assert totals[:size] == pytest.approx(expected[:size], rel=1e-9, abs=1e-9)
                assert len({tuple(tree) for tree in heads[:size].tolist()}) == size
                assert (totals[size:] == -np.inf).all()
                assert (heads[size:] == -1).all()
                assert tree_scores(scores, heads[:size]) == pytest.approx(totals[:size], rel=1e-12)


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
    with pytest.raises(DecodeError, match="one sentence"):
        decode.projective_kbest(scores[None], 1)


@pytest.mark.parametrize("scale", [1, 30, 1000])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "huge"])
@pytest.mark.parametrize("single_root", [True, False])
def test_marginals_over_all_trees(single_root, kind, scale):
    for n in range(1, 6):
        trees = all_trees(n, single_root, projective=True)
        for seed in range(6):
            scores = random_scores(n, seed, kind) * scale
            expected, partition = all_marginals(scores, trees)
            if np.isneginf(partition):
                with pytest.raises(DecodeError, match="leave no"):
                    decode.projective_marginals(scores, single_root=single_root)
                continue
            found = decode.projective_log_partition(scores, single_root=single_root)
            assert found == pytest.approx(partition, rel=1e-12, abs=1e-9)
            found = decode.projective_marginals(scores, single_root=single_root)
            assert found == pytest.approx(expected, rel=1e-7, abs=1e-12 * np.abs(scores[np.isfinite(scores)]).max())


def test_marginals_under_constraints_and_in_batches():
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, 12, size=30)
    batch = rng.normal(size=(30, 12, 12))
    required = np.full((30, 12), -1)
    required[lengths > 1, 1] = 2
    found = decode.projective_marginals(batch, lengths, required=required, threads=2)
    totals = decode.projective_log_partition(batch, lengths, required=required)
    for s, n in enumerate(lengths):
        one = decode.projective_marginals(batch[s, : n + 1, : n + 1], required=required[s, : n + 1])
        assert (found[s, : n + 1, : n + 1] == one).all()
        assert one[1:].sum(axis=1) == pytest.approx(1)
        assert n < 2 or one[1, 2] == pytest.approx(1)
        whole = decode.projective_log_partition(batch[s, : n + 1, : n + 1], required=required[s, : n + 1])
        assert totals[s] == pytest.approx(whole)


def test_long_sentences_have_marginals():
    found = decode.projective_marginals(random_scores(200, 1) * 50)
    assert found[1:].sum(axis=1) == pytest.approx(1)
