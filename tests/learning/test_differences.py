"""Differences of features against dictionaries that do the same in the plainest way."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.learning.learners import Differences
from crossarc.learning.scorers import Weights

ACTIONS = 5
KEYS = st.integers(1, 30).map(lambda key: key * 0x9E3779B97F4A7C15 % 2**64)
PARTS = st.lists(
    st.tuples(
        st.lists(KEYS, max_size=8),
        st.integers(0, ACTIONS - 1),
        st.sampled_from([-1.0, 1.0]),
    ),
    max_size=20,
)


@given(PARTS, PARTS, st.integers(1, 2))
def test_norms_and_weights(first, second, cut):
    """What cancels is not a change, what comes twice counts twice, and rare features neither change nor count."""
    differences, weights = Differences(), Weights(ACTIONS, cut)
    expected: dict[int, np.ndarray] = defaultdict(lambda: np.zeros(ACTIONS))
    met: dict[int, int] = defaultdict(int)
    step = 0.5
    for parts in (first, second):
        weights.now += 1
        values: dict[tuple[int, int], float] = defaultdict(float)
        for keys, action, value in parts:
            for key in keys:
                values[key, action] += value
        values = {feature: value for feature, value in values.items() if value}
        for key in {key for key, _ in values}:
            met[key] += 1
        values = {(key, action): value for (key, action), value in values.items() if met[key] >= cut}
        for (key, action), value in values.items():
            expected[key][action] += step * value
        arrays = [(np.array(keys, dtype=np.uint64), *rest) for keys, *rest in parts]
        norm = differences.learn(weights, arrays, step)
        assert norm == pytest.approx(sum(value * value for value in values.values()))
    for key, row in expected.items():
        assert weights.scores(np.array([key], dtype=np.uint64)) == pytest.approx(row)


def test_many_features():
    """More than there is room for at first, twice."""
    differences, weights = Differences(), Weights(2, 1)
    keys = np.arange(1, 50_001, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for count in (50_000, 10_000):
        weights.now += 1
        assert differences.learn(weights, [(keys[:count], 1, 1.0)], 0.5) == pytest.approx(count)
    assert weights.scores(keys[:1])[1] == 1.0
    assert weights.scores(keys[-1:])[1] == 0.5
    assert len(weights) == 50_000


def test_bad_parts():
    with pytest.raises(ValueError, match="no action 2"):
        Differences().learn(Weights(2), [(np.ones(1, dtype=np.uint64), 2, 1.0)], 1.0)
