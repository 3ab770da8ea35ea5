"""The weights of a trained model, packed for speed and used as its file has them."""
import numpy as np

from crossarc.errors import ModelError

from libc.math cimport INFINITY
from libc.string cimport memset

from crossarc.core.prefetch cimport prefetch
from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, uint32_t, weight_t


cdef extern from *:
    """
    /* crossarc_start_in: the start that a bucket has for a check, or 0; of two the greater, so that whatever a file
       holds it is one of its starts. crossarc_add_eight: add eight weights. With vectors if the compiler has them. */
    #if defined(__GNUC__) || defined(__clang__)
    typedef int16_t crossarc_shorts __attribute__((vector_size(16), aligned(2), may_alias));
    typedef int32_t crossarc_four __attribute__((vector_size(16), aligned(4), may_alias));
    typedef int32_t crossarc_eight __attribute__((vector_size(32), aligned(4), may_alias));

    static inline int32_t crossarc_start_in(const uint32_t* bucket, uint32_t check) {
        const crossarc_four* fours = (const crossarc_four*)bucket;
        const int32_t one = (int32_t)check;
        const crossarc_four all = {one, one, one, one};
        const crossarc_four a = (fours[0] == all) & fours[2], b = (fours[1] == all) & fours[3], more = a > b;
        const crossarc_four most = (a & more) | (b & ~more);
        const int32_t c = most[0] > most[1] ? most[0] : most[1], d = most[2] > most[3] ? most[2] : most[3];
        return c > d ? c : d;
    }

    static inline void crossarc_add_eight(int32_t* scores, const int16_t* weights) {
        *(crossarc_eight*)scores += __builtin_convertvector(*(const crossarc_shorts*)weights, crossarc_eight);
    }
    #else
    static inline int32_t crossarc_start_in(const uint32_t* bucket, uint32_t check) {
        uint32_t start = 0;
        for (int i = 0; i < 8; i++)
            if (bucket[i] == check && bucket[8 + i] > start)
                start = bucket[8 + i];
        return (int32_t)start;
    }

    static inline void crossarc_add_eight(int32_t* scores, const int16_t* weights) {
        for (int i = 0; i < 8; i++)
            scores[i] += weights[i];
    }
    #endif

    /* The starts of all keys that the buckets have; their number. */
    #define CROSSARC_FIND_STARTS(start_in)                                                                  \
        int hits = 0;                                                                                       \
        for (int k = 0; k < count; k++)                                                                     \
            CROSSARC_PREFETCH(buckets + 16 * (((keys[k] & 0xFFFFFFFF) * size) >> 32));                      \
        for (int k = 0; k < count; k++) {                                                                   \
            const uint32_t check = (uint32_t)(keys[k] >> 32);                                               \
            uint64_t bucket = ((keys[k] & 0xFFFFFFFF) * size) >> 32;                                        \
            int32_t start = start_in(buckets + 16 * bucket, check);                                         \
            while ((start == 0) & (buckets[16 * bucket + 15] != 0)) {                                       \
                bucket = bucket + 1 < size ? bucket + 1 : 0;                                                \
                start = start_in(buckets + 16 * bucket, check);                                             \
            }                                                                                               \
            found[hits] = (uint32_t)start;                                                                  \
            hits += start != 0;                                                                             \
        }                                                                                                   \
        return hits;

    #if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    #include <immintrin.h>
    __attribute__((target("avx2"))) static inline int32_t crossarc_start_in_wide(const uint32_t* bucket,
                                                                                 uint32_t check) {
        const __m256i same = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i*)bucket), _mm256_set1_epi32(check));
        const __m256i all = _mm256_and_si256(same, _mm256_loadu_si256((const __m256i*)(bucket + 8)));
        __m128i most = _mm_max_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
        most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0x4E));
        most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0xB1));
        return _mm_cvtsi128_si32(most);
    }

    __attribute__((target("avx2"))) static int crossarc_find_starts_wide(
            const uint32_t* buckets, uint64_t size, const uint64_t* keys, int count, uint32_t* found) {
        CROSSARC_FIND_STARTS(crossarc_start_in_wide)
    }
    #define CROSSARC_HAS_WIDE __builtin_cpu_supports("avx2")
    #else
    #define crossarc_find_starts_wide(buckets, size, keys, count, found) 0
    #define CROSSARC_HAS_WIDE 0
    #endif

    static int crossarc_find_starts(const uint32_t* buckets, uint64_t size, const uint64_t* keys, int count,
                                    uint32_t* found) {
        if (CROSSARC_HAS_WIDE)
            return crossarc_find_starts_wide(buckets, size, keys, count, found);
        CROSSARC_FIND_STARTS(crossarc_start_in)
    }

    /* Add dense rows of weights, in whole vectors: the width is a multiple of 8. */
    #if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    /* Sums of 32 actions at a time stay in registers while the rows are added: with hundreds of actions that takes half
       the time of row after row. Compilers make several instructions of the general form of the conversion. */
    __attribute__((target("avx2"))) static void crossarc_add_rows_wide(int32_t* scores, const int16_t* rows, int width,
                                                                       const uint32_t* numbers, int count) {
        int i = 0;
        for (; i + 32 <= width; i += 32) {
            __m256i* sums = (__m256i*)(scores + i);
            __m256i a = _mm256_loadu_si256(sums), b = _mm256_loadu_si256(sums + 1);
            __m256i c = _mm256_loadu_si256(sums + 2), d = _mm256_loadu_si256(sums + 3);
            for (int k = 0; k < count; k++) {
                const __m128i* row = (const __m128i*)(rows + (size_t)numbers[k] * width + i);
                CROSSARC_PREFETCH(row + 8);
                a = _mm256_add_epi32(a, _mm256_cvtepi16_epi32(_mm_loadu_si128(row)));
                b = _mm256_add_epi32(b, _mm256_cvtepi16_epi32(_mm_loadu_si128(row + 1)));
                c = _mm256_add_epi32(c, _mm256_cvtepi16_epi32(_mm_loadu_si128(row + 2)));
                d = _mm256_add_epi32(d, _mm256_cvtepi16_epi32(_mm_loadu_si128(row + 3)));
            }
            _mm256_storeu_si256(sums, a);
            _mm256_storeu_si256(sums + 1, b);
            _mm256_storeu_si256(sums + 2, c);
            _mm256_storeu_si256(sums + 3, d);
        }
        for (; i < width; i += 8) {
            __m256i a = _mm256_loadu_si256((__m256i*)(scores + i));
            for (int k = 0; k < count; k++) {
                const __m128i* row = (const __m128i*)(rows + (size_t)numbers[k] * width + i);
                a = _mm256_add_epi32(a, _mm256_cvtepi16_epi32(_mm_loadu_si128(row)));
            }
            _mm256_storeu_si256((__m256i*)(scores + i), a);
        }
    }
    #else
    #define crossarc_add_rows_wide(scores, rows, width, numbers, count)
    #endif

    static void crossarc_add_rows(int32_t* scores, const int16_t* rows, int width, const uint32_t* numbers, int count) {
        if (CROSSARC_HAS_WIDE) {
            crossarc_add_rows_wide(scores, rows, width, numbers, count);
            return;
        }
        for (int k = 0; k < count; k++)
            for (int i = 0; i < width; i += 8)
                crossarc_add_eight(scores + i, rows + (size_t)numbers[k] * width + i);
    }

    /* Convert whole numbers into floats of the same value, in the same place. The width is a multiple of 8. */
    static void crossarc_make_floats(int32_t* sums, int width) {
        for (int i = 0; i < width; i++) {
            const float value = (float)sums[i];
            memcpy(sums + i, &value, sizeof value);
        }
    }
    """
    int32_t find_starts "crossarc_find_starts" (const uint32_t* buckets, hash_t size, const hash_t* keys, int32_t count,
                                                uint32_t* found) noexcept nogil
    void add_rows "crossarc_add_rows" (int32_t* scores, const int16_t* rows, int32_t width, const uint32_t* numbers,
                                       int32_t count) noexcept nogil
    void make_floats "crossarc_make_floats" (int32_t* sums, int32_t width) noexcept nogil

