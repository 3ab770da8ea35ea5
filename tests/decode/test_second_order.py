"""Projective trees of second order and their improvement against definitions in plain Python."""

from itertools import product

import numpy as np
import pytest

from crossarc import decode
from crossarc.decode.second_order import Carreras, PartScores, Reattacher
from crossarc.errors import DecodeError
from crossarc.structure import is_projective
from decode.forest import all_trees, is_tree
from decode.second_order import best_score, label_scores, random_parts, reattached, score

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


def batch_of(lengths, width, labels):
    """Padded scores of many sentences; padding may hold anything."""
    last = (labels,) if labels else ()
    batch = [np.full((len(lengths), *(width,) * axes, *last), np.nan) for axes in (2, 3, 3)]
    for s, n in enumerate(lengths):
        for whole, part in zip(batch, random_parts(n, s, labels), strict=True):
            whole[(s, *(slice(n + 1),) * (part.ndim - len(last)))] = part
    return batch


def one_of(batch, s, n, labels):
    return [whole[(s, *(slice(n + 1),) * (whole.ndim - 1 - (labels > 0)))] for whole in batch]


@roots
@pytest.mark.parametrize("labels", [1, 3])
def test_forbidden_pairs_are_in_no_tree(single_root, labels):
    rng = np.random.default_rng(3)
    solved = improved = 0
    for n, seed in product(range(1, 6), range(8)):
        parts = random_parts(n, seed, labels, 0.2, 0.2)
        expected = best_score(parts, n, single_root, labelled=True)
        if expected == -np.inf:
            with pytest.raises(DecodeError, match="leave no projective tree"):
                decode.carreras(*parts, labelled=True, single_root=single_root)
        else:
            found = decode.carreras(*parts, labelled=True, single_root=single_root)
            assert score(parts, *found) == pytest.approx(expected)
            solved += 1
        trees = [
            heads for heads in all_trees(n, single_root) if (label_scores(parts, heads).max(axis=1) > -np.inf).all()
        ]
        if trees:
            heads = trees[rng.integers(len(trees))]
            names = np.append(-1, label_scores(parts, heads).argmax(axis=1))
            found = decode.reattach(*parts, heads, names, single_root=single_root)
            assert [array.tolist() for array in found] == list(reattached(parts, heads, names, 0.0, single_root))
            improved += found[0].tolist() != heads.tolist()
    assert solved > 10
    assert improved > 5


@roots
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("labels", [0, 2])
def test_batches(single_root, threads, labels):
    lengths = np.random.default_rng(0).integers(0, 9, size=40)
    batch = batch_of(lengths, 9, labels)
    options = {"single_root": single_root}
    found = decode.carreras(*batch, lengths, labelled=labels > 0, threads=threads, **options)
    heads, names = found if labels else (found, None)
    better = decode.reattach(*batch, heads, names, lengths, threads=threads, **options)
    for s, n in enumerate(lengths):
        parts = one_of(batch, s, n, labels)
        one = decode.carreras(*parts, labelled=labels > 0, **options)
        start = one if labels else (one, None)
        improved = decode.reattach(*parts, *start, **options)
        for many, single in ((found, one), (better, improved)):
            for array, row in zip(many if labels else [many], single if labels else [single], strict=True):
                assert array[s, : n + 1].tolist() == row.tolist()
                assert (array[s, n + 1 :] == -1).all()


def test_without_pairs_the_best_tree_is_that_of_eisner():
    for seed in range(20):
        arcs = random_parts(12, seed)[0]
        nothing = np.zeros((13, 13, 13))
        assert (decode.carreras(arcs, nothing, nothing) == decode.eisner(arcs)).all()


