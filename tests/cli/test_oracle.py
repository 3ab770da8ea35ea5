"""The oracle command: derivations as the papers print them."""

import pytest

from crossarc.cli.oracle import derivation_table, derivations
from crossarc.errors import CrossarcError, UnknownName
from crossarc.transitions import SYSTEMS
from helpers import tree

NAMES = [*SYSTEMS, "planar-naive", "planar-label", "two-planar-label", "covington-naive"]


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


def test_links_have_no_direction():
    table = derivation_table(tree([-1, 2, 0], ["", "nsubj", "root"], ["", "She", "left"]), "covington-naive", "1")
    assert [row[-1] for row in table.rows if row[0] == "ARC"] == ["She -nsubj- left", "ROOT -root- left"]
    assert table.columns == ["Move", "List 1", "List 2", "Buffer", "Arc"]


def test_errors(example, malformed):
    with pytest.raises(UnknownName, match="two-planar"):
        list(derivations(str(example), "two-plane"))
    with pytest.raises(CrossarcError, match="no sentence 'x'"):
        list(derivations(str(example), "swap", ["x"]))
    with pytest.raises(CrossarcError, match=r"cycle.conllu:\d+: sentence .*cycle"):
        list(derivations(str(malformed / "cycle.conllu"), "swap"))
