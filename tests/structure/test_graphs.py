"""The properties of graphs, against networkx and twins written from the definitions."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc import structure
from crossarc.errors import StructureError
from crossarc.treebank.graph import Graph


def make(n, arcs):
    return Graph.from_arcs(map(str, range(n + 1)), [(h, d, "x") for h, d in arcs])


@st.composite
def graphs(draw, longest=9):
    n = draw(st.integers(0, longest))
    if not n:
        return make(0, [])
    arcs = draw(st.lists(st.tuples(st.integers(0, n), st.integers(1, n)), max_size=2 * n))
    return make(n, arcs)


def pairs_of(graph):
    return list(zip(graph.heads.tolist(), graph.dependents.tolist(), strict=True))


def cross(one, two):
    (a, b), (c, d) = sorted(one), sorted(two)
    return a < c < b < d or c < a < d < b


def naive_projective(graph):
    arcs = [(h, d) for h, d in pairs_of(graph) if h != d]
    roots = set(range(1, len(graph.nodes))) - {d for h, d in arcs if h}
    return not any(cross(a, b) for a, b in itertools.combinations(arcs, 2)) and not any(
        min(arc) < root < max(arc) for arc in arcs for root in roots if arc[0]
    )


@given(graphs())
@settings(max_examples=300, deadline=None)
def test_random_graphs(graph):
    arcs = pairs_of(graph)
    n = len(graph.nodes) - 1
    directed = nx.DiGraph(arcs)
    directed.add_nodes_from(range(n + 1))
    assert structure.is_acyclic(graph) == nx.is_directed_acyclic_graph(directed)

    looped = [
        part
        for part in nx.strongly_connected_components(directed)
        if len(part) > 1 or any(directed.has_edge(v, v) for v in part)
    ]
    found = structure.cycles(graph)
    assert sorted(map(min, looped)) == [cycle[0] for cycle in found]
    for cycle in found:
        assert len(set(cycle)) == len(cycle)
        assert all(directed.has_edge(a, b) for a, b in itertools.pairwise([*cycle, cycle[0]]))

    words = nx.Graph([(h, d) for h, d in arcs if h])
    words.add_nodes_from(range(1, n + 1))
    assert structure.is_connected(graph) == (n == 0 or nx.is_connected(words))
    heads = {d: {h for h, e in arcs if e == d} for _, d in arcs}
    assert structure.multi_headed(graph).tolist() == sorted(d for d in heads if len(heads[d]) > 1)
    for root in (False, True):
        kept = [k for k, (h, _) in enumerate(arcs) if root or h]
        expected = [[a, b] for a, b in itertools.combinations(kept, 2) if cross(arcs[a], arcs[b])]
        assert structure.graph_crossing_pairs(graph, root=root).tolist() == expected
    assert structure.is_projective_graph(graph) == naive_projective(graph)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_a_tree_with_one_root_is_a_graph(data):
    n = data.draw(st.integers(1, 9))
    order = data.draw(st.permutations(range(1, n + 1)))
    heads = [-1] + [0] * n
    for place in range(1, n):
        heads[order[place]] = order[data.draw(st.integers(0, place - 1))]
    graph = make(n, [(heads[d], d) for d in range(1, n + 1)])
    assert structure.is_projective_graph(graph) == structure.is_projective(heads)
    assert structure.is_acyclic(graph)
    assert structure.is_connected(graph)
    assert structure.multi_headed(graph).size == 0
    assert len(structure.graph_crossing_pairs(graph)) == len(structure.crossing_pairs(heads))


def test_shared_subject():
    """ "Ann wants to sing": Ann is the subject of both verbs; the arcs are nested and share an end."""
    graph = make(4, [(0, 2), (2, 1), (4, 1), (2, 4), (4, 3)])
    assert structure.multi_headed(graph).tolist() == [1]
    assert not structure.is_projective_graph(graph)  # the root lies under the arc from 4 to 1
    assert len(structure.graph_crossing_pairs(graph)) == 0
    assert structure.is_projective_graph(make(4, [(0, 2), (2, 1), (2, 4), (3, 4), (2, 3)]))


def test_figure_of_several_heads():
    """Three words of which one has two heads, without and with its own dependent between them."""
    assert structure.is_projective_graph(make(3, [(1, 2), (3, 2), (1, 3)]))
    assert structure.is_projective_graph(make(3, [(1, 2), (2, 3), (1, 3)]))


def test_arcs_of_node_0_cross_and_cover_nothing():
    assert not structure.is_projective_graph(make(3, [(0, 1), (0, 2), (1, 2), (1, 3)]))
    assert structure.is_projective_graph(make(3, [(0, 1), (0, 3), (1, 2)]))
    assert structure.is_projective_graph(make(3, [(0, 3)]))


@pytest.mark.parametrize("heads", [heads for n in range(1, 5) for heads in itertools.product(range(n + 1), repeat=n)])
def test_projective_trees_are_projective_graphs(heads):
    heads = [-1, *heads]
    if structure.describe_fault(heads) == "":
        graph = make(len(heads) - 1, [(heads[d], d) for d in range(1, len(heads))])
        assert structure.is_projective_graph(graph) == structure.is_projective(heads)


def test_words_without_arcs_are_roots():
    assert not structure.is_projective_graph(make(3, [(0, 1), (1, 3)]))
    assert structure.is_projective_graph(make(3, [(0, 1), (1, 2)]))


def test_parallel_and_opposite_arcs_do_not_cross():
    graph = make(4, [(1, 3), (3, 1), (1, 3), (2, 4)])
    assert pairs_of(graph) == [(3, 1), (1, 3), (1, 3), (2, 4)]
    assert structure.graph_crossing_pairs(graph).tolist() == [[0, 3], [1, 3], [2, 3]]


def test_no_nodes():
    empty = make(0, [])
    assert structure.is_acyclic(empty)
    assert structure.is_connected(empty)
    assert structure.is_projective_graph(empty)
    assert structure.cycles(empty) == []
    assert structure.multi_headed(empty).size == 0
    assert structure.graph_crossing_pairs(empty).shape == (0, 2)


def test_long_graphs():
    n = 100_000
    ring = make(n, [(v, v % n + 1) for v in range(1, n + 1)])
    assert structure.cycles(ring) == [list(range(1, n + 1))]
    assert not structure.is_acyclic(ring)
    assert structure.is_connected(ring)
    chain = make(n, [(v - 1, v) for v in range(1, n + 1)])
    assert structure.is_acyclic(chain)
    assert structure.cycles(chain) == []
    assert structure.is_projective_graph(chain)


@pytest.mark.parametrize(
    "function",
    [
        structure.cycles,
        structure.is_acyclic,
        structure.is_connected,
        structure.multi_headed,
        structure.graph_crossing_pairs,
        structure.is_projective_graph,
    ],
)
@pytest.mark.parametrize("arc", [(3, 1), (-1, 1), (1, 0), (1, 3)])
def test_arcs_outside_the_sentence(function, arc):
    broken = Graph(("0", "1", "2"), np.array([arc[0]]), np.array([arc[1]]), ("x",))
    with pytest.raises(StructureError, match=r"arc 0, .* leaves the sentence, whose nodes are 0 to 2"):
        function(broken)
