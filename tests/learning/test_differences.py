"""Differences of features against dictionaries that do the same in the plainest way."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.learning.learners import Differences
from crossarc.learning.scorers import Weights

ACTIONS = 5
VECTORS = 3
KEYS = st.integers(1, 30).map(lambda key: key * 0x9E3779B97F4A7C15 % 2**64)
PARTS = st.lists(
    st.tuples(
        st.lists(KEYS, max_size=8),
        st.integers(0, ACTIONS - 1),
        st.integers(0, VECTORS - 1),
        st.sampled_from([-1.0, 1.0]),
    ),
    max_size=20,
)


@given(PARTS, PARTS, st.integers(1, 2))
def test_products_and_weights(first, second, cut):
    """What cancels is not a change, what comes twice counts twice, and rare features neither change nor count."""
    differences, weights = Differences(VECTORS), Weights(ACTIONS, cut)
    expected: dict[int, np.ndarray] = defaultdict(lambda: np.zeros(ACTIONS))
    met: dict[int, int] = defaultdict(int)
    steps = np.array([0.5, 0.25, 2.0])
    for parts in (first, second):
        weights.now += 1
        vectors: dict[tuple[int, int], np.ndarray] = defaultdict(lambda: np.zeros(VECTORS))
        for keys, action, vector, value in parts:
            for key in keys:
                vectors[key, action][vector] += value
        vectors = {feature: row for feature, row in vectors.items() if row.any()}
        for key in {key for key, _ in vectors}:
            met[key] += 1
        vectors = {(key, action): row for (key, action), row in vectors.items() if met[key] >= cut}
        for (key, action), row in vectors.items():
            expected[key][action] += steps @ row
        arrays = [(np.array(keys, dtype=np.uint64), *rest) for keys, *rest in parts]
        products = differences.learn(weights, arrays, steps)
        assert products == pytest.approx(sum(np.outer(row, row) for row in vectors.values()) + np.zeros((3, 3)))
    for key, row in expected.items():
        assert weights.scores(np.array([key], dtype=np.uint64)) == pytest.approx(row)


def test_many_features():
    """More than there is room for at first, twice."""
    differences, weights = Differences(), Weights(2, 1)
    keys = np.arange(1, 50_001, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for count in (50_000, 10_000):
        weights.now += 1
        assert differences.learn(weights, [(keys[:count], 1, 0, 1.0)], [0.5]) == pytest.approx(np.array([[count]]))
    assert weights.scores(keys[:1])[1] == 1.0
    assert weights.scores(keys[-1:])[1] == 0.5
    assert len(weights) == 50_000


def test_bad_parts():
    with pytest.raises(ValueError, match="no action 2"):
        Differences().learn(Weights(2), [(np.ones(1, dtype=np.uint64), 2, 0, 1.0)], [1.0])
    with pytest.raises(ValueError, match="1 to 2 vectors"):
        Differences(2).learn(Weights(2), [], [1.0, 1.0, 1.0])
