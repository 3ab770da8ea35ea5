"""Undirected spanning trees: four algorithms that must agree; orientation; local enhancement."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import minimum_spanning_tree

from crossarc import decode
from crossarc.decode.undirected import make_spanner, span
from crossarc.errors import CrossarcError, DecodeError
from decode.forest import all_trees, random_scores, tree_score

METHODS = ("prim", "kruskal", "boruvka", "kkt")


def naive_forest(n, edges, weights):
    """Kruskal in a few lines: by weight, then by index."""
    part = list(range(n))
    chosen = []
    for index in sorted(range(len(edges)), key=lambda e: (-weights[e], e)):
        left, right = (part[node] for node in edges[index])
        if left != right:
            part = [left if number == right else number for number in part]
            chosen.append(index)
    return sorted(chosen)


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 14))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = draw(st.lists(pairs, max_size=60))
    weights = draw(st.lists(st.integers(-3, 3), min_size=len(edges), max_size=len(edges)))
    return n, np.array(edges, dtype=np.int32).reshape(-1, 2), np.array(weights, dtype=float)


@given(graphs(), st.integers(0, 2**63))
def test_every_method_finds_the_same_forest(graph, seed):
    n, edges, weights = graph
    expected = naive_forest(n, edges.tolist(), weights)
    for method in METHODS:
        assert span(make_spanner(method, seed), n, edges, weights).tolist() == expected


@pytest.mark.parametrize("seed", range(6))
def test_large_graphs_with_ties_and_several_components(seed):
    """Large enough for several levels of the random algorithm."""
    rng = np.random.default_rng(seed)
    n, m = 3000, 14000
    edges = rng.integers(0, n, size=(m, 2)).astype(np.int32)
    if seed % 2:
        edges[:, 1] = edges[:, 0] - edges[:, 0] % 100 + edges[:, 1] % 100  # components of a hundred nodes
    weights = rng.integers(0, 50, size=m).astype(float) if seed % 3 else rng.normal(size=m)
    expected = span(make_spanner("kruskal", 0), n, edges, weights)
    for method in METHODS:
        assert (span(make_spanner(method, seed), n, edges, weights) == expected).all()


@pytest.mark.parametrize("method", METHODS)
def test_agrees_with_scipy_and_networkx(method):
    rng = np.random.default_rng(1)
    n = 300
    pairs = np.array([(i, j) for i in range(n) for j in range(i)], dtype=np.int32)
    pairs = pairs[rng.permutation(len(pairs))[:4000]]
    weights = rng.uniform(1, 2, size=len(pairs))
    chosen = decode.spanning_tree(n, pairs, weights, maximum=False, method=method)
    graph = coo_matrix((weights, pairs.T), shape=(n, n))
    assert weights[chosen].sum() == pytest.approx(minimum_spanning_tree(graph).sum())
    other = nx.Graph()
    other.add_weighted_edges_from((int(i), int(j), w) for (i, j), w in zip(pairs, weights, strict=True))
    found = decode.spanning_tree(n, pairs, weights, method=method)
    assert weights[found].sum() == pytest.approx(nx.maximum_spanning_tree(other).size(weight="weight"))


def test_the_random_algorithm_is_the_same_every_time():
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 5000, size=(20000, 2)).astype(np.int32)
    weights = rng.random(20000)
    counts = []
    for seed in (1, 1, 2):
        spanner = make_spanner("kkt", seed)
        forest = span(spanner, 5000, edges, weights)
        counts.append((spanner.comparisons, forest.tolist()))
    assert counts[0] == counts[1]
    assert counts[0][0] != counts[2][0]
    assert counts[0][1] == counts[2][1]


def test_the_random_algorithm_compares_a_bounded_number_of_times_an_edge():
    rng = np.random.default_rng(0)
    rates = []
    for m in (10_000, 300_000):
        edges = rng.integers(0, m // 2, size=(m, 2)).astype(np.int32)
        spanner = make_spanner("kkt", 0)
        span(spanner, m // 2, edges, rng.random(m))
        rates.append(spanner.comparisons / m)
    assert max(rates) < 6
    assert rates[1] < 1.2 * rates[0]


@pytest.mark.parametrize("method", METHODS)
def test_a_path_a_star_and_a_complete_graph(method):
    n = 2000
    path = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    assert decode.spanning_tree(n, path, np.arange(n - 1.0), method=method).tolist() == list(range(n - 1))
    star = np.stack([np.zeros(n - 1, dtype=int), np.arange(1, n)], axis=1)
    assert decode.spanning_tree(n, star, np.zeros(n - 1), method=method).tolist() == list(range(n - 1))
    complete = np.array([(i, j) for i in range(60) for j in range(i)])
    ties = decode.spanning_tree(60, complete, np.zeros(len(complete)), method=method)
    assert ties.tolist() == naive_forest(60, complete.tolist(), np.zeros(len(complete)))


@pytest.mark.parametrize("method", METHODS)
def test_constraints_on_edges(method):
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)]
    weights = [5.0, 4.0, 3.0, 2.0, 1.0]
    for required, forbidden, expected in [
        ([], [], [0, 1, 3]),
        ([4], [], [0, 1, 4]),
        ([2, 4], [], [0, 2, 4]),
        ([], [0, 3], [1, 2, 4]),
        ([4], [1], [0, 2, 4]),
    ]:
        found = decode.spanning_tree(4, edges, weights, required=required, forbidden=forbidden, method=method)
        assert found.tolist() == expected
    with pytest.raises(DecodeError, match="required edges 0, 1, 2 form a cycle"):
        decode.spanning_tree(4, edges, weights, required=[0, 1, 2, 4], method=method)
    with pytest.raises(DecodeError, match="no edges join node 3 with node 0; forbidden edges 3, 4 would join them"):
        decode.spanning_tree(4, edges, weights, forbidden=[0, 3, 4], method=method)
    with pytest.raises(DecodeError, match="edge 3 is both required and forbidden"):
        decode.spanning_tree(4, edges, weights, required=[3], forbidden=[3, 4], method=method)
    with pytest.raises(DecodeError, match="required edge 1 has the weight of no edge"):
        decode.spanning_tree(4, edges, [5, -np.inf, 3, 2, 1], required=[1], method=method)


@pytest.mark.parametrize("method", METHODS)
def test_small_and_odd_graphs(method):
    assert decode.spanning_tree(1, [], [], method=method).tolist() == []
    assert decode.spanning_tree(1, [(0, 0)], [1.0], method=method).tolist() == []
    assert decode.spanning_tree(2, [(0, 1), (1, 0), (0, 1)], [1.0, 2.0, 2.0], method=method).tolist() == [1]
    assert decode.spanning_tree(2, [(0, 1), (1, 0)], [0.0, -0.0], method=method).tolist() == [0]
    assert decode.spanning_tree(2, [(0, 1), (1, 0)], [-0.0, 0.0], method=method).tolist() == [0]
    with pytest.raises(DecodeError, match=r"no edges join node 1 with node 0$"):
        decode.spanning_tree(2, [(0, 1)], [-np.inf], method=method)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": 0}, "number of nodes"),
        ({"edges": [(0, 3)]}, r"edge 0 is \[0, 3\]"),
        ({"edges": [(0.5, 1.0)]}, "integers"),
        ({"edges": [(0, 1), (1, 2)]}, "shape"),
        ({"weights": [np.nan]}, r"weights\[0\] is nan"),
        ({"weights": [np.inf]}, r"weights\[0\] is inf"),
        ({"weights": [-np.inf], "maximum": False}, r"weights\[0\] is -inf; weights are numbers, inf for no edge"),
        ({"weights": [np.nan], "maximum": False}, r"weights\[0\] is nan"),
        ({"required": [1]}, "required must be indices"),
        ({"forbidden": [-1]}, "forbidden must be indices"),
        ({"method": "jarnik"}, "no method 'jarnik'"),
        ({"method": 3}, "no method '3'"),
        ({"method": "kkt", "seed": 0.5}, "seed must be an integer"),
        ({"method": "prim", "n": "a"}, "number of nodes"),
        ({"weights": ["x"]}, "weights must be a row of numbers"),
        ({"method": "prim", "n": 10**6}, "too many"),
    ],
)
def test_bad_arguments(change, words):
    arguments = {"n": 3, "edges": [(0, 1)], "weights": [1.0], **change}
    with pytest.raises(CrossarcError, match=words):
        decode.spanning_tree(**arguments)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("method", METHODS)
def test_many_graphs_at_once(method, threads):
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 30, size=40)
    lists = []
    for n in sizes:
        path = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
        lists.append(np.concatenate([path, rng.integers(0, n, size=(2 * n, 2))]))
    weights = [rng.integers(0, 9, size=len(edges)).astype(float) for edges in lists]
    offsets = np.cumsum([0, *map(len, lists)])
    options = {"method": method, "seed": 5}
    found = decode.spanning_tree(
        sizes, np.concatenate(lists), np.concatenate(weights), offsets, threads=threads, **options
    )
    assert len(found) == (sizes - 1).sum()
    single = [decode.spanning_tree(*graph, **options) for graph in zip(sizes, lists, weights, strict=True)]
    assert found.tolist() == np.concatenate([o + one for o, one in zip(offsets, single, strict=False)]).tolist()


def test_errors_say_which_of_many_graphs():
    edges, offsets = [(0, 1), (0, 1), (1, 2), (0, 2)], [0, 1, 4]
    assert decode.spanning_tree([2, 3], edges, [1.0] * 4, offsets, required=[3], forbidden=[1]).tolist() == [0, 2, 3]
    for options, message in [
        ({"required": [1, 2, 3]}, "graph 1: required edges 1, 2, 3 form a cycle"),
        ({"forbidden": [0]}, "graph 0: the graph is not connected: .* forbidden edges 0 would join"),
        ({"forbidden": [2, 3]}, "graph 1: the graph is not connected: no edges join node 2 with node 0; .* 2, 3 would"),
        ({"n": [2, 2]}, r"edge 2 is \[1, 2\]; the nodes are 0..1"),
        ({"n": [2]}, "offsets must be 2 integers for 1 graphs"),
        ({"n": 2}, "number of nodes of each graph"),
        ({"offsets": [0, 4, 1]}, "offsets must rise from 0 to 4"),
        ({"offsets": [0, 1, 3]}, "offsets must rise from 0 to 4"),
        ({"offsets": None}, "many graphs need offsets"),
        ({"threads": 0}, "threads must be 1 or more"),
    ]:
        with pytest.raises(DecodeError, match=message):
            decode.spanning_tree(**{"n": [2, 3], "edges": edges, "weights": [1.0] * 4, "offsets": offsets, **options})
    assert decode.spanning_tree([], [], [], [0]).tolist() == []


@pytest.mark.parametrize("method", METHODS)
def test_five_thousand_nodes(method):
    rng = np.random.default_rng(0)
    edges = np.concatenate([np.stack([np.arange(4999), np.arange(1, 5000)], 1), rng.integers(0, 5000, (30000, 2))])
    weights = rng.integers(0, 100, size=len(edges)).astype(float)
    assert decode.spanning_tree(5000, edges, weights, method=method).tolist() == (
        decode.spanning_tree(5000, edges, weights).tolist()
    )


def test_a_long_path_that_is_cut_is_soon_described():
    """Its nodes in any order: an algorithm that follows edges one step at a time would take a day."""
    n = 100_000
    nodes = np.random.default_rng(0).permutation(n)
    nodes[[0, nodes.tolist().index(0)]] = nodes[[nodes.tolist().index(0), 0]]
    path = np.stack([nodes[:-1], nodes[1:]], axis=1)
    with pytest.raises(DecodeError, match="; forbidden edges 500 would join them"):
        decode.spanning_tree(n, path, np.zeros(n - 1), forbidden=[500])


@given(st.integers(1, 5).flatmap(lambda n: st.sampled_from(all_trees(n, False).tolist())), st.randoms())
def test_orientation_gives_back_any_tree(heads, random):
    edges = [(word, head) if random.random() < 0.5 else (head, word) for word, head in enumerate(heads) if word]
    random.shuffle(edges)
    assert decode.orient(edges).tolist() == heads


@pytest.mark.parametrize("threads", [1, 2])
def test_orientation_in_batches(threads):
    rng = np.random.default_rng(0)
    trees = [all_trees(n, False)[rng.integers(len(all_trees(n, False)))] if n else [-1] for n in [0, 3, 5, 1] * 6]
    edges = np.full((len(trees), 5, 2), 99)  # padding may hold anything
    for s, heads in enumerate(trees):
        for word in range(1, len(heads)):
            edges[s, word - 1] = (word, heads[word])[:: rng.choice([1, -1])]
    found = decode.orient(edges, [len(heads) - 1 for heads in trees], threads=threads)
    for heads, row in zip(trees, found.tolist(), strict=True):
        assert row == [*heads, *[-1] * (6 - len(heads))]
    assert decode.orient(np.empty((2, 0, 2), dtype=int)).tolist() == [[-1], [-1]]
    assert decode.orient(np.empty((0, 3, 2), dtype=int)).shape == (0, 4)
    assert decode.orient([(0, 1), (7, 7)], 1).tolist() == [-1, 0, -1]
    with pytest.raises(DecodeError, match=r"sentence 1: edge 1 is \[1, 3\]; 2 edges make"):
        decode.orient([[(0, 1), (1, 2)], [(0, 1), (1, 3)]])
    with pytest.raises(DecodeError, match="sentence 1: the edges are not a tree: they do not join node 2"):
        decode.orient([[(0, 1), (1, 2)], [(0, 1), (1, 0)]])


def test_orientation_of_long_paths_and_of_what_is_no_tree():
    assert decode.orient(np.stack([np.arange(5000), np.arange(1, 5001)], axis=1)).tolist() == list(range(-1, 5000))
    assert decode.orient([]).tolist() == [-1]
    with pytest.raises(DecodeError, match="do not join node 3 with node 0"):
        decode.orient([(0, 1), (1, 2), (2, 0)])
    with pytest.raises(DecodeError, match="they do not join node 2 with node 0"):
        decode.orient([(0, 1), (1, 1)])
    with pytest.raises(DecodeError, match="edge 1 is"):
        decode.orient([(0, 1), (1, 5)])
    with pytest.raises(DecodeError, match="pairs of integers"):
        decode.orient([0, 1])


def moves(heads):
    """Every tree that one reversed arc makes."""
    for v in range(1, len(heads)):
        u = heads[v]
        if u:
            turned = list(heads)
            turned[v], turned[u] = heads[u], v
            yield turned


def naive_enhance(heads, scores, rounds):
    for _ in range(rounds):
        choices = list(moves(heads))
        if not choices:
            break
        best = max(choices, key=lambda tree: tree_score(scores, np.array(tree)))
        if tree_score(scores, np.array(best)) <= tree_score(scores, np.array(heads)) + 1e-12:
            break
        heads = best
    return heads


@pytest.mark.parametrize("rounds", [0, 1, 5, None])
def test_enhancement_makes_the_best_move_each_round(rounds):
    for n in range(1, 7):
        trees = all_trees(n, False)
        for seed in range(20):
            scores = random_scores(n, seed)
            heads = trees[seed * 7919 % len(trees)].tolist()
            expected = naive_enhance(heads, scores, 1000 if rounds is None else rounds)
            found = decode.enhance(heads, scores, rounds=rounds)
            assert found.tolist() == expected
            assert (found == 0).sum() == heads.count(0)


def test_enhancement_heeds_constraints_and_batches():
    scores = random_scores(6, 3)
    heads = decode.mst(-scores)
    free = decode.enhance(heads, scores, rounds=None)
    assert (free != heads).any()
    assert (decode.enhance(heads, scores, rounds=None, required=heads) == heads).all()
    forbidden = np.zeros((7, 7), dtype=bool)
    changed = np.flatnonzero(free != heads)
    forbidden[changed, free[changed]] = True
    other = decode.enhance(heads, scores, rounds=None, forbidden=forbidden)
    assert not forbidden[changed, other[changed]].any()
    batch = np.zeros((2, 9, 9))
    batch[:, :7, :7] = scores
    padded = np.full((2, 9), -1)
    padded[:, :7] = heads
    both = decode.enhance(padded, batch, [6, 6], rounds=None)
    assert (both[:, :7] == free).all()
    assert (both[:, 7:] == -1).all()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_enhancement_in_threads(threads):
    scores = np.stack([random_scores(6, seed) for seed in range(60)])
    heads = decode.mst(-scores)
    expected = [decode.enhance(*each).tolist() for each in zip(heads, scores, strict=True)]
    assert decode.enhance(heads, scores, threads=threads).tolist() == expected
    with pytest.raises(DecodeError, match="threads must be 1 or more"):
        decode.enhance(heads, scores, threads=0)


def test_enhancement_leaves_its_input_alone_and_refuses_what_is_no_tree():
    heads = np.array([-1, 2, 0], dtype=np.int32)
    decode.enhance(heads, np.array([[0, 0, 0], [5, 0, 1], [4, 3, 0]]))
    assert heads.tolist() == [-1, 2, 0]
    with pytest.raises(DecodeError, match="heads are not a tree"):
        decode.enhance([-1, 2, 1], np.zeros((3, 3)))
    with pytest.raises(DecodeError, match="heads must be integers of the shape"):
        decode.enhance([-1, 0], np.zeros((3, 3)))
    with pytest.raises(DecodeError, match="sentence 1: heads are not a tree: "):
        decode.enhance([[-1, 0, 1], [-1, 7, 0]], np.zeros((2, 3, 3)))
    with pytest.raises(DecodeError, match="heads must be integers"):
        decode.enhance([-1, 0.5], np.zeros((2, 2)))
    with pytest.raises(DecodeError, match=r"heads\[1\] is 4294967298, which is not the number of a word"):
        decode.enhance([-1, 2**32 + 2, 0], np.zeros((3, 3)))
    for rounds in (-1, 1.5, True):
        with pytest.raises(DecodeError, match="rounds must be 0 or more"):
            decode.enhance([-1, 0], np.zeros((2, 2)), rounds=rounds)


def test_enhancement_mends_what_constraints_rule_out_or_says_what_it_cannot():
    scores = np.zeros((5, 5))
    chain = [-1, 0, 1, 2, 3]
    # Reversing 1 -> 2 makes 2 -> 1 though nothing else gains by it.
    assert decode.enhance(chain, scores, required=[-1, 2, -1, -1, -1]).tolist() == [-1, 2, 0, 2, 3]
    mask = np.zeros((5, 5), dtype=bool)
    mask[1, 0] = True
    assert decode.enhance(chain, scores, forbidden=mask).tolist() == [-1, 2, 0, 2, 3]
    with pytest.raises(DecodeError, match=r"^the tree is against required 4 -> 1, and 5 rounds do not mend that; "):
        decode.enhance(chain, scores, required=[-1, 4, -1, -1, -1])
    mask[:, 0] = True
    with pytest.raises(DecodeError, match=r"^the tree is against forbidden 0 -> 1, and no reversal mends that; "):
        decode.enhance(chain, scores, forbidden=mask, rounds=None)
    with pytest.raises(DecodeError, match=r"^sentence 1: the tree is against required 4 -> 1, "):
        decode.enhance([chain, chain], np.zeros((2, 5, 5)), required=[[-1] * 5, [-1, 4, -1, -1, -1]])


def test_enhancement_under_constraints_never_gives_a_tree_that_breaks_them():
    mended = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=(7, 7))
        scores[1:, 1:] += scores[1:, 1:].T.copy()
        required = np.where(rng.random(7) < 0.25, rng.integers(0, 7, 7), -1)
        required[[0, *np.flatnonzero(required == np.arange(7))]] = -1
        try:
            heads = decode.undirected(scores, required=required)
            found = decode.enhance(heads, rng.normal(size=(7, 7)), required=required, rounds=None)
        except DecodeError:
            continue
        assert ((found == required) | (required < 0)).all()
        mended += ((heads != required) & (required >= 0)).any()
    assert mended > 3
