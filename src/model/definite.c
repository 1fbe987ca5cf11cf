/* M = L D L^T by rows; M is positive definite if and only if D is. Full matrices are eliminated as they are, sparse
 * ones in an order of minimum degree: row k of L has its entries on the paths of the elimination tree from the entries
 * of row k of M to k (Liu; Davis, LDL). */
#include "model/definite.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/linear.h"

int pattern_place(const carom_pattern *p, int row, int column) {
    int low = p->start[row], high = p->start[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->index[middle] < column) low = middle + 1;
        else high = middle;
    }
    return low < p->start[row + 1] && p->index[low] == column ? low : -1;
}

const double *pattern_entry(const carom_pattern *p, const double *values, int row, int column) {
    const int place = pattern_place(p, row, column);
    return place >= 0 ? &values[place] : NULL;
}

struct definite {
    const carom_pattern *M;
    int *memory;
    int *order, *place; /* row eliminated k-th, and the inverse */
    int *parent;        /* in the elimination tree; -1: none */
    int *start, *count; /* columns of L: where they begin, entries so far */
    int *seen, *path;   /* work */
    int *index;
    double *L, *D, *y;
    double *last; /* values that were positive definite at the last look */
    bool known;
};

/* Whether a pivot is negative, or zero up to round-off. */
static bool vanishes(const carom_pattern *M, double pivot, double diagonal) {
    return !(pivot > M->rows * DBL_EPSILON * diagonal);
}

/* ---------------------------------------------------------------- sparse */

/* The columns of L that row k has entries in, ascending along the tree, at the end of the path; returns where they
 * start. */
static int row_of_factor(const definite *d, int k) {
    const carom_pattern *M = d->M;
    int n = M->rows, top = n, row = d->order[k];
    d->seen[k] = k;
    for (int e = M->start[row]; e < M->start[row + 1]; e++) {
        int length = 0, i = d->place[M->index[e]];
        for (; i < k && d->seen[i] != k; i = d->parent[i]) {
            d->path[length++] = i;
            d->seen[i] = k;
        }
        while (length > 0) d->path[--top] = d->path[--length];
    }
    return top;
}

/* The tree, and how many entries the columns of L have. */
static void analyse(const definite *d) {
    const carom_pattern *M = d->M;
    int n = M->rows;
    for (int k = 0; k < n; k++) {
        d->parent[k] = -1;
        d->seen[k] = k;
        d->count[k] = 0;
        for (int e = M->start[d->order[k]]; e < M->start[d->order[k] + 1]; e++)
            for (int i = d->place[M->index[e]]; i < k && d->seen[i] != k; i = d->parent[i]) {
                if (d->parent[i] < 0) d->parent[i] = k;
                d->count[i]++;
                d->seen[i] = k;
            }
    }
    d->start[0] = 0;
    for (int k = 0; k < n; k++) d->start[k + 1] = d->start[k] + d->count[k];
}

static definite *release(definite *d) {
    definite_destroy(d);
    return NULL;
}

definite *definite_create(const carom_pattern *M) {
    const size_t n = (size_t)M->rows, nnz = (size_t)M->start[M->rows];
    definite *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->M = M;
    d->memory = calloc(7 * n + 1, sizeof *d->memory);
    if (!d->memory || !linear_order(M->rows, M->start, M->index, d->memory)) return release(d);
    d->order = d->memory, d->place = d->order + n, d->parent = d->place + n, d->count = d->parent + n;
    d->seen = d->count + n, d->path = d->seen + n, d->start = d->path + n;
    for (int k = 0; k < M->rows; k++) d->place[d->order[k]] = k;
    analyse(d);
    const size_t entries = (size_t)d->start[n];
    d->index = malloc((entries + 1) * sizeof *d->index);
    d->L = calloc(entries + 2 * n + nnz + 1, sizeof *d->L);
    if (!d->index || !d->L) return release(d);
    d->D = d->L + entries, d->y = d->D + n, d->last = d->y + n;
    return d;
}

void definite_destroy(definite *d) {
    if (!d) return;
    free(d->memory);
    free(d->index);
    free(d->L);
    free(d);
}

/* Row k of L and D_k, from the rows before it. */
static void eliminate(definite *d, int k, const double *values) {
    const carom_pattern *M = d->M;
    int top = row_of_factor(d, k), row = d->order[k];
    double *y = d->y;
    for (int e = M->start[row]; e < M->start[row + 1]; e++)
        if (d->place[M->index[e]] <= k) y[d->place[M->index[e]]] = values[e];
    d->D[k] = y[k];
    y[k] = 0;
    for (; top < M->rows; top++) {
        int i = d->path[top], end = d->start[i] + d->count[i];
        double yi = y[i], l = yi / d->D[i];
        y[i] = 0;
        for (int e = d->start[i]; e < end; e++) y[d->index[e]] -= d->L[e] * yi;
        d->D[k] -= l * yi;
        d->index[end] = k;
        d->L[end] = l;
        d->count[i]++;
    }
}

static int sparse_row(definite *d, const double *values, double *pivot) {
    const carom_pattern *M = d->M;
    memset(d->count, 0, (size_t)M->rows * sizeof *d->count);
    memset(d->seen, -1, (size_t)M->rows * sizeof *d->seen);
    memset(d->y, 0, (size_t)M->rows * sizeof *d->y);
    for (int k = 0; k < M->rows; k++) {
        int row = d->order[k];
        const double *entry = pattern_entry(M, values, row, row);
        eliminate(d, k, values);
        *pivot = d->D[k];
        if (vanishes(M, *pivot, entry ? *entry : 0)) return row;
    }
    return M->rows;
}

/* ---------------------------------------------------------------- full */

/* L without its diagonal, row i from i (i - 1)/2 on. */
static int full_row(const definite *d, const double *values, double *pivot) {
    int n = d->M->rows;
    double *row = d->L;
    for (int i = 0; i < n; row += i++, values += n) {
        const double *other = d->L;
        *pivot = values[i];
        for (int j = 0; j < i; other += j++) {
            double sum = values[j];
            for (int k = 0; k < j; k++) sum -= d->y[k] * other[k];
            d->y[j] = sum;
            row[j] = sum / d->D[j];
            *pivot -= sum * row[j];
        }
        d->D[i] = *pivot;
        if (vanishes(d->M, *pivot, values[i])) return i;
    }
    return n;
}

/* ---------------------------------------------------------------- both */

int definite_row(definite *d, const double *values, double *pivot) {
    const carom_pattern *M = d->M;
    const size_t n = (size_t)M->rows, nnz = (size_t)M->start[n];
    if (d->known && memcmp(d->last, values, nnz * sizeof *values) == 0) return M->rows;
    int row = nnz == n * n ? full_row(d, values, pivot) : sparse_row(d, values, pivot);
    if (row < M->rows) return row;
    memcpy(d->last, values, nnz * sizeof *values);
    d->known = true;
    return row;
}

int indefinite_row(const carom_pattern *M, const double *values, double *pivot) {
    definite *d = definite_create(M);
    int row = d ? definite_row(d, values, pivot) : -1;
    definite_destroy(d);
    return row;
}
