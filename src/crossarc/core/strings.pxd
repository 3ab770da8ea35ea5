from crossarc.core.typedefs cimport hash_t, label_t, offset_t, uint32_t

cdef struct Slot:
    uint32_t check    # upper half of the hash: most wrong slots are passed over without touching the string
    label_t id        # -1 where the slot is free

cdef class StringTable:
    cdef Slot* slots
    cdef uint32_t mask
    cdef char* arena
    cdef offset_t* starts      # string i is arena[starts[i]:starts[i + 1]]
    cdef offset_t arena_capacity
    cdef label_t capacity
    cdef label_t count
    cdef readonly label_t reserved

    cdef label_t find(self, const char* data, Py_ssize_t size) noexcept nogil
    cdef label_t intern(self, const char* data, Py_ssize_t size) except -2 nogil
    cdef int grow_slots(self) except -1 nogil
    cdef label_t append(self, const char* data, Py_ssize_t size) except -2 nogil
