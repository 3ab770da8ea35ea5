"""A checksum at the speed of memory, so that a file can be checked whole each time it is mapped."""

from libc.string cimport memcpy

from crossarc.core.typedefs cimport hash_t, offset_t, uint8_t

cdef enum:
    LANES = 8
    BLOCK = 64          # bytes: one word a lane

cdef hash_t PRIME = 0x9E3779B185EBCA87


cdef inline hash_t load(const uint8_t* data) noexcept nogil:
    """Eight bytes, the least first, whatever the machine's order; compilers make one load of it."""
    return (<hash_t>data[0] | <hash_t>data[1] << 8 | <hash_t>data[2] << 16 | <hash_t>data[3] << 24
            | <hash_t>data[4] << 32 | <hash_t>data[5] << 40 | <hash_t>data[6] << 48 | <hash_t>data[7] << 56)


cdef inline hash_t step(hash_t lane, hash_t word) noexcept nogil:
    """A bijection of either argument, so no single changed word goes unseen; the rotation moves high bits down."""
    lane = (lane ^ word) * PRIME
    return lane << 29 | lane >> 35


cdef class Checksum:
    """The checksum of bytes that come in pieces: eight lanes that do not wait for each other, joined at the end.

    >>> pieces = Checksum()
    >>> pieces.update(b"mo")
    >>> pieces.update(b"del")
    >>> pieces.value() == checksum(b"model")
    True
    """

    cdef hash_t lanes[LANES]
    cdef uint8_t rest[BLOCK]    # what does not fill a block yet
    cdef offset_t size

    def __cinit__(self):
        cdef offset_t k
        for k in range(LANES):
            self.lanes[k] = PRIME * <hash_t>(k + 1)

    cdef void fold(self, const uint8_t* data, offset_t size) noexcept nogil:
        """Add bytes."""
        cdef offset_t held = self.size % BLOCK, at = 0, k
        self.size += size
        if held:
            at = min(size, BLOCK - held)
            memcpy(self.rest + held, data, at)
            if held + at < BLOCK:
                return
            for k in range(LANES):
                self.lanes[k] = step(self.lanes[k], load(self.rest + 8 * k))
        while at + BLOCK <= size:
            for k in range(LANES):
                self.lanes[k] = step(self.lanes[k], load(data + at + 8 * k))
            at += BLOCK
        if at < size:
            memcpy(self.rest, data + at, size - at)

    def update(self, data):
        """Add any bytes. O(size)."""
        cdef const uint8_t[::1] view
        memory = memoryview(data)
        if memory.nbytes:                           # cast refuses a shape with a 0 in it
            view = memory.cast("B")
            with nogil:
                self.fold(&view[0], view.shape[0])

    def value(self):
        """The checksum of all that was added so far."""
        cdef hash_t result = <hash_t>self.size * PRIME
        cdef offset_t held = self.size % BLOCK
        cdef hash_t lane
        cdef offset_t k
        for k in range(held, BLOCK):
            self.rest[k] = 0
        for k in range(LANES):
            lane = step(self.lanes[k], load(self.rest + 8 * k)) if held else self.lanes[k]
            result = step(result, lane ^ lane >> 32)
        return result ^ result >> 29


def checksum(data):
    """A 64-bit checksum of any bytes: it finds accidents, not malice, and is the same on every machine. O(size).

    >>> checksum(b"model") == checksum(b"model"), checksum(b"model") == checksum(b"mode1")
    (True, False)
    """
    whole = Checksum()
    whole.update(data)
    return whole.value()
