/* Cholesky within the envelope: banded and block matrices cost what they hold. */
#include "model/definite.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

const double *pattern_entry(const carom_pattern *p, const double *values, int row, int column) {
    int low = p->start[row], high = p->start[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->index[middle] < column) low = middle + 1;
        else high = middle;
    }
    return low < p->start[row + 1] && p->index[low] == column ? &values[low] : NULL;
}

/* Lower triangle of a symmetric matrix, each row from its first entry to the diagonal. */
typedef struct envelope {
    int *first;       /* column at which row i starts */
    size_t *diagonal; /* place of (i, i) */
    double *L;
} envelope;

static double *lower(const envelope *e, int i, int j) {
    return &e->L[e->diagonal[i] - (size_t)(i - j)];
}

static bool envelope_create(envelope *e, const carom_pattern *M) {
    int n = M->rows;
    size_t size = 0;
    e->first = malloc((size_t)n * sizeof *e->first);
    e->diagonal = malloc((size_t)n * sizeof *e->diagonal);
    for (int i = 0; e->first && e->diagonal && i < n; i++) {
        bool left = M->start[i] < M->start[i + 1] && M->index[M->start[i]] < i;
        e->first[i] = left ? M->index[M->start[i]] : i;
        size += (size_t)(i - e->first[i] + 1);
        e->diagonal[i] = size - 1;
    }
    e->L = size ? malloc(size * sizeof *e->L) : NULL;
    return e->L != NULL;
}

static void envelope_destroy(envelope *e) {
    free(e->first);
    free(e->diagonal);
    free(e->L);
}

/* M = L L^T. Returns the first row whose pivot is not positive, or the number of rows. */
static int cholesky(const envelope *e, const carom_pattern *M, const double *values, double *pivot) {
    for (int i = 0; i < M->rows; i++)
        for (int j = e->first[i]; j <= i; j++) {
            const double *entry = pattern_entry(M, values, i, j);
            double sum = entry ? *entry : 0, rounding = M->rows * DBL_EPSILON * sum;
            for (int l = e->first[i] > e->first[j] ? e->first[i] : e->first[j]; l < j; l++)
                sum -= *lower(e, i, l) * *lower(e, j, l);
            if (j == i && !(sum > rounding)) {
                *pivot = sum;
                return i;
            }
            *lower(e, i, j) = j < i ? sum / *lower(e, j, j) : sqrt(sum);
        }
    return M->rows;
}

int indefinite_row(const carom_pattern *M, const double *values, double *pivot) {
    envelope e;
    int row = envelope_create(&e, M) ? cholesky(&e, M, values, pivot) : -1;
    envelope_destroy(&e);
    return row;
}
