/* v_1 = x/|x|,   b_n v_{n+1} = A v_n - a_n v_n - b_{n-1} v_{n-1}: in the basis v_1, v_2, .. A is a tridiagonal T with
 * a_n on the diagonal and b_n beside it. The largest eigenvalue of T only grows with n, towards that of A. What
 * round-off costs, orthogonality of the v_n, gives T copies of eigenvalues that are there, and no others. The vectors
 * are not kept: once T is known, a second turn adds up the eigenvector. */
#include "linalg/lanczos.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The most vectors; how many come before any decision, so that an eigenvector shows of which x has little; the number
 * of vectors from one look at T to the next. */
enum { MOST = 300, LEAST = 60, LOOK = 10 };

typedef struct basis {
    const lanczos_operator *a;
    double *start, *v, *before, *w;
    double diagonal[MOST], beside[MOST];
} basis;

static double length(const basis *s, const double *x) {
    return sqrt(s->a->product(s->a->context, x, x));
}

static void begin(basis *s) {
    const int n = s->a->n;
    const double size = length(s, s->start);
    for (int j = 0; j < n; j++) s->v[j] = s->start[j] / size, s->before[j] = 0;
}

/* Computes v_{k+1} in the place of v_k, with a_k and b_k. */
static void advance(basis *s, int k) {
    const int n = s->a->n;
    double *v = s->v, *w = s->w, *before = s->before, back = k > 0 ? s->beside[k - 1] : 0;
    s->a->apply(s->a->context, v, w);
    const double along = s->diagonal[k] = s->a->product(s->a->context, v, w);
    for (int j = 0; j < n; j++) w[j] -= along * v[j] + back * before[j];
    const double size = s->beside[k] = length(s, w);
    for (int j = 0; j < n; j++) w[j] /= size;
    s->before = v, s->v = w, s->w = before;
}

/* Whether all eigenvalues of the first n rows of T are below x: then all pivots of x - T are positive. */
static bool below(const basis *s, int n, double x, double *pivot) {
    for (int k = 0; k < n; k++) {
        double back = k > 0 ? s->beside[k - 1] * s->beside[k - 1] / pivot[k - 1] : 0;
        if (!((pivot[k] = x - s->diagonal[k] - back) > 0)) return false;
    }
    return true;
}

static double largest_of(const basis *s, int n) {
    double low = s->diagonal[0], high = low, pivot[MOST];
    for (int k = 0; k < n; k++) {
        double beside = (k > 0 ? s->beside[k - 1] : 0) + (k < n - 1 ? s->beside[k] : 0);
        low = fmax(low, s->diagonal[k]), high = fmax(high, s->diagonal[k] + beside);
    }
    for (double middle; middle = low + (high - low) / 2, middle > low && middle < high;)
        *(below(s, n, middle, pivot) ? &high : &low) = middle;
    return low;
}

/* The eigenvector of T, by inverse iteration just above its largest eigenvalue. */
static void weigh(const basis *s, int n, double largest, double size, double *weight) {
    double pivot[MOST], above = size * 1e-14;
    while (!below(s, n, largest + above, pivot)) above *= 2;
    for (int k = 0; k < n; k++) weight[k] = 1;
    for (int turn = 0; turn < 3; turn++) {
        double square = 0;
        for (int k = 1; k < n; k++) weight[k] += s->beside[k - 1] / pivot[k - 1] * weight[k - 1];
        for (int k = n - 1; k >= 0; k--) {
            weight[k] = (weight[k] + (k < n - 1 ? s->beside[k] * weight[k + 1] : 0)) / pivot[k];
            square += weight[k] * weight[k];
        }
        for (int k = 0; k < n; k++) weight[k] /= sqrt(square);
    }
}

double lanczos_largest(const lanczos_operator *a, double above, double *x, double *work) {
    const size_t n = (size_t)a->n;
    basis s = {.a = a, .start = work, .v = work + n, .before = work + 2 * n, .w = work + 3 * n};
    double largest = 0, size = 0, weight[MOST];
    int count = 0;
    memcpy(s.start, x, n * sizeof *x);
    begin(&s);
    for (bool closed = false; !closed && count < MOST;) {
        advance(&s, count++);
        const double along = s.diagonal[count - 1], beside = s.beside[count - 1], last = largest;
        if (!isfinite(along) || !isfinite(beside)) return NAN;
        size = fmax(size, fmax(fabs(along), beside));
        closed = beside <= 1e-12 * size;
        if (!closed && count % LOOK) continue;
        largest = largest_of(&s, count);
        closed = closed || (count > LEAST && largest - last <= 1e-5 * fabs(largest));
    }
    if (!(size * size >= DBL_MIN)) return 0; /* squares of so small components underflow */
    if (largest <= above) return largest;
    weigh(&s, count, largest, size, weight);
    begin(&s);
    memset(x, 0, n * sizeof *x);
    for (int k = 0; k < count; k++) {
        for (size_t j = 0; j < n; j++) x[j] += weight[k] * s.v[j];
        if (k < count - 1) advance(&s, k);
    }
    const double sum = length(&s, x); /* not one where T has copies */
    for (size_t j = 0; j < n; j++) x[j] /= sum;
    return largest;
}
