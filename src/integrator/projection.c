#include "integrator/projection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/definite.h"

enum { MASS, FORCE, CONSTRAINT, DIAGONAL, BLOCKS };

bool projection_create(projection *p, const carom_model *m, int rows) {
    const carom_model_def *d = &m->def;
    const int nu = d->nu, n = nu + rows;
    *p = (projection){.m = m, .rows = rows};
    const vector_part parts[] = {
        {&p->unit, nu}, {&p->row, rows}, {&p->M, pattern_nnz(&d->M)}, {&p->WT, pattern_nnz(&d->WT)}, {&p->z, n},
    };
    p->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    p->block[MASS] = (csr_block){.pattern = &d->M, .last = nu};
    p->block[FORCE] = (csr_block){.pattern = &d->WT, .last = rows, .col = nu, .transposed = true};
    p->block[CONSTRAINT] = (csr_block){.pattern = &d->WT, .last = rows, .row = nu};
    p->block[DIAGONAL] = (csr_block){.pattern = &p->diagonal.pattern, .last = rows, .row = nu, .col = nu};
    return p->memory && unit_create(&p->diagonal, rows) &&
           csr_assemble(&p->K, n, n, p->block, rows > 0 ? BLOCKS : MASS + 1) &&
           (p->linear = linear_create_joints(n, p->K.start[n], nu, nu, m->N)) != NULL;
}

void projection_destroy(projection *p) {
    linear_destroy(p->linear);
    csr_free(&p->K);
    csr_blocks_free(p->block, BLOCKS);
    unit_destroy(&p->diagonal);
    free(p->memory);
}

/* ---------------------------------------------------------------- units */

static bool measure_masses(projection *p, const double *M) {
    const carom_pattern *P = &p->m->def.M;
    for (int j = 0; j < P->rows; j++) {
        const double *mass = pattern_entry(P, M, j, j);
        if (!mass || !(*mass > 0) || isinf(*mass)) return false;
        p->unit[j] = 1 / sqrt(*mass);
    }
    for (int j = 0; j < P->rows; j++)
        for (int e = P->start[j]; e < P->start[j + 1]; e++) p->M[e] = p->unit[j] * M[e] * p->unit[P->index[e]];
    return true;
}

static void measure_row(projection *p, const double *WT, int i, bool held) {
    const carom_pattern *P = &p->m->def.WT;
    double square = 0;
    for (int e = P->start[i]; e < P->start[i + 1]; e++) {
        p->WT[e] = held ? WT[e] * p->unit[P->index[e]] : 0;
        square += p->WT[e] * p->WT[e];
    }
    p->row[i] = square > 0 ? 1 / sqrt(square) : 1;
    for (int e = P->start[i]; e < P->start[i + 1]; e++) p->WT[e] *= p->row[i];
}

/* ---------------------------------------------------------------- rows */

int projection_hold(const carom_model *m, const double *contact, bool velocities, bool *held) {
    const int joints = velocities ? m->N : m->def.ng;
    for (int r = 0; r < m->ns; r++) held[r] = r < joints;
    for (int k = 0; k < m->def.contacts && contact; k++) {
        held[m->N + k] = contact[k] != CAROM_OPEN;
        for (int i = m->F + m->slip[k]; i < m->F + m->slip[k + 1]; i++)
            held[i] = velocities && contact[k] == CAROM_STICK;
    }
    return contact ? m->ns : joints;
}

int projection_position(const carom_model *m, int row) {
    return row < m->def.ng ? row : m->def.ng + row - m->N;
}

/* ---------------------------------------------------------------- (Q1) */

bool projection_factor(projection *p, const double *M, const double *WT, const bool *held, double eps) {
    if (!measure_masses(p, M)) return false;
    csr_zero(&p->K);
    csr_add(&p->K, &p->block[MASS], 1, p->M);
    if (p->rows > 0) {
        for (int i = 0; i < p->rows; i++) {
            measure_row(p, WT, i, !held || held[i]);
            p->diagonal.value[i] = held && !held[i] ? 1 : eps;
        }
        csr_add(&p->K, &p->block[FORCE], -1, p->WT);
        csr_add(&p->K, &p->block[CONSTRAINT], 1, p->WT);
        csr_add(&p->K, &p->block[DIAGONAL], 1, p->diagonal.value);
    }
    return linear_factor(p->linear, p->K.rows, p->K.start, p->K.index, p->K.value);
}

void projection_solve(projection *p) {
    const int nu = p->m->def.nu;
    for (int j = 0; j < nu; j++) p->z[j] *= p->unit[j];
    for (int i = 0; i < p->rows; i++) p->z[nu + i] *= p->row[i];
    linear_solve(p->linear, p->z);
    for (int j = 0; j < nu; j++) p->z[j] *= p->unit[j];
    for (int i = 0; i < p->rows; i++) p->z[nu + i] *= p->row[i];
}

/* ---------------------------------------------------------------- (Q2) */

/* r = -W^T u, unscaled as projection_solve takes it; the largest in the units of rows */
static double miss(projection *p, const double *u) {
    const carom_pattern *P = &p->m->def.WT;
    const int nu = p->m->def.nu;
    double largest = 0;
    memset(p->z, 0, (size_t)nu * sizeof *p->z);
    for (int i = 0; i < p->rows; i++) {
        double sum = 0;
        for (int e = P->start[i]; e < P->start[i + 1]; e++) sum += p->WT[e] * (u[P->index[e]] / p->unit[P->index[e]]);
        p->z[nu + i] = -sum / p->row[i];
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}

double projection_nearest(projection *p, double *u) {
    enum { MOST = 60 };
    double left = miss(p, u), was = INFINITY;
    for (int k = 0; k < MOST && left > 0 && left < 0.95 * was; k++) {
        was = left;
        projection_solve(p);
        for (int j = 0; j < p->m->def.nu; j++) u[j] += p->z[j];
        left = miss(p, u);
    }
    return left;
}
