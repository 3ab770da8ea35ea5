"""Products of matrices: right, and the same bits for a row whatever the other rows are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.neural.kernels import Panels, multiply, transposed

KINDS = [np.float32, np.float64]
sizes = st.integers(0, 40) | st.sampled_from([1, 15, 16, 17, 31, 33, 239, 240, 241, 250])
seeds = st.integers(0, 1000)


def matrix(rows, columns, kind, seed):
    return np.random.default_rng(seed).standard_normal((rows, columns)).astype(kind)


def close(found, expected, inner):
    """Whether a product is as exact as its type allows."""
    tolerance = 1e-5 if found.dtype == np.float32 else 1e-13
    return np.allclose(found, expected, rtol=0, atol=tolerance * (inner + 1))


@pytest.mark.parametrize("kind", KINDS)
@given(m=sizes, n=sizes, k=sizes, seed=seeds)
def test_products_equal_those_of_numpy(kind, m, n, k, seed):
    left, right = matrix(m, k, kind, seed), matrix(k, n, kind, seed + 1)
    expected = left.astype(np.float64) @ right.astype(np.float64)
    found = multiply(left, Panels(right))
    assert found.dtype == kind
    assert found.shape == (m, n)
    assert close(found, expected, k)
    turned = Panels(np.ascontiguousarray(right.T), transposed=True)
    assert (turned.rows, turned.columns) == (k, n)
    assert np.array_equal(multiply(left, turned), found)
    start = matrix(m, n, kind, seed + 2)
    added = start.copy()
    assert multiply(left, Panels(right), added, add=True) is added
    assert np.array_equal(added, start + found)


@pytest.mark.parametrize("kind", KINDS)
@given(m=st.integers(1, 30), n=st.integers(1, 40), k=st.integers(0, 40), seed=seeds)
def test_outputs_and_inputs_can_be_columns_of_larger_arrays(kind, m, n, k, seed):
    wide, right = matrix(m, k + 5, kind, seed), matrix(k, n, kind, seed + 1)
    out = np.full((m, n + 7), 9, dtype=kind)
    multiply(wide[:, 2 : 2 + k], Panels(right), out[:, 3 : 3 + n])
    assert np.array_equal(out[:, 3 : 3 + n], multiply(wide[:, 2 : 2 + k].copy(), Panels(right)))
    assert (out[:, :3] == 9).all()
    assert (out[:, 3 + n :] == 9).all()
    upwards = np.empty((m, n), dtype=kind)
    multiply(wide[::-1, 2 : 2 + k], Panels(right), upwards[::-1])
    assert np.array_equal(upwards, out[:, 3 : 3 + n])


@pytest.mark.parametrize("kind", KINDS)
@given(m=st.integers(1, 300), n=st.integers(1, 40), k=st.integers(1, 60), data=st.data())
def test_a_row_is_the_same_whatever_rows_stand_beside_it(kind, m, n, k, data):
    left, right = matrix(m, k, kind, 1), Panels(matrix(k, n, kind, 2))
    whole = multiply(left, right)
    begin = data.draw(st.integers(0, m - 1))
    end = data.draw(st.integers(begin + 1, m))
    assert np.array_equal(multiply(left[begin:end], right), whole[begin:end])
    some = np.random.default_rng(3).permutation(m)[: max(1, m // 3)]
    assert np.array_equal(multiply(left[some], right), whole[some])


@pytest.mark.parametrize("kind", KINDS)
@given(n=st.integers(1, 40), k=st.integers(1, 40), data=st.data())
def test_a_column_is_the_same_whatever_columns_stand_beside_it(kind, n, k, data):
    left, right = matrix(7, k, kind, 1), matrix(k, n, kind, 2)
    column = data.draw(st.integers(0, n - 1))
    alone = multiply(left, Panels(right[:, column : column + 1]))
    assert np.array_equal(alone[:, 0], multiply(left, Panels(right))[:, column])


@pytest.mark.parametrize("kind", KINDS)
@given(m=sizes, n=sizes, seed=seeds)
def test_transposes(kind, m, n, seed):
    found = transposed(matrix(m, n, kind, seed))
    assert found.flags.c_contiguous
    assert np.array_equal(found, matrix(m, n, kind, seed).T)
    assert np.array_equal(transposed(matrix(m, n, kind, seed)[::2]), matrix(m, n, kind, seed)[::2].T)


def test_panels_do_not_follow_changes_of_the_array():
    array = np.eye(3)
    panels = Panels(array)
    array[:] = 5
    assert np.array_equal(multiply(np.eye(3), panels), np.eye(3))


def test_nothing_times_nothing():
    empty = Panels(np.zeros((0, 4)))
    out = np.ones((3, 4))
    assert (multiply(np.zeros((3, 0)), empty, out, add=True) == 1).all()
    assert (multiply(np.zeros((3, 0)), empty, out) == 0).all()
    assert multiply(np.zeros((0, 0)), empty).shape == (0, 4)


def test_what_does_not_fit_is_refused():
    left, right = np.ones((2, 3)), Panels(np.ones((3, 4)))
    for matrix_ in (np.ones(3), np.ones((2, 2, 2)), np.ones((2, 2), dtype=np.int32), np.ones((2, 2), dtype=np.float16)):
        with pytest.raises(ValueError, match="products take matrices of float32 or float64"):
            Panels(matrix_)
    for wrong in (np.ones((2, 4)), left.astype(np.float32), np.ones(3), np.ones((1, 2, 3))):
        with pytest.raises(ValueError, match=" times "):
            multiply(wrong, right)
    for wrong in (np.ones((2, 3)), np.ones((3, 4)), np.ones((2, 4), dtype=np.float32), np.ones(8)):
        with pytest.raises(ValueError, match="the product has the shape"):
            multiply(left, right, wrong)
    with pytest.raises(ValueError, match="contiguous"):
        multiply(np.ones((3, 2)).T, right)
    with pytest.raises(ValueError, match="contiguous"):
        multiply(left, right, np.ones((2, 8))[:, ::2])
    packed = np.zeros(2, dtype=[("row", np.float64, 3), ("rest", np.uint8)])
    with pytest.raises(ValueError, match="contiguous"):  # rows that do not begin where numbers do
        multiply(packed["row"], right)
    frozen = np.zeros((2, 4))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        multiply(left, right, frozen)
    with pytest.raises(TypeError):
        multiply(left, None)
    for wrong in (np.ones(3), np.ones((2, 2), dtype=np.int64), np.ones((2, 2, 2))):
        with pytest.raises(ValueError, match=r"matri|dimensions|mismatch"):
            transposed(wrong)
