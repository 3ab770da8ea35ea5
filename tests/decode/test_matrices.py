"""Every decoder over matrices against all trees, with and without a single root and constraints; shapes."""

from functools import cache

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from crossarc import decode
from crossarc.decode.decoder import share
from crossarc.decode.spanning import SparseChuLiuEdmonds, solve_some
from crossarc.errors import DecodeError
from crossarc.structure import is_projective
from decode.forest import KINDS, all_trees, is_tree, random_scores, tree_score, tree_scores

METHODS = ("prim", "kruskal", "boruvka", "kkt")


def sparse(scores, **options):
    """The sparse decoder on the arcs of a matrix."""
    scores = np.asarray(scores, dtype=float)
    dependents, heads = np.nonzero(~np.isneginf(scores))
    return decode.mst_sparse(len(scores) - 1, dependents, heads, scores[dependents, heads], **options)


def undirected_by(method):
    return lambda scores, **options: decode.undirected(scores, method=method, seed=3, **options)


DECODERS = {
    "mst": decode.mst,
    "sparse": sparse,
    "eisner": decode.eisner,
    "kbest": lambda scores, **options: decode.kbest(scores, 1, **options)[0][0],
    **{method: undirected_by(method) for method in METHODS},
}
# Decoders that find the best tree of a class, with what says whether heads are in it.
CLASSES = {"eisner": is_projective}
MATRIX_DECODERS = {"mst": decode.mst, "eisner": decode.eisner, "undirected": decode.undirected}


def scores_for(name, n, seed, kind):
    """Symmetric between words where the decoder needs it."""
    scores = random_scores(n, seed, kind)
    if name in METHODS or name == "undirected":
        scores[1:, 1:] = np.tril(scores[1:, 1:]) + np.tril(scores[1:, 1:], -1).T
        np.fill_diagonal(scores, 0)
    return scores


@cache
def trees_for(name, n, single_root):
    trees = all_trees(n, single_root)
    return trees[[CLASSES[name](heads) for heads in trees]] if name in CLASSES else trees


def best(scores, trees):
    """The best score of any tree, -inf if none is allowed."""
    return tree_scores(scores, trees).max(initial=-np.inf)


def check(name, scores, trees, **options):
    """Decode, and compare with the best of these trees, which are those that the constraints allow."""
    expected = best(scores, trees)
    if np.isneginf(expected):
        with pytest.raises(DecodeError, match=r"leaves? no (tree|projective tree|undirected tree)"):
            DECODERS[name](scores, **options)
        return None
    heads = DECODERS[name](scores, **options)
    assert heads.dtype == np.int32
    assert heads[0] == -1
    assert (heads == trees).all(axis=1).any(), heads
    assert tree_score(scores, heads) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    return heads


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("name", DECODERS)
def test_best_of_all_trees(name, single_root, kind):
    for n in range(1, 7):
        trees = trees_for(name, n, single_root)
        for seed in range(20 if n < 6 else 6):
            check(name, scores_for(name, n, seed, kind), trees, single_root=single_root)


def some_heads(rng, n, share):
    """Random heads that a share of the words require, -1 for the others."""
    required = np.where(rng.random(n + 1) < share, rng.integers(0, n + 1, n + 1), -1)
    required[required == np.arange(n + 1)] = -1
    required[0] = -1
    return required


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("name", [name for name in DECODERS if name not in METHODS])
def test_best_of_all_trees_under_constraints(name, single_root):
    refused = 0
    for n in range(1, 6):
        trees = trees_for(name, n, single_root)
        for seed in range(40):
            rng = np.random.default_rng(seed)
            scores = scores_for(name, n, seed, "normal")
            required = some_heads(rng, n, 0.3)
            forbidden = rng.random(scores.shape) < 0.2
            allowed = trees[((trees == required) | (required < 0)).all(axis=1)]
            allowed = allowed[~forbidden[np.arange(1, n + 1), allowed[:, 1:]].any(axis=1)]
            options = {"forbidden": forbidden}
            if name == "sparse":
                dependents, heads = np.nonzero(np.isfinite(scores))
                options = {"forbidden": forbidden[dependents, heads]}
            found = check(name, scores, allowed, single_root=single_root, required=required, **options)
            refused += found is None
    assert refused


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("name", METHODS)
def test_undirected_constraints_are_on_edges(name, single_root):
    for n in range(1, 6):
        trees = all_trees(n, single_root)
        for seed in range(15):
            rng = np.random.default_rng(seed)
            scores = scores_for(name, n, seed, "normal")
            required = some_heads(rng, n, 0.2)
            forbidden = rng.random(scores.shape) < 0.1
            words = np.arange(1, n + 1)
            allowed = []
            for heads in trees:
                edges = {frozenset(pair) for pair in zip(words.tolist(), heads[1:].tolist(), strict=True)}
                wanted = {frozenset((word, int(required[word]))) for word in words.tolist() if required[word] >= 0}
                barred = any(forbidden[d, h] or (h and forbidden[h, d]) for d, h in zip(words, heads[1:], strict=True))
                if wanted <= edges and not barred:
                    allowed.append(heads)
            allowed = np.array(allowed, dtype=np.int32).reshape(-1, n + 1)
            check(name, scores, allowed, single_root=single_root, required=required, forbidden=forbidden)


