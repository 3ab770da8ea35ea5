"""Faults of graphs are found at their places, and only on request."""

import io

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.treebank import Finding, read_string, validate
from crossarc.treebank.graph_validation import arc_faults, find_cycle, unreachable
from crossarc.treebank.validation import REMEDIES
from helpers import sentences

GRAPH_CODES = {"no-graph", "duplicate-arc", "unreachable", "graph-cycle", "several-graph-roots"}


def text(*rows):
    """A sentence in CoNLL-U from rows of id, head and DEPS."""
    lines = [
        f"{name}\tw\t_\t_\t_\t_\t{head}\t{'_' if head == '_' else 'dep'}\t{deps}\t_"
        for name, head, deps in map(str.split, rows)
    ]
    return "\n".join(["# sent_id = s", *lines, "", ""])


def findings(content, form=None, **options):
    """Code, line and text of each finding."""
    items = validate(io.BytesIO(content.encode()), form, **{"roots": "any"} | options)
    return [(item.code, item.line, item.what) for item in items if isinstance(item, Finding)]


GOOD = text("1 2 2:a|3:b", "2 0 0:root", "3 2 2:c|1:d")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(GOOD, [], id="good, with a cycle"),
        pytest.param(
            text("1 0 0:a|0:a", "2 1 1:b"), [("duplicate-arc", 2, "the arc 0 -a-> 1 is there 2 times")], id="twice"
        ),
        pytest.param(text("1 0 0:a|0:b", "2 1 1:b"), [], id="two labels are two arcs"),
        pytest.param(
            text("1 0 0:a", "2 1 _", "3 2 2:b"),
            [("unreachable", 3, "no path from node 0 leads to nodes 2, 3")],
            id="word without a head",
        ),
        pytest.param(
            text("1 0 0:a", "2 1 3:a", "3 2 2:b"),
            [("unreachable", 3, "no path from node 0 leads to nodes 2, 3")],
            id="cycle apart",
        ),
        pytest.param(
            text("1 0 0:a", "1.1 _ _", "2 1 1:x"),
            [("unreachable", 3, "no path from node 0 leads to node 1.1")],
            id="empty node",
        ),
        pytest.param(text("1 0 _", "2 1 _"), [("no-graph", 2, "the sentence has no graph")], id="no graph"),
        pytest.param(text("1 _ 0:a", "2 _ 1:x"), [], id="a graph without a tree"),
        pytest.param(
            text("1 2 0:a", "2 1 1:x"),
            [("cycle", 2, "heads form a cycle 1 -> 2 -> 1"), ("no-root", 2, "no word has the head 0")],
            id="trees are still checked",
        ),
        pytest.param(
            text("1 0 0:a", "2 1 5:x"),
            [("deps", 3, "token 2: DEPS names the head '5', which is not a node of the sentence")],
            id="head out of range",
        ),
        pytest.param(
            text("1 0 0:a", *(f"{word} 1 _" for word in range(2, 14))),
            [("unreachable", 3, "no path from node 0 leads to nodes 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more")],
            id="many",
        ),
    ],
)
def test_findings(content, expected):
    assert findings(content, graph=True) == expected


def test_cycles_are_reported_if_asked_for():
    assert findings(GOOD, acyclic=True) == [("graph-cycle", 2, "the arcs form a cycle 1 -> 3 -> 1")]
    loop = text("1 0 0:a|1:b")
    assert findings(loop, graph=True) == []
    assert findings(loop, acyclic=True) == [("graph-cycle", 2, "the arcs form a cycle 1 -> 1")]


