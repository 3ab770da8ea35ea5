# Hashing and comparing short byte strings: eight bytes a step without a call, as most strings are words and tags.
from libc.string cimport memcpy

from crossarc.core.typedefs cimport hash_t, uint32_t, uint8_t


cdef inline hash_t load8(const char* data) noexcept nogil:
    cdef hash_t word
    memcpy(&word, data, 8)
    return word


cdef inline hash_t load4(const char* data) noexcept nogil:
    cdef uint32_t word
    memcpy(&word, data, 4)
    return word


cdef inline hash_t load_short(const char* data, Py_ssize_t size) noexcept nogil:
    """Fewer than eight bytes as one word; strings of the same size that differ give words that differ."""
    cdef const uint8_t* byte = <const uint8_t*>data
    if size >= 4:
        return load4(data) | (load4(data + size - 4) << 32)
    if size == 0:
        return 0
    return <hash_t>byte[0] | (<hash_t>byte[size >> 1] << 8) | (<hash_t>byte[size - 1] << 16)


cdef inline hash_t mix(hash_t state, hash_t word) noexcept nogil:
    state = (state ^ word) * <hash_t>0x9E3779B97F4A7C15
    return state ^ (state >> 29)


cdef inline hash_t hash_bytes(const char* data, Py_ssize_t size) noexcept nogil:
    cdef hash_t state = <hash_t>size * <hash_t>0xD6E8FEB86659FD93
    cdef const char* end = data + size
    if size < 8:
        return mix(state, load_short(data, size)) * <hash_t>0xD6E8FEB86659FD93
    while end - data > 8:
        state = mix(state, load8(data))
        data += 8
    return mix(state, load8(end - 8)) * <hash_t>0xD6E8FEB86659FD93


cdef inline bint same_bytes(const char* a, const char* b, Py_ssize_t size) noexcept nogil:
    cdef const char* end = a + size
    if size < 8:
        return load_short(a, size) == load_short(b, size)
    while end - a > 8:
        if load8(a) != load8(b):
            return False
        a += 8
        b += 8
    return load8(end - 8) == load8(b + (end - a) - 8)
