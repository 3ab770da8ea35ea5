"""The properties of trees, against twins written straight from the definitions."""

import doctest
import importlib
import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc import structure
from crossarc.errors import StructureError


@st.composite
def trees(draw, longest=14):
    """Heads of a random tree, often with several roots and many crossings."""
    n = draw(st.integers(0, longest))
    heads = [-1] + [0] * n
    met = [0]
    for word in draw(st.permutations(range(1, n + 1))):
        heads[word] = draw(st.sampled_from(met))
        met.append(word)
    return heads


def random_tree(n, seed, reach=None):
    """Heads of a great random tree; with `reach`, heads are not much farther away than that."""
    random = np.random.default_rng(seed)
    reach = reach or n
    order = np.argsort(np.arange(n) + random.random(n) * 2 * reach) + 1
    heads = np.full(n + 1, -1, dtype=np.int32)
    low = np.maximum(np.arange(n) - reach, 0)
    picks = low + (random.random(n) * (np.arange(n) - low)).astype(int)
    heads[order] = order[picks]
    heads[order[0]] = 0
    return heads


def all_trees(n):
    """Every tree of n words, with any number of roots."""
    for choice in itertools.product(range(n + 1), repeat=n):
        heads = [-1, *choice]
        if all(reaches_root(heads, word) for word in range(1, n + 1)):
            yield heads


def reaches_root(heads, word):
    for _ in heads:
        if word <= 0:
            break
        word = heads[word]
    return word == 0


def dominated(heads, node):
    """The words that a node dominates, itself among them."""
    result = set()
    for word in range(1, len(heads)):
        up = word
        while up not in (node, -1):
            up = heads[up]
        if up == node:
            result.add(word)
    return result


def naive_non_projective(heads):
    return [
        d
        for d in range(1, len(heads))
        if not set(range(min(d, heads[d]) + 1, max(d, heads[d]))) <= dominated(heads, heads[d])
    ]


def cross(one, two):
    (a, b), (c, d) = sorted(one), sorted(two)
    return a < c < b < d or c < a < d < b


def naive_crossings(heads, root):
    words = [d for d in range(1, len(heads)) if root or heads[d]]
    return [[a, b] for a, b in itertools.combinations(words, 2) if cross((a, heads[a]), (b, heads[b]))]


def naive_gaps(heads):
    result = []
    for node in range(len(heads)):
        words = sorted(dominated(heads, node) | {node})
        result.append(sum(b - a > 1 for a, b in itertools.pairwise(words)))
    return result


def naive_well_nested(heads):
    sets = [dominated(heads, node) for node in range(1, len(heads))]
    return not any(
        a1 < b1 < a2 < b2
        for a, b in itertools.permutations(sets, 2)
        if not a & b
        for a1, a2 in itertools.combinations(sorted(a), 2)
        for b1, b2 in itertools.combinations(sorted(b), 2)
    )


def naive_edge_degree(heads):
    best = 0
    for d in range(1, len(heads)):
        inside = range(min(d, heads[d]) + 1, max(d, heads[d]))
        forest = nx.Graph()
        forest.add_nodes_from(inside)
        forest.add_edges_from((v, heads[v]) for v in inside if heads[v] in inside)
        roots = [next(v for v in part if heads[v] not in part) for part in nx.connected_components(forest)]
        best = max(best, sum(v not in dominated(heads, heads[d]) for v in roots))
    return best


def naive_plane_count(heads, root):
    pairs = naive_crossings(heads, root)
    words = sorted({word for pair in pairs for word in pair})
    for count in range(1, len(heads) + 1):
        for colours in itertools.product(range(count), repeat=len(words)):
            plane = dict(zip(words, colours, strict=True))
            if all(plane[a] != plane[b] for a, b in pairs):
                return count
    return 1


