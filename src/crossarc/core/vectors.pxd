# Loops over many scores, with vectors where the compiler has them.
from crossarc.core.typedefs cimport int32_t, weight_t

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>

    #if defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && defined(__x86_64__)
    #define CROSSARC_CLONES __attribute__((target_clones("avx2", "default")))
    #else
    #define CROSSARC_CLONES
    #endif
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    static int crossarc_first_greatest(const float* values, int count) {
        float most = -INFINITY;
        int i = 0;
    #if defined(__SSE2__)
        if (count >= 8) {
            float lanes[4];
            __m128 a = _mm_loadu_ps(values), b = _mm_loadu_ps(values + 4);
            for (i = 8; i + 8 <= count; i += 8) {
                a = _mm_max_ps(a, _mm_loadu_ps(values + i));
                b = _mm_max_ps(b, _mm_loadu_ps(values + i + 4));
            }
            _mm_storeu_ps(lanes, _mm_max_ps(a, b));
            for (int k = 0; k < 4; k++)
                most = lanes[k] > most ? lanes[k] : most;
        }
    #endif
        for (; i < count; i++)
            most = values[i] > most ? values[i] : most;
        i = 0;
    #if defined(__SSE2__)
        const __m128 all = _mm_set1_ps(most);
        while (i + 4 <= count && !_mm_movemask_ps(_mm_cmpeq_ps(_mm_loadu_ps(values + i), all)))
            i += 4;
    #endif
        while (i + 1 < count && values[i] != most)
            i++;
        return i;
    }

    static int crossarc_next_reaching(const float* values, int begin, int end, float least) {
    #if defined(__SSE2__)
        const __m128 all = _mm_set1_ps(least);
        while (begin + 4 <= end && !_mm_movemask_ps(_mm_cmpge_ps(_mm_loadu_ps(values + begin), all)))
            begin += 4;
    #endif
        while (begin < end && !(values[begin] >= least))
            begin++;
        return begin;
    }

    CROSSARC_CLONES static void crossarc_add_floats(float* restrict sums, const float* restrict values, int count) {
        for (int i = 0; i < count; i++)
            sums[i] += values[i];
    }

    #if defined(__GNUC__) || defined(__clang__)
    typedef float crossarc_floats __attribute__((vector_size(32), aligned(4), may_alias));
    typedef int32_t crossarc_ints __attribute__((vector_size(32), aligned(4), may_alias));

    /* Eight numbers from -80 to 0 become e to their powers, right to the last bit or two: 2^k times a polynomial, as in
       Cephes. By address, since vectors as results differ between processors. */
    static inline void crossarc_exp_eight(crossarc_floats* numbers) {
        const crossarc_floats x = *numbers;
        const float turn = 12582912.0f;     /* 1.5 * 2^23: adding it rounds to whole numbers */
        const crossarc_floats shifted = x * 1.44269504088896341f + turn;
        const crossarc_floats k = shifted - turn;
        const crossarc_floats r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
        crossarc_floats p = r * 1.9875691500e-4f + 1.3981999507e-3f;
        p = p * r + 8.3334519073e-3f;
        p = p * r + 4.1665795894e-2f;
        p = p * r + 1.6666665459e-1f;
        p = p * r + 5.0000001201e-1f;
        p = p * r * r + r + 1.0f;
        *numbers = (crossarc_floats)((crossarc_ints)p + ((crossarc_ints)shifted << 23));
    }

    CROSSARC_CLONES static double crossarc_sum_powers(const float* values, int count, float greatest, float scale) {
        crossarc_floats sums = {0, 0, 0, 0, 0, 0, 0, 0};
        double total = 0;
        int i = 0;
        for (; i < count; i += 8) {
            crossarc_floats x = {0, 0, 0, 0, 0, 0, 0, 0};
            const int some = count - i < 8 ? count - i : 8;
            if (some == 8) {
                x = *(const crossarc_floats*)(values + i);
            } else {
                float rest[8];
                for (int k = 0; k < 8; k++)
                    rest[k] = k < some ? values[i + k] : -INFINITY;
                x = *(const crossarc_floats*)rest;
            }
            x = (x - greatest) * scale;
            const crossarc_ints near = x > -80.0f;      /* all bits of a lane, or none */
            crossarc_floats powers = (crossarc_floats)((crossarc_ints)x & near);
            crossarc_exp_eight(&powers);
            sums += (crossarc_floats)((crossarc_ints)powers & near);
        }
        for (i = 0; i < 8; i++)
            total += sums[i];
        return total;
    }
    #else
    static double crossarc_sum_powers(const float* values, int count, float greatest, float scale) {
        double total = 0;
        for (int i = 0; i < count; i++)
            total += exp((values[i] - greatest) * scale);
        return total;
    }
    #endif
    """
    # The place of the greatest of some numbers, the first of equals.
    int32_t first_greatest "crossarc_first_greatest" (const weight_t* values, int32_t count) noexcept nogil
    # The first place from `begin` on with at least a number; `end` if there is none.
    int32_t next_reaching "crossarc_next_reaching" (const weight_t* values, int32_t begin, int32_t end,
                                                    weight_t least) noexcept nogil
    void add_floats "crossarc_add_floats" (weight_t* sums, const weight_t* values, int32_t count) noexcept nogil
    # The sum of exp(scale * (value - greatest)); no value is greater than `greatest`.
    double sum_powers "crossarc_sum_powers" (const weight_t* values, int32_t count, weight_t greatest,
                                             weight_t scale) noexcept nogil
