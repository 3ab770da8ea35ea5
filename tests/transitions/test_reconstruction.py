"""Trees from undirected parses: minimum branchings on the paper's costs, and gold links give back the gold tree."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.errors import StructureError, UnknownName
from crossarc.structure import describe_fault
from crossarc.transitions.system import label_based, links_of, naive, score_based
from helpers import trees

ROOT, LOOSE = 90, 91


@st.composite
def forests(draw, max_size=6, min_size=0):
    """n, and left, right and annotated labels of some of the links of a random tree."""
    heads = draw(trees(min_size=max(1, min_size), max_size=max_size)) if draw(st.booleans()) or min_size else [-1]
    n = len(heads) - 1
    kept = [word for word in range(1, n + 1) if draw(st.integers(0, 3))]
    left = [min(word, heads[word]) for word in kept]
    right = [max(word, heads[word]) for word in kept]
    return n, left, right, [draw(st.integers(0, 9)) for _ in kept]


def table(kind, n, left, right, labels):
    """The cost of each arc of D(U) as the paper's tables have it."""
    costs = {}
    for i, j, label in zip(left, right, labels, strict=True):
        for head, dependent, agrees in ((i, j, label & 1), (j, i, not label & 1)):
            if dependent:
                costs[head, dependent] = 1 if kind == "naive" or agrees else 2
    for word in range(1, n + 1):
        if kind == "naive":
            costs.setdefault((0, word), 2)
        elif kind == "first":
            costs.setdefault((0, word), 2 * n)
        else:
            costs[0, word] = 2 * n
    return costs


def least(n, costs):
    """The cost of a minimum branching, by Chu-Liu-Edmonds."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n + 1))
    graph.add_weighted_edges_from((*arc, cost) for arc, cost in costs.items())
    return sum(cost for *_, cost in nx.minimum_spanning_arborescence(graph).edges(data="weight"))


def rebuilt(kind, forest, **options):
    return naive(*forest, **options) if kind == "naive" else label_based(*forest, costs=kind, **options)


@pytest.mark.parametrize("kind", ["naive", "first", "second"])
@given(forest=forests(max_size=7))
def test_cost_is_least(kind, forest):
    n = forest[0]
    heads, labels = rebuilt(kind, forest, root_label=ROOT)
    assert describe_fault(heads) == ""
    costs = table(kind, *forest)
    assert sum(costs[heads[word], word] for word in range(1, n + 1)) == (least(n, costs) if n else 0)
    given = {(i, j): label for i, j, label in zip(*forest[1:], strict=True)}
    for word in range(1, n + 1):
        label = given.get((min(word, heads[word]), max(word, heads[word])))
        expected = ROOT if label is None else label if kind == "naive" else label >> 1
        assert labels[word] == expected
    assert (heads[0], labels[0]) == (-1, -1)


def orientations(n, left, right):
    """Every tree that links without those of node 0 can become, by brute force over the root words of the parts."""
    graph = nx.Graph()
    graph.add_nodes_from(range(1, n + 1))
    graph.add_edges_from((i, j) for i, j in zip(left, right, strict=True) if i)
    parts = [sorted(part) for part in nx.connected_components(graph)]
    for roots in itertools.product(*parts):
        heads = [-1] + [0] * n
        for root in roots:
            for head, dependent in nx.bfs_edges(graph, root):
                heads[dependent] = head
        yield heads


@given(forest=forests(), data=st.data())
def test_scores(forest, data):
    n, left, right, labels = forest
    # Quarters are exact in binary, so that equal costs are equal.
    quarters = st.integers(-8, 8).map(lambda value: value / 4)
    leftward = [data.draw(quarters) for _ in left]
    rightward = [data.draw(quarters) for _ in left]
    roots = [data.draw(quarters) for _ in range(n + 1)]
    costs = {(0, word): roots[word] for word in range(1, n + 1)}
    for i, j, from_right, from_left in zip(left, right, leftward, rightward, strict=True):
        if i:
            costs[j, i], costs[i, j] = from_right, from_left
    other = [label + 50 for label in labels]
    heads, found = score_based(n, left, right, labels, other, leftward, rightward, root_costs=roots, root_label=ROOT)

    def total(heads):
        return sum(costs[heads[word], word] for word in range(1, n + 1))

    assert total(heads.tolist()) == min(map(total, orientations(n, left, right)))
    for i, j, label in zip(left, right, labels, strict=True):
        if i and heads[i] == j:
            assert found[i] == label
        elif heads[j] == i:
            assert found[j] == label + 50


@given(forests())
def test_ties(forest):
    """Of the cheapest root words of a part the parser's own is taken, then the leftmost."""
    n, left, right, labels = forest
    heads = label_based(*forest)[0].tolist()
    annotated = {(i, j) if label & 1 else (j, i) for i, j, label in zip(left, right, labels, strict=True)}
    own = {j for i, j in zip(left, right, strict=True) if i == 0}

    def rank(other):
        agreed = sum((other[word], word) in annotated for word in range(1, n + 1) if other[word])
        roots = [word for word in range(1, n + 1) if other[word] == 0]
        return -agreed, -len(own & set(roots)), roots

    assert heads == min(orientations(n, left, right), key=rank)


