/* Few rows of joints that depend on others are left out of a factorisation (docs/theory/solver.md, (S25)). Then
 * percussions N do nothing, and sums of rows Y are zero. */
#include <math.h>

#include "solver/solver_inside.h"

/* sum over laws of x_k y_k / (G_k level_k): percussions as (S1) weighs them. */
static double weigh(const solver *s, const problem *p, const double *x, const double *y) {
    double sum = 0;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        const int at = s->place[l->col];
        for (int i = 0; at >= 0 && i < l->size; i++) sum += x[at + i] * y[at + i] / (l->G * l->level);
    }
    return sum;
}

static double product(int n, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void add_scaled(int n, double factor, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] += factor * x[i];
}

/* N of (S25): percussions that do nothing, each of length one and at right angles to the others. */
static double *silent(const solver *s, int k) {
    return s->null + (size_t)k * (size_t)s->size;
}

/* Y: sums of rows that are zero. */
static double *idle(const solver *s, int k) {
    return silent(s, LINEAR_DEPENDENT + k);
}

void left_out_find(solver *s, const problem *p) {
    for (int k = 0; k < s->left_out; k++) {
        double *n = silent(s, k);
        linear_null(s->linear, k, n);
        linear_null_transposed(s->linear, k, idle(s, k));
        for (int i = 0; i < k; i++) add_scaled(s->size, -weigh(s, p, silent(s, i), n), silent(s, i), n);
        const double length = sqrt(weigh(s, p, n, n));
        for (int c = p->nF; c < s->size; c++) n[c] /= length;
    }
    for (int k = 0; k < s->left_out; k++) {
        const double along = product(s->size, idle(s, k), silent(s, k));
        for (int c = 0; c < s->size; c++) idle(s, k)[c] /= along;
        for (int i = 0; i < s->left_out; i++)
            if (i != k) add_scaled(s->size, -product(s->size, idle(s, i), silent(s, k)), idle(s, k), idle(s, i));
    }
}

/* b -= N Y^T b */
void left_out_agree(const solver *s, double *b) {
    for (int k = 0; k < s->left_out; k++) add_scaled(s->size, -product(s->size, idle(s, k), b), silent(s, k), b);
}

/* x := P_r x */
void left_out_least(const solver *s, const problem *p, double *x) {
    for (int k = 0; k < s->left_out; k++) add_scaled(s->size, -weigh(s, p, silent(s, k), x), silent(s, k), x);
}