@roots
def test_constraints(single_root):
    rng = np.random.default_rng(2)
    for seed in range(20):
        parts = random_parts(5, seed)
        trees = all_trees(5, single_root, projective=True)
        tree = trees[rng.integers(len(trees))]
        required = np.where(rng.random(6) < 0.4, tree, -1)
        forbidden = rng.random((6, 6)) < 0.3
        forbidden[range(1, 6), tree[1:]] = False
        limits = {"required": required, "forbidden": forbidden, "single_root": single_root}
        fits = ((required < 0) | (trees == required)).all(axis=1) & ~forbidden[range(1, 6), trees[:, 1:]].any(axis=1)
        heads = decode.carreras(*parts, **limits)
        assert score(parts, heads) == pytest.approx(max(score(parts, other) for other in trees[fits]))
        better = decode.reattach(*parts, tree, **limits)
        assert is_tree(better)
        assert ((required < 0) | (better == required)).all()
        assert not forbidden[range(1, 6), better[1:]].any()


def test_pairs_that_are_forbidden():
    arcs, siblings, grandchildren = random_parts(4, 0)
    siblings[:] = -np.inf
    siblings[range(5), :, :] = np.where(np.eye(5, dtype=bool), 0.0, -np.inf)  # one child on each side
    heads = decode.carreras(arcs, siblings, grandchildren)
    assert np.isfinite(score((arcs, siblings, grandchildren), heads))
    grandchildren[:] = -np.inf
    with pytest.raises(DecodeError, match=r"^siblings and grandchildren that are -inf leave no projective tree"):
        decode.carreras(arcs, siblings, grandchildren)
    with pytest.raises(DecodeError, match=r"^the tree has siblings or grandchildren that score -inf"):
        decode.reattach(arcs, siblings, grandchildren, [-1, 0, 1, 2, 3])


def test_refused_scores():
    arcs, siblings, grandchildren = random_parts(3, 0)
    siblings[3, 1, 2] = np.nan
    with pytest.raises(DecodeError, match=r"^siblings\[3, 1, 2\] is NaN"):
        decode.carreras(arcs, siblings, grandchildren)
    with pytest.raises(DecodeError, match=r"^siblings\[3, 1, 2\] is NaN"):
        decode.reattach(arcs, siblings, grandchildren, [-1, 0, 1, 2])
    arcs[2, 1] = -np.inf  # 2 is now no sibling
    decode.carreras(arcs, siblings, grandchildren)
    grandchildren[2, 0, 3] = np.inf
    with pytest.raises(DecodeError, match=r"^sentence 0: grandchildren\[2, 0, 3\] is inf"):
        decode.carreras(arcs[None], siblings[None], grandchildren[None])
    with pytest.raises(DecodeError, match=r"^grandchildren must have the shape \(4, 4, 4\)"):
        decode.carreras(arcs, siblings, grandchildren[:3])
    with pytest.raises(DecodeError, match=r"^siblings must be numbers"):
        decode.carreras(arcs, siblings.astype(str), grandchildren)
    with pytest.raises(DecodeError, match=r"^arcs must have the shape \(n \+ 1, n \+ 1, labels\)"):
        decode.carreras(arcs, siblings, grandchildren, labelled=True)
    labelled = [array[..., None] for array in random_parts(3, 0)]
    labelled[1][2, 0, 1, 0] = 1e300
    with pytest.raises(DecodeError, match=r"^siblings\[2, 0, 1, 0\] is 1e\+300"):
        decode.carreras(*labelled, labelled=True)


STARTS = {
    "a cycle": ([-1, 2, 1, 0], None, "heads are not a tree: "),
    "not a node": ([-1, 0, 7, 1], None, "heads are not a tree: "),
    "two roots": ([-1, 0, 0, 1], None, "heads have 2 roots"),
    "a forbidden arc": ([-1, 2, 0, 2], None, r"heads\[3\] is 2, but arcs\[3, 2\] is -inf"),
    "a forbidden label": ([-1, 2, 0, 2], [-1, 0, 0, 1], r"heads\[3\] is 2, but arcs\[3, 2, 1\] is -inf"),
    "no label": ([-1, 0, 1, 1], [-1, 0, 2, 0], r"labels\[2\] is 2; the scores have labels 0 to 1"),
    "too few": ([-1, 0, 1], None, r"heads must be integers of the shape \(4,\)"),
}


