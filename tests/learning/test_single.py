"""Weights of features that have one each, against the averages that they are made of."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.errors import ModelError
from crossarc.learning.scorers import GREATEST, SingleWeights, Weights

# No two of these have the same check.
KEYS = st.integers(1, 200).map(lambda key: key * 0xD1B54A32D192ED03 % 2**64)
SIZES = st.integers(-32, 32).map(lambda size: size / 8)
STEPS = st.lists(st.tuples(st.lists(KEYS, min_size=1, max_size=20, unique=True), SIZES), max_size=25)


def learned(steps):
    weights = Weights(1, cut=1)
    for keys, step in steps:
        weights.now += 1
        weights.add(np.array(keys, dtype=np.uint64), 0, step)
    return weights


def averages(weights):
    """The average weight of each key."""
    keys, bounds, _, values = weights.averages()
    sums = [float(values[begin:end].sum()) for begin, end in pairwise(bounds)]
    return dict(zip(keys.tolist(), sums, strict=True))


@given(STEPS)
def test_scores_are_averages(steps):
    weights = learned(steps)
    expected = averages(weights)
    single = SingleWeights.of(weights.averages())
    again = SingleWeights.from_arrays(single.to_arrays("x."), "x.")
    packed = weights.pack()
    assert len(single) == len(again) <= len(weights)
    for key in [*expected, 12345]:
        one = np.array([key], dtype=np.uint64)
        for table in (single, again, packed):
            assert table.scores(one)[0] * table.unit == pytest.approx(expected.get(key, 0.0), abs=0.51 * table.unit)
    keys = np.array([*expected, 12345], dtype=np.uint64)
    assert single.scores(keys)[0] == sum(single.scores(keys[k : k + 1])[0] for k in range(len(keys)))


@given(STEPS)
def test_unpacked_weights_are_those_packed(steps):
    single = SingleWeights.of(learned(steps).averages())
    again = SingleWeights.of(Weights.of(1, single.unpack(), 1).averages(False))
    keys = single.unpack()[0]
    assert sorted(again.unpack()[0].tolist()) == sorted(keys.tolist())
    for key in keys:
        one = np.array([key])
        assert again.scores(one)[0] * again.unit == pytest.approx(single.scores(one)[0] * single.unit, rel=1e-4)


def test_many_keys_of_one_bucket():
    """What does not fit its bucket is found behind it; other keys are not found."""
    for lower in (0, 1, 0x80000000, 0xFFFFFFFF):
        keys = (np.arange(1, 41, dtype=np.uint64) << np.uint64(32)) | np.uint64(lower)
        weights = Weights(1, cut=1)
        for number, key in enumerate(keys[:30]):
            weights.add(np.array([key]), 0, 1.0 + number)
        weights.now = 1
        single = SingleWeights.of(weights.averages())
        for number, key in enumerate(keys):
            expected = 1.0 + number if number < 30 else 0.0
            assert single.scores(np.array([key]))[0] * single.unit == pytest.approx(expected, abs=single.unit)


def test_keys_that_cannot_be_told_apart():
    """Keys of one bucket whose upper halves fold to the same: the first has its weight for both, and is kept once."""
    first, other = 0x0003_0005_0000_0001, 0x0005_0003_0000_0001
    rows = np.array([first, other], dtype=np.uint64), np.arange(3), np.zeros(2, dtype=np.int32), np.array([1.0, -0.5])
    single = SingleWeights.of(rows)
    assert [float(single.scores(np.array([key], dtype=np.uint64))[0] * single.unit) for key in (first, other)] == [1, 1]
    assert single.unpack()[0].tolist() == [first]


@given(st.lists(st.integers(1, 2**64 - 1), min_size=1, max_size=300, unique=True))
def test_keys_come_back(keys):
    """All bits of a key are kept, wherever it is; most keys are told apart."""
    rows = np.array(keys, dtype=np.uint64), np.arange(len(keys) + 1), np.zeros(len(keys)), np.ones(len(keys))
    single = SingleWeights.of(rows)
    assert set(single.unpack()[0].tolist()) <= set(keys)
    assert len(single) == len(set(single.unpack()[0].tolist()))
    assert single.scores(rows[0])[0] * single.unit == pytest.approx(len(keys))


def test_few_other_keys_are_found():
    """Of random keys without a weight, fewer than one in a thousand meet the check of another."""
    keys = np.random.default_rng(1).integers(1, 2**64, 60_000, dtype=np.uint64)
    known, unknown = keys[:20_000], keys[20_000:]
    single = SingleWeights.of((known, np.arange(len(known) + 1), np.zeros(len(known)), np.ones(len(known))))
    assert len(single) > 0.999 * len(known)
    met = sum(single.scores(unknown[begin : begin + 500])[0] for begin in range(0, len(unknown), 500)) * single.unit
    assert met < 0.001 * len(unknown)


def test_small_weights_are_left_out():
    weights = Weights(1, cut=1)
    weights.add(np.array([2**63 + 1], dtype=np.uint64), 0, 100.0)
    weights.add(np.array([2**62 + 1], dtype=np.uint64), 0, 1.0)
    weights.now = 1
    assert len(SingleWeights.of(weights.averages(), 0.005)) == 2
    assert len(SingleWeights.of(weights.averages(), 0.02)) == 1


def test_nothing_learned():
    single = SingleWeights.of(Weights(1).averages())
    assert len(single) == 0
    assert not single.scores(np.array([1, 2, 3], dtype=np.uint64)).any()
    assert len(single.unpack()[0]) == 0


def test_what_is_refused():
    single = SingleWeights.of(learned([([2**40 + k for k in range(9)], 1.0)]).averages())
    buckets, keys = single.buckets, single.keys
    full, great = buckets.copy(), buckets.copy()
    full[:, -1] = 1
    great[0, -2] = -GREATEST - 1
    faults = [
        (full, keys, 1.0),
        (great, keys, 1.0),
        (buckets[:0], keys, 1.0),
        (buckets[:, 1:].copy(), keys, 1.0),
        *((buckets.astype(dtype), keys, 1.0) for dtype in (np.uint16, np.int32, np.int64)),
        (buckets.reshape(-1), keys, 1.0),
        (buckets, keys.astype(np.int64), 1.0),
        (buckets, keys[None], 1.0),
        (buckets, keys[:, 1:], 1.0),
        *((buckets, keys, unit) for unit in (0.0, -1.0, np.inf, np.nan)),
    ]
    for fault in faults:
        with pytest.raises(ValueError):  # noqa: PT011 the text of some is that of numpy
            SingleWeights(*fault)
    with pytest.raises(ModelError, match="not those of its weights"):
        SingleWeights(buckets, keys[1:], 1.0).unpack()
