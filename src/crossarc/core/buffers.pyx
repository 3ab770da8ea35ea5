"""Growable arrays of integers, which become NumPy arrays without a copy."""

import numpy as np

from cython cimport view
from libc.stdlib cimport free, realloc

from crossarc.core.typedefs cimport int32_t


cdef object take_array(Buffer* buffer):
    """The entries as an array that cannot be written to; the buffer is empty afterwards."""
    cdef view.array owner
    cdef void* block
    if buffer.size == 0:
        return frozen(np.empty(0, dtype=np.int32))
    block = realloc(buffer.data, buffer.size * sizeof(int32_t))
    if block != NULL:
        buffer.data = <int32_t*>block
    owner = <int32_t[:buffer.size]>buffer.data
    owner.callback_free_data = free
    buffer.data = NULL
    buffer.size = buffer.capacity = 0
    return frozen(np.asarray(owner))


cdef object frozen(object array):
    """The array, which cannot be written to any more."""
    array.flags.writeable = False
    return array