@pytest.mark.parametrize("trouble", STARTS)
def test_refused_starts(trouble):
    heads, labels, message = STARTS[trouble]
    parts = random_parts(3, 0, 2 if labels else 0)
    parts[0][(3, 2, 1) if labels else (3, 2)] = -np.inf
    with pytest.raises(DecodeError, match=f"^{message}"):
        decode.reattach(*parts, heads, labels)


@pytest.mark.parametrize("threshold", [-1.0, np.nan, np.inf])
def test_refused_thresholds(threshold):
    with pytest.raises(DecodeError, match=r"^threshold must be"):
        decode.reattach(*random_parts(1, 0), [-1, 0], threshold=threshold)


def sparse_parts(n, labels, seed):
    """Three candidate heads a word, one of them the word before, with random scores."""
    rng = np.random.default_rng(seed)
    arcs = []
    for d in range(1, n + 1):
        near = np.unique(np.clip(d + np.rint(rng.normal(scale=8, size=2)).astype(int), 0, n))
        arcs += [(d, h) for h in np.unique([*near, d - 1]) if h != d]
    parts = PartScores()
    parts.arrange(n, *np.transpose(arcs), labels)
    parts.assign(rng.normal(size=parts.layout()[-1]))
    return parts, arcs


@roots
@pytest.mark.parametrize(("n", "labels"), [(30, 1), (200, 4), (2000, 1), (2000, 3)])
def test_sparse_candidates_of_long_sentences(single_root, n, labels):
    search, mover = Carreras(single_root), Reattacher(single_root)
    for seed in range(2):
        parts, _ = sparse_parts(n, labels, seed)
        heads, names = search.tree(parts)
        assert is_projective(heads)
        assert mover.total(parts, heads, names) == pytest.approx(search.score)
        better, others = mover.improved(parts, heads, names, 0.3)
        assert is_tree(better)
        assert not single_root or (better == 0).sum() == 1
        assert mover.total(parts, better, others) > search.score
        chain = np.arange(-1, n)
        assert mover.total(parts, chain, np.zeros(n + 1)) < search.score  # also projective


@roots
@pytest.mark.parametrize("labels", [1, 3])
def test_no_single_move_is_left(single_root, labels):
    mover = Reattacher(single_root)
    for seed in range(5):
        parts, arcs = sparse_parts(40, labels, seed)
        heads, names = mover.improved(parts, *Carreras(single_root).tree(parts))
        total = mover.total(parts, heads, names)
        for d, h in arcs:
            new, others = heads.copy(), names.copy()
            new[d] = h
            if is_tree(new) and (not single_root or (new == 0).sum() == 1):
                for others[d] in range(labels):
                    assert mover.total(parts, new, others) <= total + 1e-9


def test_containers_are_checked():
    parts = PartScores()
    assert [array.tolist() for array in Carreras().tree(parts)] == [[-1], [-1]]
    for dependents, heads, message in (
        ([1, 2], [0], "2 dependents but 1 heads"),
        ([1, 1], [2, 0], "arc 1 comes too late"),
        ([1, 2], [0, 2], "arc 1, 2 -> 2 with 1 labels, cannot be"),
        ([1, 3], [0, 2], "arc 1, 2 -> 3 with 1 labels, cannot be"),
    ):
        with pytest.raises(DecodeError, match=message):
            parts.arrange(2, dependents, heads)
    parts.arrange(2, [1, 2], [0, 0])
    assert Carreras().tree(parts) is None
    with pytest.raises(DecodeError, match="values for"):
        parts.assign([1.0])
    with pytest.raises(DecodeError, match="the arc 1 -> 2 with label 0 is not a candidate"):
        Reattacher().improved(parts, [-1, 0, 1], [-1, 0, 0])
    with pytest.raises(DecodeError, match="3 heads"):
        Reattacher().total(parts, [-1, 0], [-1, 0])
