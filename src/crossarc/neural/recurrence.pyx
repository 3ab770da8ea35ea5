"""Long short-term memory over a batch of sentences, and its gradient.

The rows of a batch are ordered by step: first the first nodes of all sentences, the longest sentence first, then the
second nodes, and so on. So the rows of a step are together, those of sentences that have ended drop out at its end, and
nothing is padded. `steps` is where the rows of each step begin, and the end.
"""
import numpy as np

from crossarc.core.typedefs cimport offset_t


cdef inline Py_ssize_t joined(const offset_t* steps, Py_ssize_t step, Py_ssize_t other) noexcept nogil:
    """How many sentences have rows at both steps."""
    cdef Py_ssize_t here = steps[step + 1] - steps[step], there = steps[other + 1] - steps[other]
    return here if here < there else there


cdef void run(real_t[:, ::1] gates, Panels recurrent, const offset_t* steps, Py_ssize_t count, bint backwards,
              real_t[:, ::1] cells, real_t[:, :] hidden) noexcept nogil:
    """Run through all steps; `gates` hold the sums over the input and become the values of the gates."""
    cdef Py_ssize_t size = cells.shape[1], stride = hidden.strides[0] // <Py_ssize_t>sizeof(real_t)
    cdef Py_ssize_t turn, step, before, both, row
    cdef const real_t* last
    for turn in range(count):
        step = count - 1 - turn if backwards else turn
        before, both = step + 1 if backwards else step - 1, 0
        if turn:
            both = joined(steps, step, before)
            multiply_raw(both, 4 * size, size, &hidden[steps[before], 0], stride, <const real_t*>recurrent.data,
                         &gates[steps[step], 0], 4 * size, True)
        for row in range(steps[step + 1] - steps[step]):
            last = &cells[steps[before] + row, 0] if row < both else NULL
            if real_t is float:
                cell_f32(size, &gates[steps[step] + row, 0], last, &cells[steps[step] + row, 0],
                         &hidden[steps[step] + row, 0])
            else:
                cell_f64(size, &gates[steps[step] + row, 0], last, &cells[steps[step] + row, 0],
                         &hidden[steps[step] + row, 0])


cdef void run_back(real_t[:, ::1] gates, Panels recurrent, const offset_t* steps, Py_ssize_t count, bint backwards,
                   real_t[:, ::1] cells, real_t[:, :] gradient, real_t[:, ::1] carried) noexcept nogil:
    """Go through all steps the other way; `gates` become the gradient of the sums, which is added to `gradient`.

    `recurrent` is the transpose of the weights.
    """
    cdef Py_ssize_t size = cells.shape[1], stride = gradient.strides[0] // <Py_ssize_t>sizeof(real_t)
    cdef Py_ssize_t turn, step, before, both, row
    cdef const real_t* last
    for turn in range(count):
        step = turn if backwards else count - 1 - turn
        before, both = step + 1 if backwards else step - 1, 0
        if turn < count - 1:
            both = joined(steps, step, before)
        for row in range(steps[step + 1] - steps[step]):
            last = &cells[steps[before] + row, 0] if row < both else NULL
            if real_t is float:
                cell_gradient_f32(size, &gates[steps[step] + row, 0], last, &cells[steps[step] + row, 0],
                                  &gradient[steps[step] + row, 0], &carried[row, 0])
            else:
                cell_gradient_f64(size, &gates[steps[step] + row, 0], last, &cells[steps[step] + row, 0],
                                  &gradient[steps[step] + row, 0], &carried[row, 0])
        if both:
            multiply_raw(both, size, 4 * size, &gates[steps[step], 0], 4 * size, <const real_t*>recurrent.data,
                         &gradient[steps[before], 0], stride, True)


cdef int check(const offset_t[::1] steps, Py_ssize_t rows, Py_ssize_t width, Py_ssize_t size, bint fits) except -1:
    """Refuse what would lead out of the arrays."""
    cdef Py_ssize_t step, last = rows
    if width != 4 * size or not fits or not steps.shape[0] or steps[0] != 0 or steps[steps.shape[0] - 1] != rows:
        raise ValueError("the gates, the weights and the steps do not fit each other")
    for step in range(steps.shape[0] - 1):
        if steps[step + 1] - steps[step] > last or steps[step + 1] <= steps[step]:
            raise ValueError("the rows of a batch are not ordered by step, the longest sentence first")
        last = steps[step + 1] - steps[step]
    return 0


