# Bytes that grow: room is made first, and then written to without a check.
from libc.string cimport memcpy, strlen

from crossarc.core.allocation cimport resize
from crossarc.core.typedefs cimport int32_t, offset_t, uint32_t

cdef struct Output:
    char* data
    Py_ssize_t size
    Py_ssize_t room


cdef inline int reserve(Output* output, Py_ssize_t count) except -1 nogil:
    """Make room for so many bytes more."""
    if output.size + count > output.room:
        resize(<void**>&output.data, 2 * (output.size + count))
        output.room = 2 * (output.size + count)
    return 0


cdef inline void put_bytes(Output* output, const char* data, Py_ssize_t size) noexcept nogil:
    memcpy(output.data + output.size, data, size)
    output.size += size


cdef inline void put_string(Output* output, const char* data) noexcept nogil:
    put_bytes(output, data, strlen(data))


cdef inline void put_byte(Output* output, uint32_t byte) noexcept nogil:
    output.data[output.size] = <char>byte
    output.size += 1


cdef inline void put_number(Output* output, offset_t number) noexcept nogil:
    cdef char digits[20]
    cdef int32_t count = 0
    while True:
        digits[count] = <char>(48 + number % 10)
        count += 1
        number //= 10
        if number == 0:
            break
    while count > 0:
        count -= 1
        put_byte(output, digits[count])
