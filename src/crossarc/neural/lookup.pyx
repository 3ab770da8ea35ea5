"""Rows of tables by number: sums of embeddings, their gradients, rows that occur several times, and Adam."""
import os

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memset

from crossarc.core.hashing cimport HashKey, hash_bytes, make_key
from crossarc.core.typedefs cimport hash_t, int32_t, uint8_t


cdef HashKey KEY = make_key(os.urandom(16))


def sum_rows(table, const int32_t[:, :] numbers not None, out):
    """Write the sum of some rows of a table into each row of `out`; numbers below 0 stand for no row."""
    check_rows(numbers, table, out)
    out[:] = 0
    if table.dtype == np.float32:
        sum_into[float](table, numbers, out)
    else:
        sum_into[double](table, numbers, out)


cdef int sum_into(const real_t[:, ::1] table, const int32_t[:, :] numbers, real_t[:, :] out) except -1:
    """Add rows of a table to `out`."""
    cdef Py_ssize_t row, place, width = table.shape[1]
    with nogil:
        for row in range(numbers.shape[0]):
            for place in range(numbers.shape[1]):
                if width and numbers[row, place] >= 0:
                    add_raw(width, &table[numbers[row, place], 0], &out[row, 0])
    return 0


def spread_rows(gradient, const int32_t[:, :] numbers not None, whole, uint8_t[::1] touched not None):
    """Add the gradient of each sum to the rows that were summed, and mark these rows."""
    check_rows(numbers, gradient, whole)
    if touched.shape[0] != len(gradient):
        raise ValueError("each row of a table has a mark")
    if gradient.dtype == np.float32:
        spread[float](gradient, numbers, whole, touched)
    else:
        spread[double](gradient, numbers, whole, touched)


cdef int spread(real_t[:, ::1] gradient, const int32_t[:, :] numbers, const real_t[:, :] whole,
                uint8_t[::1] touched) except -1:
    """Add rows of `whole` to those of a table."""
    cdef Py_ssize_t row, place, width = gradient.shape[1]
    with nogil:
        for row in range(numbers.shape[0]):
            for place in range(numbers.shape[1]):
                if numbers[row, place] >= 0:
                    if width:
                        add_raw(width, &whole[row, 0], &gradient[numbers[row, place], 0])
                    touched[numbers[row, place]] = 1
    return 0


cdef int check_rows(const int32_t[:, :] numbers, table, rows) except -1:
    """Refuse numbers that no row of the table has."""
    if table.ndim != 2 or rows.shape != (numbers.shape[0], table.shape[1]) or rows.dtype != table.dtype or (
        rows.size and rows.strides[1] != rows.itemsize
    ):
        raise ValueError(f"sums of rows of {table.shape} do not fit {rows.shape}")
    if numbers.shape[0] and numbers.shape[1] and np.asarray(numbers).max() >= len(table):
        raise ValueError("there is no such row in the table")
    return 0


def distinct_rows(const int32_t[:, ::1] rows not None):
    """The places of the first of all equal rows, and for each row which of them it equals."""
    cdef Py_ssize_t count = rows.shape[0], size = rows.shape[1], row, place, capacity = 16, found = 0
    cdef hash_t key
    firsts, same = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    cdef int32_t[::1] first = firsts, number = same
    while capacity < 2 * count:
        capacity *= 2
    cdef int32_t* slots = <int32_t*>malloc(capacity * sizeof(int32_t))
    if slots == NULL:
        raise MemoryError
    memset(slots, 0xFF, capacity * sizeof(int32_t))
    with nogil:
        for row in range(count):
            key = hash_bytes(<const char*>&rows[row, 0], size * sizeof(int32_t), KEY) if size else 0
            place = (key >> 32) & <hash_t>(capacity - 1)
            while slots[place] >= 0 and size and memcmp(&rows[first[slots[place]], 0], &rows[row, 0],
                                                        size * sizeof(int32_t)) != 0:
                place = (place + 1) & (capacity - 1)
            if slots[place] < 0:
                slots[place] = <int32_t>found
                first[found] = <int32_t>row
                found += 1
            number[row] = slots[place]
    free(slots)
    return firsts[:found], same


def adam(weights, gradient, mean, square, double scale, double rate, double beta1, double beta2, double floor,
         const uint8_t[::1] touched=None):
    """Move weights against their gradient times `scale` by Adam, and clear the gradient; with marks, marked rows only.

    `mean` and `square` are the moving averages of gradients and of their squares. `rate` is after the correction of
    the first steps, when these are too small.
    """
    arrays = (weights, gradient, mean, square)
    alike = (each.shape == weights.shape and each.dtype == weights.dtype for each in arrays)
    if not all(alike) or not all(each.flags.c_contiguous for each in arrays):
        raise ValueError("the weights and the moving averages of Adam do not fit each other")
    if touched is not None and touched.shape[0] != len(weights):
        raise ValueError("each row of the weights has a mark")
    if not weights.size:
        return
    width = weights.size // len(weights) if touched is not None else weights.size
    flat = [each.reshape(-1) for each in arrays]
    if weights.dtype == np.float32:
        step[float](*flat, width, scale, rate, beta1, beta2, floor, touched)
    else:
        step[double](*flat, width, scale, rate, beta1, beta2, floor, touched)


cdef int step(real_t[::1] weights, real_t[::1] gradient, real_t[::1] mean, real_t[::1] square, Py_ssize_t width,
              double scale, double rate, double beta1, double beta2, double floor,
              const uint8_t[::1] touched) except -1:
    """Move rows of weights."""
    cdef Py_ssize_t row, at, rows = weights.shape[0] // width
    cdef bint all_rows = touched is None
    with nogil:
        for row in range(rows):
            if not all_rows and not touched[row]:
                continue
            at = row * width
            if real_t is float:
                adam_f32(width, &weights[at], &gradient[at], &mean[at], &square[at], <float>scale, <float>rate,
                         <float>beta1, <float>beta2, <float>floor)
            else:
                adam_f64(width, &weights[at], &gradient[at], &mean[at], &square[at], scale, rate, beta1, beta2, floor)
    return 0


def square_sum(values, const uint8_t[::1] touched=None):
    """The sum of the squares of all numbers, or of those in marked rows."""
    if touched is not None and touched.shape[0] != len(values):
        raise ValueError("each row has a mark")
    flat = values.reshape(-1)
    if not flat.size:
        return 0.0
    width = flat.size // len(values) if touched is not None else flat.size
    return sum_squares[float](flat, width, touched) if values.dtype == np.float32 else sum_squares[double](
        flat, width, touched
    )


cdef double sum_squares(const real_t[::1] values, Py_ssize_t width, const uint8_t[::1] touched) except -1:
    """Add the squares of rows."""
    cdef Py_ssize_t row, rows = values.shape[0] // width
    cdef bint all_rows = touched is None
    cdef double total = 0
    with nogil:
        for row in range(rows):
            if all_rows or touched[row]:
                if real_t is float:
                    squares_f32(width, &values[row * width], &total)
                else:
                    squares_f64(width, &values[row * width], &total)
    return total
