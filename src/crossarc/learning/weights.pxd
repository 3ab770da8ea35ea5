from crossarc.core.typedefs cimport hash_t, int32_t, offset_t, uint16_t, uint32_t, weight_t
from crossarc.learning.scorer cimport Scorer

cdef struct Slot:
    hash_t key              # 0 where the slot is free
    uint32_t start          # of the row in the pool; before there is one, the last step at which the key was met
    uint16_t size           # of the row; before there is one, at how many steps the key was met
    uint16_t room           # 0 before there is a row

cdef struct Entry:
    int32_t action
    weight_t weight

cdef class Weights(Scorer):
    cdef Slot* slots
    cdef hash_t mask
    cdef hash_t used
    cdef Py_ssize_t row_count
    cdef Entry* entries         # the pool of all rows
    cdef double* step_sums           # for each entry the sum of its changes, each times the number of steps before it
    cdef weight_t* squares      # for each entry the sum of its squared gradients; NULL for learners without need of it
    cdef Py_ssize_t entry_count
    cdef Py_ssize_t entry_room
    cdef public offset_t now    # the step
    cdef public hash_t random   # the state of the random numbers, which a resumed training goes on with
    cdef uint16_t cut

    cdef int update(self, const hash_t* keys, int32_t count, int32_t action, weight_t step) except -1 nogil
    cdef Slot* due(self, hash_t key) except? NULL nogil
    cdef int change(self, Slot* slot, int32_t action, weight_t step) except -1 nogil
    cdef Py_ssize_t entry_of(self, Slot* slot, int32_t action) except -1 nogil
    cdef Slot* claim(self, hash_t key) except NULL nogil
    cdef int grow(self) except -1 nogil
    cdef int reserve(self, Py_ssize_t count) except -1 nogil
    cdef double average(self, Py_ssize_t entry) noexcept nogil

    cdef inline void add_to(self, Py_ssize_t entry, weight_t step) noexcept nogil:
        """Add to one weight; it holds from this step on, this step included."""
        self.entries[entry].weight += step
        self.step_sums[entry] += step * <double>max(self.now - 1, 0)
