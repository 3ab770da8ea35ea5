"""Two analyses of the same words in one picture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.draw import diff_svg, diff_text
from crossarc.draw.picture import comparison_of
from crossarc.errors import AlignmentError
from draw.sketches import CROSSING, EMPTY_NODE, ONE, SECOND_HEADS, sketch
from helpers import sentences, trees

GOLD = sketch("We/PRON/2/nsubj saw/VERB/0/root a/DET/4/det hawk/NOUN/2/obj with/ADP/6/case stripes/NOUN/4/nmod")
SYSTEM = sketch("We/PRON/2/obj saw/VERB/0/root a/DET/4/det hawk/NOUN/2/obj with/ADP/6/case stripes/NOUN/2/obl")


def test_text():
    assert diff_text(GOLD, SYSTEM) == (
        "  ┌►──── 1 We      PRON ~ nsubj → obj\n"
        "●─┼───── 2 saw     VERB   root        ─┐\n"
        "  │ ┌►── 3 a       DET    det          │\n"
        "  └►┼─── 4 hawk    NOUN   obj          │\n"
        "    │ ┌► 5 with    ADP    case         │\n"
        "    └▻┴─ 6 stripes NOUN - nmod        ◄┘ + obl ← 2"
    )


def test_svg():
    svg = diff_svg(GOLD, SYSTEM)
    assert 'class="arc missed"><title>nmod: stripes ← hawk (missed: only in gold)</title>' in svg
    assert 'class="arc wrong"><title>obl: stripes ← saw (wrong: only in the system&#39;s)</title>' in svg
    assert ">− nmod<" in svg
    assert ">+ obl<" in svg
    assert ">nsubj → obj<" in svg
    assert "stroke-dasharray:9 3 2 3" in svg
    assert "stroke-dasharray:3 3" in svg


def statuses(gold, system):
    return sorted(
        (arc.status, arc.extra, arc.label) for arc in comparison_of(gold, system).arcs if arc.status != "same"
    )


def test_missing_heads_and_roots():
    headless = sketch("We/PRON/_/_ saw/VERB/0/root")
    rooted = sketch("We/PRON/0/root saw/VERB/1/x")
    assert statuses(headless, rooted) == [("missed", False, "root"), ("wrong", False, "root"), ("wrong", False, "x")]


def test_graphs_are_compared_beyond_the_trees():
    other = sketch(
        "Birds/NOUN/2/nsubj/2:nsubj|3:obj sing/VERB/0/root/0:root and/CCONJ/4/cc/4:cc fly/VERB/2/conj/0:top|2:conj:and"
    )
    assert statuses(SECOND_HEADS, other) == [
        ("missed", True, "nsubj"),
        ("relabelled", True, "root → top"),
        ("wrong", True, "obj"),
    ]


def test_a_tree_parser_misses_no_graph():
    plain = sketch("I/PRON/2/nsubj drink/VERB/0/root tea/NOUN/2/obj you/PRON/2/conj milk/NOUN/4/orphan")
    assert statuses(EMPTY_NODE, plain) == []
    assert [node.id for node in comparison_of(plain, EMPTY_NODE).nodes] == ["0", "1", "2", "3", "4", "4.1", "5"]


@given(sentences(max_size=7), st.data())
def test_each_arc_of_either_is_accounted_for(gold, data):
    n = len(gold)
    system = gold.replace(heads=data.draw(trees(min_size=n, max_size=n)))
    arcs = [arc for arc in comparison_of(gold, system).arcs if not arc.extra]
    of_gold = sorted((arc.dependent, arc.head) for arc in arcs if arc.status != "wrong")
    of_system = sorted((arc.dependent, arc.head) for arc in arcs if arc.status != "missed")
    assert of_gold == list(enumerate(gold.heads.tolist()))[1:]
    assert of_system == list(enumerate(system.heads.tolist()))[1:]
    assert not comparison_of(gold, gold).differs


def test_other_words_are_refused():
    with pytest.raises(AlignmentError, match="'talk-7' has 6 words in gold and 1 in"):
        diff_text(CROSSING, ONE)
    with pytest.raises(AlignmentError, match="word 4 is 'now' in gold and 'soon'"):
        diff_text(CROSSING, CROSSING.replace(forms=["", "A", "talk", "starts", "soon", "on", "owls"]))
