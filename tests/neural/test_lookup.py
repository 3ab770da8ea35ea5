"""Rows of tables, rows that occur several times, and Adam, against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.neural.kernels import adam, distinct_rows, spread_rows, square_sum, sum_rows

KINDS = [np.float32, np.float64]


@given(st.integers(0, 60), st.integers(0, 4), st.integers(1, 6), st.integers(0, 100))
def test_distinct_rows(count, size, values, seed):
    rows = np.random.default_rng(seed).integers(-1, values, (count, size)).astype(np.int32)
    firsts, same = distinct_rows(rows)
    numbers = {}
    expected = [numbers.setdefault(tuple(row), len(numbers)) for row in rows.tolist()]
    assert same.tolist() == expected
    assert len(firsts) == len(numbers)
    assert firsts.tolist() == [expected.index(number) for number in range(len(numbers))]
    assert np.array_equal(rows[firsts][same], rows)


def test_many_distinct_rows():
    rows = np.arange(20_000, dtype=np.int32)[:, None] * np.array([1, 65_536], dtype=np.int32)
    firsts, same = distinct_rows(np.concatenate([rows, rows]))
    assert np.array_equal(firsts, np.arange(20_000))
    assert np.array_equal(same, np.tile(np.arange(20_000), 2))


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(0, 20), st.integers(0, 5), st.integers(1, 9), st.integers(0, 19), st.integers(0, 100))
def test_sums_of_rows_and_their_gradients(kind, count, parts, rows, width, seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((rows, width)).astype(kind)
    numbers = rng.integers(-2, rows, (count, parts)).astype(np.int32)
    out = np.full((count, width + 3), 9, dtype=kind)
    sum_rows(table, numbers, out[:, 1 : 1 + width])
    expected = np.zeros((count, width), dtype=kind)
    for row, place in np.argwhere(numbers >= 0):
        expected[row] += table[numbers[row, place]]
    assert np.array_equal(out[:, 1 : 1 + width], expected)
    assert (out[:, 0] == 9).all()
    assert (out[:, 1 + width :] == 9).all()
    gradient, start = (np.ones((rows, width), dtype=kind) for _ in range(2))
    touched = np.zeros(rows, dtype=np.uint8)
    spread_rows(gradient, numbers, out[:, 1 : 1 + width], touched)
    for row, place in np.argwhere(numbers >= 0):
        start[numbers[row, place]] += expected[row]
    assert np.array_equal(gradient, start)
    assert set(np.flatnonzero(touched).tolist()) == {number for number in numbers.reshape(-1).tolist() if number >= 0}


def test_numbers_of_rows_can_be_columns_of_a_larger_array():
    table, out = np.eye(4), np.empty((2, 4))
    numbers = np.array([[9, 0, 9, 1], [9, 2, 9, -1]], dtype=np.int32)
    sum_rows(table, numbers[:, 1::2], out)
    assert out.tolist() == [[1, 1, 0, 0], [0, 0, 1, 0]]


def test_rows_that_are_not_there_are_refused():
    table, out = np.ones((3, 2)), np.zeros((1, 2))
    marks = np.zeros(3, dtype=np.uint8)
    for number in (3, 2**31 - 1):
        numbers = np.array([[number]], dtype=np.int32)
        with pytest.raises(ValueError, match="no such row"):
            sum_rows(table, numbers, out)
        with pytest.raises(ValueError, match="no such row"):
            spread_rows(table, numbers, out, marks)
    one = np.zeros((1, 1), dtype=np.int32)
    with pytest.raises(ValueError, match="no such row"):
        sum_rows(np.zeros((0, 2)), one, out)
    for wrong in (np.zeros((2, 2)), np.zeros((1, 3)), np.zeros((1, 2), dtype=np.float32), np.zeros((1, 4))[:, ::2]):
        with pytest.raises(ValueError, match="do not fit"):
            sum_rows(table, one, wrong)
        with pytest.raises(ValueError, match="do not fit"):
            spread_rows(table, one, wrong, marks)
    with pytest.raises(ValueError, match="do not fit"):
        sum_rows(np.ones(3), one, out)
    with pytest.raises(ValueError, match="has a mark"):
        spread_rows(table, one, out, marks[:2])
    with pytest.raises(ValueError, match="contiguous"):
        sum_rows(np.ones((3, 4))[:, ::2], one, out)
    for call in (
        lambda: sum_rows(table, None, out),
        lambda: spread_rows(table, one, out, None),
        lambda: distinct_rows(None),
    ):
        with pytest.raises(TypeError):
            call()


def plain_adam(weights, gradient, mean, square, scale, rate, beta1, beta2, floor):
    """One step, as the paper writes it."""
    gradient = gradient * scale
    mean = beta1 * mean + (1 - beta1) * gradient
    square = beta2 * square + (1 - beta2) * gradient**2
    return weights - rate * mean / (np.sqrt(square) + floor), mean, square


HOW = (0.7, 0.01, 0.9, 0.98, 1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("marked", [False, True])
@given(st.integers(1, 9), st.integers(1, 19), st.integers(0, 100))
def test_adam(kind, marked, rows, width, seed):
    rng = np.random.default_rng(seed)
    arrays = [rng.standard_normal((rows, width)).astype(kind) for _ in range(4)]
    arrays[3] = np.abs(arrays[3])
    before = [each.copy() for each in arrays]
    marks = rng.integers(0, 2, rows).astype(np.uint8) if marked else None
    adam(*arrays, *HOW, marks)
    moved = np.flatnonzero(marks) if marked else np.arange(rows)
    tolerance = 1e-5 if kind == np.float32 else 1e-12
    weights, mean, square = plain_adam(*(each.astype(np.float64) for each in before), *HOW)
    for found, expected, old in zip(
        (arrays[0], *arrays[2:]), (weights, mean, square), (before[0], *before[2:]), strict=True
    ):
        assert np.allclose(found[moved], expected[moved], rtol=tolerance, atol=tolerance)
        left = np.setdiff1d(np.arange(rows), moved)
        assert np.array_equal(found[left], old[left])
    assert (arrays[1][moved] == 0).all()
    expected = (before[1].astype(np.float64)[moved] ** 2).sum()
    assert square_sum(before[1], marks) == pytest.approx(expected, rel=1e-12)


def test_adam_takes_any_shape_and_nothing():
    for shape in [(), (3,), (2, 3, 4), (0, 4), (4, 0)]:
        arrays = [np.ones(shape) for _ in range(4)]
        adam(*arrays, *HOW)
        assert (arrays[1] == 0).all()
    adam(*(np.zeros((0, 4)) for _ in range(4)), *HOW, np.zeros(0, dtype=np.uint8))
    adam(*(np.zeros((4, 0)) for _ in range(4)), *HOW, np.ones(4, dtype=np.uint8))
    assert square_sum(np.zeros((4, 0)), np.ones(4, dtype=np.uint8)) == 0


def test_what_adam_cannot_move_is_refused():
    good = [np.ones((4, 3)) for _ in range(4)]
    for place in range(4):
        for wrong in (np.ones((4, 2)), np.ones((4, 3), dtype=np.float32), np.ones((3, 4)).T):
            arrays = [*good]
            arrays[place] = wrong
            with pytest.raises(ValueError, match="do not fit each other"):
                adam(*arrays, *HOW)
    for marks in (3, 5, 12):
        with pytest.raises(ValueError, match="has a mark"):
            adam(*good, *HOW, np.ones(marks, dtype=np.uint8))
        with pytest.raises(ValueError, match="has a mark"):
            square_sum(good[0], np.ones(marks, dtype=np.uint8))
