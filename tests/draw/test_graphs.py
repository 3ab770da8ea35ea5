"""Graphs with several arcs between two words, with cycles, and without a tree."""

import pytest
from hypothesis import given

from crossarc.draw import to_svg, to_text
from crossarc.draw.picture import Arc, additional_arcs, comparison_of, picture_of
from crossarc.draw.rows import arrange
from crossarc.errors import StructureError
from crossarc.treebank import Graph, read_string
from draw.sketches import EVERY, GRAPH_ONLY, PARALLEL, SECOND_HEADS
from helpers import sentences


def inner_before_outer(picture, labels=True):
    """Check that arcs between the same two words are nested: whichever is lower has both its feet inside."""
    for row in arrange(picture, None, labels=labels):
        for one in row.pieces:
            for other in row.pieces:
                same = one.arc.span == other.arc.span and one.arc.below == other.arc.below
                if same and one.level < other.level and 0 < one.arc.span[0] < one.arc.span[1]:
                    assert other.start < one.start < one.end < other.end


@pytest.mark.parametrize("name", EVERY)
def test_arcs_between_two_words_are_nested(name):
    inner_before_outer(picture_of(EVERY[name]))


@given(sentences(max_size=5))
def test_arcs_between_two_words_are_nested_in_any_graph(sentence):
    inner_before_outer(picture_of(sentence))
    inner_before_outer(picture_of(sentence.replace(heads=[-1] * (len(sentence) + 1))), labels=False)


@given(sentences(max_size=5))
def test_each_arc_of_a_graph_has_its_label(sentence):
    """An arc is drawn for each label of the graph, except one that is the tree's or refines it."""
    shown = [(arc.head, arc.dependent, arc.label) for arc in picture_of(sentence).arcs]
    tree = {(int(head), word): sentence.deprels[word] for word, head in enumerate(sentence.heads) if word}
    assert len(shown) == len(set(shown))
    assert shown[: len(tree)] == [(head, word, label) for (head, word), label in tree.items()]
    for head, word, label in sentence.graph:
        refined = label.startswith(tree.get((head, word), "\0") + ":")
        assert (head, word, label) in shown or refined


def test_one_refined_label_stands_for_the_tree():
    tree = [Arc(2, 1, "obl")]
    assert additional_arcs([Arc(2, 1, "obl:in"), Arc(2, 1, "obl:on")], tree) == [Arc(2, 1, "obl:on", extra=True)]
    assert additional_arcs([Arc(2, 1, "obl:in"), Arc(2, 1, "obl")], tree) == [Arc(2, 1, "obl:in", extra=True)]
    assert additional_arcs([Arc(2, 1, "oblique")], tree) == [Arc(2, 1, "oblique", extra=True)]


def test_the_terminal_names_all_arcs():
    assert to_text(PARALLEL).split("\n") == [
        "  ┌► 1 it    PRON nsubj ◄┬┄┬┄┐   obj ← 2",
        "●─┼─ 2 rests VERB root  ┄┴◄┴◄┴┄┐ back ← 1, dep ← 1, self ← 2",
        "  └► 3 at    ADP  obl   ┄┄┄┄┄┄◄┘ obl:to ← 2",
    ]


def test_a_graph_without_a_tree_names_the_heads():
    assert to_text(GRAPH_ONLY).split("\n") == [
        "  ┌►┬► 1 she   PRON a ← 2, b ← 2, c ← 4",
        "●─┼►┼─ 2 sat   VERB root ← 0, d ← 4",
        "  ├►┼─ 3 and   X    e ← 4",
        "●─┴─┴► 4 slept VERB f ← 2, g ← 2, root ← 0",
        "?───── 5 .     X",
    ]
    assert "←" not in to_text(SECOND_HEADS).split("\n")[2]


@pytest.mark.parametrize("name", ["parallel arcs", "graph without tree"])
def test_pictures_show_every_label(name):
    svg = to_svg(EVERY[name])
    for _, _, label in EVERY[name].graph:
        assert f">{label}" in svg or label == "obl:at"


@pytest.mark.parametrize("treeless", ["gold", "system"])
def test_graphs_are_compared_if_one_side_has_no_tree(treeless):
    bare = SECOND_HEADS.replace(heads=[-1] * 5, deprels=["_"] * 5)
    other = Graph.from_arcs("01234", [(2, 1, "nsubj"), (0, 2, "root"), (4, 3, "cc"), (2, 4, "conj"), (0, 4, "root")])
    pair = (bare, SECOND_HEADS) if treeless == "gold" else (SECOND_HEADS, bare)
    assert not comparison_of(*pair).differs
    picture = comparison_of(pair[0], pair[1].replace(graph=other))
    assert {(arc.head, arc.dependent, arc.label, arc.status) for arc in picture.arcs if arc.status != "same"} == {
        (4, 1, "nsubj", "missed"),
        (2, 4, "conj:and → conj", "relabelled"),
    }


def test_a_head_beyond_the_sentence_is_refused_with_its_place():
    sentence = next(
        iter(read_string("# sent_id = a\n1\tHi\t_\t_\t_\t_\t0\troot\t_\t_\n2\tyou\t_\t_\t_\t_\t9\tdep\t_\t_\n\n"))
    )
    for draw in (to_svg, to_text, picture_of, lambda one: comparison_of(one, one)):
        with pytest.raises(
            StructureError, match=r"^<input>:3: sentence 'a': word 2 has the head 9, but there are 2 words"
        ):
            draw(sentence)