@given(hnp.arrays(np.int8, st.integers(2, 9).map(lambda n: (n, n)), elements=st.integers(-3, 3)), st.booleans())
def test_dense_and_sparse_agree_on_ties(scores, single_root):
    scores = scores.astype(float)
    scores[scores == -3] = -np.inf
    try:
        dense = decode.mst(scores, single_root=single_root)
    except DecodeError:
        with pytest.raises(DecodeError):
            sparse(scores, single_root=single_root)
        return
    other = sparse(scores, single_root=single_root)
    assert is_tree(dense)
    assert is_tree(other)
    assert tree_score(scores, dense) == tree_score(scores, other)
    if single_root:
        assert (dense == 0).sum() == (other == 0).sum() == 1


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e12, 1e15])
def test_single_root_is_exact_whatever_is_added_to_the_scores(shift):
    """Lowering the root arcs by the least score, the usual way, fails here."""
    for seed in range(30):
        scores = np.random.default_rng(seed).integers(0, 50, size=(6, 6)).astype(float)
        scores[:, 0] += 1000
        trees = all_trees(5)
        heads = decode.mst(scores + shift)
        assert (heads == 0).sum() == 1
        assert tree_score(scores, heads) == best(scores, trees)


@pytest.mark.parametrize("n", [15, 45])
def test_mst_agrees_with_networkx(n):
    scores = random_scores(n, n)
    graph = nx.DiGraph()
    for d in range(1, n + 1):
        for h in range(n + 1):
            if h != d:
                graph.add_edge(h, d, weight=scores[d, h])
    tree = nx.maximum_spanning_arborescence(graph)
    expected = sum(scores[d, h] for h, d in tree.edges)
    assert tree_score(scores, decode.mst(scores, single_root=False)) == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["normal", "positive", "roots", "ties"])
@pytest.mark.parametrize("n", [20, 60])
def test_single_root_agrees_with_every_root_tried(n, kind):
    scores = random_scores(n, 5, kind)
    tried = []
    for root in range(1, n + 1):
        only = scores.copy()
        only[np.arange(n + 1) != root, 0] = -np.inf
        tried.append(tree_score(scores, decode.mst(only, single_root=False)))
    assert tree_score(scores, decode.mst(scores)) == pytest.approx(max(tried))


def test_undirected_agrees_with_networkx():
    scores = scores_for("undirected", 60, 1, "normal")
    graph = nx.Graph()
    graph.add_weighted_edges_from((d, h, scores[d, h]) for d in range(1, 61) for h in range(1, d))
    expected = nx.maximum_spanning_tree(graph).size(weight="weight") + scores[1:, 0].max()
    assert tree_score(scores, decode.undirected(scores)) == pytest.approx(expected)


@pytest.mark.parametrize("name", DECODERS)
def test_one_word_and_none(name):
    assert DECODERS[name](np.zeros((2, 2))).tolist() == [-1, 0]
    assert DECODERS[name](np.zeros((1, 1))).tolist() == [-1]


@pytest.mark.parametrize("name", ["mst", *METHODS])
def test_long_sentences(name):
    n = 5000 if name in ("mst", "prim") else 1200
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((n + 1, n + 1))
    if name in METHODS:
        scores = scores + scores.T
    heads = DECODERS[name](scores)
    assert is_tree(heads)
    assert (heads == 0).sum() == 1
    if name == "mst":  # a chain of cycles within cycles: the worst case of the contraction
        chain = np.full((n + 1, n + 1), -1e6)
        words = np.arange(2, n + 1)
        chain[words, words - 1] = n - words
        chain[words - 1, words] = n + words
        chain[n, 0] = 0
        assert decode.mst(chain).tolist() == [-1, *range(2, n + 1), 0]


