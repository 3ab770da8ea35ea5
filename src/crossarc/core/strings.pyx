"""String tables: strings to consecutive ids and back, in one block of memory each."""

import os

import numpy as np

from libc.stdlib cimport free
from libc.string cimport memcpy

from crossarc.core.allocation cimport renew, resize
from crossarc.core.hashing cimport HashKey, hash_bytes, make_key, same_bytes
from crossarc.core.typedefs cimport hash_t, label_t, offset_t, uint8_t, uint32_t

# The first ids are not strings of the data: a form that reads "<root>" is still a word like any other.
RESERVED = ("<unknown>", "<root>")
UNKNOWN = 0
ROOT = 1

# Ids are given by arrival, so that nothing outside of the slots depends on it.
cdef HashKey KEY = make_key(os.urandom(16))


cdef inline uint32_t slot_of(StringTable table, const char* data, Py_ssize_t size, hash_t hashed) noexcept nogil:
    """The slot that holds a string, or the free one where it belongs."""
    cdef uint32_t check = <uint32_t>(hashed >> 32), place = <uint32_t>hashed & table.mask
    cdef label_t found = table.slots[place].id
    while found >= 0:
        if (table.slots[place].check == check and table.starts[found + 1] - table.starts[found] == size
                and same_bytes(table.arena + table.starts[found], data, size)):
            break
        place = (place + 1) & table.mask
        found = table.slots[place].id
    return place


