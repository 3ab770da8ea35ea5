from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc.errors import AlignmentError, UnknownName
from crossarc.evaluation import compare, evaluate


@pytest.fixture
def three(tree):
    gold = [tree("a/2/x b/0/r c/2/y d/2/z"), tree("a/2/x b/0/r"), tree("a/0/r b/1/x c/1/x"), tree("a/0/r")]
    first = [tree("a/2/x b/0/r c/2/y d/3/z"), tree("a/0/x b/1/r"), tree("a/0/r b/1/y c/1/x"), tree("a/0/r")]
    second = [tree("a/2/x b/0/r c/1/y d/1/z"), tree("a/2/x b/0/r"), tree("a/0/r b/1/y c/1/x"), tree("a/0/r")]
    return gold, first, second


def test_wins_ties_and_oracle_by_hand(three):
    result = compare(*three, metric="uas", worst=5)
    uas = result.differences["uas"]
    # Right heads by sentence: A 3, 0, 3, 1 and B 2, 2, 3, 1, of 4, 2, 3, 1.
    assert (uas.a, uas.b, uas.difference) == (70.0, 80.0, 10.0)
    assert (uas.wins_a, uas.wins_b, uas.ties, uas.sentences) == (1, 1, 2, 4)
    assert (uas.share_a, uas.share_b, uas.share_ties) == (25.0, 25.0, 50.0)
    assert (uas.oracle, uas.oracle_gain, uas.oracle_gain_over_a) == (90.0, 10.0, 20.0)
    assert [(each.number, each.correct_a, each.correct_b, each.total) for each in result.differing] == [
        (2, 0, 2, 2),
        (1, 3, 2, 4),
    ]
    assert result.a.uas == 70.0
    assert result.chosen is uas
    assert not result.is_worse()


def test_as_dict_names_everything(three):
    found = compare(*three, metric="lem").to_dict()
    assert set(found["differences"]) == {"las", "uas", "lem"}
    assert found["differences"]["las"]["bootstrap"]["low"] <= found["differences"]["las"]["bootstrap"]["high"]
    assert found["setting"]["punctuation"] == "all"


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_properties(random_pair, seed):
    gold, a = random_pair(seed)
    forth = compare(gold, a, gold, shuffles=200)
    back = compare(gold, gold, a, shuffles=200)
    for name in ("las", "uas"):
        one, other = forth.differences[name], back.differences[name]
        assert one.p == other.p
        assert one.difference == -other.difference
        assert one.oracle == other.oracle == 100.0
        assert (one.wins_a, one.wins_b, one.ties) == (other.wins_b, other.wins_a, other.ties)
        assert one.wins_a + one.wins_b + one.ties == one.sentences
    assert forth.a.las == evaluate(gold, a).las
    same = compare(gold, a, a, shuffles=50).chosen
    assert (same.p, same.t_test.p, same.ties, same.oracle) == (1.0, 1.0, same.sentences, same.a)


def test_worse_is_noticed(tree):
    gold = [tree("a/2/x b/0/r c/2/x")] * 40
    worse = [tree("a/0/x b/1/r c/2/x")] * 40
    assert compare(gold, gold, worse).is_worse()
    assert not compare(gold, worse, gold).is_worse()


def test_unknown_metric(three):
    with pytest.raises(UnknownName, match="las"):
        compare(*three, metric="bleu")


def test_each_system_is_aligned(three, tree):
    gold, first, _ = three
    with pytest.raises(AlignmentError):
        compare(gold, first, [tree("x/0/r")])
