"""The oracle command: derivations as the papers print them."""

import pytest

from crossarc.cli.oracle import derivation_table, derivations, graph_derivation_table
from crossarc.errors import CrossarcError, UnknownName
from crossarc.parsers.presets import preset_names
from crossarc.transitions import GRAPH_SYSTEMS, SYSTEMS
from crossarc.treebank import Sentence
from helpers import tree

NAMES = [*SYSTEMS, *GRAPH_SYSTEMS, *preset_names("moves")]


@pytest.mark.parametrize("name", NAMES)
def test_every_parser_prints_a_derivation(name, example):
    table = next(derivations(str(example), name, ["1"]))
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert table.rows[0][0] == table.rows[0][-1] == ""


def test_steps_show_stack_buffer_and_arc():
    sentence = tree([-1, 2, 0], ["", "nsubj", "root"], ["", "She", "left"])
    table = derivation_table(sentence, "arc-hybrid", "1")
    assert table.columns == ["Move", "Stack", "Buffer", "Arc"]
    assert table.rows == [
        ["", "[ROOT]", "[She, left]", ""],
        ["SHIFT", "[ROOT, She]", "[left]", ""],
        ["LEFT-ARC", "[ROOT]", "[left]", "left -nsubj-> She"],
        ["SHIFT", "[ROOT, left]", "[]", ""],
        ["RIGHT-ARC", "[ROOT]", "[]", "ROOT -root-> left"],
    ]
    assert table.note == "4 moves: the tree is rebuilt"


def test_what_is_left_to_the_end_is_told():
    sentence = tree([-1, 2, 0], ["", "nsubj", "root"], ["", "She", "left"])
    assert derivation_table(sentence, "planar", "1").note == "3 moves, then ROOT -root-> left: the tree is rebuilt"
    crossing = tree([-1, 3, 4, 0, 3])
    assert derivation_table(crossing, "arc-eager", "1").note.endswith("1 head cannot be built")


def test_a_pseudo_projective_preset_shows_what_it_learns(tmp_path):
    crossing = tree([-1, 3, 4, 0, 3], ["", "det", "nsubj", "root", "obl"])
    path = tmp_path / "t.conllu"
    path.write_bytes(crossing.raw)
    (plain,) = derivations(str(path), "arc-eager")
    (lifted,) = derivations(str(path), "arc-eager-pp")
    assert plain.note.endswith("1 head cannot be built")
    assert lifted.note.endswith("the tree is rebuilt")
    assert any("↑" in row[-1] for row in lifted.rows)
    with pytest.raises(UnknownName, match="arc-eager-pp"):
        list(derivations(str(path), "arc-eager-ppp"))


def test_links_have_no_direction():
    table = derivation_table(tree([-1, 2, 0], ["", "nsubj", "root"], ["", "She", "left"]), "covington-naive", "1")
    assert [row[-1] for row in table.rows if row[0] == "ARC"] == ["She -nsubj- left", "ROOT -root- left"]
    assert table.columns == ["Move", "List 1", "List 2", "Buffer", "Arc"]


def graph(forms, deps):
    return Sentence.from_columns(forms=["", *forms.split()], deps=["", *deps.split()])


def test_a_word_that_is_attached_keeps_its_place():
    """Sagae and Tsujii (2008), Figure 2 (a): after LEFT-ATTACH both words stay on the stack."""
    table = graph_derivation_table(graph("quite often away", "2:x|3:y 3:z 0:root"), "dag-standard", "1")
    assert table.columns == ["Move", "Stack", "Buffer", "Arc"]
    assert table.rows[2:] == [
        ["SHIFT", "[ROOT, quite, often]", "[away]", ""],
        ["LEFT-ATTACH", "[ROOT, quite, often]", "[away]", "often -x-> quite"],
        ["SHIFT", "[ROOT, quite, often, away]", "[]", ""],
        ["LEFT-REDUCE", "[ROOT, quite, away]", "[]", "away -z-> often"],
        ["LEFT-REDUCE", "[ROOT, away]", "[]", "away -y-> quite"],
        ["RIGHT-REDUCE", "[ROOT]", "[]", "ROOT -root-> away"],
    ]
    assert table.note == "7 moves: the graph is rebuilt"