cdef class StringTable:
    """A set of strings numbered in order of arrival, after the two reserved ids for unknown strings and the dummy root.

    >>> table = StringTable(["noun", "verb", "noun"])
    >>> table["verb"], table["adjective"], table.string(2), len(table)
    (3, 0, 'noun', 4)
    """

    def __cinit__(self):
        cdef uint32_t size = 64, i
        self.capacity = 32
        self.arena_capacity = 512
        renew(<void**>&self.slots, size * sizeof(Slot))
        renew(<void**>&self.arena, self.arena_capacity)
        renew(<void**>&self.starts, (self.capacity + 1) * sizeof(offset_t))
        for i in range(size):
            self.slots[i].id = -1
        self.mask = size - 1
        self.starts[0] = 0
        self.count = 0

    def __init__(self, strings=()):
        for name in RESERVED:
            data = name.encode()
            self.append(data, len(data))
        self.reserved = self.count
        for string in strings:
            self.add(string)

    def __dealloc__(self):
        free(self.slots)
        free(self.arena)
        free(self.starts)

    cdef label_t find(self, const char* data, Py_ssize_t size) noexcept nogil:
        """The id of a string, -1 if it is not in the table."""
        return self.slots[slot_of(self, data, size, hash_bytes(data, size, KEY))].id

    cdef label_t intern(self, const char* data, Py_ssize_t size) except -2 nogil:
        """The id of a string, which is added if it is new."""
        cdef hash_t hashed = hash_bytes(data, size, KEY)
        cdef uint32_t place = slot_of(self, data, size, hashed)
        if self.slots[place].id >= 0:
            return self.slots[place].id
        if <uint32_t>self.count * 2 > self.mask:
            self.grow_slots()
            place = slot_of(self, data, size, hashed)
        self.slots[place].id = self.append(data, size)
        self.slots[place].check = <uint32_t>(hashed >> 32)
        return self.slots[place].id

    cdef int grow_slots(self) except -1 nogil:
        """Double the slots and set those of all strings that are not reserved."""
        cdef uint32_t size = (self.mask + 1) * 2
        cdef Slot* slots
        cdef label_t i
        cdef uint32_t place
        cdef hash_t hashed
        resize(<void**>&self.slots, size * sizeof(Slot))
        slots = self.slots
        self.mask = size - 1
        for place in range(size):
            slots[place].id = -1
        for i in range(self.reserved, self.count):
            hashed = hash_bytes(self.arena + self.starts[i], self.starts[i + 1] - self.starts[i], KEY)
            place = <uint32_t>hashed & self.mask
            while slots[place].id >= 0:
                place = (place + 1) & self.mask
            slots[place].check = <uint32_t>(hashed >> 32)
            slots[place].id = i
        return 0

    cdef label_t append(self, const char* data, Py_ssize_t size) except -2 nogil:
        """Store a string under the next id; the caller sets its slot."""
        cdef offset_t end = self.starts[self.count]
        if end + size > self.arena_capacity:
            resize(<void**>&self.arena, 2 * (end + size))
            self.arena_capacity = 2 * (end + size)
        if self.count == self.capacity:
            resize(<void**>&self.starts, (2 * self.capacity + 1) * sizeof(offset_t))
            self.capacity *= 2
        memcpy(self.arena + end, data, size)
        self.count += 1
        self.starts[self.count] = end + size
        return self.count - 1

    def add(self, str string):
        """The id of a string, which is added if it is new."""
        cdef bytes data = string.encode()
        return self.intern(data, len(data))

    def __getitem__(self, str string):
        """The id of a string, `UNKNOWN` if it is not in the table."""
        cdef bytes data = string.encode()
        cdef label_t found = self.find(data, len(data))
        return UNKNOWN if found < 0 else found

    def pack(self):
        """All strings but the reserved ones as one array of bytes, and an array of where each begins and the end.

        >>> data, offsets = StringTable(["a", "", "ß"]).pack()
        >>> data.tolist(), offsets.tolist()
        ([97, 195, 159], [0, 1, 1, 3])
        """
        cdef offset_t first = self.starts[self.reserved], end = self.starts[self.count]
        cdef label_t i
        offsets = np.empty(self.count - self.reserved + 1, dtype=np.int64)
        cdef offset_t[::1] view = offsets
        for i in range(self.reserved, self.count + 1):
            view[i - self.reserved] = self.starts[i] - first
        return np.frombuffer(self.arena[first:end], dtype=np.uint8), offsets

    @staticmethod
    def unpack(const uint8_t[::1] data, const offset_t[::1] offsets):
        """The table whose strings `pack` packed; arrays that `pack` cannot have made are a `ValueError`."""
        cdef StringTable table = StringTable()
        cdef bytes kept = bytes(data)
        cdef const char* start = kept
        cdef Py_ssize_t i, count = offsets.shape[0] - 1
        places = np.array(offsets)
        cdef const offset_t[::1] view = places
        if (count < 0 or places[0] != 0 or places[count] != len(kept) or (np.diff(places) < 0).any()
                or (places < 0).any() or (places > len(kept)).any()):       # differences wrap around
            raise ValueError("the strings are damaged")
        kept.decode()       # raises a `ValueError`; the next lines raise one for a place inside a character
        if ((np.frombuffer(kept, dtype=np.uint8)[places[places < len(kept)]] & 0xC0) == 0x80).any():
            raise ValueError("the strings are damaged")
        for i in range(count):
            table.intern(start + view[i], view[i + 1] - view[i])
        if table.count - table.reserved != count:
            raise ValueError("the strings are damaged: one is there twice")
        return table

    def has_breaks(self):
        """Whether a string has a tab or a line end, so that no column can hold it."""
        cdef offset_t i
        cdef bint found = False
        for i in range(self.starts[self.reserved], self.starts[self.count]):
            found |= self.arena[i] == c"\t" or self.arena[i] == c"\n" or self.arena[i] == c"\r"
        return found

    def __contains__(self, str string):
        cdef bytes data = string.encode()
        return self.find(data, len(data)) >= 0

    def string(self, label_t id):
        """The string of an id."""
        if not 0 <= id < self.count:
            raise IndexError(f"no string has the id {id}; the ids of this table are 0 to {self.count - 1}")
        return self.arena[self.starts[id]:self.starts[id + 1]].decode()

    def __len__(self):
        return self.count

    def __iter__(self):
        """The strings in the order of their ids, the reserved ones left out."""
        cdef label_t i
        for i in range(self.reserved, self.count):
            yield self.string(i)