def check_planes(heads, root):
    """Planes keep crossing arcs apart, use two wherever two do, and leave out what they should."""
    planes = structure.planes(heads, root=root)
    assert planes.dtype == np.int32
    assert planes[0] == -1
    for word in range(1, len(heads)):
        assert (planes[word] >= 0) == (root or heads[word] != 0)
    pairs = naive_crossings(heads, root)
    assert all(planes[a] != planes[b] for a, b in pairs)
    crossing = nx.Graph(pairs)
    for part in nx.connected_components(crossing):
        if nx.is_bipartite(crossing.subgraph(part)):
            assert {planes[word] for word in part} == {0, 1}
    crossed = set(crossing)
    assert all(planes[word] <= 0 for word in range(1, len(heads)) if word not in crossed)
    assert structure.is_two_planar(heads, root=root) == nx.is_bipartite(crossing)
    assert structure.plane_count(heads, root=root) == max(1, planes.max() + 1)


def check_all(heads):
    non_projective = naive_non_projective(heads)
    assert structure.non_projective_edges(heads).tolist() == non_projective
    assert np.flatnonzero(structure.non_projective_mask(heads)).tolist() == non_projective
    assert structure.is_projective(heads) == (not non_projective)
    for root in (False, True):
        pairs = naive_crossings(heads, root)
        assert structure.crossing_pairs(heads, root=root).tolist() == pairs
        assert structure.is_planar(heads, root=root) == (not pairs)
        check_planes(heads, root)
    assert structure.is_planar(heads, root=True) == structure.is_projective(heads)
    gaps = naive_gaps(heads)
    assert structure.gap_degrees(heads).tolist() == gaps
    assert structure.gap_degree(heads) == max(gaps)
    assert structure.is_well_nested(heads) == naive_well_nested(heads)
    assert structure.edge_degree(heads) == naive_edge_degree(heads)
    assert structure.find_cycles(heads) == []
    assert structure.describe_fault(heads) == ""


@pytest.mark.parametrize("n", range(5))
def test_every_small_tree(n):
    found = list(all_trees(n))
    assert len(found) == (n + 1) ** (n - 1) if n else 1  # Cayley: labelled trees on n + 1 nodes
    for heads in found:
        check_all(heads)


def test_every_tree_of_five_words():
    found = list(all_trees(5))
    assert len(found) == 6**4
    for heads in found:
        non_projective = naive_non_projective(heads)
        assert structure.non_projective_edges(heads).tolist() == non_projective
        assert structure.is_planar(heads, root=True) == (not non_projective)
        assert structure.crossing_pairs(heads).tolist() == naive_crossings(heads, False)
        assert structure.gap_degrees(heads).tolist() == naive_gaps(heads)
        assert structure.is_well_nested(heads) == naive_well_nested(heads)
        assert structure.edge_degree(heads) == naive_edge_degree(heads)
        assert structure.plane_count(heads, root=True) == naive_plane_count(heads, True)


@given(trees())
@settings(max_examples=300, deadline=None)
def test_random_trees(heads):
    check_all(heads)


@given(trees(longest=9))
@settings(max_examples=150, deadline=None)
def test_plane_count_is_exact(heads):
    assert structure.plane_count(heads) == naive_plane_count(heads, False)


@given(trees(longest=60))
@settings(max_examples=60, deadline=None)
def test_planes_of_longer_trees(heads):
    check_planes(heads, False)
    check_planes(heads, True)


@pytest.mark.parametrize("k", [3, 4, 5, 8, 20])
def test_mutually_crossing_arcs_need_a_plane_each(k):
    # Words 1..k hang from k+1..2k in turn, all of which hang from the last word.
    heads = [-1, *range(k + 1, 2 * k + 1), *[2 * k + 1] * k, 0]
    assert structure.plane_count(heads) == k
    assert len(structure.crossing_pairs(heads)) >= k * (k - 1) // 2
    assert not structure.is_two_planar(heads)


def test_search_beats_first_fit():
    """Dense trees where first fit alone wastes planes: the count must be the chromatic number."""
    wasted = 0
    for seed in range(40):
        heads = random_tree(16, seed)
        pairs = structure.crossing_pairs(heads)
        count = structure.plane_count(heads)
        crossing = nx.Graph(pairs.tolist())
        clique = max((len(c) for c in nx.find_cliques(crossing)), default=1)
        assert clique <= count
        if count > max(clique, 2):
            assert not colourable(crossing, count - 1)
        order = sorted(crossing, key=lambda d: (min(d, heads[d]), -max(d, heads[d])))
        fitted = nx.greedy_color(crossing, lambda g, c, order=order: order)
        wasted += max(fitted.values(), default=0) + 1 > count
    assert wasted


