#include "identify/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---------------------------------------------------------------- singular values */

/* Rotates columns a and b until they are perpendicular to each other; the columns of V turn with them. */
static bool rotate(int m, int n, double *a, double *b, double *va, double *vb) {
    const double aa = dot(m, a, a), bb = dot(m, b, b), ab = dot(m, a, b);
    if (!(fabs(ab) > 1e-15 * sqrt(aa * bb))) return false;
    const double zeta = (bb - aa) / (2 * ab), t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
    const double c = 1 / hypot(1, t), s = c * t;
    for (int i = 0; i < m; i++) {
        const double x = a[i], y = b[i];
        a[i] = c * x - s * y, b[i] = s * x + c * y;
    }
    for (int i = 0; i < n; i++) {
        const double x = va[i], y = vb[i];
        va[i] = c * x - s * y, vb[i] = s * x + c * y;
    }
    return true;
}

/* Hestenes 1958: A V = U S by rotations of columns, A[n][m] becomes U S. */
static void decompose(int m, int n, double *A, double *V) {
    enum { MOST_SWEEPS = 60 };
    bool turned = true;
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < MOST_SWEEPS && turned; sweep++) {
        turned = false;
        for (int a = 0; a < n; a++)
            for (int b = a + 1; b < n; b++) turned = rotate(m, n, A + a * m, A + b * m, V + a * n, V + b * n) || turned;
    }
}

/* ---------------------------------------------------------------- covariance */

/* Gives the columns length 1. False: one of them is zero, and is the weakest combination. */
static bool scale(int m, int n, double *A, double *size, spread *s) {
    for (int k = 0; k < n; k++) {
        size[k] = sqrt(dot(m, A + k * m, A + k * m));
        if (!(size[k] > 0)) return s->weakest[k] = 1, false;
        for (int i = 0; i < m; i++) A[k * m + i] /= size[k];
    }
    return true;
}

/* (SE45): (J^T J)^-1 = D^-1 V S^-2 V^T D^-1, D the lengths of columns. */
static void fill_covariance(int m, int n, const double *r, const double *A, const double *V, const double *size,
                            spread *s) {
    double offset = 0;
    s->least = INFINITY;
    for (int k = 0; k < n; k++) {
        const double *v = V + k * n, *u = A + k * m, value = sqrt(dot(m, u, u)), part = dot(m, u, r) / value;
        offset += part * part;
        for (int i = 0; i < n * n; i++)
            s->covariance[i] += v[i / n] * v[i % n] / (value * value * size[i / n] * size[i % n]);
        if (value < s->least) s->least = value, memcpy(s->weakest, v, (size_t)n * sizeof *v);
    }
    s->offset = sqrt(offset);
}

carom_status spread_compute(int m, int n, const double *r, const double *by, spread *s, carom_error *error) {
    const size_t rows = (size_t)m, columns = (size_t)n;
    *s = (spread){calloc(columns * columns + 1, sizeof(double)), 0, 0, calloc(columns + 1, sizeof(double))};
    double *A = calloc(rows * columns + columns * columns + columns + 1, sizeof *A);
    carom_status status = A && s->covariance && s->weakest ? CAROM_OK : carom_error_memory(error);
    if (!status) {
        double *V = A + rows * columns, *size = V + columns * columns;
        memcpy(A, by, rows * columns * sizeof *A);
        if (scale(m, n, A, size, s)) {
            decompose(m, n, A, V);
            fill_covariance(m, n, r, A, V, size, s);
        }
    }
    free(A);
    return status;
}

void spread_destroy(spread *s) {
    free(s->covariance);
    free(s->weakest);
}

/* ---------------------------------------------------------------- Student's distribution */

/* The probability of [-t, t], (SE46): Abramowitz and Stegun 26.7.3, 26.7.4, with theta = atan(t/sqrt(freedom)). */
static double student_part(double t, int freedom) {
    const double theta = atan(t / sqrt(freedom)), c = cos(theta), s = sin(theta);
    const bool odd = freedom % 2;
    double term = odd ? c : 1, sum = freedom == 1 ? 0 : term;
    for (int j = odd ? 3 : 2; j < freedom; j += 2) {
        term *= c * c * (j - 1) / j;
        sum += term;
    }
    return odd ? (theta + s * sum) * 2 / M_PI : s * sum;
}

double student_quantile(double part, int freedom) {
    double low = 0, high = 1;
    while (student_part(high, freedom) < part) high *= 2;
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        *(student_part(middle, freedom) < part ? &low : &high) = middle;
    }
    return (low + high) / 2;
}
