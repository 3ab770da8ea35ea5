/* Products of matrices, and the functions that stand between products in a network.

Everything is there for float, which is fast, and for double, by which gradients are tested. A row of a product is the
same to the last bit whatever the other rows are: sums run over the inner dimension in its order, one at a time. So
neither the size of a batch nor the number of threads changes a result.

With GCC and Clang on x86 the processor is asked once whether it has AVX2 and FMA. */
#ifndef CROSSARC_KERNELS_H
#define CROSSARC_KERNELS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PANEL 16      /* columns of a right matrix that stand together */
#define TILE 6        /* rows of a left matrix at a time: 12 vectors of sums, with AVX2, leave room for the factors */
#define BLOCK 240     /* rows that go through a panel before the next one */

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>
#define CROSSARC_AVX2 1
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 6")
#endif
#define WIDE __attribute__((target("avx2,fma")))
#define INLINE static inline __attribute__((always_inline))
static inline int crossarc_has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define CROSSARC_AVX2 0
#define WIDE
#define INLINE static inline
static inline int crossarc_has_avx2(void) { return 0; }
#endif

/* The arrays that a loop writes overlap none that it reads. */
#if defined(__clang__)
#define APART _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define APART _Pragma("GCC ivdep")
#else
#define APART
#endif

/* exp without branches, so that loops over it become vector code; good to 2e-7. */
INLINE float crossarc_exp_f32(float x) {
    const float shift = 12582912.0f; /* 1.5 * 2^23: adding it rounds to whole numbers */
    float n, r, p;
    union { int32_t bits; float value; } power;
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    n = (x * 1.44269504f + shift) - shift;
    r = x - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    power.bits = (int32_t)((uint32_t)((int32_t)n + 127) << 23); /* no shift of negative numbers, for NaN */
    return p * power.value;
}
INLINE double crossarc_exp_f64(double x) { return exp(x); }

#if CROSSARC_AVX2
INLINE WIDE void crossarc_fma_tile(int rows, ptrdiff_t k, const float* a, ptrdiff_t stride, const float* panel,
                                   float* out, ptrdiff_t out_stride, int add) {
    __m256 sums[TILE][2];
    UNROLL
    for (int i = 0; i < rows; i++) sums[i][0] = sums[i][1] = _mm256_setzero_ps();
    UNROLL
    for (ptrdiff_t step = 0; step < k; step++) {
        __m256 left = _mm256_loadu_ps(panel + step * PANEL), right = _mm256_loadu_ps(panel + step * PANEL + 8);
        UNROLL
        for (int i = 0; i < rows; i++) {
            __m256 factor = _mm256_broadcast_ss(a + i * stride + step);
            sums[i][0] = _mm256_fmadd_ps(factor, left, sums[i][0]);
            sums[i][1] = _mm256_fmadd_ps(factor, right, sums[i][1]);
        }
    }
    UNROLL
    for (int i = 0; i < rows; i++) {
        float* target = out + i * out_stride;
        if (add) {
            sums[i][0] = _mm256_add_ps(_mm256_loadu_ps(target), sums[i][0]);
            sums[i][1] = _mm256_add_ps(_mm256_loadu_ps(target + 8), sums[i][1]);
        }
        _mm256_storeu_ps(target, sums[i][0]);
        _mm256_storeu_ps(target + 8, sums[i][1]);
    }
}
WIDE static void crossarc_wide_tile(int rows, ptrdiff_t k, const float* a, ptrdiff_t stride, const float* panel,
                                    float* out, ptrdiff_t out_stride, int add) {
    switch (rows) {
        case 1: crossarc_fma_tile(1, k, a, stride, panel, out, out_stride, add); break;
        case 2: crossarc_fma_tile(2, k, a, stride, panel, out, out_stride, add); break;
        case 3: crossarc_fma_tile(3, k, a, stride, panel, out, out_stride, add); break;
        case 4: crossarc_fma_tile(4, k, a, stride, panel, out, out_stride, add); break;
        case 5: crossarc_fma_tile(5, k, a, stride, panel, out, out_stride, add); break;
        default: crossarc_fma_tile(6, k, a, stride, panel, out, out_stride, add);
    }
}
#endif