cdef Py_ssize_t width_of(gates) except -1:
    """The number of columns of a matrix."""
    if gates.ndim != 2:
        raise ValueError(f"gates have {gates.ndim} dimensions; they are a matrix")
    return gates.shape[1]


def recur(gates, Panels recurrent not None, const offset_t[::1] steps not None, hidden, *, bint backwards=False):
    """Run over a batch and write the outputs into `hidden`; returns the cells.

    `gates` (rows, 4 * size) hold the sums of the input gate, the forget gate, the output gate and the candidate over
    the input, and become the values of these gates. `recurrent` are the weights of the last output (size, 4 * size).
    """
    size = width_of(gates) // 4
    cells = np.empty((len(gates), size), dtype=gates.dtype)
    fits = hidden.shape == cells.shape and recurrent.dtype == gates.dtype and hidden.dtype == gates.dtype
    check(steps, len(gates), gates.shape[1], size, fits and (recurrent.rows, recurrent.columns) == (size, 4 * size))
    if not len(gates):
        return cells
    if hidden.strides[1] != hidden.itemsize or hidden.strides[0] % hidden.itemsize:
        raise ValueError("the rows of the outputs must be contiguous")
    cdef float[:, ::1] gates_f32, cells_f32
    cdef float[:, :] hidden_f32
    cdef double[:, ::1] gates_f64, cells_f64
    cdef double[:, :] hidden_f64
    if gates.dtype == np.float32:
        gates_f32, cells_f32, hidden_f32 = gates, cells, hidden
        with nogil:
            run[float](gates_f32, recurrent, &steps[0], steps.shape[0] - 1, backwards, cells_f32, hidden_f32)
    else:
        gates_f64, cells_f64, hidden_f64 = gates, cells, hidden
        with nogil:
            run[double](gates_f64, recurrent, &steps[0], steps.shape[0] - 1, backwards, cells_f64, hidden_f64)
    return cells


def recur_back(gates, Panels recurrent not None, const offset_t[::1] steps not None, cells, gradient, *,
               bint backwards=False):
    """Turn the values of the gates into the gradient of their sums, given the gradient of the outputs.

    `recurrent` is the transpose of the weights, (4 * size, size). `gradient` (rows, size) is changed too: the part that
    comes through later steps is added to it.
    """
    size = width_of(gates) // 4
    fits = gradient.shape == cells.shape == (len(gates), size) and recurrent.dtype == gates.dtype == gradient.dtype
    check(steps, len(gates), gates.shape[1], size, fits and (recurrent.rows, recurrent.columns) == (4 * size, size))
    if not len(gates):
        return
    if gradient.strides[1] != gradient.itemsize or gradient.strides[0] % gradient.itemsize:
        raise ValueError("the rows of the gradient must be contiguous")
    carried = np.zeros((int(steps[1]), size), dtype=gates.dtype)
    cdef float[:, ::1] gates_f32, cells_f32, carried_f32
    cdef float[:, :] gradient_f32
    cdef double[:, ::1] gates_f64, cells_f64, carried_f64
    cdef double[:, :] gradient_f64
    if gates.dtype == np.float32:
        gates_f32, cells_f32, gradient_f32, carried_f32 = gates, cells, gradient, carried
        with nogil:
            run_back[float](gates_f32, recurrent, &steps[0], steps.shape[0] - 1, backwards, cells_f32, gradient_f32,
                            carried_f32)
    else:
        gates_f64, cells_f64, gradient_f64, carried_f64 = gates, cells, gradient, carried
        with nogil:
            run_back[double](gates_f64, recurrent, &steps[0], steps.shape[0] - 1, backwards, cells_f64,
                             gradient_f64, carried_f64)


def rows_before(values, const offset_t[::1] steps not None, *, bint backwards=False):
    """For each row of a batch that of the step before, 0 at the first step of a sentence."""
    cdef Py_ssize_t step, before, both, count = steps.shape[0] - 1
    if count < 0 or steps[count] != len(values):
        raise ValueError("the rows and the steps do not fit each other")
    out = np.zeros(values.shape, dtype=values.dtype)
    for step in range(count):
        before = step + 1 if backwards else step - 1
        if 0 <= before < count:
            both = joined(&steps[0], step, before)
            out[steps[step]:steps[step] + both] = values[steps[before]:steps[before] + both]
    return out
