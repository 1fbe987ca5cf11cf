/* Arithmetic of 3 x 3 blocks, by rows. Rows are written out: compilers do not unroll such short loops by themselves. */
#ifndef CAROM_FRICTION_BLOCK_H
#define CAROM_FRICTION_BLOCK_H

#include <stdbool.h>

static inline bool block_is_zero(const double *A) {
    for (int i = 0; i < 9; i++)
        if (A[i] != 0) return false;
    return true;
}

/* y += A x */
static inline void block_apply(const double *restrict A, const double *restrict x, double *restrict y) {
    y[0] += A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
    y[1] += A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
    y[2] += A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
}

/* y -= A x */
static inline void block_subtract(const double *restrict A, const double *restrict x, double *restrict y) {
    y[0] -= A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
    y[1] -= A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
    y[2] -= A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
}

/* c = a B, a row of a product */
static inline void block_row(const double *restrict a, const double *restrict B, double *restrict c) {
    c[0] = a[0] * B[0] + a[1] * B[3] + a[2] * B[6];
    c[1] = a[0] * B[1] + a[1] * B[4] + a[2] * B[7];
    c[2] = a[0] * B[2] + a[1] * B[5] + a[2] * B[8];
}

/* C = A B */
static inline void block_multiply(const double *restrict A, const double *restrict B, double *restrict C) {
    for (int i = 0; i < 9; i += 3) block_row(A + i, B, C + i);
}

/* C += A B */
static inline void block_add_product(const double *restrict A, const double *restrict B, double *restrict C) {
    for (int i = 0; i < 9; i += 3) {
        double c[3];
        block_row(A + i, B, c);
        C[i] += c[0], C[i + 1] += c[1], C[i + 2] += c[2];
    }
}

/* C -= A B */
static inline void block_subtract_product(const double *restrict A, const double *restrict B, double *restrict C) {
    for (int i = 0; i < 9; i += 3) {
        double c[3];
        block_row(A + i, B, c);
        C[i] -= c[0], C[i + 1] -= c[1], C[i + 2] -= c[2];
    }
}

static inline double block_determinant(const double *A) {
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) + A[2] * (A[3] * A[7] - A[4] * A[6]);
}

#endif
