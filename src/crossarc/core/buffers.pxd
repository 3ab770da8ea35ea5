from libc.stdlib cimport realloc

from crossarc.core.typedefs cimport int32_t

cdef struct Buffer:
    int32_t* data
    size_t size
    size_t capacity


cdef inline int32_t* extend(Buffer* buffer, size_t count) noexcept nogil:
    """Room for so many more entries behind the last; NULL when memory is out."""
    cdef size_t wanted = buffer.size + count
    cdef void* block
    if wanted > buffer.capacity:
        block = realloc(buffer.data, 2 * wanted * sizeof(int32_t))
        if block == NULL:
            return NULL
        buffer.data = <int32_t*>block
        buffer.capacity = 2 * wanted
    buffer.size = wanted
    return buffer.data + wanted - count


cdef object take_array(Buffer* buffer)
cdef object frozen(object array)
