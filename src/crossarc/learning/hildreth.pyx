"""The steps of MIRA from several wrong structures: the least change after which all margins hold (Hildreth 1957)."""
import numpy as np

from crossarc.core.typedefs cimport int32_t, score_t


cdef enum:
    MOST_ROUNDS = 1000

cdef score_t CLOSE = 1e-9   # changes smaller than this share of the greatest step end the search


cdef void find_steps(const score_t* products, const score_t* violations, int32_t count, score_t most,
                     score_t* steps) noexcept nogil:
    """Set the steps, 0 to `most`, so that the smallest change repairs the margins as far as possible.

    `products` are the inner products of the differences from gold, row by row; `violations` are losses less margins.
    Each step in turn is set to its best value, given the others, until none changes.
    """
    cdef int32_t i, j, _round
    cdef score_t violation, step, change, greatest
    for i in range(count):
        steps[i] = 0
    for _round in range(MOST_ROUNDS):
        change = greatest = 0
        for i in range(count):
            if products[i * count + i] <= 0:
                continue        # no different from gold
            violation = violations[i]
            for j in range(count):
                violation -= products[i * count + j] * steps[j]
            step = min(most, max(0, steps[i] + violation / products[i * count + i]))
            change = max(change, abs(step - steps[i]))
            steps[i] = step
            greatest = max(greatest, step)
        if count == 1 or change <= CLOSE * greatest:
            return


def least_steps(products, violations, score_t most):
    """Return the steps of wrong structures by the inner products of their differences from gold and margin violations.

    >>> least_steps([[2.0, 0.0], [0.0, 4.0]], [1.0, 8.0], 1.5)      # 1/2, and 2 cut to the greatest step
    array([0.5, 1.5])
    """
    cdef const score_t[:, ::1] matrix = np.ascontiguousarray(products, dtype=np.float64)
    cdef const score_t[::1] vector = np.ascontiguousarray(violations, dtype=np.float64)
    if not matrix.shape[0] == matrix.shape[1] == vector.shape[0] > 0:
        raise ValueError("a square matrix of products and one violation for each of its rows are needed")
    result = np.zeros(vector.shape[0])
    cdef score_t[::1] steps = result
    find_steps(&matrix[0, 0], &vector[0], <int32_t>vector.shape[0], most, &steps[0])
    return result
