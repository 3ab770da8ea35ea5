"""Weights of a few actions in a small table without keys: features whose hashes agree share a row.

One short row a feature and nothing to search make it several times as fast as a table with keys, and it stays in the
caches nearest to the processor. It must be trained at the size it is used in.
"""

import numpy as np

from libc.string cimport memset

from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, weight_t


cdef class HashedWeights:
    """Weights that learn, averaged over all steps."""

    def __init__(self, int32_t actions):
        if not 0 < actions <= WIDTH:
            raise ValueError(f"{actions} actions; {WIDTH} are the most")
        self.actions = actions
        self.width = 4 if actions <= 4 else WIDTH
        self.table = np.zeros((1 << BITS, self.width), dtype=np.float32)
        self.late = np.zeros((1 << BITS, self.width))

    cdef void score(self, const hash_t* keys, int32_t count, weight_t* scores) noexcept nogil:
        """The sum of the weights of all keys for every action."""
        cdef int32_t k, a
        cdef const weight_t* row
        memset(scores, 0, WIDTH * sizeof(weight_t))
        for k in range(count):
            row = &self.table[row_of(keys[k]), 0]
            for a in range(self.width):
                scores[a] += row[a]

    cdef void update(self, const hash_t* keys, int32_t count, int32_t action, weight_t step) noexcept nogil:
        """Add to the weight of an action for all keys."""
        cdef int32_t k
        for k in range(count):
            self.table[row_of(keys[k]), action] += step
            self.late[row_of(keys[k]), action] += step * <double>max(self.now - 1, 0)

    def add(self, const hash_t[::1] keys, int32_t action, weight_t step):
        """Add to the weight of an action for all keys, in the step that is `now`."""
        if not 0 <= action < self.actions:
            raise ValueError(f"no action {action} among {self.actions}")
        if keys.shape[0]:
            self.update(&keys[0], <int32_t>keys.shape[0], action, step)

    def pack(self):
        """The averaged weights as whole numbers of 16 bits, and the size of a unit of weight."""
        averages = np.asarray(self.table) - np.asarray(self.late) / max(1, self.now)
        greatest = float(np.abs(averages).max())
        scale = 32767 / greatest if greatest > 0 else 1.0
        return np.rint(averages * scale).astype(np.int16), 1 / scale

    def to_arrays(self):
        """All that learning goes on from, for `from_arrays`."""
        return {
            "table": np.asarray(self.table), "late": np.asarray(self.late), "now": np.array([self.now], dtype=np.int64),
        }

    @staticmethod
    def from_arrays(arrays, int32_t actions):
        """The weights that `to_arrays` gave; `ValueError` for arrays of another size."""
        cdef HashedWeights weights = HashedWeights(actions)
        if arrays["table"].shape != np.shape(weights.table) or arrays["late"].shape != np.shape(weights.late):
            raise ValueError("the weights are of other actions")
        weights.table = arrays["table"].copy()
        weights.late = arrays["late"].copy()
        weights.now = int(arrays["now"][0])
        return weights


cdef void score_hashed(const int16_t* table, int32_t width, const hash_t* keys, int32_t count,
                       int32_t* scores) noexcept nogil:
    """The sum of packed weights of all keys for every action."""
    cdef int32_t k, a
    cdef const int16_t* row
    memset(scores, 0, WIDTH * sizeof(int32_t))
    if width == 4:
        for k in range(count):
            row = table + 4 * row_of(keys[k])
            for a in range(4):
                scores[a] += row[a]
    else:
        for k in range(count):
            row = table + WIDTH * row_of(keys[k])
            for a in range(WIDTH):
                scores[a] += row[a]
