"""The parser that the figures of a treebank lead to."""

import doctest
import re

import pytest

from crossarc.errors import StructureError
from crossarc.parsers import recommendation
from crossarc.parsers.recommendation import recommend, suitable_parser
from crossarc.structure import Graphs, Summary
from crossarc.treebank import read


def figures(*, trees=10_000, crossed=0, beyond=0, edges=0, graphs=None):
    return Summary(
        sentences=trees,
        trees=trees,
        tree_words=20 * trees,
        projective=trees - crossed,
        planar=trees - crossed,
        two_planar=trees - beyond,
        non_projective_edges=edges,
        graphs=graphs or Graphs(),
    )


@pytest.mark.parametrize(
    ("found", "accurate", "fast", "reason"),
    [
        (figures(), "carreras", "arc-hybrid", "all sentences are projective"),
        (figures(crossed=200, edges=400), "carreras", "arc-hybrid", "0.2% of the words have a non-projective"),
        (figures(crossed=1, edges=1), "carreras", "arc-hybrid", "less than 0.1% of the words"),
        (
            figures(crossed=1_500, beyond=20, edges=2_000),
            "carreras-npa",
            "two-planar",
            "15% of the sentences are non-projective, all but 0.2% are 2-planar",
        ),
        (figures(crossed=900, edges=1_000), "carreras-npa", "two-planar", "9.0% of .*, all are 2-planar"),
        (figures(crossed=3_000, beyond=500, edges=5_000), "carreras-npa", "covington", "5.0% are not 2-planar"),
        (figures(crossed=7_000, edges=26_000), "carreras-npa", "covington", "13% of the words have a non-projective"),
        (figures(trees=400), "carreras", "arc-hybrid", "only 400 sentences, better try several"),
    ],
)
def test_recommendations(found, accurate, fast, reason):
    advice = recommend(found)
    assert (advice.accurate, advice.fast, advice.graph) == (accurate, fast, "")
    assert re.search(reason, advice.reason)
    best = "most accurate, but slower: neural-hybrid"
    assert str(advice) == f"Recommended: {accurate} ({advice.reason}); {best}; fast: {fast}"


def test_graphs_call_for_a_parser_of_their_own():
    graphs = Graphs(sentences=1_000, nodes=20_000, arcs=21_000, multi_headed=1_000, projective=500)
    advice = recommend(figures(graphs=graphs))
    assert (advice.accurate, advice.graph) == ("carreras", "dag-covington")
    assert "5.0% of the words have several heads, 50% of the graphs are not projective" in advice.reason
    assert str(advice).endswith("; for the graph: dag-covington, most accurate neural-graph")
    flat = Graphs(sentences=1_000, nodes=20_000, arcs=21_000, multi_headed=1_000, projective=1_000)
    assert recommend(figures(graphs=flat)).graph == "dag-eager"
    few = Graphs(sentences=1_000, nodes=20_000, arcs=20_010, multi_headed=10, projective=900)
    assert recommend(figures(graphs=few)).graph == ""


def test_graphs_without_trees():
    graphs = Graphs(sentences=1_000, nodes=20_000, arcs=21_000, multi_headed=1_000, projective=500)
    advice = recommend(figures(trees=0, graphs=graphs))
    assert (advice.accurate, advice.fast, advice.graph) == ("dag-covington", "dag-standard", "dag-covington")


def test_nothing_to_recommend_for():
    with pytest.raises(StructureError, match="no sentence has a tree or a graph"):
        recommend(Summary())


def test_examples_run():
    result = doctest.testmod(recommendation)
    assert result.attempted
    assert not result.failed


def test_settings_of_transition_parsers_choose_the_fast_parser(example):
    sentences = list(read(example))
    assert suitable_parser(sentences)[0] == "carreras-npa"
    assert suitable_parser(sentences, heads=3)[0] == "carreras-npa"
    for options in ({"learner": "liblinear"}, {"beam": 4}):
        assert suitable_parser(sentences, **options)[0] == "two-planar"
    assert suitable_parser(sentences, no=1)[0] == "carreras-npa", "whose error then says what is wrong"
