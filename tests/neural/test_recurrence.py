"""Recurrent layers over batches against a plain loop over each sentence."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.neural.encoder import Batch
from crossarc.neural.kernels import Panels, recur, recur_back, rows_before

lengths = st.lists(st.integers(1, 9), min_size=1, max_size=7)


def starts_of(sizes):
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def plain(sums, recurrent, *, backwards):
    """The outputs and cells of one sentence, given the sums over its input."""
    size = len(recurrent)
    hidden, cell = np.zeros(size), np.zeros(size)
    outputs, cells = np.zeros((len(sums), size)), np.zeros((len(sums), size))
    for step in reversed(range(len(sums))) if backwards else range(len(sums)):
        gates = sums[step] + hidden @ recurrent
        enter, forget, output, candidate = np.split(gates, 4)
        cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(candidate)
        hidden = sigmoid(output) * np.tanh(cell)
        outputs[step], cells[step] = hidden, cell
    return outputs, cells


def run(sums, recurrent, starts, *, backwards):
    """The outputs and cells of all nodes by `recur`."""
    batch = Batch(starts)
    gates, hidden = sums[batch.rows], np.empty((len(sums), len(recurrent)), dtype=sums.dtype)
    cells = recur(gates, Panels(recurrent), batch.steps, hidden, backwards=backwards)
    return hidden[batch.places], cells[batch.places]


@pytest.mark.parametrize("backwards", [False, True])
@given(sizes=lengths, size=st.integers(1, 20), seed=st.integers(0, 100))
def test_a_batch_equals_a_loop_over_its_sentences(sizes, size, backwards, seed):
    rng = np.random.default_rng(seed)
    starts = starts_of(sizes)
    sums, recurrent = 2 * rng.standard_normal((int(starts[-1]), 4 * size)), rng.standard_normal((size, 4 * size))
    hidden, cells = run(sums, recurrent, starts, backwards=backwards)
    single, _ = run(sums.astype(np.float32), recurrent.astype(np.float32), starts, backwards=backwards)
    for begin, end in itertools.pairwise(starts):
        expected = plain(sums[begin:end], recurrent, backwards=backwards)
        assert np.allclose(hidden[begin:end], expected[0], rtol=0, atol=1e-12)
        assert np.allclose(cells[begin:end], expected[1], rtol=0, atol=1e-12)
        assert np.allclose(single[begin:end], expected[0], rtol=0, atol=2e-3)


@pytest.mark.parametrize("backwards", [False, True])
@given(sizes=lengths, seed=st.integers(0, 100))
def test_a_sentence_is_the_same_in_any_batch(sizes, backwards, seed):
    rng = np.random.default_rng(seed)
    starts = starts_of(sizes)
    sums = rng.standard_normal((int(starts[-1]), 4 * 13)).astype(np.float32)
    recurrent = rng.standard_normal((13, 4 * 13)).astype(np.float32)
    hidden, cells = run(sums, recurrent, starts, backwards=backwards)
    for begin, end in itertools.pairwise(starts):
        alone = run(sums[begin:end], recurrent, starts_of([end - begin]), backwards=backwards)
        assert np.array_equal(alone[0], hidden[begin:end])
        assert np.array_equal(alone[1], cells[begin:end])


@pytest.mark.parametrize("backwards", [False, True])
@given(sizes=lengths)
def test_rows_before(sizes, backwards):
    starts = starts_of(sizes)
    batch = Batch(starts)
    values = np.arange(1, int(starts[-1]) + 1, dtype=np.float64)[:, None]
    found = rows_before(values[batch.rows], batch.steps, backwards=backwards)[batch.places][:, 0]
    for begin, end in itertools.pairwise(starts):
        own = values[begin:end, 0].tolist()
        assert found[begin:end].tolist() == ([*own[1:], 0] if backwards else [0, *own[:-1]])


def test_outputs_can_be_columns_of_a_larger_array():
    rng = np.random.default_rng(1)
    batch, recurrent = Batch(starts_of([3, 5])), Panels(rng.standard_normal((4, 16)))
    sums = rng.standard_normal((8, 16))
    both, alone = np.full((8, 8), 9.0), np.empty((8, 4))
    recur(sums.copy(), recurrent, batch.steps, both[:, 4:])
    recur(sums.copy(), recurrent, batch.steps, alone)
    assert np.array_equal(both[:, 4:], alone)
    assert (both[:, :4] == 9).all()


def test_extreme_sums_stay_finite():
    for kind in (np.float32, np.float64):
        sums = np.tile(np.array([1e4, -1e4, 300, -300], dtype=kind), (6, 1))
        hidden = np.empty((6, 1), dtype=kind)
        cells = recur(sums, Panels(np.full((1, 4), 50, dtype=kind)), np.arange(7, dtype=np.int64), hidden)
        assert np.isfinite(cells).all()
        assert np.isfinite(hidden).all()
        assert (np.abs(hidden) <= 1).all()


def test_no_sentences():
    steps = np.zeros(1, dtype=np.int64)
    assert recur(np.zeros((0, 8)), Panels(np.zeros((2, 8))), steps, np.zeros((0, 2))).shape == (0, 2)
    recur_back(np.zeros((0, 8)), Panels(np.zeros((8, 2))), steps, np.zeros((0, 2)), np.zeros((0, 2)))


BAD_STEPS = [[], [0], [0, 2], [1, 4], [0, 1, 4], [0, 3, 3, 4], [0, 5, 4], [0, 2, 1, 4], [0, -1, 4], [0, 2**62, 4]]


@pytest.mark.parametrize("steps", BAD_STEPS, ids=str)
def test_steps_that_lead_out_of_the_arrays_are_refused(steps):
    steps = np.array(steps, dtype=np.int64)
    with pytest.raises(ValueError, match=r"fit each other|ordered by step"):
        recur(np.zeros((4, 8)), Panels(np.zeros((2, 8))), steps, np.zeros((4, 2)))
    with pytest.raises(ValueError, match=r"fit each other|ordered by step"):
        recur_back(np.zeros((4, 8)), Panels(np.zeros((8, 2))), steps, np.zeros((4, 2)), np.zeros((4, 2)))


def test_arrays_that_do_not_fit_are_refused():
    steps = np.array([0, 2, 4], dtype=np.int64)
    gates, weights, rows = np.zeros((4, 8)), np.zeros((2, 8)), np.zeros((4, 2))
    for wrong in (
        (gates, weights, rows[:3]),
        (gates, weights, np.zeros((4, 3))),
        (gates, weights, rows.astype(np.float32)),
        (gates, weights.astype(np.float32), rows),
        (gates, weights.T, rows),
        (gates[:, :7], weights, rows),
        (gates[:, :4], weights, np.zeros((4, 1))),
        (gates[:, ::2], np.zeros((1, 4)), np.zeros((4, 1))),
        (gates, weights, np.zeros((4, 4))[:, ::2]),
        (np.zeros(8), weights, rows),
    ):
        with pytest.raises(ValueError, match=r"fit|contiguous|matri"):
            recur(wrong[0], Panels(wrong[1]), steps, wrong[2])
    for wrong in ((rows[:3], rows), (rows, rows[:3]), (rows.astype(np.float32), rows), (rows, rows.astype(np.float32))):
        with pytest.raises(ValueError, match=r"fit|mismatch"):
            recur_back(gates, Panels(weights.T), steps, *wrong)
    with pytest.raises(TypeError):
        recur(gates, None, steps, rows)
    with pytest.raises(TypeError):
        recur(gates, Panels(weights), None, rows)
    with pytest.raises(ValueError, match="fit"):
        rows_before(rows[:3], steps)
