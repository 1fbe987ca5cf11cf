/* Where dense elimination stops to pay: systems as the solver meets them (chains of masses with contacts, those with as
 * many entries as LINEAR_ENTRIES asks for, and full ones), by the dense elimination of linalg/linear.c, by KLU, and by
 * LAPACK's dgetrf/dgetrs. Times are per factor and solve. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "linalg/linear.h"

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *pivots,
             double *b, const int *ldb, int *info);

typedef struct matrix {
    int n, *start, *index;
    double *value;
} matrix;

/* Half the unknowns are velocities coupled to their neighbours, half percussions, one per velocity: [A -I; I 0]. */
static matrix chain(int n) {
    matrix m = {n, calloc((size_t)n + 1, sizeof(int)), calloc((size_t)(4 * n), sizeof(int)),
                calloc((size_t)(4 * n), sizeof(double))};
    int half = n / 2, e = 0;
    for (int i = 0; i < n; i++) {
        if (i < half) {
            for (int j = i - 1; j <= i + 1; j++)
                if (j >= 0 && j < half) m.index[e] = j, m.value[e++] = i == j ? 1.2 : -0.1;
            m.index[e] = half + i, m.value[e++] = -1;
        } else if (i < 2 * half) m.index[e] = i - half, m.value[e++] = 1;
        else m.index[e] = i, m.value[e++] = 1;
        m.start[i + 1] = e;
    }
    return m;
}

/* Entries off the diagonal with this probability. */
static matrix filled(int n, double share) {
    matrix m = {n, calloc((size_t)n + 1, sizeof(int)), calloc((size_t)(n * n), sizeof(int)),
                calloc((size_t)(n * n), sizeof(double))};
    int e = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            if (i == j || rand() < share * RAND_MAX) m.index[e] = j, m.value[e++] = (i == j) + 0.1 * rand() / RAND_MAX;
        m.start[i + 1] = e;
    }
    return m;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_linear(const matrix *m, int limit, int repeats) {
    linear *l = linear_create_switched(m->n, m->start[m->n], limit);
    double *b = calloc((size_t)m->n, sizeof *b);
    double begin = seconds();
    for (int k = 0; k < repeats; k++) {
        for (int i = 0; i < m->n; i++) b[i] = 1;
        if (!linear_factor(l, m->n, m->start, m->index, m->value)) return 0;
        linear_solve(l, b);
    }
    double time = (seconds() - begin) / repeats;
    free(b);
    linear_destroy(l);
    return time;
}

static double time_lapack(const matrix *m, int repeats) {
    int n = m->n, one = 1, info, *pivots = calloc((size_t)n, sizeof *pivots);
    double *a = calloc((size_t)(n * n), sizeof *a), *b = calloc((size_t)n, sizeof *b), begin = seconds();
    for (int k = 0; k < repeats; k++) {
        memset(a, 0, (size_t)(n * n) * sizeof *a);
        for (int i = 0; i < n; i++) {
            b[i] = 1;
            for (int e = m->start[i]; e < m->start[i + 1]; e++) a[i * n + m->index[e]] = m->value[e];
        }
        dgetrf_(&n, &n, a, &n, pivots, &info);
        dgetrs_("T", &n, &one, a, &n, pivots, b, &n, &info);
    }
    double time = (seconds() - begin) / repeats;
    free(a), free(b), free(pivots);
    return time;
}

int main(void) {
    static const int sizes[] = {4, 8, 16, 24, 32, 48, 64, 96, 128};
    static const char *const names[] = {"chain", "some entries", "full"};
    enum { KINDS = sizeof names / sizeof *names };
    printf("microseconds per factor and solve\n%6s", "");
    for (int k = 0; k < KINDS; k++) printf(" %28s", names[k]);
    printf("\n%6s", "n");
    for (int k = 0; k < KINDS; k++) printf(" %9s %9s %8s", "dense", "KLU", "LAPACK");
    printf("\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int n = sizes[i], repeats = 400000 / (n * n) + 100;
        matrix kinds[KINDS] = {chain(n), filled(n, LINEAR_ENTRIES / 100.0), filled(n, 1)};
        printf("%6d", n);
        for (int k = 0; k < KINDS; k++) {
            double best[3] = {1, 1, 1};
            for (int again = 0; again < 9; again++) { /* the least of nine: other programs only ever add time */
                double now[3] = {time_linear(&kinds[k], n, repeats), time_linear(&kinds[k], 0, repeats),
                                 time_lapack(&kinds[k], repeats)};
                for (int j = 0; j < 3; j++)
                    if (now[j] < best[j]) best[j] = now[j];
            }
            printf(" %9.2f %9.2f %8.2f", 1e6 * best[0], 1e6 * best[1], 1e6 * best[2]);
            free(kinds[k].start), free(kinds[k].index), free(kinds[k].value);
        }
        printf("\n");
    }
    return 0;
}
