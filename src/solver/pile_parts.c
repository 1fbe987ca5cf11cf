#include "solver/pile_parts.h"

#include "linalg/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the parts */

static void join_rows(parts *p, const csr *A) {
    sets_start(p->of, p->rows);
    for (int i = 0; i < p->rows; i++)
        for (int e = A->start[p->offset + i]; e < A->start[p->offset + i + 1]; e++) {
            const int j = A->index[e] - p->offset;
            if (j >= 0 && j < p->rows) sets_join(p->of, i, j);
        }
}

/* Numbers them in the order of their first rows. False: one is too large. */
static bool number_parts(parts *p, int *number) {
    for (int i = 0; i < p->rows; i++) number[i] = -1;
    for (int i = 0; i < p->rows; i++) {
        int *part = &number[set_of(p->of, i)];
        if (*part < 0) *part = p->count++;
        p->start[*part + 1]++;
    }
    for (int i = 0; i < p->rows; i++) p->of[i] = set_of(p->of, i);
    for (int i = 0; i < p->rows; i++) p->of[i] = number[p->of[i]];
    bool small = true;
    for (int k = 0, begin = 0; k < p->count; k++) {
        const int size = p->start[k + 1];
        small = small && size <= PART_MOST;
        p->begin[k] = begin, begin += size * size;
        p->start[k + 1] += p->start[k], number[k] = p->start[k];
    }
    for (int i = 0; i < p->rows; i++) p->row[number[p->of[i]]++] = i;
    return small;
}

bool parts_create(parts *p, const csr *A, int offset, int rows) {
    const size_t n = (size_t)rows + 1;
    int *number = malloc(n * sizeof *number);
    *p = (parts){.offset = offset, .rows = rows};
    p->start = calloc(n + 1, sizeof *p->start), p->row = malloc(n * sizeof *p->row);
    p->of = malloc(n * sizeof *p->of), p->begin = malloc(n * sizeof *p->begin);
    bool ok = number && p->start && p->row && p->of && p->begin;
    if (ok) join_rows(p, A);
    ok = ok && number_parts(p, number);
    const size_t last = ok && p->count ? (size_t)part_size(p, p->count - 1) : 0;
    ok = ok && (p->inverse = malloc(((p->count ? (size_t)p->begin[p->count - 1] : 0) + last * last + 1) *
                                    sizeof *p->inverse)) != NULL;
    free(number);
    return ok;
}

void parts_destroy(parts *p) {
    free(p->start), free(p->row), free(p->of), free(p->begin), free(p->inverse);
    *p = (parts){0};
}

/* ---------------------------------------------------------------- numbers */

static void gather(const parts *p, const csr *A, int part, double T[PART_MOST][2 * PART_MOST]) {
    const int *row = p->row + p->start[part], n = part_size(p, part);
    for (int i = 0; i < n; i++) {
        memset(T[i], 0, 2 * (size_t)n * sizeof *T[i]);
        T[i][n + i] = 1;
        for (int e = A->start[p->offset + row[i]], j = 0; e < A->start[p->offset + row[i] + 1] && j < n; e++) {
            while (j < n && p->offset + row[j] < A->index[e]) j++;
            if (j < n && A->index[e] == p->offset + row[j]) T[i][j] += A->value[e];
        }
    }
}

/* Gauss and Jordan, with pivots from a column. */
static bool eliminate(int n, double T[PART_MOST][2 * PART_MOST]) {
    for (int k = 0; k < n; k++) {
        int at = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(T[i][k]) > fabs(T[at][k])) at = i;
        if (!(fabs(T[at][k]) > 0)) return false;
        for (int j = 0; j < 2 * n && at != k; j++) {
            const double x = T[k][j];
            T[k][j] = T[at][j], T[at][j] = x;
        }
        const double pivot = T[k][k];
        for (int j = k; j < 2 * n; j++) T[k][j] /= pivot;
        for (int i = 0; i < n; i++) {
            const double f = T[i][k];
            if (i == k || f == 0) continue;
            for (int j = k; j < 2 * n; j++) T[i][j] -= f * T[k][j];
        }
    }
    return true;
}

bool parts_invert(parts *p, const csr *A) {
    double T[PART_MOST][2 * PART_MOST];
    for (int k = 0; k < p->count; k++) {
        const int n = part_size(p, k);
        gather(p, A, k, T);
        if (!eliminate(n, T)) return false;
        for (int i = 0; i < n; i++) memcpy(p->inverse + p->begin[k] + i * n, T[i] + n, (size_t)n * sizeof(double));
    }
    return true;
}

void parts_apply(const parts *p, int part, const double *b, double *y) {
    const int n = part_size(p, part);
    const double *A = p->inverse + p->begin[part];
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) y[i] += A[i * n + j] * b[j];
    }
}
