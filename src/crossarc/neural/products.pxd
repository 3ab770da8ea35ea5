# Matrices as products take them; see products.pyx.
cdef class Panels:
    cdef readonly Py_ssize_t rows
    cdef readonly Py_ssize_t columns
    cdef readonly object dtype
    cdef void* data
