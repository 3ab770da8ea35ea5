from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from crossarc.errors import StructureError
from crossarc.evaluation import paired_bootstrap, paired_t_test, randomised_p, score_intervals
from crossarc.evaluation.significance import incomplete_beta, t_tails

SENTENCES = st.lists(
    st.integers(1, 20).flatmap(lambda n: st.tuples(st.integers(0, n), st.integers(0, n), st.just(n))),
    min_size=2,
    max_size=30,
)


def columns(rows):
    return tuple(np.array(column) for column in zip(*rows, strict=True))


@settings(deadline=None)
@given(SENTENCES, st.integers(0, 5))
def test_p_values_do_not_depend_on_the_order_of_systems(rows, seed):
    a, b, _ = columns(rows)
    p = randomised_p(a, b, shuffles=500, seed=seed)
    assert p == randomised_p(b, a, shuffles=500, seed=seed)
    assert p == randomised_p(a, b, shuffles=500, seed=seed)
    assert 0 < p <= 1


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=10))
def test_randomised_p_approaches_the_exact_one(gaps):
    signs = np.array(list(itertools.product((-1, 1), repeat=len(gaps))))
    sums = np.abs(signs @ np.array(gaps))
    exact = float((sums >= abs(sum(gaps))).mean())
    shuffles = 20_000
    p = randomised_p([max(-gap, 0) for gap in gaps], [max(gap, 0) for gap in gaps], shuffles=shuffles)
    assert abs(p - exact) < 5 * math.sqrt(0.25 / shuffles) + 1 / shuffles


def test_equal_systems_have_p_one():
    assert randomised_p([3, 4], [3, 4]) == 1.0
    assert paired_t_test([3, 4], [3, 4], [5, 5]).p == 1.0
    assert paired_bootstrap([3, 4], [3, 4], [5, 5]).p == 1.0


def test_p_is_never_zero():
    assert randomised_p([0] * 60, [9] * 60, shuffles=99) == 0.01


@settings(deadline=None)
@given(SENTENCES)
def test_t_test_equals_scipy(rows):
    a, b, total = columns(rows)
    gaps = b / total - a / total
    if gaps.std() < 1e-12:
        return
    ours, theirs = paired_t_test(a, b, total), stats.ttest_rel(b / total, a / total)
    assert ours.t == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
    assert ours.df == len(rows) - 1
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-8, abs=1e-15)


def test_t_test_of_a_constant_difference_is_certain():
    result = paired_t_test([1, 1, 1], [2, 2, 2], [4, 4, 4])
    assert (result.t, result.p) == (math.inf, 0.0)


def test_t_test_needs_two_sentences():
    assert paired_t_test([1], [2], [4]).p == 1.0
    assert paired_t_test([], [], []).p == 1.0
    assert paired_t_test([1, 0], [2, 0], [4, 0]).df == 0


@pytest.mark.parametrize("df", [1, 2, 3, 10, 100, 5_000, 200_000])
@pytest.mark.parametrize("t", [0.0, 1e-6, 0.1, 1.0, 1.96, 5.0, 12.0, -3.0])
def test_tails_of_t(t, df):
    assert t_tails(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-8, abs=1e-300)


@settings(deadline=None)
@given(st.floats(0.01, 300), st.floats(0.01, 300), st.floats(0, 1, allow_subnormal=False))
def test_incomplete_beta(a, b, x):
    assert incomplete_beta(a, b, x) == pytest.approx(special.betainc(a, b, x), rel=1e-7, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(SENTENCES, st.integers(0, 5))
def test_bootstrap_is_seeded_and_mirrored(rows, seed):
    a, b, total = columns(rows)
    forth = paired_bootstrap(a, b, total, resamples=300, seed=seed)
    assert forth == paired_bootstrap(a, b, total, resamples=300, seed=seed)
    assert forth.low <= forth.high
    assert forth.difference == pytest.approx(100 * (b.sum() - a.sum()) / total.sum())


def test_bootstrap_equals_drawing_sentences():
    rng = np.random.default_rng(5)
    total = rng.integers(5, 40, 200)
    a, b = rng.binomial(total, 0.8), rng.binomial(total, 0.83)
    ours = paired_bootstrap(a, b, total, resamples=20_000, seed=1)
    drawn = rng.integers(0, 200, (20_000, 200))
    naive = 100 * (b - a)[drawn].sum(1) / total[drawn].sum(1)
    low, high = np.quantile(naive, [0.025, 0.975])
    assert ours.low == pytest.approx(low, abs=0.06)
    assert ours.high == pytest.approx(high, abs=0.06)


@pytest.mark.parametrize(
    "call",
    [
        lambda: randomised_p([1], [1, 2]),
        lambda: randomised_p([1], [1], shuffles=0),
        lambda: paired_t_test([1, math.nan], [1, 2], [3, 3]),
        lambda: paired_bootstrap([1], [1], [1], confidence=1.5),
        lambda: paired_bootstrap([[1]], [[1]], [[1]]),
    ],
)
def test_bad_counts_are_refused(call):
    with pytest.raises(StructureError):
        call()


@pytest.mark.parametrize(
    ("a", "b", "total", "words"),
    [
        ([1, 2], [2, 1], [3, 1], "2 are right of 1 in sentence 2"),
        ([-1, 2], [2, 1], [3, 3], "must be 0, or numbers from 1e-09 to 1e\\+15"),
        ([1, 1e308], [1, 0], [1, 1.5e308], "must be 0, or numbers"),
        ([5e-324, 1], [0, 1], [5e-324, 1], "must be 0, or numbers"),
        ([1, math.nan], [1, 1], [1, 1], "must be finite"),
    ],
)
def test_what_is_no_count_is_refused(a, b, total, words):
    with pytest.raises(StructureError, match=words):
        paired_bootstrap(a, b, total)
    with pytest.raises(StructureError, match=words):
        paired_t_test(a, b, total)
    with pytest.raises(StructureError, match=words):
        score_intervals(total, a, total, b)