def colourable(graph, count):
    """Whether a graph has a colouring, by plain backtracking from the greatest degree on."""
    nodes = sorted(graph, key=graph.degree, reverse=True)

    def extend(i, colours):
        if i == len(nodes):
            return True
        around = {colours.get(u) for u in graph[nodes[i]]}
        fresh = max(colours.values(), default=-1) + 1
        free = set(range(min(count, fresh + 1))) - around
        return any(extend(i + 1, colours | {nodes[i]: colour}) for colour in free)

    return extend(0, {})


# Structures that the literature uses to tell the classes apart, with heads of our own sentences.
# Heads, and whether they are projective and planar, planes, gap degree, whether they are well nested.
CASES = {
    # "What do you think she likes": the question word hangs from the last verb.
    "extraction": ([-1, 6, 4, 4, 0, 6, 4], (False, True, 1, 1, True)),
    # "She saw a film yesterday that moved her": the relative clause follows the adverb.
    "extraposition": ([-1, 2, 0, 4, 2, 2, 7, 4, 7], (False, False, 2, 1, True)),
    # Verbs in the order of their arguments, as in Dutch: two subtrees interleave.
    "cross-serial": ([-1, 4, 5, 6, 0, 4, 5], (False, False, 3, 1, True)),
    "interleaved": ([-1, 5, 1, 1, 2, 0], (False, False, 2, 1, True)),
    "ill-nested": ([-1, 5, 5, 1, 2, 0], (False, False, 2, 1, False)),
    "two gaps": ([-1, 3, 0, 2, 2, 3], (False, False, 2, 2, True)),
    "projective": ([-1, 2, 0, 5, 5, 2], (True, True, 1, 0, True)),
}


@pytest.mark.parametrize("name", CASES)
def test_known_structures(name):
    heads, expected = CASES[name]
    check_all(heads)
    assert expected == (
        structure.is_projective(heads),
        structure.is_planar(heads),
        structure.plane_count(heads),
        structure.gap_degree(heads),
        structure.is_well_nested(heads),
    )


def test_depths():
    assert structure.depths([-1]).tolist() == [0]
    assert structure.depths([-1, 2, 0, 2, 3, 0]).tolist() == [0, 2, 1, 2, 3, 1]


@given(trees())
@settings(deadline=None)
def test_depths_of_random_trees(heads):
    depths = structure.depths(heads)
    assert all(depths[word] == depths[heads[word]] + 1 for word in range(1, len(heads)))


def test_no_words():
    assert structure.is_projective([-1])
    assert structure.is_planar([-1])
    assert structure.is_two_planar([-1])
    assert structure.is_well_nested([-1])
    assert structure.plane_count([-1]) == 1
    assert structure.gap_degree([-1]) == structure.edge_degree([-1]) == 0
    assert structure.non_projective_edges([-1]).shape == (0,)
    assert structure.crossing_pairs([-1]).shape == (0, 2)
    assert structure.planes([-1]).tolist() == [-1]


@pytest.mark.parametrize("n", [5_000, 100_000])
@pytest.mark.parametrize("shape", ["right chain", "left chain", "flat", "local"])
def test_long_sentences(n, shape):
    if shape == "right chain":
        heads = np.arange(-1, n, dtype=np.int32)
    elif shape == "left chain":
        heads = np.array([-1, *range(2, n + 1), 0], dtype=np.int32)
    elif shape == "flat":
        heads = np.array([-1, 0, *[1] * (n - 1)], dtype=np.int32)
    else:
        heads = random_tree(n, 7, reach=6)
    non_projective = len(structure.non_projective_edges(heads))
    assert structure.is_projective(heads) == (non_projective == 0) == structure.is_planar(heads, root=True)
    assert (non_projective > 0) == (shape == "local")
    assert (non_projective > 0) == (structure.gap_degree(heads) > 0) == (structure.edge_degree(heads) > 0)
    assert structure.is_two_planar(heads) == (structure.plane_count(heads) <= 2)
    assert structure.is_planar(heads) == (len(structure.crossing_pairs(heads)) == 0)
    assert structure.is_well_nested(heads) or shape == "local"
    assert structure.depths(heads).max() <= n
    assert structure.find_cycles(heads) == []