#define SQRT sqrtf
#define real float
#define NAME(name) crossarc_##name##_f32
#include "neural/kernels.inc"
#undef real
#undef NAME
#undef SQRT
#define SQRT sqrt
#define real double
#define NAME(name) crossarc_##name##_f64
#include "neural/kernels.inc"
#undef real
#undef NAME

/* What runs with AVX2 where there is AVX2: `CHOOSE(name, types, arguments)` makes run_name_f32 and run_name_f64. */
#if CROSSARC_AVX2
#define CHOOSE(name, parameters_f32, parameters_f64, arguments)                                      \
    WIDE static void crossarc_wide_##name parameters_f32 { crossarc_##name##_f32 arguments; }        \
    static inline void crossarc_run_##name##_f32 parameters_f32 {                                    \
        if (crossarc_has_avx2()) crossarc_wide_##name arguments;                                     \
        else crossarc_##name##_f32 arguments;                                                        \
    }                                                                                                \
    static inline void crossarc_run_##name##_f64 parameters_f64 { crossarc_##name##_f64 arguments; }
#else
#define CHOOSE(name, parameters_f32, parameters_f64, arguments)                                      \
    static inline void crossarc_run_##name##_f32 parameters_f32 { crossarc_##name##_f32 arguments; } \
    static inline void crossarc_run_##name##_f64 parameters_f64 { crossarc_##name##_f64 arguments; }
#endif
#define PARAMETERS(real) (ptrdiff_t size, real* gates, const real* before, real* cell, real* hidden)
CHOOSE(cell, PARAMETERS(float), PARAMETERS(double), (size, gates, before, cell, hidden))
#undef PARAMETERS
#define PARAMETERS(real) \
    (ptrdiff_t size, real* gates, const real* before, const real* cell, const real* hidden, real* carried)
CHOOSE(cell_gradient, PARAMETERS(float), PARAMETERS(double), (size, gates, before, cell, hidden, carried))
#undef PARAMETERS
#define PARAMETERS(real) (ptrdiff_t size, real* scores, real* total)
CHOOSE(softmax, PARAMETERS(float), PARAMETERS(double), (size, scores, total))
#undef PARAMETERS
#define PARAMETERS(real)                                                                                              \
    (ptrdiff_t size, real* weights, real* gradient, real* mean, real* square, real scale, real rate, real beta1,      \
     real beta2, real floor)
CHOOSE(adam, PARAMETERS(float), PARAMETERS(double),
       (size, weights, gradient, mean, square, scale, rate, beta1, beta2, floor))
#undef PARAMETERS
#define PARAMETERS(real) (ptrdiff_t size, const real* row, real* out)
CHOOSE(add, PARAMETERS(float), PARAMETERS(double), (size, row, out))
#undef PARAMETERS
#define PARAMETERS(real) (ptrdiff_t size, real* scores)
CHOOSE(log_softmax, PARAMETERS(float), PARAMETERS(double), (size, scores))
#undef PARAMETERS
#define PARAMETERS(real) (ptrdiff_t size, const real* values, double* sum)
CHOOSE(squares, PARAMETERS(float), PARAMETERS(double), (size, values, sum))
#undef PARAMETERS

INLINE void crossarc_multiply_f32(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const float* a, ptrdiff_t stride,
                                  const float* panels, float* out, ptrdiff_t out_stride, int add) {
#if CROSSARC_AVX2
    if (crossarc_has_avx2()) {
        crossarc_product_f32(crossarc_wide_tile, m, n, k, a, stride, panels, out, out_stride, add);
        return;
    }
#endif
    crossarc_product_f32(crossarc_tile_f32, m, n, k, a, stride, panels, out, out_stride, add);
}
INLINE void crossarc_multiply_f64(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const double* a, ptrdiff_t stride,
                                  const double* panels, double* out, ptrdiff_t out_stride, int add) {
    crossarc_product_f64(crossarc_tile_f64, m, n, k, a, stride, panels, out, out_stride, add);
}

#endif
