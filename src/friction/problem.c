/* Block rows of W from its entries, and the error of percussions. */
#include "friction/friction.h"

#include "friction/block.h"
#include "friction/body_blocks.h"
#include "friction/contact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- block rows */

/* Columns of the blocks of row a, ascending; mark: [contacts] below a. Returns their number. */
static int list_columns(int dimension, int a, const int *start, const entry *sorted, int *mark, int *index) {
    int count = 1;
    index[0] = a;
    mark[a] = a + 1;
    for (int e = start[dimension * a]; e < start[dimension * (a + 1)]; e++) {
        int b = sorted[e].col / dimension;
        if (mark[b] == a + 1) continue;
        mark[b] = a + 1;
        index[count++] = b;
    }
    return count;
}

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static bool find_pattern(friction_problem *p, int dimension, const int *start, const entry *sorted, int entry_count) {
    int *mark = calloc((size_t)p->contacts + 1, sizeof *mark);
    p->index = malloc(((size_t)entry_count + (size_t)p->contacts + 1) * sizeof *p->index);
    if (!mark || !p->index) {
        free(mark);
        return false;
    }
    for (int a = 0; a < p->contacts; a++) {
        int *row = p->index + p->start[a], count = list_columns(dimension, a, start, sorted, mark, row);
        qsort(row, (size_t)count, sizeof *row, ascending);
        p->start[a + 1] = p->start[a] + count;
        p->diagonal[a] = (int)((int *)bsearch(&a, row, (size_t)count, sizeof *row, ascending) - p->index);
    }
    free(mark);
    return true;
}

static void fill_blocks(friction_problem *p, int dimension, const int *start, const entry *sorted) {
    for (int a = 0; a < p->contacts; a++) {
        const int *row = p->index + p->start[a];
        size_t count = (size_t)(p->start[a + 1] - p->start[a]);
        for (int e = start[dimension * a]; e < start[dimension * (a + 1)]; e++) {
            int b = sorted[e].col / dimension;
            int at = (int)((int *)bsearch(&b, row, count, sizeof *row, ascending) - p->index);
            p->W[at][3 * (sorted[e].row % dimension) + sorted[e].col % dimension] += sorted[e].value;
        }
        double *own = p->W[p->diagonal[a]];
        if (dimension == 2) own[8] = own[4] > 0 ? own[4] : 1; /* the direction in which nothing happens */
    }
}

bool friction_create(friction_problem *p, int dimension, int contacts, const entries *W, const double *q,
                     const double *mu) {
    int *start = NULL;
    entry *sorted = NULL;
    size_t n = (size_t)contacts;
    *p = (friction_problem){.contacts = contacts,
                            .start = calloc(n + 1, sizeof *p->start),
                            .diagonal = malloc((n + 1) * sizeof *p->diagonal),
                            .q = calloc(3 * n + 1, sizeof *p->q),
                            .mu = malloc((n + 1) * sizeof *p->mu)};
    bool made = p->start && p->diagonal && p->q && p->mu && entries_by_row(W, &start, &sorted);
    made = made && find_pattern(p, dimension, start, sorted, W->count);
    made = made && (p->W = calloc((size_t)p->start[contacts] + 1, sizeof *p->W));
    if (made) {
        fill_blocks(p, dimension, start, sorted);
        memcpy(p->mu, mu, n * sizeof *mu);
        for (int i = 0; i < dimension * contacts; i++) p->q[3 * (i / dimension) + i % dimension] = q[i];
    } else friction_destroy(p);
    free(start);
    free(sorted);
    return made;
}

void friction_destroy(friction_problem *p) {
    free(p->start);
    free(p->index);
    free(p->diagonal);
    free(p->W);
    free(p->q);
    free(p->mu);
    body_blocks_destroy(p->bodies);
    *p = (friction_problem){0};
}

/* ---------------------------------------------------------------- velocities and error */

static void contact_velocity(const friction_problem *p, int a, const double *r, double u[3]) {
    for (int i = 0; i < 3; i++) u[i] = p->q[3 * a + i];
    for (int e = p->start[a]; e < p->start[a + 1]; e++) block_apply(p->W[e], r + 3 * p->index[e], u);
}

void friction_velocities(const friction_problem *p, const double *r, double *u) {
    for (int a = 0; a < p->contacts; a++) contact_velocity(p, a, r, u + 3 * a);
}

double contact_missed(double mu, const double r[3], const double u[3]) {
    double x[3] = {r[0] - u[0] - mu * length_of(u[1], u[2]), r[1] - u[1], r[2] - u[2]}, length = length_of(x[1], x[2]);
    if (mu * length <= -x[0]) memset(x, 0, sizeof x);
    else if (length > mu * x[0]) {
        x[0] = (mu * length + x[0]) / (mu * mu + 1);
        for (int i = 1; i < 3; i++) x[i] *= mu * x[0] / length;
    }
    for (int i = 0; i < 3; i++) x[i] -= r[i];
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

double friction_missed(const friction_problem *p, const double *r, const double *u) {
    double sum = 0;
    for (int a = 0; a < p->contacts; a++) sum += contact_missed(p->mu[a], r + 3 * a, u + 3 * a);
    return sqrt(sum);
}

static double length(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* missed over the largest of |q|, |r|, |u|. */
static double relative(const friction_problem *p, const double *r, const double *u, double missed) {
    const int n = 3 * p->contacts;
    const double size = fmax(length(n, p->q), fmax(length(n, r), length(n, u)));
    if (size > DBL_EPSILON) missed /= size;
    return isfinite(missed) ? missed : INFINITY;
}

double friction_error(const friction_problem *p, const double *r, const double *u) {
    return relative(p, r, u, friction_missed(p, r, u));
}

double friction_closing(const friction_problem *p, const double *r, const double *u) {
    double sum = 0;
    for (int a = 0; a < p->contacts; a++) sum += u[3 * a] < 0 ? u[3 * a] * u[3 * a] : 0;
    return relative(p, r, u, sqrt(sum));
}
