# Tabs and line ends, 64 bytes at a time: a loop over single bytes spends most of its time on mispredicted branches.
from crossarc.core.typedefs cimport uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__SSE2__) || defined(_M_X64)
    #include <emmintrin.h>
    static inline uint64_t crossarc_sixteen(const char* data) {
        __m128i bytes = _mm_loadu_si128((const __m128i*)data);
        __m128i tabs = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\t'));
        __m128i ends = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\n'));
        return (uint64_t)_mm_movemask_epi8(_mm_or_si128(tabs, ends));
    }
    #else
    static inline uint64_t crossarc_sixteen(const char* data) {
        uint64_t mask = 0;
        for (int i = 0; i < 16; i++) mask |= (uint64_t)(data[i] == '\\t' || data[i] == '\\n') << i;
        return mask;
    }
    #endif
    static inline uint64_t crossarc_separators(const char* data, Py_ssize_t size) {
        uint64_t mask = 0;
        Py_ssize_t i = 0;
        if (size > 64) size = 64;
        for (; i + 16 <= size; i += 16) mask |= crossarc_sixteen(data + i) << i;
        for (; i < size; i++) mask |= (uint64_t)(data[i] == '\\t' || data[i] == '\\n') << i;
        return mask;
    }
    #if defined(_MSC_VER)
    #include <intrin.h>
    static inline int crossarc_first_bit(uint64_t mask) {
        unsigned long place; _BitScanForward64(&place, mask); return (int)place;
    }
    #else
    static inline int crossarc_first_bit(uint64_t mask) { return __builtin_ctzll(mask); }
    #endif
    """
    # Bit i tells whether byte i is a tab or a line end, for the first 64 bytes or as many as there are.
    uint64_t separators "crossarc_separators"(const char* data, Py_ssize_t size) noexcept nogil
    int first_bit "crossarc_first_bit"(uint64_t mask) noexcept nogil
