/* Golub, Van Loan: Matrix Computations, chapters 3 to 5 and 8. */
#include "modes/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double dense_dot(int n, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* ---------------------------------------------------------------- triangles */

bool dense_cholesky(int n, double *A) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double left = A[i * n + j] - dense_dot(j, A + i * n, A + j * n);
            if (j < i) A[i * n + j] = left / A[j * n + j];
            else if (!(left > 0)) return false;
            else A[i * n + i] = sqrt(left);
        }
    return true;
}

void dense_forward(int n, const double *L, double *x) {
    for (int i = 0; i < n; i++) x[i] = (x[i] - dense_dot(i, L + i * n, x)) / L[i * n + i];
}

void dense_backward(int n, const double *L, double *x) {
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= L[i * n + i];
        for (int j = 0; j < i; j++) x[j] -= L[i * n + j] * x[i];
    }
}

/* Rows first, A L^-T, then columns, which are rows of the transposed. */
void dense_congruence(int n, const double *L, double *A, double *work) {
    for (int i = 0; i < n; i++) dense_forward(n, L, A + i * n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) work[i] = A[i * n + j];
        dense_forward(n, L, work);
        for (int i = 0; i < n; i++) A[i * n + j] = work[i];
    }
}

/* ---------------------------------------------------------------- reflections */

/* v of length one such that x - 2 v (v . x) is zero behind its first component, which is returned. v = 0: x is so
 * already. */
static double reflect(int n, const double *x, double *v) {
    const double size = sqrt(dense_dot(n, x, x)), first = x[0] > 0 ? -size : size;
    memcpy(v, x, (size_t)n * sizeof *v);
    v[0] -= first;
    const double length = sqrt(dense_dot(n, v, v));
    for (int i = 0; i < n; i++) v[i] = length > 0 ? v[i] / length : 0;
    return first;
}

/* x -= 2 v (v . x) */
static void mirror(int n, const double *v, double *x) {
    const double along = 2 * dense_dot(n, v, x);
    for (int i = 0; i < n; i++) x[i] -= along * v[i];
}

/* The rows from k on of Q, columns from k on, times the reflection. */
static void mirror_columns(int n, int k, const double *v, double *Q) {
    for (int i = 0; i < n; i++) mirror(n - k, v, Q + i * n + k);
}

static int longest(int m, int n, int k, const double *A, double *length) {
    int found = k;
    *length = 0;
    for (int i = k; i < m; i++) {
        const double size = sqrt(dense_dot(n - k, A + i * n + k, A + i * n + k));
        if (size > *length) *length = size, found = i;
    }
    return found;
}

static void exchange(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        const double was = x[i];
        x[i] = y[i], y[i] = was;
    }
}

/* The pivots only decide on the order of the reflections. Their vectors take the place of the rows they came from. */
static int find_reflections(int m, int n, double *A, double *V, double least, double *v) {
    int rank = 0;
    for (double length; rank < m && rank < n; rank++) {
        const int pivot = longest(m, n, rank, A, &length);
        if (!(length > least)) break;
        if (pivot != rank) exchange(n, A + pivot * n, A + rank * n);
        reflect(n - rank, A + rank * n + rank, v);
        for (int i = rank; i < m; i++) mirror(n - rank, v, A + i * n + rank);
        memcpy(V + rank * n, v, (size_t)(n - rank) * sizeof *v);
    }
    return rank;
}

int dense_span(int m, int n, double *A, double *Q, double least, double *work) {
    double *V = malloc(((size_t)m * (size_t)n + 1) * 2 * sizeof *V);
    if (!V) return -1;
    double *given = V + (size_t)m * (size_t)n;
    memcpy(given, A, (size_t)m * (size_t)n * sizeof *A);
    const int rank = find_reflections(m, n, given, V, least, work);
    memset(Q, 0, (size_t)n * (size_t)n * sizeof *Q);
    for (int i = 0; i < n; i++) Q[i * n + i] = 1;
    for (int k = rank - 1; k >= 0; k--) /* H_0 H_1 .. on each unit vector */
        mirror_columns(n, k, V + k * n, Q);
    for (int k = 0; k < rank; k++)
        for (int i = 0; i < m; i++) mirror(n - k, V + k * n, A + i * n + k);
    free(V);
    return rank;
}

/* ---------------------------------------------------------------- symmetric eigenvalues */

