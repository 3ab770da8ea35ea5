"""Weights of a few actions in a small table without keys: features whose hashes agree share a row.

One short row a feature and nothing to search make it several times as fast as a table with keys, and it stays in the
caches nearest to the processor. It must be trained at the size it is used in.
"""
import numpy as np

from libc.string cimport memset

from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, weight_t


cdef class HashedWeights(Scorer):
    """Weights that learn, averaged over all steps."""

    def __init__(self, int32_t actions):
        if not 0 < actions <= WIDTH:
            raise ValueError(f"{actions} actions; {WIDTH} are the most")
        self.actions = actions
        self.unit = 1
        self.width = 4 if actions <= 4 else WIDTH
        self.table = np.zeros((1 << BITS, self.width), dtype=np.float32)
        self.step_sums = np.zeros((1 << BITS, self.width))

    cdef void score(self, const hash_t* keys, int32_t count, int32_t group, weight_t* out) noexcept nogil:
        cdef int32_t k, a
        cdef const weight_t* row
        memset(out, 0, WIDTH * sizeof(weight_t))
        for k in range(count):
            row = &self.table[row_of(keys[k]), 0]
            for a in range(self.width):
                out[a] += row[a]

    cdef void update(self, const hash_t* keys, int32_t count, int32_t action, weight_t step) noexcept nogil:
        """Add to the weight of an action for all keys."""
        cdef int32_t k
        for k in range(count):
            self.table[row_of(keys[k]), action] += step
            self.step_sums[row_of(keys[k]), action] += step * <double>max(self.now - 1, 0)

    def add(self, const hash_t[::1] keys, int32_t action, weight_t step):
        """Add to the weight of an action for all keys, in the step that is `now`."""
        if not 0 <= action < self.actions:
            raise ValueError(f"no action {action} among {self.actions}")
        if keys.shape[0]:
            self.update(&keys[0], <int32_t>keys.shape[0], action, step)

    def pack(self):
        """Return the averaged weights as a trained model keeps them: whole numbers of 16 bits."""
        averages = np.asarray(self.table) - np.asarray(self.step_sums) / max(1, self.now)
        greatest = float(np.abs(averages).max())
        scale = 32767 / greatest if greatest > 0 else 1.0
        return PackedTable(np.rint(averages * scale).astype(np.int16), self.actions, 1 / scale)

    def to_arrays(self):
        """All that learning goes on from, for `from_arrays`."""
        return {
            "table": np.asarray(self.table),
            "late": np.asarray(self.step_sums),
            "now": np.array([self.now], dtype=np.int64),
        }

    @staticmethod
    def from_arrays(arrays, int32_t actions):
        """The weights that `to_arrays` gave; `ValueError` for arrays of another size."""
        cdef HashedWeights weights = HashedWeights(actions)
        if arrays["table"].shape != np.shape(weights.table) or arrays["late"].shape != np.shape(weights.step_sums):
            raise ValueError("the weights belong to other actions")
        weights.table = arrays["table"].copy()
        weights.step_sums = arrays["late"].copy()
        weights.now = int(arrays["now"][0])
        return weights


cdef class PackedTable(Scorer):
    """The hashed weights of a trained model; a table of another size is refused with `ValueError`."""

    def __init__(self, table, int32_t actions, double unit=1.0):
        if table.dtype != np.int16 or table.shape not in ((1 << BITS, 4), (1 << BITS, WIDTH)):
            raise ValueError("the table of moves has another size")
        if not 0 < actions <= table.shape[1]:
            raise ValueError("the table of moves belongs to another system")
        cdef const int16_t[:, ::1] view = table
        self.table = table
        self.data = &view[0, 0]
        self.width = <int32_t>view.shape[1]
        self.actions = actions
        self.unit = unit

    cdef void score(self, const hash_t* keys, int32_t count, int32_t group, weight_t* out) noexcept nogil:
        cdef int32_t k, a
        cdef const int16_t* row
        cdef int32_t sums[WIDTH]
        memset(sums, 0, WIDTH * sizeof(int32_t))
        if self.width == 4:
            for k in range(count):
                row = self.data + 4 * row_of(keys[k])
                for a in range(4):
                    sums[a] += row[a]
        else:
            for k in range(count):
                row = self.data + WIDTH * row_of(keys[k])
                for a in range(WIDTH):
                    sums[a] += row[a]
        for a in range(WIDTH):
            out[a] = <weight_t>sums[a]
