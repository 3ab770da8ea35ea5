# Memory, or `MemoryError`.
from libc.stdlib cimport free, malloc, realloc


cdef inline int renew(void** block, size_t size) except -1 nogil:
    """Free a block and replace it by a new one of so many bytes; it is NULL after an error."""
    free(block[0])
    block[0] = malloc(size)
    if block[0] == NULL:
        raise MemoryError
    return 0


cdef inline int resize(void** block, size_t size) except -1 nogil:
    """Give a block another size and keep what it holds; it stays as it is after an error."""
    cdef void* other = realloc(block[0], size)
    if other == NULL:
        raise MemoryError
    block[0] = other
    return 0
