"""Graphs with several heads: against a naive twin, against all trees, and by their properties."""

import time

import numpy as np
import pytest

from crossarc import decode
from crossarc.errors import CrossarcError, DecodeError
from decode.forest import KINDS, all_trees, random_scores, tree_scores
from helpers import is_below


def twin(scores, single_root=True, cycles="forbid", most_heads=None, most_parallel=1):
    """The best tree, and then again and again the best arc that can be added; [dependent, head, label] all along."""
    n = len(scores) - 1
    best = scores.max(axis=-1)
    heads = decode.mst(best, single_root=single_root)
    arcs = {(int(heads[d]), d, int(scores[d, heads[d]].argmax())) for d in range(1, n + 1)}

    def can_add(h, d, label):
        return not (
            scores[d, h, label] <= 0
            or (h, d, label) in arcs
            or (single_root and h == 0)
            or (most_heads is not None and sum(arc[1] == d for arc in arcs) >= most_heads)
            or (most_parallel is not None and sum(arc[:2] == (h, d) for arc in arcs) >= most_parallel)
            or (cycles == "forbid" and is_below(arcs, h, d))
        )

    while True:
        cells = ((h, d, label) for d in range(1, n + 1) for h in range(n + 1) for label in range(scores.shape[2]))
        left = [arc for arc in cells if arc[0] != arc[1] and can_add(*arc)]
        if not left:
            return arcs
        arcs.add(max(left, key=lambda arc: scores[arc[1], arc[0], arc[2]]))


def as_set(found):
    """The arcs of an answer as (head, dependent, label)."""
    found = found if found.ndim == 3 else found[..., None]
    return {(h, d, label) for d, h, label in np.argwhere(found).tolist()}


