"""Pictures as SVG: valid XML whatever the words, labels that hide nothing, rows that can be followed."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.draw import diff_svg, to_svg
from crossarc.draw.picture import Arc, Node, Picture, picture_of
from crossarc.draw.rows import arrange, is_upright, label_of
from crossarc.draw.svg import svg_of
from crossarc.errors import UnknownName
from draw.sketches import BROKEN, CROSSING, EMPTY_NODE, EVERY, HEBREW, SECOND_HEADS
from helpers import sentences, tree

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg):
    return ElementTree.fromstring(svg)


def titles(svg):
    return [group.findtext(f"{SVG}title") for group in parsed(svg).iter(f"{SVG}g")]


def words(svg):
    return [(text.text, float(text.get("x"))) for text in parsed(svg).iter(f"{SVG}text") if text.get("class") == "form"]


@pytest.mark.parametrize("sentence", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("width", [None, 200])
def test_valid_and_the_same_every_time(sentence, width):
    svg = to_svg(sentence, width=width)
    assert svg == to_svg(sentence, width=width)
    root = parsed(svg)
    assert root.findtext(f"{SVG}title")
    assert not any(element.get("id") for element in root.iter())


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4), st.text(max_size=5))
def test_any_text_gives_valid_xml(forms, label):
    nodes = (Node("0", ""), *(Node(str(i), form, (label,)) for i, form in enumerate(forms, 1)))
    arcs = (Arc(0, 1, label), *(Arc(1, i, label, status="missed") for i in range(2, len(nodes))))
    parsed(svg_of(Picture(label, " ".join(forms), nodes, arcs), width=150, legend=True))


@given(sentences(max_size=9), st.sampled_from([None, 150, 400, 960]))
def test_every_arc_is_drawn(sentence, width):
    picture = picture_of(sentence)
    drawn = [
        element for element in parsed(svg_of(picture, width=width)).iter(f"{SVG}path") if element.get("class") == "tip"
    ]
    assert len(drawn) == len(picture.arcs)  # each arrow head once, in the row of its dependent


@given(sentences(max_size=9), st.sampled_from([None, 150, 400, 960]))
def test_labels_and_words_keep_their_distance(sentence, width):
    rows = arrange(picture_of(sentence), width)
    assert [place for row in rows for place in row.places] == list(range(1, len(sentence) + 1))
    for row in rows:
        centres = [row.centres[place] for place in row.places]
        assert centres == sorted(centres)
        boxes = [
            (piece.arc.below, piece.level, piece.label_at - label_of(piece.label) / 2, label_of(piece.label))
            for piece in row.pieces
        ]
        for i, (below, level, x, length) in enumerate(boxes):
            assert x >= -1e-6
            assert x + length <= row.width + 1e-6
            for other_below, other_level, other_x, other_length in boxes[:i]:
                if (below, level) == (other_below, other_level):
                    assert x + length <= other_x or other_x + other_length <= x
        lines = [
            (piece.arc.below, piece.level, piece.start, piece.end) for piece in row.pieces if not is_upright(piece)
        ]
        for i, (below, level, start, end) in enumerate(lines):
            assert start < end
            for other in lines[:i]:
                assert (below, level) != other[:2] or end < other[2] or other[3] < start


def test_arcs_say_what_they_are():
    assert set(titles(to_svg(CROSSING))) == {
        "det: A ← talk",
        "nsubj: talk ← starts",
        "root: starts ← root",
        "advmod: now ← starts",
        "case: on ← owls",
        "nmod: owls ← talk (crossing)",
    }
    assert "nsubj: Birds ← fly (in the graph only)" in titles(to_svg(SECOND_HEADS))


def test_labels_stand_on_a_patch_of_the_ground_in_any_program():
    """Programs that know no `paint-order` draw an outline over the letters, so labels must have none."""
    svg = to_svg(CROSSING)
    assert "paint-order" not in svg
    assert not re.search(r"\.label\{[^}]*stroke", svg)
    for group in parsed(svg).iter(f"{SVG}g"):
        line, patch, label = (group.find(f"{SVG}{name}") for name in ("path", "rect", "text"))
        order = list(group)
        assert patch.get("class") == "ground"
        assert order.index(line) < order.index(patch) < order.index(label)
        left, width = float(patch.get("x")), float(patch.get("width"))
        assert left < float(label.get("x")) - label_of(label.text) / 2
        assert float(label.get("x")) + label_of(label.text) / 2 < left + width


def test_crossing_and_extra_arcs_differ_in_more_than_colour():
    svg = to_svg(CROSSING)
    (cross,) = [group for group in parsed(svg).iter(f"{SVG}g") if "cross" in group.get("class").split()]
    assert cross.find(f"{SVG}circle") is not None
    assert ".cross .line{stroke-width:2px;stroke-dasharray" in svg
    assert sum("extra" in group.get("class") for group in parsed(to_svg(EMPTY_NODE)).iter(f"{SVG}g")) == 3


def test_right_to_left_sentences_start_at_the_right():
    placed = words(to_svg(HEBREW))
    assert [form for form, _ in placed] == list(HEBREW.forms[1:])
    assert [x for _, x in placed] == sorted((x for _, x in placed), reverse=True)


def test_arcs_between_rows_name_their_other_end():
    svg = to_svg(CROSSING, width=220)
    far = [text.text for text in parsed(svg).iter(f"{SVG}text") if (text.get("class") or "").startswith("far")]
    assert "owls 6 →" in far
    assert "← talk 2" in far
    ids = [text.text for text in parsed(svg).iter(f"{SVG}text") if text.get("class") == "id"]
    assert ids == [str(number) for number in range(1, 7)]
    assert not [text for text in parsed(to_svg(CROSSING)).iter(f"{SVG}text") if text.get("class") == "id"]


def test_width_is_kept():
    sentence = tree([-1, 0, *range(1, 300)])
    root = parsed(to_svg(sentence, width=700))
    assert float(root.get("width")) <= 700
    assert float(parsed(to_svg(sentence, width=None)).get("width")) > 5000


def test_options():
    assert 'class="label"' not in to_svg(CROSSING, labels=False)
    assert 'class="tag"' not in to_svg(CROSSING, tags=())
    assert "prefers-color-scheme" in to_svg(CROSSING)
    assert "prefers-color-scheme" not in to_svg(CROSSING, theme="dark")
    with pytest.raises(UnknownName, match="theme 'drak'"):
        to_svg(CROSSING, theme="drak")


def test_very_long_words_are_cut_and_kept_in_the_title():
    sentence = tree([-1, 0], forms=["", "x" * 100])
    assert words(to_svg(sentence))[0][0] == "x" * 39 + "…"
    assert f"<title>{'x' * 100}</title>" in to_svg(sentence)


def test_nothing_to_draw():
    empty = parsed(svg_of(Picture("", "", (Node("0", ""),), ())))
    assert list(empty.iter(f"{SVG}path")) == []
    parsed(diff_svg(BROKEN, BROKEN))


def test_a_notebook_shows_the_picture():
    assert CROSSING._repr_html_() == to_svg(CROSSING)
