"""The weights of a trained model whose features have one weight each.

They are in buckets as in `crossarc.learning.packed`, with the weight in the place of the start of a row: so a lookup
reads one line of memory, not two.
"""

import numpy as np

from libc.math cimport INFINITY

from crossarc.core.prefetch cimport prefetch
from crossarc.core.typedefs cimport hash_t, int32_t, uint32_t, weight_t
from crossarc.learning.packed cimport BUCKET, bucket_of
from crossarc.learning.scorer cimport Scorer

from crossarc.learning.weights import aligned_zeros

GREATEST = 32767        # 512 of them are below 2^24


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    typedef int32_t crossarc_lane __attribute__((vector_size(16), aligned(4), may_alias));

    /* The weights that a bucket has for a check, added up: 0 if none. */
    static inline int32_t crossarc_weight_in(const int32_t* bucket, int32_t check) {
        const crossarc_lane* lanes = (const crossarc_lane*)bucket;
        const crossarc_lane all = {check, check, check, check};
        const crossarc_lane found = ((lanes[0] == all) & lanes[2]) | ((lanes[1] == all) & lanes[3]);
        return found[0] | found[1] | found[2] | found[3];
    }
    #else
    static inline int32_t crossarc_weight_in(const int32_t* bucket, int32_t check) {
        int32_t weight = 0;
        for (int i = 0; i < 8; i++)
            weight |= bucket[i] == check ? bucket[8 + i] : 0;
        return weight;
    }
    #endif
    """
    int32_t weight_in "crossarc_weight_in" (const int32_t* bucket, int32_t check) noexcept nogil


cdef class SingleWeights(Scorer):
    """Weights of one action; tables that native code could not read safely are refused with `ValueError`.

    `keys` are the lower halves of the keys in use, in the order of their places. `unit` is what a weight of 1 stands
    for.
    """

    def __init__(self, buckets, keys, double unit):
        cdef const int32_t[:, ::1] view = buckets
        weights = buckets[:, BUCKET:]
        if not (
            0 < unit < INFINITY and view.shape[0] > 0 and view.shape[1] == 2 * BUCKET
            and keys.dtype == np.uint32 and keys.ndim == 1
            and not weights[:, -1].all()        # a search for a key must come to an end
            and np.abs(weights.astype(np.int64)).max() <= GREATEST
        ):
            raise ValueError("the tables of weights do not fit together")
        self.buckets, self.keys, self.unit, self.actions = buckets, keys, unit, 1
        self.bucket_data = &view[0, 0]
        self.size = view.shape[0]

    def __len__(self):
        """How many features have a weight."""
        return int(np.count_nonzero(self.buckets[:, BUCKET:]))

    cdef void score(self, const hash_t* keys, int32_t count, int32_t group, weight_t* out) noexcept nogil:
        cdef int32_t k, weight, check, total = 0
        cdef hash_t bucket
        for k in range(count):
            prefetch(self.bucket_data + 2 * BUCKET * bucket_of(keys[k], self.size))
        for k in range(count):
            bucket = bucket_of(keys[k], self.size)
            check = <int32_t>(keys[k] >> 32)
            weight = weight_in(self.bucket_data + 2 * BUCKET * bucket, check)
            while weight == 0 and self.bucket_data[2 * BUCKET * bucket + 2 * BUCKET - 1] != 0:
                bucket = bucket + 1 if bucket + 1 < self.size else 0
                weight = weight_in(self.bucket_data + 2 * BUCKET * bucket, check)
            total += weight
        out[0] = <weight_t>total

    cdef void warm(self, const hash_t* keys, int32_t count) noexcept nogil:
        cdef int32_t k
        for k in range(count):
            prefetch(self.bucket_data + 2 * BUCKET * bucket_of(keys[k], self.size))

    @staticmethod
    def of(rows, double threshold=0.0):
        """The weights that `Weights.averages` gives, without those below `threshold`, a share of the greatest."""
        keys, bounds, _, values = rows
        greatest = float(np.abs(values).max(initial=0.0))
        scale = GREATEST / greatest if greatest > 0 else 1.0
        whole = np.rint(values * scale).astype(np.int32)
        kept = np.abs(whole) >= max(1.0, threshold * GREATEST)
        cdef const hash_t[::1] key_view = np.ascontiguousarray(np.repeat(keys, np.diff(bounds))[kept])
        cdef const int32_t[::1] weights = whole[kept]
        cdef hash_t bucket, size = key_view.shape[0] * 2 // BUCKET + 1     # half full: few searches then need another
        cdef Py_ssize_t i
        cdef int32_t entry
        buckets = aligned_zeros(size, 2 * BUCKET).view(np.int32)
        low = np.zeros((size, BUCKET), dtype=np.uint32)
        cdef int32_t[:, ::1] view = buckets
        cdef uint32_t[:, ::1] low_view = low
        for i in range(key_view.shape[0]):
            bucket = bucket_of(key_view[i], size)
            while view[bucket, 2 * BUCKET - 1] != 0:
                bucket = bucket + 1 if bucket + 1 < size else 0
            entry = 0
            while view[bucket, BUCKET + entry] != 0:
                entry += 1
            view[bucket, entry] = <int32_t>(key_view[i] >> 32)
            view[bucket, BUCKET + entry] = weights[i]
            low_view[bucket, entry] = <uint32_t>key_view[i]
        return SingleWeights(buckets, low[buckets[:, BUCKET:] != 0], 1 / scale)

    def unpack(self):
        """Keys, where each one's weight is in the rest, and the actions, all 0, and values of all weights."""
        used = self.buckets[:, BUCKET:] != 0
        if np.count_nonzero(used) != len(self.keys):
            raise ValueError("the keys of the model are not those of its weights")
        checks = self.buckets[:, :BUCKET][used].view(np.uint32).astype(np.uint64)
        values = (self.buckets[:, BUCKET:][used] * self.unit).astype(np.float32)
        bounds = np.arange(len(values) + 1, dtype=np.int64)
        keys = checks << np.uint64(32) | self.keys.astype(np.uint64)
        return keys, bounds, np.zeros(len(values), dtype=np.int32), values

    def to_arrays(self, prefix=""):
        """What a model file keeps."""
        arrays = {"buckets": self.buckets, "keys": self.keys, "unit": np.array([self.unit])}
        return {f"{prefix}{name}": array for name, array in arrays.items()}

    @staticmethod
    def from_arrays(arrays, prefix=""):
        """The weights that a model file keeps."""
        buckets, keys, unit = (arrays[f"{prefix}{name}"] for name in ("buckets", "keys", "unit"))
        return SingleWeights(buckets, keys, float(unit[0]))
