# Hashing of short byte strings: eight bytes a step, one multiplication each, as most strings are words and tags.
from libc.string cimport memcpy

from crossarc.core.typedefs cimport hash_t


cdef inline hash_t mix(hash_t state, hash_t word) noexcept nogil:
    state = (state ^ word) * <hash_t>0x9E3779B97F4A7C15
    return state ^ (state >> 29)


cdef inline hash_t hash_bytes(const char* data, Py_ssize_t size) noexcept nogil:
    cdef hash_t state = <hash_t>size
    cdef hash_t word = 0
    while size >= 8:
        memcpy(&word, data, 8)
        state = mix(state, word)
        data += 8
        size -= 8
    if size > 0:
        word = 0
        memcpy(&word, data, size)
        state = mix(state, word)
    return state ^ (state >> 32)
