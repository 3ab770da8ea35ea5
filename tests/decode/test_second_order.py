"""Projective trees of second order and their improvement against definitions in plain Python."""

import numpy as np
import pytest

from crossarc import decode
from crossarc.errors import DecodeError
from crossarc.structure import is_projective
from decode.forest import all_trees, is_tree
from decode.second_order import best_score, random_parts, reattached, score

roots = pytest.mark.parametrize("single_root", [True, False])


@roots
@pytest.mark.parametrize("forbidden", [0.0, 0.3, 0.6])
def test_best_of_all_projective_trees(single_root, forbidden):
    for n in range(1, 7):
        for seed in range(12 if n < 5 else 3):
            parts = random_parts(n, seed, forbidden=forbidden)
            expected = best_score(parts, n, single_root, labelled=False)
            if expected == -np.inf:
                with pytest.raises(DecodeError, match="leave no projective tree"):
                    decode.carreras(*parts, single_root=single_root)
                continue
            heads = decode.carreras(*parts, single_root=single_root)
            assert is_tree(heads)
            assert is_projective(heads)
            assert not single_root or (heads == 0).sum() == 1
            assert score(parts, heads) == pytest.approx(expected)


@roots
@pytest.mark.parametrize("forbidden", [0.0, 0.5])
@pytest.mark.parametrize("labels", [1, 2, 3])
def test_best_of_all_labelled_trees(single_root, forbidden, labels):
    for n in range(1, 7):
        for seed in range(8 if n < 5 else 2):
            parts = random_parts(n, 100 + seed, labels, forbidden)
            expected = best_score(parts, n, single_root, labelled=True)
            if expected > -np.inf:
                heads, names = decode.carreras(*parts, labelled=True, single_root=single_root)
                assert is_projective(heads)
                assert score(parts, heads, names) == pytest.approx(expected)


@roots
@pytest.mark.parametrize("threshold", [0.0, 0.3])
@pytest.mark.parametrize("labels", [0, 1, 3])
@pytest.mark.parametrize("forbidden", [0.0, 0.3])
def test_moves_are_those_of_the_figure(single_root, threshold, labels, forbidden):
    rng = np.random.default_rng(1)
    moved = 0
    for n in range(1, 7):
        trees = all_trees(n, single_root)
        for seed in range(10 if n < 5 else 4):
            parts = random_parts(n, 200 + seed, labels, forbidden)
            whole = parts if labels else [array[..., None] for array in parts]
            heads = trees[rng.integers(len(trees))]
            names = np.append(-1, rng.integers(max(labels, 1), size=n))
            for word in range(1, n + 1):  # the start is allowed
                whole[0][word, heads[word], names[word]] = 1.0
            expected = reattached(whole, heads, names, threshold, single_root)
            options = {"threshold": threshold, "single_root": single_root}
            found = decode.reattach(*parts, heads, names if labels else None, **options)
            found = found if labels else (found, np.append(-1, np.zeros(n, dtype=int)))
            assert [array.tolist() for array in found] == [list(array) for array in expected]
            assert is_tree(found[0])
            assert score(whole, *found) >= score(whole, heads, names)
            moved += found[0].tolist() != heads.tolist()
    assert moved > 10