@pytest.mark.parametrize("single_root", [True, False])
def test_a_sparse_part_of_all_words_takes_the_root_without_looking_at_its_heap(single_root):
    """All words form one cycle at first; the arcs left in its heap, all within it, are never taken out."""
    n = 50
    dependents, heads = np.nonzero(~np.eye(n + 1, dtype=bool))
    dependents, heads = (nodes[dependents > 0].astype(np.int32) for nodes in (dependents, heads))
    scores = np.where(heads == dependents % n + 1, 2.0, np.where(heads == 0, 0.0, 1.0))
    found, outcomes = np.full((1, n + 1), -1, dtype=np.int32), np.zeros(1, dtype=np.int8)
    offsets = np.array([0, len(scores)])
    decoder, sizes = SparseChuLiuEdmonds(n, len(scores)), np.array([n], dtype=np.int32)
    solve_some(decoder, sizes, offsets, dependents, heads, scores, single_root, found, outcomes, 0, 1)
    assert outcomes[0] == 0
    assert is_tree(found[0])
    assert decoder.taken == n


def test_long_sparse_sentences():
    n = 5000
    rng = np.random.default_rng(0)
    dependents = np.repeat(np.arange(1, n + 1), 12)
    heads = rng.integers(0, n + 1, size=len(dependents))
    scores = rng.normal(size=len(dependents))
    heads[::12] = 0  # so that there is a tree
    found = decode.mst_sparse(n, dependents, heads, scores, single_root=False)
    assert is_tree(found)
    matrix = np.full((n + 1, n + 1), -np.inf)
    order = np.argsort(scores)
    matrix[dependents[order], heads[order]] = scores[order]
    dense = decode.mst(matrix, single_root=False)
    assert tree_score(matrix, found) == pytest.approx(tree_score(matrix, dense))


def test_long_projective_sentences():
    scores = np.random.default_rng(0).standard_normal((401, 401))
    heads = decode.eisner(scores)
    assert is_tree(heads)
    assert is_projective(heads)
    assert (heads == 0).sum() == 1


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("name", MATRIX_DECODERS)
def test_batches_give_what_single_sentences_give(name, threads):
    rng = np.random.default_rng(1)
    lengths = rng.integers(0, 13, size=70)
    batch = np.full((70, 13, 13), np.nan)  # padding may hold anything
    for s, n in enumerate(lengths):
        batch[s, : n + 1, : n + 1] = scores_for(name, n, s, "normal")
        batch[s, 0] = np.nan
    heads = MATRIX_DECODERS[name](batch, lengths, threads=threads)
    assert heads.shape == (70, 13)
    for s, n in enumerate(lengths):
        assert heads[s, : n + 1].tolist() == MATRIX_DECODERS[name](batch[s, : n + 1, : n + 1]).tolist()
        assert (heads[s, n + 1 :] == -1).all()


@pytest.mark.parametrize("name", MATRIX_DECODERS)
def test_kinds_of_arrays(name):
    scores = scores_for(name, 8, 2, "normal").astype(np.float32)
    expected = MATRIX_DECODERS[name](scores.astype(np.float64)).tolist()
    assert MATRIX_DECODERS[name](scores).tolist() == expected
    assert MATRIX_DECODERS[name](np.asfortranarray(scores)).tolist() == expected
    assert MATRIX_DECODERS[name](scores.tolist()).tolist() == expected
    wide = np.zeros((1, 20, 20))
    wide[0, :9, :9] = scores
    assert MATRIX_DECODERS[name](wide[:, ::1], [8])[0, :9].tolist() == expected
    assert MATRIX_DECODERS[name](wide[0], 8)[:9].tolist() == expected
    frozen = scores.astype(np.float64)
    frozen.flags.writeable = False
    assert MATRIX_DECODERS[name](frozen).tolist() == expected
    assert MATRIX_DECODERS[name](np.empty((0, 4, 4))).shape == (0, 4)


def test_constraints_leave_the_callers_scores_alone():
    scores = random_scores(5, 0)
    before = scores.copy()
    decode.mst(scores, required=[-1, 3, -1, -1, -1, -1], forbidden=np.zeros((6, 6), dtype=bool))
    assert (scores == before).all()