@given(trees(max_size=30), st.data())
def test_gold_links_give_the_gold_tree(heads, data):
    labels = [-1, *(data.draw(st.integers(0, 40)) for _ in heads[1:])]
    order = data.draw(st.permutations(range(len(heads) - 1)))
    plain = [array[order] for array in links_of(heads, labels)]
    annotated = [array[order] for array in links_of(heads, labels, annotated=True)]
    n = len(heads) - 1
    for found in (naive(n, *plain), label_based(n, *annotated, costs="first"), label_based(n, *annotated)):
        assert [array.tolist() for array in found] == [heads, labels]
    # Even without the links of node 0, as long as the words hang together.
    kept = annotated[0] > 0
    found = label_based(n, *(array[kept] for array in annotated))
    assert found[0].tolist() == heads


@pytest.mark.parametrize("kind", ["naive", "first", "second"])
@given(forest=forests(min_size=1))
def test_single_root(kind, forest):
    free, free_labels = rebuilt(kind, forest, root_label=ROOT, loose_label=LOOSE)
    heads, labels = rebuilt(kind, forest, single_root=True, root_label=ROOT, loose_label=LOOSE)
    assert describe_fault(heads) == ""
    roots = np.flatnonzero(free == 0)
    (root,) = np.flatnonzero(heads == 0)
    others = [word for word in roots if word != root]
    assert root in roots
    assert all(heads[word] == root and labels[word] == LOOSE for word in others)
    rest = [word for word in range(len(heads)) if word not in others]
    assert heads[rest].tolist() == free[rest].tolist()
    assert labels[rest].tolist() == free_labels[rest].tolist()
    own = [j for i, j in zip(*forest[1:3], strict=True) if i == 0]
    if kept := sorted(set(own) & set(roots.tolist())):
        assert root == kept[0]
    elif not own:
        assert root == roots[0] if kind == "naive" else root in roots


def test_single_root_examples():
    # Nothing is linked to node 0: the root of the first part stays.
    assert naive(3, [2], [3], [0], single_root=True)[0].tolist() == [-1, 0, 1, 2]
    # The parser's own root stays, though it is not the first.
    assert naive(3, [0], [3], [0], single_root=True)[0].tolist() == [-1, 3, 3, 0]
    # The part of the parser's own root stays, though its root is another word: 3 -> 2, 0 - 2.
    assert label_based(3, [0, 2], [2, 3], [1, 2], single_root=True)[0].tolist() == [-1, 3, 3, 0]


def test_cost_tables_differ():
    """As in Figure 4: the second table moves an arc from the root."""
    links = [0, 1, 2], [1, 2, 3], [1, 2, 5]
    assert label_based(3, *links, costs="first")[0].tolist() == [-1, 0, 1, 2]
    assert label_based(3, *links, costs="second")[0].tolist() == [-1, 2, 0, 2]


def test_small_and_long():
    for function in (naive, label_based):
        assert [array.tolist() for array in function(0, [], [], [])] == [[-1], [-1]]
        assert function(1, [], [], [], root_label=4)[1].tolist() == [-1, 4]
        assert [array.tolist() for array in function(1, [0], [1], [0])] == [[-1, 0], [-1, 0]]
    n = 5000
    chain = np.arange(1, n), np.arange(2, n + 1)
    assert label_based(n, *chain, np.zeros(n - 1, dtype=int))[0].tolist() == [-1, *range(2, n + 1), 0]
    assert naive(n, *chain, np.zeros(n - 1, dtype=int))[0].tolist() == [-1, *range(n)]
    costs = np.where(np.arange(n - 1) < 2500, -1.0, 1.0)
    assert np.flatnonzero(score_based(n, *chain, *chain, costs, -costs)[0] == 0).tolist() == [2501]


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (([1], [1], [0]), "link 0 goes from 1 to 1"),
        (([2], [1], [0]), "from 2 to 1"),
        (([1], [4], [0]), "within 0..3"),
        (([-1], [1], [0]), "from -1"),
        (([1, 1], [2, 2], [0, 0]), "cycle"),
        (([1, 1, 2], [2, 3, 3], [0, 0, 0]), "cycle"),
        (([0, 0, 1], [1, 2, 2], [0, 0, 0]), "cycle"),
        (([0, 0], [1, 1], [0, 0]), "cycle"),
        (([0, 0, 1, 1], [1, 2, 2, 3], [0, 0, 0, 0]), "4 links over 3 words"),
        (([0, 1], [1], [0]), "rows of one length"),
    ],
)
def test_faults(links, message):
    for call in (naive, label_based):
        with pytest.raises(StructureError, match=message):
            call(3, *links)


def test_bad_costs():
    with pytest.raises(UnknownName, match="no table of costs 'third'"):
        label_based(1, [], [], [], costs="third")
    with pytest.raises(StructureError, match=r"leftward_costs\[0\] is not finite"):
        score_based(2, [1], [2], [0], [0], [np.nan], [0])
    with pytest.raises(StructureError, match="row of 3 entries"):
        score_based(2, [1], [2], [0], [0], [0], [0], root_costs=[0, 0])
