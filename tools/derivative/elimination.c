#include "derivative/elimination.h"

#include <math.h>

/* Rows are compared by their entries in units of their largest one. */
static int best_row(int n, const double *A, int k) {
    int best = -1;
    double most = 0;
    for (int i = k; i < n; i++) {
        double size = 0;
        for (int j = k; j < n; j++) size = fmax(size, fabs(A[i * n + j]));
        const double part = size > 0 ? fabs(A[i * n + k]) / size : 0;
        if (part > most) most = part, best = i;
    }
    return most > 1e-13 ? best : -1;
}

static void exchange(double *a, double *b) {
    const double was = *a;
    *a = *b, *b = was;
}

bool elimination_factor(int n, double *A, int *pivot, double *determinant) {
    double product = 1;
    for (int k = 0; k < n; k++) {
        pivot[k] = best_row(n, A, k);
        if (pivot[k] < 0) return false;
        for (int j = 0; j < n && pivot[k] != k; j++) exchange(&A[k * n + j], &A[pivot[k] * n + j]);
        product *= pivot[k] != k ? -A[k * n + k] : A[k * n + k];
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
        }
    }
    if (determinant) *determinant = product;
    return true;
}

void elimination_solve(int n, const double *A, const int *pivot, double *b) {
    for (int k = 0; k < n; k++) exchange(&b[k], &b[pivot[k]]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) b[i] -= A[i * n + j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}