SEVERAL = [("several-graph-roots", 3, "node 0 is the head of 2 nodes in the graph: 1, 2")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(text("1 0 0:root", "2 1 0:root"), SEVERAL, id="the graph has two roots, the tree one"),
        pytest.param(text("1 _ 0:root", "2 _ 0:root"), SEVERAL, id="no tree"),
        pytest.param(text("1 0 0:root", "2 1 0:top|1:x"), SEVERAL, id="in addition to another head"),
        pytest.param(text("1 0 0:root|0:top", "2 1 1:x"), [], id="two arcs to one word"),
        pytest.param(
            text("1 0 0:root", "1.1 _ 0:exroot", "2 1 1.1:x"),
            [("several-graph-roots", 3, "node 0 is the head of 2 nodes in the graph: 1, 1.1")],
            id="empty node",
        ),
        pytest.param(
            text("1 0 0:root", "2 0 1:x"), [("several-roots", 3, "there are 2 roots: words 1, 2")], id="only the tree"
        ),
    ],
)
def test_roots_of_graphs_are_counted_in_the_graph(content, expected):
    """The heads of the tree say nothing about the arcs of node 0 in the graph."""
    assert findings(content, roots="one", graph=True) == expected
    assert findings(content, roots="one", acyclic=True) == expected
    assert findings(content, roots="any", graph=True) == []
    assert not [each for each in findings(content, roots="one") if each[0] == "several-graph-roots"]


def test_without_the_option_graphs_are_not_checked():
    assert findings(text("1 0 0:a|0:a", "2 1 _")) == []
    assert findings(text("1 _ 0:a", "2 _ 1:x")) == [("missing-head", 2, "no word has a head")]


def test_findings_have_place_and_remedy():
    (finding,) = list(validate(io.BytesIO(text("1 0 0:a", "2 1 _").encode()), graph=True))
    assert str(finding) == (
        "<input>:3: sentence 's': no path from node 0 leads to node 2; give one of them a head that can be reached"
    )
    assert set(REMEDIES) > GRAPH_CODES


def test_words_outside_of_sdp_graphs_are_fine():
    content = "1\ta\ta\tN\t-\t+\t_\t_\n2\tb\tb\tN\t-\t-\t_\tARG1\n3\tc\tc\tN\t-\t-\t_\t_\n\n"
    assert findings(content, "sdp", graph=True, acyclic=True) == []
    loop = content.replace("-\t+\t_\t_", "-\t+\t_\tARG1")
    assert findings(loop, "sdp", acyclic=True) == [("graph-cycle", 1, "the arcs form a cycle 1 -> 1")]


@given(sentences(max_size=6))
def test_faults_are_those_of_networkx(sentence):
    codes = {code for _, code, _ in arc_faults(sentence, acyclic=True)}
    if not sentence.has_graph:
        assert codes == {"no-graph"}
        return
    graph = networkx.DiGraph([(head, dependent) for head, dependent, _ in sentence.graph])
    graph.add_nodes_from(range(len(sentence) + 1))
    assert ("unreachable" in codes) == (len(networkx.descendants(graph, 0)) < len(sentence))
    assert ("graph-cycle" in codes) == (not networkx.is_directed_acyclic_graph(graph))
    assert "duplicate-arc" not in codes


@given(st.lists(st.lists(st.integers(1, 7), max_size=3), min_size=8, max_size=8))
def test_cycles_are_cycles(below):
    graph = networkx.DiGraph([(head, dependent) for head, each in enumerate(below) for dependent in each])
    graph.add_nodes_from(range(8))
    cycle = find_cycle(below)
    assert bool(cycle) == (not networkx.is_directed_acyclic_graph(graph))
    if cycle:
        assert cycle[0] == min(cycle)
        assert len(set(cycle)) == len(cycle)
        assert all(graph.has_edge(a, b) for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    assert {0, *unreachable(below)} == set(range(8)) - networkx.descendants(graph, 0)


def test_long_paths_need_no_recursion():
    assert find_cycle([[word + 1] for word in range(50_000)] + [[]]) == []
    assert find_cycle([[(word + 1) % 50_000] for word in range(50_000)]) == list(range(50_000))


@pytest.mark.parametrize("name", ["da_ddt_graph", "en_ewt", "cs_cltt", "la_proiel_graph"])
def test_gold_graphs_are_good(treebanks, name):
    """Graphs of the treebanks have no duplicates, and node 0 leads to every node."""
    files = [path for path in treebanks if (path.parent.name, path.name) == (name, "test.conllu")]
    if not files:
        pytest.skip(f"needs the treebank {name}")
    assert [
        item for path in files for item in validate(path, roots="any", graph=True) if isinstance(item, Finding)
    ] == []


def test_one_word_can_be_read():
    (sentence,) = read_string(text("1 0 0:a"))
    assert list(arc_faults(sentence, acyclic=True)) == []