def test_a_word_that_is_attached_to_the_left_returns_to_the_buffer():
    """Figure 2 (b): the middle word finds its own head only because the last word is back in the buffer."""
    table = graph_derivation_table(graph("tries hiding things", "0:root 1:a 1:b|2:c"), "dag-standard", "1")
    assert table.rows[3:] == [
        ["SHIFT", "[ROOT, tries, hiding, things]", "[]", ""],
        ["RIGHT-ATTACH", "[ROOT, tries, hiding]", "[things]", "hiding -c-> things"],
        ["RIGHT-REDUCE", "[ROOT, tries]", "[things]", "tries -a-> hiding"],
        ["SHIFT", "[ROOT, tries, things]", "[]", ""],
        ["RIGHT-REDUCE", "[ROOT, tries]", "[]", "tries -b-> things"],
        ["RIGHT-REDUCE", "[ROOT]", "[]", "ROOT -root-> tries"],
    ]


def test_arcs_that_a_system_makes_at_once():
    sentence = graph("tries hiding things", "0:root 1:a 1:b|1:d|2:c")
    eager = graph_derivation_table(sentence, "dag-eager", "1")
    assert [row[-1] for row in eager.rows if row[-1]][2:] == [
        "hiding -c-> things",
        "tries -b-> things",
        "tries -d-> things",
    ]
    lists = graph_derivation_table(sentence, "dag-covington", "1")
    assert lists.columns == ["Move", "List 1", "List 2", "Buffer", "Arc"]
    assert ["NO-ARC", "[ROOT, tries]", "[hiding]", "[things]", ""] in lists.rows
    assert {eager.note[-20:], lists.note[-20:]} == {"the graph is rebuilt"}


@pytest.mark.parametrize("name", GRAPH_SYSTEMS)
def test_crossing_arcs_and_cycles(name):
    crossing = graph("a b c d", "0:root 1:x 1:x 1:x|2:y")
    note = graph_derivation_table(crossing, name, "1").note
    assert note.endswith("the graph is rebuilt") == (name == "dag-covington")
    assert ("cannot be built" in note) == (name != "dag-covington")
    cyclic = graph("a b", "0:root|2:x 1:y")
    assert "cannot" not in graph_derivation_table(cyclic, name, "1").note


def test_words_without_a_head_are_told():
    note = graph_derivation_table(graph("a b", "0:root _"), "dag-covington", "1").note
    assert note == "3 moves, then a -?-> b: 1 arc is not in the graph"


def test_graphs_that_cannot_be_printed(tmp_path):
    path = tmp_path / "graphs.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(CrossarcError, match=r"graphs.conllu:1: .*no graph; choose a system for trees"):
        list(derivations(str(path), "dag-eager"))
    path.write_text("1\ta\t_\t_\t_\t_\t0\troot\t0:root\t_\n1.1\tb\t_\t_\t_\t_\t_\t_\t1:x\t_\n\n")
    with pytest.raises(CrossarcError, match=r"graphs.conllu:1: .*empty nodes; crossarc transform encode-graphs"):
        list(derivations(str(path), "dag-eager"))


def test_errors(example, malformed):
    with pytest.raises(UnknownName, match=r"two-planar.*dag-standard"):
        list(derivations(str(example), "two-plane"))
    with pytest.raises(CrossarcError, match="no sentence 'x'"):
        list(derivations(str(example), "swap", ["x"]))
    with pytest.raises(CrossarcError, match=r"cycle.conllu:\d+: sentence .*cycle"):
        list(derivations(str(malformed / "cycle.conllu"), "swap"))