def test_threads_share_even_a_few_sentences():
    """Long sentences come in small batches."""
    for size, threads, expected in [(2, 2, 2), (8, 3, 3), (2, 5, 2), (1, 4, 1), (500, 2, 2)]:
        workers = []

        def new_worker(workers=workers):
            done = []
            workers.append(done)
            return lambda begin, end: done.extend(range(begin, end))

        share(threads, size, new_worker)
        assert len(workers) == expected
        assert all(workers)
        assert sorted(sentence for done in workers for sentence in done) == list(range(size))
    assert decode.mst(np.zeros((40, 2, 2)), threads=np.int64(2)).shape == (40, 2)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("single_root", [True, False])
def test_many_sparse_sentences_at_once(single_root, threads):
    rng = np.random.default_rng(1)
    lengths = rng.integers(0, 12, size=50)
    required = np.full((50, 12), -1)
    lists = []
    for s, n in enumerate(lengths):
        scores = random_scores(n, s, "sparse")
        scores[:, 0] = rng.normal(size=n + 1)
        scores[range(1, n + 1), range(n)] = rng.normal(size=n)
        if n > 2:
            required[s, 2] = 1
        required[s, n + 1 :] = 77  # padding may hold anything
        dependents, heads = np.nonzero(~np.isneginf(scores))
        lists.append((dependents, heads, scores[dependents, heads], rng.random(len(heads)) < 0.05))
        lists[-1][3][heads == 0] = False
        lists[-1][3][heads == dependents - 1] = False
    *arcs, forbidden = (np.concatenate(rows) for rows in zip(*lists, strict=True))
    offsets = np.cumsum([0, *(len(rows[0]) for rows in lists)])
    options = {"single_root": single_root}
    found = decode.mst_sparse(
        lengths, *arcs, offsets, required=required, forbidden=forbidden, threads=threads, **options
    )
    assert found.shape == (50, 12)
    for s, n in enumerate(lengths):
        *one, barred = lists[s]
        heads = decode.mst_sparse(n, *one, required=required[s, : n + 1], forbidden=barred, **options)
        assert found[s].tolist() == [*heads, *[-1] * (11 - n)]


def test_sparse_takes_the_best_of_parallel_arcs():
    assert decode.mst_sparse(2, [1, 1, 2, 2, 2], [0, 0, 0, 1, 1], [1, 5, 9, 2, 3]).tolist() == [-1, 0, 1]
    with pytest.raises(DecodeError, match="forbidden 0 -> 1 "):
        decode.mst_sparse(1, [1, 1], [0, 0], [1.0, 2.0], forbidden=[True, True])


def test_labels_are_chosen_before_the_tree():
    scores = np.random.default_rng(0).normal(size=(3, 6, 6, 4))
    arcs, labels = decode.best_labels(scores)
    heads = decode.mst(arcs)
    found = decode.labels_of(heads, labels)
    assert found.shape == (3, 6)
    for s in range(3):
        assert found[s, 0] == -1
        for d in range(1, 6):
            assert found[s, d] == scores[s, d, heads[s, d]].argmax()
    single = decode.labels_of(heads[0], labels[0])
    assert single.tolist() == found[0].tolist()
    several, _ = decode.kbest(arcs, 4)
    of_each = decode.labels_of(several, labels)
    assert of_each[:, 0].tolist() == found.tolist()
    assert of_each[1].tolist() == decode.labels_of(several[1], labels[1]).tolist()
    shared = decode.best_labels(scores, threads=2)
    assert (shared[0] == arcs).all()
    assert (shared[1] == labels).all()
    with pytest.raises(DecodeError, match="labelled scores"):
        decode.best_labels(np.zeros((3, 3)))
    with pytest.raises(DecodeError, match=r"heads must be -1 or a node 0\.\.1, not -1 to 5"):
        decode.labels_of([-1, 5], [[1, 1], [1, 1]])
    with pytest.raises(DecodeError, match="heads must be integers"):
        decode.labels_of([-1, 0.5], [[1, 1], [1, 1]])
    with pytest.raises(DecodeError, match="do not go with"):
        decode.labels_of([-1, 0], labels)


def test_decode_is_there_without_an_import_of_its_own():
    import crossarc

    assert crossarc.decode.mst is decode.mst
    assert set(decode.__all__) <= set(dir(decode))
