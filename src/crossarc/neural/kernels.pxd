# Products of matrices and the functions between them in a network, for float and double; see kernels.h.
ctypedef fused real_t:
    float
    double


cdef extern from "neural/kernels.h" nogil:
    const int PANEL
    void multiply_f32 "crossarc_multiply_f32"(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const float* a,
                                              Py_ssize_t stride, const float* panels, float* out,
                                              Py_ssize_t out_stride, bint add) noexcept
    void multiply_f64 "crossarc_multiply_f64"(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const double* a,
                                              Py_ssize_t stride, const double* panels, double* out,
                                              Py_ssize_t out_stride, bint add) noexcept
    void pack_f32 "crossarc_pack_f32"(const float* matrix, Py_ssize_t k, Py_ssize_t n, Py_ssize_t row_stride,
                                      Py_ssize_t column_stride, float* panels) noexcept
    void pack_f64 "crossarc_pack_f64"(const double* matrix, Py_ssize_t k, Py_ssize_t n, Py_ssize_t row_stride,
                                      Py_ssize_t column_stride, double* panels) noexcept
    void transpose_f32 "crossarc_transpose_f32"(const float* matrix, Py_ssize_t rows, Py_ssize_t columns,
                                                float* out) noexcept
    void transpose_f64 "crossarc_transpose_f64"(const double* matrix, Py_ssize_t rows, Py_ssize_t columns,
                                                double* out) noexcept
    void cell_f32 "crossarc_run_cell_f32"(Py_ssize_t size, float* gates, const float* before, float* cell,
                                          float* hidden) noexcept
    void cell_f64 "crossarc_run_cell_f64"(Py_ssize_t size, double* gates, const double* before, double* cell,
                                          double* hidden) noexcept
    void cell_gradient_f32 "crossarc_run_cell_gradient_f32"(Py_ssize_t size, float* gates, const float* before,
                                                            const float* cell, const float* hidden,
                                                            float* carried) noexcept
    void cell_gradient_f64 "crossarc_run_cell_gradient_f64"(Py_ssize_t size, double* gates, const double* before,
                                                            const double* cell, const double* hidden,
                                                            double* carried) noexcept
    void softmax_f32 "crossarc_run_softmax_f32"(Py_ssize_t size, float* scores, float* total) noexcept
    void softmax_f64 "crossarc_run_softmax_f64"(Py_ssize_t size, double* scores, double* total) noexcept
    void adam_f32 "crossarc_run_adam_f32"(Py_ssize_t size, float* weights, float* gradient, float* mean,
                                          float* square, float scale, float rate, float beta1, float beta2,
                                          float floor) noexcept
    void adam_f64 "crossarc_run_adam_f64"(Py_ssize_t size, double* weights, double* gradient, double* mean,
                                          double* square, double scale, double rate, double beta1, double beta2,
                                          double floor) noexcept
    void add_f32 "crossarc_run_add_f32"(Py_ssize_t size, const float* row, float* out) noexcept
    void add_f64 "crossarc_run_add_f64"(Py_ssize_t size, const double* row, double* out) noexcept
    void log_softmax_f32 "crossarc_run_log_softmax_f32"(Py_ssize_t size, float* scores) noexcept
    void log_softmax_f64 "crossarc_run_log_softmax_f64"(Py_ssize_t size, double* scores) noexcept
    void squares_f32 "crossarc_run_squares_f32"(Py_ssize_t size, const float* values, double* sum) noexcept
    void squares_f64 "crossarc_run_squares_f64"(Py_ssize_t size, const double* values, double* sum) noexcept


cdef inline Py_ssize_t panel_room(Py_ssize_t k, Py_ssize_t n) noexcept nogil:
    """How many numbers the panels of a matrix of k rows and n columns have."""
    return (n + PANEL - 1) // PANEL * PANEL * k


cdef inline void multiply_raw(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const real_t* a, Py_ssize_t stride,
                              const real_t* panels, real_t* out, Py_ssize_t out_stride, bint add) noexcept nogil:
    """out = a * b or out += a * b, where `panels` is b as `pack_raw` has it."""
    if real_t is float:
        multiply_f32(m, n, k, a, stride, panels, out, out_stride, add)
    else:
        multiply_f64(m, n, k, a, stride, panels, out, out_stride, add)


cdef inline void pack_raw(const real_t* matrix, Py_ssize_t k, Py_ssize_t n, Py_ssize_t row_stride,
                          Py_ssize_t column_stride, real_t* panels) noexcept nogil:
    """Write the panels of a matrix of k rows and n columns."""
    if real_t is float:
        pack_f32(matrix, k, n, row_stride, column_stride, panels)
    else:
        pack_f64(matrix, k, n, row_stride, column_stride, panels)


cdef inline void transpose_raw(const real_t* matrix, Py_ssize_t rows, Py_ssize_t columns, real_t* out) noexcept nogil:
    """Write the transpose of a matrix."""
    if real_t is float:
        transpose_f32(matrix, rows, columns, out)
    else:
        transpose_f64(matrix, rows, columns, out)


cdef inline void add_raw(Py_ssize_t size, const real_t* row, real_t* out) noexcept nogil:
    """Add a row to another."""
    if real_t is float:
        add_f32(size, row, out)
    else:
        add_f64(size, row, out)


cdef inline void softmax_raw(Py_ssize_t size, real_t* scores, real_t* total) noexcept nogil:
    """Make a row of scores probabilities; `total` is the logarithm of the sum of their powers."""
    if real_t is float:
        softmax_f32(size, scores, total)
    else:
        softmax_f64(size, scores, total)


# Matrices as products take them.
cdef class Panels:
    cdef readonly Py_ssize_t rows
    cdef readonly Py_ssize_t columns
    cdef readonly object dtype
    cdef void* data
