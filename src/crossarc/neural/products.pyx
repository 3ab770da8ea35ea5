"""Products of matrices that give the same bits for any batch and any number of threads."""
import numpy as np

from libc.stdlib cimport free, malloc


cdef class Panels:
    """A matrix as the right factor of products: its columns in panels, in the order in which they are read.

    With `transposed` the matrix is the transpose of the array. It does not follow later changes of the array.
    """

    def __cinit__(self, matrix, *, bint transposed=False):
        array = np.ascontiguousarray(matrix)
        if array.ndim != 2 or array.dtype not in (np.float32, np.float64):
            raise ValueError(f"{array.ndim} dimensions of {array.dtype}; products take matrices of float32 or float64")
        self.dtype = array.dtype
        self.rows, self.columns = array.shape[::-1] if transposed else array.shape
        self.data = malloc(max(1, panel_room(self.rows, self.columns)) * array.itemsize)
        if self.data == NULL:
            raise MemoryError
        if array.size and array.dtype == np.float32:
            fill_panels[float](array, transposed, <float*>self.data)
        elif array.size:
            fill_panels[double](array, transposed, <double*>self.data)

    def __dealloc__(self):
        free(self.data)


cdef int fill_panels(const real_t[:, ::1] matrix, bint transposed, real_t* panels) except -1:
    """Write the panels of a matrix."""
    cdef Py_ssize_t width = matrix.shape[1]
    with nogil:
        if transposed:
            pack_raw(&matrix[0, 0], width, matrix.shape[0], 1, width, panels)
        else:
            pack_raw(&matrix[0, 0], matrix.shape[0], width, width, 1, panels)
    return 0


def multiply(left, Panels right not None, out=None, *, bint add=False):
    """The product of a matrix, whose rows are contiguous, and panels; in `out` if given, or added to it.

    >>> import numpy as np
    >>> multiply(np.ones((2, 3)), Panels(np.eye(3) + 1)).tolist()
    [[4.0, 4.0, 4.0], [4.0, 4.0, 4.0]]
    """
    if left.ndim != 2 or left.dtype != right.dtype or left.shape[1] != right.rows:
        raise ValueError(f"{left.shape} of {left.dtype} times ({right.rows}, {right.columns}) of {right.dtype}")
    shape = (left.shape[0], right.columns)
    if out is None:
        out, add = np.empty(shape, dtype=left.dtype), False
    elif out.shape != shape or out.dtype != left.dtype:
        raise ValueError(f"the product has the shape {shape} of {left.dtype}, not {out.shape} of {out.dtype}")
    if not out.size:
        return out
    if not right.rows:
        if not add:
            out[:] = 0
        return out
    if left.dtype == np.float32:
        multiply_rows[float](left, right, out, add)
    else:
        multiply_rows[double](left, right, out, add)
    return out


cdef int multiply_rows(const real_t[:, :] left, Panels right, real_t[:, :] out, bint add) except -1:
    """Write a product."""
    cdef Py_ssize_t item = sizeof(real_t)
    if (left.shape[1] > 1 and left.strides[1] != item) or (out.shape[1] > 1 and out.strides[1] != item) or (
        left.strides[0] % item or out.strides[0] % item
    ):
        raise ValueError("the rows of a product must be contiguous")
    with nogil:
        multiply_raw(left.shape[0], right.columns, right.rows, &left[0, 0], left.strides[0] // item,
                     <const real_t*>right.data, &out[0, 0], out.strides[0] // item, add)
    return 0


def transposed(matrix):
    """The transpose of a matrix, as a copy."""
    matrix = np.ascontiguousarray(matrix)
    if matrix.ndim != 2 or matrix.dtype not in (np.float32, np.float64):
        raise ValueError(f"{matrix.ndim} dimensions of {matrix.dtype}; matrices of float32 or float64 have transposes")
    out = np.empty(matrix.shape[::-1], dtype=matrix.dtype)
    if not matrix.size:
        return out
    if matrix.dtype == np.float32:
        turn[float](matrix, out)
    else:
        turn[double](matrix, out)
    return out


cdef int turn(const real_t[:, ::1] matrix, real_t[:, ::1] out) except -1:
    """Write the transpose of a matrix."""
    with nogil:
        transpose_raw(&matrix[0, 0], matrix.shape[0], matrix.shape[1], &out[0, 0])
    return 0
