/* Elimination row by row with pivots among the columns, (S12). In
 *
 *     M du - W dr = ..,   W^T du = ..
 *
 * masses decide nothing if the rows of W^T come first: their pivots are velocities, and whether a row depends on others
 * is seen from directions alone. Where laws are on positions, the updates of these come before them, so that directions
 * are those of velocities: gaps of four quaternions that no velocity tells apart look independent. What is left of the
 * balances has no large terms that cancel. Row k becomes
 *
 *     row_k = sum_{q<k} L_kq U_q + pivot_k U_k,    U_k = 1 in its own column, at most 1 in columns to come. */
#include "linalg/ordered.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEPENDENT = 3e-6; /* of a row of W^T is left: its square, in W^T M^-1 W, would be 1e-11 */
static const double CANCELLED = 1e-13;
static const double NOTHING = 16 * DBL_EPSILON; /* of its terms is left: an entry is zero */

struct ordered {
    int n, most;
    double *L, *U, *pivot; /* [n n], [n n] in the order of elimination and of columns, [n] */
    int *row, *column;     /* [n] in the order of elimination: row of A, column of its pivot */
    bool *used;            /* [n] columns with a pivot */
    double *sum, *x;       /* [n] terms that made a row, added up without their signs; room */
};

ordered *ordered_create(int most) {
    const size_t n = (size_t)most + 1;
    ordered *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->most = most;
    o->L = malloc(2 * n * n * sizeof *o->L);
    o->pivot = malloc(3 * n * sizeof *o->pivot);
    o->row = malloc(2 * n * sizeof *o->row);
    o->used = malloc(n * sizeof *o->used);
    if (!o->L || !o->pivot || !o->row || !o->used) {
        ordered_destroy(o);
        return NULL;
    }
    o->U = o->L + n * n, o->sum = o->pivot + n, o->x = o->sum + n;
    o->column = o->row + n;
    return o;
}

void ordered_destroy(ordered *o) {
    if (!o) return;
    free(o->L);
    free(o->pivot);
    free(o->row);
    free(o->used);
    free(o);
}

static double *part(const ordered *o, double *of, int k) {
    return of + (size_t)k * (size_t)o->n;
}

/* Takes the earlier rows off row k, which lies in U_k. What is left of an entry as round-off becomes zero: multiplied
 * with rows to come, it would be the largest entry of what is left of them, and no round-off beside itself. */
static void eliminate(ordered *o, int k) {
    double *x = part(o, o->U, k), *L = part(o, o->L, k);
    for (int j = 0; j < o->n; j++) o->sum[j] = fabs(x[j]);
    for (int q = 0; q < k; q++) {
        const int p = o->column[q];
        const double *U = part(o, o->U, q), f = L[q] = fabs(x[p]) > NOTHING * o->sum[p] ? x[p] : 0;
        if (f == 0) continue;
        for (int j = 0; j < o->n; j++) {
            x[j] -= f * U[j];
            o->sum[j] += fabs(f * U[j]);
        }
    }
    for (int q = 0; q < k; q++) x[o->column[q]] = 0;
    for (int j = 0; j < o->n; j++)
        if (fabs(x[j]) <= NOTHING * o->sum[j]) x[j] = 0;
}

/* The largest entry that is not what cancellation left, nor less than the round-off of another one. -1: none above
 * least. */
static int find_pivot(const ordered *o, int k, double least) {
    const double *x = o->U + (size_t)k * (size_t)o->n;
    int found = -1;
    for (int j = 0; j < o->n; j++)
        if (!o->used[j]) least = fmax(least, DBL_EPSILON * o->sum[j]);
    for (int j = 0; j < o->n; j++)
        if (!o->used[j] && fabs(x[j]) > CANCELLED * o->sum[j] && fabs(x[j]) > least) found = j, least = fabs(x[j]);
    return found;
}

static bool reduce_row(ordered *o, int k, bool law) {
    double *x = part(o, o->U, k), largest = 0;
    for (int j = 0; j < o->n && law; j++) largest = fmax(largest, fabs(x[j]));
    eliminate(o, k);
    int found = find_pivot(o, k, DEPENDENT * largest);
    if (found < 0) return false;
    o->column[k] = found;
    o->used[found] = true;
    o->pivot[k] = x[found];
    for (int j = 0; j < o->n; j++) x[j] /= o->pivot[k];
    return isfinite(1 / o->pivot[k]);
}

bool ordered_factor(ordered *o, int n, int balances, int first, const int *start, const int *index,
                    const double *value) {
    if (n > o->most) return false;
    o->n = n;
    memset(o->used, 0, (size_t)n * sizeof *o->used);
    memset(o->U, 0, (size_t)n * (size_t)n * sizeof *o->U);
    for (int k = 0; k < n; k++) {
        int i = o->row[k] = k < n - balances ? balances + k : k - (n - balances);
        for (int e = start[i]; e < start[i + 1]; e++) part(o, o->U, k)[index[e]] = value[e];
        if (!reduce_row(o, k, i >= first)) return false;
    }
    return true;
}

void ordered_solve(ordered *o, double *b) {
    double *y = o->x;
    for (int k = 0; k < o->n; k++) {
        const double *L = part(o, o->L, k);
        double sum = b[o->row[k]];
        for (int q = 0; q < k; q++) sum -= L[q] * y[q];
        y[k] = sum / o->pivot[k];
    }
    for (int k = o->n - 1; k >= 0; k--) {
        const double *U = part(o, o->U, k);
        double sum = y[k];
        for (int p = k + 1; p < o->n; p++) sum -= U[o->column[p]] * b[o->column[p]];
        b[o->column[k]] = sum;
    }
}

/* ordered_solve with every step of it transposed, the last one first. */
void ordered_solve_transposed(ordered *o, double *b) {
    double *y = o->x;
    for (int k = 0; k < o->n; k++) {
        const double *U = part(o, o->U, k), f = y[k] = b[o->column[k]];
        for (int p = k + 1; p < o->n; p++) b[o->column[p]] -= U[o->column[p]] * f;
    }
    for (int k = o->n - 1; k >= 0; k--) {
        const double *L = part(o, o->L, k), f = y[k] /= o->pivot[k];
        for (int q = 0; q < k; q++) y[q] -= L[q] * f;
    }
    for (int k = 0; k < o->n; k++) b[o->row[k]] = y[k];
}
