"""Levels: nested below, crossing apart, and no higher than that needs."""

from hypothesis import given
from hypothesis import strategies as st

from crossarc.draw.layout import levels
from crossarc.draw.picture import Arc, mark_crossing
from crossarc.draw.rails import draw_rails, heights, single_rails, tree_rails

spans = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(lambda s: s[0] != s[1]).map(lambda s: (min(s), max(s))),
    max_size=25,
)


def overlap(one, other):
    return one[0] < other[1] and other[0] < one[1]


def touch(one, other):
    return one[0] <= other[1] and other[0] <= one[1]


@given(spans)
def test_nested_spans_lie_below_and_overlapping_ones_apart(arcs):
    level = levels(arcs)
    for i, one in enumerate(arcs):
        for j, other in enumerate(arcs[:i]):
            if overlap(one, other):
                assert level[i] != level[j]
                if one[0] <= other[0] and other[1] <= one[1] and one != other:
                    assert level[i] > level[j]


@given(spans)
def test_a_level_is_used_only_when_the_one_below_is_barred(arcs):
    level = levels(arcs)
    for i, one in enumerate(arcs):
        if level[i] > 1:
            assert any(overlap(one, other) and level[j] == level[i] - 1 for j, other in enumerate(arcs))


@given(spans)
def test_without_shared_ends_no_two_spans_meet_on_a_level(arcs):
    level = levels(arcs, share_ends=False)
    for i, one in enumerate(arcs):
        assert not any(touch(one, other) and level[i] == level[j] for j, other in enumerate(arcs[:i]))


def test_a_projective_tree_needs_no_more_levels_than_it_is_deep():
    assert levels([(1, 2), (2, 5), (3, 4), (3, 5)]) == [1, 3, 1, 2]
    assert levels([]) == []
    assert levels([(1, 9), (1, 9)]) == [1, 2]


arcs = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 12)), max_size=12, unique_by=lambda arc: arc[1])


@given(arcs, st.sampled_from([1, 30]))
def test_no_two_rails_share_a_cell(pairs, most):
    """Whatever the heads, cycles and loops included."""
    found = mark_crossing([Arc(head, dependent, "x") for head, dependent in pairs])
    rails = tree_rails(found, 13, most)
    for i, rail in enumerate(rails):
        assert not any(rail.level == other.level and touch(rail.span, other.span) for other in rails[:i])
    lines = draw_rails(rails, 13)
    depth = max((rail.level for rail in rails), default=0)
    assert [len(line) for line in lines] == [2 * depth] * 12
    # One arrow for each arc that has a rail, in the line of its dependent.
    for place in range(1, 13):
        expected = sum(arc.dependent == place and arc.head not in (0, place) for arc in found)
        assert sum(cell.character == "►" for cell in lines[place - 1]) == expected


@given(arcs)
def test_side_rails_have_an_arrow_for_each_arc(pairs):
    rails = single_rails([Arc(head, dependent, "x", extra=True) for head, dependent in pairs])
    text = "".join(cell.character for line in draw_rails(rails, 13, mirrored=True) for cell in line)
    assert text.count("◄") == len(rails)


def test_heights_end_on_cycles():
    assert heights([Arc(2, 1, ""), Arc(1, 2, ""), Arc(0, 3, ""), Arc(3, 4, "")], 5) == [2, 5, 5, 1, 0]
