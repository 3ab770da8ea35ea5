"""Weights while they are learned and packed, against a dictionary that does the same in the plainest way."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.learning.scorers import PackedWeights, Weights

ACTIONS = 20
KEYS = st.integers(1, 40).map(lambda key: key * 0x9E3779B97F4A7C15 % 2**64)
UPDATES = st.lists(
    st.tuples(st.lists(KEYS, min_size=1, max_size=6, unique=True), st.lists(st.integers(0, ACTIONS - 1), max_size=25)),
    max_size=25,
)


def learn(updates, cut):
    """The weights after some steps, and what they should be: the average of each over all steps from its change on."""
    weights = Weights(ACTIONS, cut)
    plain = defaultdict(float)
    met: dict[int, set[int]] = defaultdict(set)
    for now, (keys, actions) in enumerate(updates, 1):
        weights.now = now
        for number, action in enumerate(actions):
            step = 1.0 + number / 4
            weights.add(np.array(keys, dtype=np.uint64), action, step)
            for key in keys:
                met[key].add(now)
                if len(met[key]) >= cut:
                    plain[key, action] += step * (1 - (now - 1) / len(updates))
    return weights, plain


@given(UPDATES, st.integers(1, 3))
def test_packed_weights_are_averages(updates, cut):
    weights, plain = learn(updates, cut)
    packed = weights.pack()
    unit = packed.unit
    again = PackedWeights.from_arrays(packed.to_arrays(), ACTIONS)
    for key in {key for keys, _ in updates for key in keys} | {12345}:
        expected = np.array([plain.get((key, action), 0.0) for action in range(ACTIONS)])
        for table in (packed, again):
            got = table.scores(np.array([key], dtype=np.uint64)) * unit
            assert np.allclose(got, expected, atol=0.51 * unit)


@given(UPDATES, UPDATES, st.integers(1, 3))
def test_learning_goes_on_from_arrays(before, after, cut):
    """What was written and read back learns on to the same bytes."""
    weights, _ = learn(before, cut)
    again = Weights.from_arrays(weights.to_arrays(), ACTIONS, cut)
    for table in (weights, again):
        for keys, actions in after:
            table.now += 1
            for action in actions:
                table.add(np.array(keys, dtype=np.uint64), action, 0.5)
    for name, array in again.pack().to_arrays().items():
        assert np.array_equal(array, weights.pack().to_arrays()[name])


@given(UPDATES)
def test_unpacked_weights_are_those_packed(updates):
    packed = learn(updates, cut=1)[0].pack()
    weights = Weights.of(ACTIONS + 3, packed.unpack())
    for key in {key for keys, _ in updates for key in keys}:
        one = np.array([key], dtype=np.uint64)
        again = weights.pack()
        assert np.allclose(again.scores(one)[:ACTIONS] * again.unit, packed.scores(one) * packed.unit, atol=packed.unit)


@given(UPDATES)
def test_scores_add_up_over_keys(updates):
    weights, _ = learn(updates, cut=1)
    packed = weights.pack()
    keys = np.array(sorted({key for each, _ in updates for key in each}), dtype=np.uint64)
    each = [packed.scores(keys[i : i + 1]) for i in range(len(keys))]
    assert np.array_equal(packed.scores(keys), np.sum(each, axis=0) if each else np.zeros(ACTIONS))
    assert len(packed) <= len(weights) <= len(keys)


def test_pruning_leaves_small_weights_out():
    weights = Weights(3, cut=1)
    strong, weak = np.array([[2**63 + 1], [2**62 + 1]], dtype=np.uint64)
    weights.add(strong, 0, 100.0)
    weights.add(weak, 1, 1.0)
    weights.now = 1
    assert len(weights.pack(0.005)) == 2
    packed = weights.pack(0.02)
    assert len(packed) == 1
    assert not packed.scores(weak).any()


def test_nothing_learned():
    weights = Weights(4)
    packed = weights.pack()
    unit = packed.unit
    assert unit == 1.0
    assert len(weights) == len(packed) == 0
    assert not packed.scores(np.array([1, 2, 3], dtype=np.uint64)).any()
    assert not packed.scores(np.zeros(0, dtype=np.uint64)).any()


def test_what_is_refused():
    weights = Weights(4)
    for keys, action in (([1], 4), ([1], -1), ([0], 1)):
        with pytest.raises(ValueError, match="no action"):
            weights.add(np.array(keys, dtype=np.uint64), action, 1.0)
    with pytest.raises(ValueError, match="512 are the most"):
        weights.pack().scores(np.ones(513, dtype=np.uint64))


def test_many_rows_with_many_actions():
    """Rows move when they grow, the table doubles, full rows become dense: nothing gets lost."""
    actions, keys = 300, np.arange(1, 60_001, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    weights = Weights(actions, cut=1)
    weights.add(keys, 7, 2.0)
    for action in range(actions):
        weights.add(keys[: action + 1], action, 1.0)
    weights.now = 1
    packed = weights.pack()
    unit = packed.unit
    assert len(packed) == len(weights) == 60_000
    assert 0 < len(packed.rows) < 400
    for place in (0, 1, 150, 298, 299, 300, 59_999):
        expected = np.array([float(place <= action) for action in range(actions)])
        expected[7] += 2
        assert np.allclose(packed.scores(keys[place : place + 1]) * unit, expected, atol=unit)


@pytest.mark.parametrize("lower", [0, 1, 0x80000000, 0xFFFFFFFF])
def test_keys_of_one_bucket(lower):
    """What does not fit its bucket is found behind it, from the last one on at the front; others are not found."""
    keys = (np.arange(1, 41, dtype=np.uint64) << np.uint64(32)) | np.uint64(lower)
    weights = Weights(3, cut=1)
    for number, key in enumerate(keys[:30]):
        weights.add(np.array([key]), number % 3, 1.0 + number)
    weights.now = 1
    packed = weights.pack()
    assert len(packed) == 30
    for number, key in enumerate(keys):
        expected = np.zeros(3)
        expected[number % 3] = 1.0 + number if number < 30 else 0
        assert np.allclose(packed.scores(np.array([key])) * packed.unit, expected, atol=packed.unit)


@pytest.mark.parametrize("actions", [1, 8, 31, 32, 33, 75, 432])
def test_rows_of_all_sizes_are_added(actions):
    """Rows of few actions, and dense ones, of which many are added at once: whole numbers, so that nothing is lost."""
    random = np.random.default_rng(actions)
    weights = Weights(actions, 1)
    weights.now = 1
    keys = random.integers(1, 2**64 - 1, 60, dtype=np.uint64)
    for number, key in enumerate(keys):
        for action in random.permutation(actions)[: actions if number % 2 else 1 + actions // 20]:
            weights.add(np.array([key]), action, float(random.normal()))
    packed = weights.pack(averaged=False)
    single = [packed.scores(keys[k : k + 1]) for k in range(len(keys))]
    assert any(len(np.flatnonzero(row)) == actions for row in single)
    for some in (1, 2, 7, 60):
        chosen = random.permutation(len(keys))[:some]
        assert (packed.scores(keys[chosen]) == np.sum([single[k] for k in chosen], axis=0)).all()
