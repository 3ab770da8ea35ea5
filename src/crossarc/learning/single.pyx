"""The weights of a trained model whose features have one weight each.

A bucket is what memory brings at a time: the checks of sixteen keys and behind them their weights, in 16 bits each, all
of which are compared at once. So a lookup reads one line of memory, and the table is small, which is what a parser
waits for. The lower half of a key says which bucket is its own, and what its upper half folds to is its check. About
one key in several thousand that has no weight meets the check of another; the weights of so few do not change trees.
Buckets are filled from the front, and keys whose own bucket is full are in the next.
"""
import numpy as np

from libc.math cimport INFINITY

from crossarc.core.prefetch cimport prefetch
from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, weight_t


cdef enum:
    WIDE_BUCKET = 16        # keys in a bucket; as in the C code below
    MEAN = 10               # of them in use: few searches then need another bucket

GREATEST = 32767        # 512 of them are below 2^24


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    typedef int16_t crossarc_lane __attribute__((vector_size(16), aligned(2), may_alias));
    typedef uint64_t crossarc_halves __attribute__((vector_size(16), aligned(2), may_alias));

    /* The weight that a bucket has for a check: 0 if none. */
    static inline int32_t crossarc_weight_in(const int16_t* bucket, int16_t check) {
        const crossarc_lane* lanes = (const crossarc_lane*)bucket;
        const crossarc_lane all = {check, check, check, check, check, check, check, check};
        const crossarc_lane found = ((lanes[0] == all) & lanes[2]) | ((lanes[1] == all) & lanes[3]);
        const crossarc_halves halves = (crossarc_halves)found;
        uint64_t weight = halves[0] | halves[1];
        weight |= weight >> 32;
        return (int16_t)(weight | weight >> 16);
    }
    #else
    static inline int32_t crossarc_weight_in(const int16_t* bucket, int16_t check) {
        int16_t weight = 0;
        for (int i = 0; i < 16; i++)
            weight |= bucket[i] == check ? bucket[16 + i] : 0;
        return weight;
    }
    #endif
    """
    int32_t weight_in "crossarc_weight_in" (const int16_t* bucket, int16_t check) noexcept nogil


cdef inline int16_t check_of(hash_t key) noexcept nogil:
    """The check of a key, which tells it from others of its bucket: the upper half, folded."""
    return <int16_t>((key >> 32) ^ (key >> 48))


cdef class SingleWeights(Scorer):
    """Weights of one action; tables that native code could not read safely are refused with `ValueError`.

    `keys` has three quarters of each key in use, the two lower ones and the uppermost, in the order of their places.
    `unit` is what a weight of 1 stands for.
    """

    def __init__(self, buckets, keys, double unit):
        cdef const int16_t[:, ::1] view = buckets
        weights = buckets[:, WIDE_BUCKET:]
        if not (
            0 < unit < INFINITY and view.shape[0] > 0 and view.shape[1] == 2 * WIDE_BUCKET
            and keys.dtype == np.uint16 and keys.ndim == 2 and keys.shape[1] == 3
            and not weights[:, -1].all()        # a search for a key must come to an end
            and weights.min() >= -GREATEST
        ):
            raise ValueError("the tables of weights do not fit together")
        self.buckets, self.keys, self.unit, self.actions = buckets, keys, unit, 1
        self.bucket_data = &view[0, 0]
        self.size = view.shape[0]

    def __len__(self):
        """How many features have a weight."""
        return int(np.count_nonzero(self.buckets[:, WIDE_BUCKET:]))

    cdef void score(self, const hash_t* keys, int32_t count, int32_t group, weight_t* out) noexcept nogil:
        cdef int32_t k, weight, total = 0
        cdef int16_t check
        cdef hash_t bucket
        for k in range(count):
            prefetch(self.bucket_data + 2 * WIDE_BUCKET * bucket_of(keys[k], self.size))
        for k in range(count):
            bucket = bucket_of(keys[k], self.size)
            check = check_of(keys[k])
            weight = weight_in(self.bucket_data + 2 * WIDE_BUCKET * bucket, check)
            while weight == 0 and self.bucket_data[2 * WIDE_BUCKET * bucket + 2 * WIDE_BUCKET - 1] != 0:
                bucket = bucket + 1 if bucket + 1 < self.size else 0
                weight = weight_in(self.bucket_data + 2 * WIDE_BUCKET * bucket, check)
            total += weight
        out[0] = <weight_t>total

    cdef void warm(self, const hash_t* keys, int32_t count) noexcept nogil:
        cdef int32_t k
        for k in range(count):
            prefetch(self.bucket_data + 2 * WIDE_BUCKET * bucket_of(keys[k], self.size))

    @staticmethod
    def of(rows, double threshold=0.0):
        """The weights that `Weights.averages` gives, without those below `threshold`, a share of the greatest.

        Of two keys that cannot be told apart, the first has its weight for both.
        """
        keys, bounds, _, values = rows
        greatest = float(np.abs(values).max(initial=0.0))
        scale = GREATEST / greatest if greatest > 0 else 1.0
        whole = np.rint(values * scale).astype(np.int16)
        kept = np.abs(whole) >= max(1.0, threshold * GREATEST)
        cdef const hash_t[::1] key_view = np.ascontiguousarray(np.repeat(keys, np.diff(bounds))[kept])
        cdef const int16_t[::1] weights = whole[kept]
        cdef hash_t bucket, size = key_view.shape[0] // MEAN + 2       # more than are ever full
        cdef Py_ssize_t i
        cdef int32_t entry
        cdef int16_t check
        buckets = aligned_zeros(size, WIDE_BUCKET).view(np.int16)
        places = np.zeros((size, WIDE_BUCKET), dtype=np.uint64)
        cdef int16_t[:, ::1] view = buckets
        cdef hash_t[:, ::1] place_view = places
        for i in range(key_view.shape[0]):
            bucket = bucket_of(key_view[i], size)
            check = check_of(key_view[i])
            while view[bucket, 2 * WIDE_BUCKET - 1] != 0 and weight_in(&view[bucket, 0], check) == 0:
                bucket = bucket + 1 if bucket + 1 < size else 0
            if weight_in(&view[bucket, 0], check) != 0:
                continue
            entry = 0
            while view[bucket, WIDE_BUCKET + entry] != 0:
                entry += 1
            view[bucket, entry] = check
            view[bucket, WIDE_BUCKET + entry] = weights[i]
            place_view[bucket, entry] = key_view[i]
        used = places[buckets[:, WIDE_BUCKET:] != 0]
        quarters = [(used >> np.uint64(bits)).astype(np.uint16) for bits in (0, 16, 48)]
        return SingleWeights(buckets, np.stack(quarters, axis=1), 1 / scale)

    def unpack(self):
        """Keys, where each one's weight is in the rest, and the actions, all 0, and values of all weights."""
        used = self.buckets[:, WIDE_BUCKET:] != 0
        if np.count_nonzero(used) != len(self.keys):
            raise ModelError("the keys of the model are not those of its weights; train it again from the start")
        low, middle, high = (self.keys[:, quarter].astype(np.uint64) for quarter in range(3))
        checks = self.buckets[:, :WIDE_BUCKET][used].view(np.uint16).astype(np.uint64)
        keys = low | middle << np.uint64(16) | (checks ^ high) << np.uint64(32) | high << np.uint64(48)
        values = (self.buckets[:, WIDE_BUCKET:][used] * self.unit).astype(np.float32)
        bounds = np.arange(len(values) + 1, dtype=np.int64)
        return keys, bounds, np.zeros(len(values), dtype=np.int32), values

    def to_arrays(self, prefix=""):
        """The arrays of a model file."""
        arrays = {"buckets": self.buckets, "keys": self.keys, "unit": np.array([self.unit])}
        return {f"{prefix}{name}": array for name, array in arrays.items()}

    @staticmethod
    def from_arrays(arrays, prefix=""):
        """The weights that a model file keeps."""
        return SingleWeights(arrays[f"{prefix}buckets"], arrays[f"{prefix}keys"], stored_unit(arrays, f"{prefix}unit"))
