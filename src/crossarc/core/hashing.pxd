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
    """The hash of a state and a word. Files keep the keys of features, which are made with it: it has no random key."""
    state = (state ^ word) * <hash_t>0x9E3779B97F4A7C15
    return state ^ (state >> 29)


cdef extern from *:
    """
    #if defined(_MSC_VER) && defined(_M_X64)
    #include <intrin.h>
    #endif
    /* Both halves of a product, joined. */
    static inline uint64_t crossarc_fold(uint64_t a, uint64_t b) {
    #if defined(__SIZEOF_INT128__)
        unsigned __int128 product = (unsigned __int128)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    #elif defined(_MSC_VER) && defined(_M_X64)
        uint64_t high, low = _umul128(a, b, &high);
        return low ^ high;
    #else
        uint64_t first = (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF), last = (a >> 32) * (b >> 32);
        uint64_t one = (a >> 32) * (b & 0xFFFFFFFF), other = (a & 0xFFFFFFFF) * (b >> 32);
        uint64_t middle = (first >> 32) + (one & 0xFFFFFFFF) + (other & 0xFFFFFFFF);
        return a * b ^ (last + (one >> 32) + (other >> 32) + (middle >> 32));
    #endif
    }
    """
    hash_t fold "crossarc_fold"(hash_t a, hash_t b) noexcept nogil


cdef struct HashKey:
    # Random numbers of a process. Without them anyone can make strings whose hashes are the same, and tables slow.
    hash_t start
    hash_t factor


cdef inline HashKey make_key(bytes random) noexcept:
    """A key of 16 random bytes."""
    cdef const char* data = random
    return HashKey(load8(data), load8(data + 8) | 1)


cdef inline hash_t hash_bytes(const char* data, Py_ssize_t size, HashKey key) noexcept nogil:
    """The hash of a string in this process. The upper half of a product depends on all bits of the key below it."""
    cdef hash_t state = key.start ^ <hash_t>size * <hash_t>0xD6E8FEB86659FD93
    cdef const char* end = data + size
    if size < 8:
        return fold(state ^ load_short(data, size), key.factor)
    while end - data > 8:
        state = fold(state ^ load8(data), key.factor)
        data += 8
    return fold(state ^ load8(end - 8), key.factor)


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
