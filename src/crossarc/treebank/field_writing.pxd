# Numbers and labels as the bytes of fields, for modules that write many sentences at once.
from libc.string cimport memcpy

from crossarc.core.strings cimport StringTable
from crossarc.core.typedefs cimport int32_t, label_t, token_t


cdef inline int32_t digits_of(token_t number) noexcept nogil:
    """How many digits a number has."""
    cdef int32_t count = 1
    while number >= 10:
        number //= 10
        count += 1
    return count


cdef inline char* copy(char* target, const char* data, Py_ssize_t size) noexcept nogil:
    memcpy(target, data, size)
    return target + size


cdef inline char* write_number(char* target, token_t number) noexcept nogil:
    cdef int32_t count = digits_of(number), place
    for place in range(count - 1, -1, -1):
        target[place] = <char>(48 + number % 10)
        number //= 10
    return target + count


cdef inline const char* name_of(StringTable names, label_t label, int32_t* size) noexcept nogil:
    """The bytes of a label and their number."""
    cdef label_t id = label + names.reserved
    size[0] = names.starts[id + 1] - names.starts[id]
    return names.arena + names.starts[id]