/* A to tridiagonal form with the diagonal d and e beside it: A = Q T Q^T, rows of V: those of Q^T. */
static void tridiagonalise(int n, double *A, double *d, double *e, double *V, double *v, double *w) {
    for (int k = 0; k < n - 1; k++) {
        const int left = n - k - 1;
        double *S = A + (k + 1) * n + k + 1;
        for (int i = 0; i < left; i++) w[i] = A[(k + 1 + i) * n + k];
        e[k] = reflect(left, w, v);
        for (int i = 0; i < left; i++) w[i] = 2 * dense_dot(left, S + i * n, v);
        const double along = dense_dot(left, v, w);
        for (int i = 0; i < left; i++) w[i] -= along * v[i];
        for (int i = 0; i < left; i++)
            for (int j = 0; j < left; j++) S[i * n + j] -= v[i] * w[j] + w[i] * v[j];
        memset(w, 0, (size_t)n * sizeof *w);
        for (int i = 0; i < left; i++)
            for (int j = 0; j < n; j++) w[j] += 2 * v[i] * V[(k + 1 + i) * n + j];
        for (int i = 0; i < left; i++)
            for (int j = 0; j < n; j++) V[(k + 1 + i) * n + j] -= v[i] * w[j];
    }
    for (int k = 0; k < n; k++) d[k] = A[k * n + k];
}

static void rotate_rows(int n, double c, double s, double *x, double *y) {
    for (int j = 0; j < n; j++) {
        const double p = x[j], q = y[j];
        x[j] = c * p + s * q, y[j] = c * q - s * p;
    }
}

/* One step with Wilkinson's shift on rows [low, high] of the tridiagonal matrix. */
static void chase(int n, double *d, double *e, int low, int high, double *V) {
    const double half = (d[high - 1] - d[high]) / 2, last = e[high - 1];
    const double shift = d[high] - last * last / (half + copysign(hypot(half, last), half));
    double x = d[low] - shift, z = e[low];
    for (int k = low; k < high; k++) {
        const double size = hypot(x, z), c = size > 0 ? x / size : 1, s = size > 0 ? z / size : 0;
        const double a = d[k], b = e[k], f = d[k + 1];
        if (k > low) e[k - 1] = size;
        d[k] = c * c * a + 2 * c * s * b + s * s * f;
        d[k + 1] = s * s * a - 2 * c * s * b + c * c * f;
        e[k] = c * s * (f - a) + (c * c - s * s) * b;
        if (k + 1 < high) z = s * e[k + 1], e[k + 1] *= c;
        x = e[k];
        rotate_rows(n, c, s, V + k * n, V + (k + 1) * n);
    }
}

static bool diagonalise(int n, double *d, double *e, double *V) {
    for (int high = n - 1, turns = 0; high > 0;) {
        int low = high;
        while (low > 0 && fabs(e[low - 1]) > DBL_EPSILON * (fabs(d[low - 1]) + fabs(d[low]))) low--;
        if (low == high) high--, turns = 0;
        else if (++turns > 60) return false;
        else chase(n, d, e, low, high, V);
    }
    return true;
}

static void sort(int n, double *d, double *V) {
    for (int k = 0; k < n; k++) {
        int least = k;
        for (int i = k + 1; i < n; i++)
            if (d[i] < d[least]) least = i;
        if (least == k) continue;
        exchange(1, d + k, d + least);
        exchange(n, V + k * n, V + least * n);
    }
}

bool dense_symmetric(int n, double *A, double *value, double *V) {
    double *work = calloc(3 * (size_t)n + 1, sizeof *work);
    if (!work) return false;
    memset(V, 0, (size_t)n * (size_t)n * sizeof *V);
    for (int i = 0; i < n; i++) V[i * n + i] = 1;
    tridiagonalise(n, A, value, work, V, work + n, work + 2 * n);
    const bool found = diagonalise(n, value, work, V);
    if (found) sort(n, value, V);
    free(work);
    return found;
}

/* ---------------------------------------------------------------- elimination */

bool dense_solve(int n, double complex *A, double complex *x) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(A[i * n + k]) > cabs(A[pivot * n + k])) pivot = i;
        const double complex p = A[pivot * n + k], first = x[pivot];
        if (!(cabs(p) > 0) || !isfinite(cabs(p))) return false;
        for (int j = k; j < n && pivot != k; j++) {
            const double complex was = A[k * n + j];
            A[k * n + j] = A[pivot * n + j], A[pivot * n + j] = was;
        }
        x[pivot] = x[k], x[k] = first;
        for (int i = k + 1; i < n; i++) {
            const double complex part = A[i * n + k] / p;
            if (part == 0) continue;
            for (int j = k + 1; j < n; j++) A[i * n + j] -= part * A[k * n + j];
            x[i] -= part * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
    return true;
}
