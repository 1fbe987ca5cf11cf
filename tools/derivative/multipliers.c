/* Hessenberg form by Householder reflections, then QR steps with Wilkinson's shift, in complex numbers (Golub, Van
 * Loan: Matrix Computations, chapter 7). */
#include "derivative/multipliers.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef double complex number;

/* A(k+1.., k) to a multiple of the first unit vector, by I - 2 v v^H from both sides. */
static void reflect(int n, number *A, int k, number *v) {
    double size = 0;
    for (int i = k + 1; i < n; i++) size = hypot(size, cabs(A[i * n + k]));
    const number first = A[(k + 1) * n + k], phase = cabs(first) > 0 ? first / cabs(first) : 1;
    double length = 0;
    for (int i = k + 1; i < n; i++) {
        v[i] = A[i * n + k] + (i == k + 1 ? phase * size : 0);
        length = hypot(length, cabs(v[i]));
    }
    if (!(length > 0)) return;
    for (int i = k + 1; i < n; i++) v[i] /= length;
    for (int j = 0; j < n; j++) {
        number sum = 0;
        for (int i = k + 1; i < n; i++) sum += conj(v[i]) * A[i * n + j];
        for (int i = k + 1; i < n; i++) A[i * n + j] -= 2 * v[i] * sum;
    }
    for (int i = 0; i < n; i++) {
        number sum = 0;
        for (int j = k + 1; j < n; j++) sum += A[i * n + j] * v[j];
        for (int j = k + 1; j < n; j++) A[i * n + j] -= 2 * sum * conj(v[j]);
    }
}

/* The eigenvalue of the last 2 x 2 block that is nearer to its last entry. */
static number shift(const number *A, int n, int high) {
    const number a = A[(high - 1) * n + high - 1], b = A[(high - 1) * n + high], c = A[high * n + high - 1],
                 d = A[high * n + high], half = (a - d) / 2, root = csqrt(half * half + b * c);
    const number one = d + half + root, other = d + half - root;
    return cabs(one - d) < cabs(other - d) ? one : other;
}

/* One step on rows and columns [low, high]: A - s I = Q R, then R Q + s I, by Givens rotations. */
static void step(int n, number *A, int low, int high, number s, number *c, number *t) {
    for (int i = low; i <= high; i++) A[i * n + i] -= s;
    for (int k = low; k < high; k++) {
        const number x = A[k * n + k], y = A[(k + 1) * n + k];
        const double size = hypot(cabs(x), cabs(y));
        c[k] = size > 0 ? x / size : 1, t[k] = size > 0 ? y / size : 0;
        for (int j = k; j <= high; j++) {
            const number p = A[k * n + j], q = A[(k + 1) * n + j];
            A[k * n + j] = conj(c[k]) * p + conj(t[k]) * q;
            A[(k + 1) * n + j] = -t[k] * p + c[k] * q;
        }
    }
    for (int k = low; k < high; k++)
        for (int i = low; i <= (k + 1 < high ? k + 1 : high); i++) {
            const number p = A[i * n + k], q = A[i * n + k + 1];
            A[i * n + k] = p * c[k] + q * t[k];
            A[i * n + k + 1] = -p * conj(t[k]) + q * conj(c[k]);
        }
    for (int i = low; i <= high; i++) A[i * n + i] += s;
}

static bool is_small(const number *A, int n, int k) {
    return cabs(A[k * n + k - 1]) <= DBL_EPSILON * (cabs(A[k * n + k]) + cabs(A[(k - 1) * n + k - 1]));
}

static int by_size(const void *a, const void *b) {
    const double x = cabs(*(const number *)a), y = cabs(*(const number *)b);
    return (x < y) - (x > y);
}

bool multipliers_find(int n, number *A, number *value) {
    enum { MOST = 300 };
    number *room = calloc(2 * (size_t)n + 1, sizeof *room);
    bool found = room != NULL;
    for (int k = 0; k + 2 < n && found; k++) reflect(n, A, k, room);
    for (int high = n - 1, turns = 0; high >= 0 && found; turns++) {
        int low = high;
        while (low > 0 && !is_small(A, n, low)) low--;
        if (low > 0) A[low * n + low - 1] = 0;
        if (low == high) value[high] = A[high * n + high], high--, turns = -1;
        else if (turns == MOST) found = false;
        else step(n, A, low, high, turns % 11 == 10 ? A[high * n + high] * 1.5 : shift(A, n, high), room, room + n);
    }
    free(room);
    if (found) qsort(value, (size_t)n, sizeof *value, by_size);
    return found;
}