CELL = np.dtype([("action", "u2"), ("weight", "i2")])
# Scores are sums of whole numbers in some unit. With these bounds the ratio of two units, times a sum over all words of
# the longest sentence, is far from the greatest number.
LEAST_UNIT, GREATEST_UNIT = 1e-30, 1e30


def stored_unit(arrays, name):
    """What a weight of 1 stands for, as a model file says; anything but one number within bounds is a `ValueError`."""
    unit = arrays[name]
    if unit.dtype != np.float64 or unit.shape != (1,):
        raise ValueError(f"{name} is not one number")
    if not LEAST_UNIT <= unit[0] <= GREATEST_UNIT:
        raise ValueError(f"{name} is {unit[0]}; it must be between {LEAST_UNIT} and {GREATEST_UNIT}")
    return float(unit[0])


cdef class PackedWeights(Scorer):
    """The weights of a trained model; tables that native code could not read safely are refused with `ValueError`.

    `keys` are the lower halves of the keys in use, in the order of their places: scoring needs none, but
    `unpack` does. `unit` is what a weight of 1 stands for.
    """

    def __init__(self, buckets, cells, rows, keys, int32_t actions, double unit):
        cdef const uint32_t[:, ::1] bucket_view = buckets
        cdef const Cell[::1] cell_view = cells
        cdef const int16_t[:, ::1] row_view = rows
        starts = buckets[:, BUCKET:]
        dense = starts >= np.uint32(DENSE)
        valid = (
            0 < actions < 0xFFFF
            and 0 < unit < INFINITY
            and bucket_view.shape[1] == 2 * BUCKET
            and not starts[:, -1].all()  # a search for a key must come to an end
            # A row has a cell with its size, which is at most the number of actions, and so many cells behind it.
            and cells["action"].max(initial=0) <= actions
            and int(starts[~dense].max(initial=0)) + actions < len(cells)
            and row_view.shape[1] == padded(actions)
            and keys.dtype == np.uint32 and keys.ndim == 1
            and int(starts[dense].max(initial=DENSE)) - DENSE < max(1, len(rows))
            and (len(rows) > 0 or not dense.any())
        )
        if not valid:
            raise ValueError("the tables of weights do not fit together")
        self.buckets = buckets
        self.cells = cells
        self.rows = rows
        self.keys = keys
        self.unit = unit
        self.actions = actions
        self.bucket_data = &bucket_view[0, 0]
        self.cell_data = &cell_view[0]
        self.row_data = &row_view[0, 0] if len(rows) else NULL
        self.size = bucket_view.shape[0]

    def __len__(self):
        """How many features have a weight."""
        return int(np.count_nonzero(self.buckets[:, BUCKET:]))

    cdef void score(self, const hash_t* keys, int32_t count, int32_t group, weight_t* out) noexcept nogil:
        cdef int32_t k, found, dense = 0, sparse = 0
        cdef const Cell* cell
        cdef const Cell* end
        cdef uint32_t starts[MOST_KEYS]
        cdef uint32_t rows[MOST_KEYS]
        cdef int32_t width = padded(self.actions)
        cdef int32_t* sums = <int32_t*>out      # whole numbers until all are added
        memset(sums, 0, width * sizeof(int32_t))
        found = find_starts(self.bucket_data, self.size, keys, count, starts)
        for k in range(found):
            if starts[k] >= DENSE:
                rows[dense] = starts[k] - DENSE
                prefetch(self.row_data + <size_t>rows[dense] * width)
                dense += 1
            else:
                starts[sparse] = starts[k]
                prefetch(self.cell_data + starts[k])
                sparse += 1
        add_rows(sums, self.row_data, width, rows, dense)
        for k in range(sparse):
            cell = self.cell_data + starts[k]
            end = cell + cell.action
            while cell < end:
                cell += 1
                sums[cell.action] += cell.weight
        make_floats(sums, width)

    cdef void warm(self, const hash_t* keys, int32_t count) noexcept nogil:
        cdef int32_t k
        for k in range(count):
            prefetch(self.bucket_data + 2 * BUCKET * bucket_of(keys[k], self.size))

    def unpack(self):
        """Keys, where each one's weights begin in the rest, and the actions and values of all weights."""
        starts = self.buckets[:, BUCKET:]
        used = starts != 0
        if np.count_nonzero(used) != len(self.keys):
            raise ModelError("the keys of the model are not those of its weights; train it again from the start")
        keys = self.buckets[:, :BUCKET][used].astype(np.uint64) << np.uint64(32) | self.keys.astype(np.uint64)
        starts = starts[used].astype(np.int64)
        dense = starts >= DENSE
        sizes = np.empty(len(keys), dtype=np.int64)
        sizes[~dense] = self.cells["action"][starts[~dense]]
        sizes[dense] = self.actions
        bounds = np.zeros(len(keys) + 1, dtype=np.int64)
        np.cumsum(sizes, out=bounds[1:])
        actions = np.empty(bounds[-1], dtype=np.int32)
        values = np.empty(bounds[-1], dtype=np.float32)
        here = np.repeat(dense, sizes)
        at = np.arange(bounds[-1]) + np.repeat(starts + 1 - bounds[:-1], sizes)
        actions[~here] = self.cells["action"][at[~here]]
        values[~here] = self.cells["weight"][at[~here]]
        actions[here] = np.tile(np.arange(self.actions, dtype=np.int32), np.count_nonzero(dense))
        values[here] = self.rows[starts[dense] - DENSE, : self.actions].reshape(-1)
        return keys, bounds, actions, (values * self.unit).astype(np.float32)

    def to_arrays(self, prefix=""):
        """The arrays of a model file."""
        return {
            f"{prefix}buckets": self.buckets,
            f"{prefix}cells": self.cells.view(np.uint16).reshape(-1, 2),
            f"{prefix}rows": self.rows,
            f"{prefix}keys": self.keys,
            f"{prefix}unit": np.array([self.unit]),
        }

    @staticmethod
    def from_arrays(arrays, int32_t actions, prefix=""):
        """The weights that a model file keeps."""
        return PackedWeights(
            arrays[f"{prefix}buckets"],
            arrays[f"{prefix}cells"].reshape(-1).view(CELL),
            arrays[f"{prefix}rows"].reshape(-1, padded(actions)),
            arrays[f"{prefix}keys"],
            actions,
            stored_unit(arrays, f"{prefix}unit"),
        )