@pytest.mark.parametrize("n", [5_000, 100_000])
def test_long_tangles(n):
    """Every near-linear function on a tree whose crossings are quadratically many."""
    heads = random_tree(n, 3)
    assert not structure.is_projective(heads)
    assert not structure.is_planar(heads)
    assert not structure.is_two_planar(heads)
    assert not structure.is_well_nested(heads)
    assert structure.gap_degree(heads) > 100
    if n == 5_000:
        assert structure.planes(heads).max() > 10
        assert structure.edge_degree(heads) > 100
        assert len(structure.crossing_pairs(heads)) > n


def test_cycle_of_every_word():
    n = 100_000
    heads = np.array([-1, n, *range(1, n)])
    assert structure.find_cycles(heads) == [list(range(1, n + 1))]


TREE_FUNCTIONS = [
    structure.is_projective,
    structure.non_projective_edges,
    structure.non_projective_mask,
    structure.crossing_pairs,
    structure.is_planar,
    structure.is_two_planar,
    structure.planes,
    structure.plane_count,
    structure.gap_degree,
    structure.gap_degrees,
    structure.is_well_nested,
    structure.edge_degree,
    structure.depths,
]
FAULTS = [
    ([], "one row of n . 1 entries"),
    ([[-1, 0]], "one row of n . 1 entries"),
    ([0, 0], r"heads\[0\] must be -1"),
    ([-1.0, 0.0], "must be integers"),
    ([-1, 0, 3], "word 2 has head 3, which is not in the sentence of 2 words"),
    (np.array([-1, 0, 2**32 + 1]), "word 2 has head 4294967297"),
    (np.array([-1, 0, -2], dtype=np.int32), "word 2 has head -2"),
    ([-1, 0, -1], "word 2 has no head"),
    ([-1, 0, 2], "word 2 is its own head"),
    ([-1, 0, 3, 2], "heads form a cycle 2 -> 3 -> 2"),
    ([-1, 0, 4, 2, 3, 2], "heads form a cycle 2 -> 3 -> 4 -> 2"),
]


@pytest.mark.parametrize("function", TREE_FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize(("heads", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_faults_are_named(function, heads, message):
    with pytest.raises(StructureError, match=message):
        function(heads)


def test_cycles_of_any_heads():
    assert structure.find_cycles([-1, -1, 3, 2, 4, 2, 0]) == [[2, 3], [4]]
    assert structure.find_cycles([-1, 3, 1, 2]) == [[1, 2, 3]]
    assert structure.find_cycles([-1]) == []
    with pytest.raises(StructureError, match="word 1 has head 5"):
        structure.find_cycles([-1, 5])
    with pytest.raises(StructureError, match="word 1 has head 5"):
        structure.find_cycles(np.array([-1, 5], dtype=np.int32))


@given(st.integers(0, 10).flatmap(lambda n: st.lists(st.integers(-1, n), min_size=n, max_size=n)))
def test_cycles_agree_with_networkx(rest):
    heads = [-1, *rest]
    arcs = nx.DiGraph([(h, d) for d, h in enumerate(heads) if h > 0])
    expected = sorted(c[c.index(min(c)) :] + c[: c.index(min(c))] for c in nx.simple_cycles(arcs))
    assert structure.find_cycles(heads) == expected


def test_heads_are_not_changed():
    heads = np.array([-1, 3, 4, 0, 3], dtype=np.int32)
    heads.flags.writeable = False
    check_all(heads.tolist())
    assert structure.planes(heads).tolist() == [-1, 0, 1, -1, 0]


@pytest.mark.parametrize("name", ["trees", "graphs"])
def test_examples_run(name):
    result = doctest.testmod(importlib.import_module(f"crossarc.structure.{name}"))
    assert result.attempted
    assert not result.failed
