"""The parser that the figures of a treebank lead to."""

import doctest
import importlib.util
import re
import sys
from pathlib import Path

import pytest

from crossarc.errors import StructureError
from crossarc.parsers import recommendation
from crossarc.parsers.presets import PRESETS
from crossarc.parsers.recommendation import recommend, suitable_parser
from crossarc.structure import Graphs, Summary
from crossarc.treebank import read

ROOT = Path(__file__).resolve().parents[2]


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
        (figures(), "carreras", "planar", "all sentences are projective"),
        (figures(crossed=200, edges=400), "carreras", "planar", "0.2% of the words have a non-projective"),
        (figures(crossed=1, edges=1), "carreras", "planar", "less than 0.1% of the words"),
        (figures(crossed=900, edges=1_000), "carreras-npa", "planar", "9.0% of .*, all are 2-planar"),
        (
            figures(crossed=1_500, beyond=20, edges=2_000),
            "carreras-npa",
            "covington",
            "15% of the sentences are non-projective, all but 0.2% are 2-planar",
        ),
        (figures(crossed=3_000, beyond=500, edges=5_000), "carreras-npa", "covington", "5.0% are not 2-planar"),
        (figures(crossed=7_000, edges=26_000), "carreras-npa", "covington", "13% of the words have a non-projective"),
        (figures(trees=400), "carreras", "planar", "only 400 sentences, better try several"),
    ],
)
def test_recommendations(found, accurate, fast, reason):
    advice = recommend(found)
    assert (advice.accurate, advice.fast, advice.graph) == (accurate, fast, "")
    assert re.search(reason, advice.reason)
    best = "most accurate, but slower: neural-hybrid"
    assert str(advice) == f"Recommended: {accurate} ({advice.reason}); {best}; fast: {fast}"


def test_each_choice_has_its_price():
    """A parser of two planes is fast, but finds fewer crossing edges than one of lists."""
    choices = {each.role: each for each in recommend(figures(crossed=1_500, edges=2_000)).choices}
    assert [each.parser for each in choices.values()] == ["neural-hybrid", "covington", "two-planar"]
    assert {each.against for each in choices.values()} == {"carreras-npa"}
    best, fast, faster = choices.values()
    assert best.score > 0 > fast.score > faster.score
    assert best.speed < 1 < fast.speed < faster.speed
    assert best.training > 1 > fast.training > faster.training
    assert fast.np > faster.np


def learned():
    """The script that learns the advice."""
    path = ROOT / "scripts" / "learn_advice.py"
    spec = importlib.util.spec_from_file_location("learn_advice", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["learn_advice"] = module
    spec.loader.exec_module(module)
    return module


def test_the_advice_is_what_the_script_learns_from_the_pages():
    """If a results page changes, run python scripts/learn_advice.py."""
    module = learned()
    assert module.TARGET.read_text(encoding="utf-8") == module.advice()


def test_the_page_of_parsers_of_graphs_names_the_best_of_the_results_page():
    module = learned()
    sizes = module.shares_and_sizes()[1]
    measured = module.measured_graphs()
    (table,) = (each for each in module.tables_of("graphs.md") if "most accurate" in each.header)
    assert {row[1] for row in table.rows} == set(measured)
    for size, treebank, *named in table.rows:
        assert module.number(size) == sizes[treebank]
        found = measured[treebank]
        scores = sorted(((round(found[name]["score"], 1), name) for name in found if name in PRESETS), reverse=True)
        assert [each.replace("`", "") for each in named] == [f"{name} {score:.1f}" for score, name in scores[:3]]


def test_where_the_advice_changes():
    """The cut lies where two parsers change places, and a gain within the margin makes no interval of its own."""
    module = learned()
    places = {"a": 0.1, "b": 0.4, "c": 1.6, "d": 9.0}
    rows = {"a": (90.0, 85.0), "b": (80.0, 78.0), "c": (70.0, 75.0), "d": (60.0, 66.0)}
    measured = {
        name: {"left": {"score": left, "np": 0.0}, "right": {"score": right, "np": 9.0}}
        for name, (left, right) in rows.items()
    }
    found = module.divide(places, measured, ["left", "right"])
    assert [(each.below, each.parser, each.treebanks) for each in found] == [
        (0.8, "left", ["a", "b"]),
        (None, "right", ["c", "d"]),
    ]
    # "b" loses 0.05 in the mean, which is less than the margin, and finds more edges.
    measured["b"]["right"]["score"] = 79.8
    assert [each.below for each in module.divide(places, measured, ["left", "right"])] == [0.2, None]
    # A parser that was not measured everywhere cannot be chosen for an interval that holds the treebank.
    del measured["d"]["right"]
    assert module.divide(places, measured, ["left", "right"])[-1].parser == "left"


def test_what_is_gained_is_the_mean_over_common_treebanks():
    module = learned()
    measured = {
        "a": {"x": {"score": 80.0, "np": 10.0, "speed": 200.0}, "y": {"score": 79.0, "np": 4.0, "speed": 100.0}},
        "b": {"x": {"score": 70.0, "speed": 800.0}, "y": {"score": 72.0, "speed": 100.0}},
        "c": {"x": {"score": 1.0}},
        "d": {"x": {"score": 1.0}, "y": {"score": 50.0}},
    }
    found = module.trade_off(module.Interval(None, ["a", "b", "c"], "y"), measured, "x", "y")
    assert found == {"score": -0.5, "np": 6.0, "speed": 4.0, "treebanks": ["a", "b"]}
    assert module.faster_than(module.Interval(None, ["a", "b"], "y"), measured, ["x", "y"]) == "x"
    assert module.trade_off(module.Interval(None, ["c"], "y"), measured, "x", "y") is None


def test_graphs_call_for_a_parser_of_their_own():
    graphs = Graphs(sentences=5_000, nodes=20_000, arcs=21_000, multi_headed=1_000, projective=2_500)
    advice = recommend(figures(graphs=graphs))
    assert (advice.accurate, advice.graph) == ("carreras", "dag-covington")
    assert "5.0% of the words have several heads, 50% of the graphs are not projective" in advice.reason
    assert str(advice).endswith("; for the graph: dag-covington, most accurate neural-graph")
    (best,) = advice.graph_choices
    assert (best.parser, best.against) == ("neural-graph", "dag-covington")
    assert best.score > 0
    flat = Graphs(sentences=1_000, nodes=20_000, arcs=21_000, multi_headed=1_000, projective=1_000)
    assert recommend(figures(graphs=flat)).graph == "dag-eager"
    few = Graphs(sentences=1_000, nodes=20_000, arcs=20_010, multi_headed=10, projective=900)
    assert recommend(figures(graphs=few)).graph == ""
    assert not recommend(figures(graphs=few)).graph_choices


def test_networks_need_more_graphs():
    graphs = Graphs(sentences=500, nodes=20_000, arcs=21_000, multi_headed=1_000, projective=250)
    advice = recommend(figures(graphs=graphs))
    assert (advice.graph, advice.best_graph, advice.graph_choices) == ("dag-covington", "dag-covington", ())
    assert str(advice).endswith("; for the graph: dag-covington")


def test_graphs_without_trees():
    graphs = Graphs(sentences=5_000, nodes=20_000, arcs=21_000, multi_headed=1_000, projective=500)
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
        assert suitable_parser(sentences, **options)[0] == "covington"
    assert suitable_parser(sentences, no=1)[0] == "carreras-npa", "whose error then says what is wrong"