OPTIONS = [
    {},
    {"single_root": False},
    {"cycles": "allow"},
    {"most_heads": 2},
    {"most_parallel": 2},
    {"most_parallel": None, "most_heads": 3, "cycles": "allow", "single_root": False},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("labels", [0, 1, 3])
def test_graphs_are_those_of_the_twin(options, labels):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(0, 7))
        scores = rng.normal(rng.choice([-1, 0, 1]), 1, size=(n + 1, n + 1, max(1, labels)))
        scores[rng.random(scores.shape) < 0.1] = -5
        cells = scores if labels else scores[..., 0]
        found = decode.best_graph(cells, labelled=labels > 0, **options)
        assert found.shape == cells.shape
        assert found.dtype == bool
        assert as_set(found) == twin(scores, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single_root", [True, False])
def test_the_tree_is_the_best_and_nothing_can_be_added(kind, single_root):
    for seed in range(10):
        n = 1 + seed % 5
        scores = random_scores(n, seed, kind)
        trees = all_trees(n, single_root)
        best = tree_scores(scores, trees).max(initial=-np.inf)
        if best == -np.inf:
            with pytest.raises(DecodeError):
                decode.best_graph(scores, single_root=single_root)
            continue
        found = decode.best_graph(scores, single_root=single_root)
        arcs = as_set(found)
        assert all(scores[d, h] > -np.inf for h, d, _ in arcs)
        inside = [tree for tree in trees if all(found[d, tree[d]] for d in range(1, n + 1))]
        assert tree_scores(scores, np.array(inside)).max() == pytest.approx(best)
        assert (found[1:, 0].sum() == 1) or not single_root
        for h, d, _ in arcs:
            assert not is_below(arcs - {(h, d, 0)}, h, d)
        for d in range(1, n + 1):
            for h in range(int(single_root), n + 1):
                if h != d and not found[d, h] and scores[d, h] > 0:
                    assert is_below(arcs, h, d)


def test_no_words_one_word_and_labels():
    assert decode.best_graph(np.zeros((1, 1))).tolist() == [[False]]
    assert decode.best_graph(np.full((1, 1, 3), np.nan), labelled=True).tolist() == [[[False] * 3]]
    assert decode.best_graph(np.full((2, 2), -7.0)).tolist() == [[False, False], [True, False]]
    labels = decode.best_graph(np.array([[[0, 0, 0]] * 2, [[2, 3, -1], [0, 0, 0]]]), labelled=True, most_parallel=2)
    assert labels[1, 0].tolist() == [False, True, False]  # node 0 keeps one arc
    labels = decode.best_graph(
        np.array([[[0, 0, 0]] * 2, [[2, 3, -1], [0, 0, 0]]]), labelled=True, most_parallel=2, single_root=False
    )
    assert labels[1, 0].tolist() == [True, True, False]


def test_constraints_are_those_of_the_tree_and_of_arcs():
    scores = np.ones((4, 4))
    forbidden = np.zeros((4, 4), dtype=bool)
    forbidden[3, 1] = True
    for labelled in (False, True):
        cells = np.stack([scores, scores - 9], axis=-1) if labelled else scores
        options = {"labelled": labelled, "required": [-1, 0, 1, 2]}
        arcs = as_set(decode.best_graph(cells, **options))
        assert arcs == {(0, 1, 0), (1, 2, 0), (2, 3, 0), (1, 3, 0)}
        arcs = as_set(decode.best_graph(cells, forbidden=forbidden, **options))
        assert arcs == {(0, 1, 0), (1, 2, 0), (2, 3, 0)}


def test_labelled_batches_give_what_single_sentences_give():
    rng = np.random.default_rng(5)
    lengths = np.array([4, 0, 6, 1, 3, 6])
    batch = np.full((6, 7, 7, 3), np.nan)
    for s, n in enumerate(lengths):
        batch[s, : n + 1, : n + 1] = rng.normal(size=(n + 1, n + 1, 3))
    for threads in (1, 3):
        found = decode.best_graph(batch, lengths, labelled=True, most_parallel=2, threads=threads)
        for s, n in enumerate(lengths):
            alone = decode.best_graph(batch[s, : n + 1, : n + 1], labelled=True, most_parallel=2)
            assert (found[s, : n + 1, : n + 1] == alone).all()
            assert found[s].sum() == alone.sum()


def test_refusals():
    with pytest.raises(CrossarcError, match="forbid"):
        decode.best_graph(np.zeros((2, 2)), cycles="perhaps")
    for name in ("most_heads", "most_parallel"):
        with pytest.raises(DecodeError, match=f"^{name} must be 1 or more"):
            decode.best_graph(np.zeros((2, 2)), **{name: 0})
    scores = np.zeros((3, 3, 2))
    scores[2, 1, 1] = np.nan
    with pytest.raises(DecodeError, match=r"^scores\[2, 1\] is NaN"):
        decode.best_graph(scores, labelled=True)
    with pytest.raises(DecodeError, match=r"^labelled scores must"):
        decode.best_graph(np.zeros((3, 3)), labelled=True)


@pytest.mark.parametrize("mean", [-3.0, 0.0])
def test_long_sentences(mean):
    scores = np.random.default_rng(1).normal(mean, 1, size=(1001, 1001))
    begin = time.process_time()
    found = decode.best_graph(scores)
    assert time.process_time() - begin < 10
    assert (found.sum(axis=1)[1:] >= 1).all()
    order = np.argsort(scores.ravel())[::-1]  # each arc is in the graph, or would close a cycle with those before it
    below = np.eye(1001, dtype=bool)  # [a, b]: a walk from a comes to b
    heads = decode.mst(scores)
    for _ in range(11):
        below[heads[1:], np.arange(1, 1001)] = True
        below = (below.astype(np.float32) @ below.astype(np.float32)) > 0
    for place in order[:200]:
        d, h = divmod(int(place), 1001)
        if d == 0 or h in (0, d) or heads[d] == h or scores[d, h] <= 0:
            continue
        assert found[d, h] == (not below[d, h])
        if found[d, h]:
            below |= below[:, [h]] & below[[d]]
