from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc.errors import UnknownName
from crossarc.evaluation import PROPERTIES, break_down, confusions, evaluate, pair_trees


def counts(score):
    return score.gold, score.recalled, score.system, score.precise


def test_labels_by_hand(tree):
    gold = [tree("a/2/subj b/0/root c/2/obj d/2/obj")]
    system = [tree("a/2/obj b/0/root c/2/obj d/3/obj")]
    (labels,) = break_down(pair_trees(gold, system), ["label"])
    assert counts(labels["obj"].labelled) == (2, 1, 3, 1)
    assert counts(labels["obj"].unlabelled) == (2, 1, 3, 2)
    assert counts(labels["subj"].labelled) == (1, 0, 0, 0)
    assert labels["subj"].labelled.precision is None
    assert labels["obj"].labelled.f1 == pytest.approx(40.0)
    assert [row.name for row in labels.rows] == ["obj", "root", "subj"]
    (confusion,) = confusions(pair_trees(gold, system))
    assert (confusion.gold, confusion.system, confusion.count, confusion.right_head) == ("subj", "obj", 1, 1)


def test_lengths_and_depths_by_hand(tree):
    gold = [tree("a/0/r b/1/x c/1/x d/1/x e/1/x f/1/x g/1/x h/1/x i/1/x")]
    system = [tree("a/0/r b/1/x c/2/x d/3/x e/4/x f/5/x g/6/x h/7/x i/8/x")]
    lengths, depths, sizes = break_down(pair_trees(gold, system), ["length", "depth", "size"])
    expected = {"root": (1, 1, 1, 1), "1": (1, 1, 8, 1), "2": (1, 0, 0, 0), "3-6": (4, 0, 0, 0), "7+": (2, 0, 0, 0)}
    assert {row.name: counts(row.labelled) for row in lengths.rows} == expected
    expected = {"1": (1, 1, 1, 1), "2": (8, 1, 1, 1), **dict.fromkeys("3456", (0, 0, 1, 0)), "7+": (0, 0, 3, 0)}
    assert {row.name: counts(row.labelled) for row in depths.rows} == expected
    assert [row.name for row in sizes.rows] == ["1-10"]


@pytest.mark.parametrize(
    ("n", "name"), [(1, "1-10"), (10, "1-10"), (11, "11-20"), (50, "41-50"), (51, "51+"), (99, "51+")]
)
def test_sizes(tree, n, name):
    gold = [tree(" ".join(f"w/{k}/x" for k in range(n)))]
    (sizes,) = break_down(pair_trees(gold, gold), ["size"])
    assert [(row.name, row.labelled.gold) for row in sizes.rows] == [(name, n)]


def test_crossing_and_projectivity_by_hand(tree):
    gold = [tree("a/3/x b/4/x c/0/r d/3/x")]
    crossing, projectivity = break_down(pair_trees(gold, gold), ["crossing", "projectivity"])
    assert counts(crossing["crossing"].labelled) == (2, 2, 2, 2)
    assert counts(projectivity["non-projective"].labelled) == (1, 1, 1, 1)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["all", "none"]))
def test_bins_add_up(random_pair, seed, punctuation):
    gold, system = random_pair(seed)
    pair = pair_trees(gold, system, punctuation=punctuation)
    scores = evaluate(gold, system, punctuation=punctuation).scores
    for breakdown in break_down(pair, PROPERTIES):
        assert sum(row.labelled.gold for row in breakdown.rows) == scores.words
        assert sum(row.labelled.recalled for row in breakdown.rows) == scores.right
        assert sum(row.unlabelled.recalled for row in breakdown.rows) == scores.right_heads
        if breakdown.name in ("label", "upos", "size"):
            assert sum(row.labelled.precise for row in breakdown.rows) == scores.right
    (projectivity,) = break_down(pair, ["projectivity"])
    for row in projectivity.rows:
        if row.name == "non-projective":
            assert row.labelled == scores.non_projective
    wrong = Counter()
    for ours, theirs in zip(gold, system, strict=True):
        for form, a, b in zip(ours.forms[1:], ours.deprels[1:], theirs.deprels[1:], strict=True):
            if a != b and (punctuation == "all" or form not in ("!", "«»")):
                wrong[a, b] += 1
    assert {(each.gold, each.system): each.count for each in confusions(pair)} == wrong


def test_unknown_names_are_listed(tree):
    pair = pair_trees([tree("a/0/r")], [tree("a/0/r")])
    with pytest.raises(UnknownName, match="did you mean 'length'"):
        break_down(pair, ["lenght"])
    with pytest.raises(UnknownName, match="bin of label"):
        break_down(pair, ["label"])[0]["obj"]
