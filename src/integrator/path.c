#include "integrator/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the exponential map */

/* p o r with r = (s, v) */
static void compose(const double p[4], double s, const double v[3], double out[4]) {
    out[0] = p[0] * s;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[0] -= p[1 + i] * v[i];
        out[1 + i] = p[0] * v[i] + s * p[1 + i] + p[1 + j] * v[k] - p[1 + k] * v[j];
    }
}

/* (G24): p_1 = p o (cos a, (sin a/a) e), e = dt w/2, a = |e|, and its derivatives by w: those of cos a by e are
 * -(sin a/a) e, those of (sin a/a) e are (sin a/a) I + ((a cos a - sin a)/a^3) e e^T. */
static void exponential(const double p[4], const double w[3], double dt, double p1[4], double by_w[4][3]) {
    const double e[3] = {dt / 2 * w[0], dt / 2 * w[1], dt / 2 * w[2]};
    const double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2], a = sqrt(square);
    const bool small = a < 1e-2; /* series to round-off */
    const double sinc = small ? 1 - square / 6 * (1 - square / 20 * (1 - square / 42)) : sin(a) / a;
    const double slope =
        small ? -1.0 / 3 * (1 - square / 10 * (1 - square / 28)) : (a * cos(a) - sin(a)) / (square * a);
    const double v[3] = {sinc * e[0], sinc * e[1], sinc * e[2]};
    compose(p, cos(a), v, p1);
    for (int j = 0; j < 3; j++) {
        double column[4], dv[3];
        for (int i = 0; i < 3; i++) dv[i] = dt / 2 * ((i == j ? sinc : 0) + slope * e[i] * e[j]);
        compose(p, -dt / 2 * sinc * e[j], dv, column);
        for (int i = 0; i < 4; i++) by_w[i][j] = column[i];
    }
}

/* ---------------------------------------------------------------- setup */

bool path_create(path *p, const carom_model *m, path_map map) {
    const carom_model_def *d = &m->def;
    const int nq = d->nq, B = pattern_nnz(&d->B);
    *p = (path){.m = m, .map = map, .at = d->nu};
    if (map == PATH_EXPONENTIAL && d->rotations > 0) {
        p->turn = calloc((size_t)d->rotations, sizeof *p->turn);
        p->by_x = calloc((size_t)d->rotations, sizeof *p->by_x);
        if (!p->turn || !p->by_x) return false;
    }
    const vector_part parts[] = {
        {&p->offset, d->nu}, {&p->w, d->nu}, {&p->q, nq}, {&p->q_dot0, nq},
        {&p->q_dot1, nq},    {&p->B0, B},    {&p->B1, B}, {&p->q_dot_q, pattern_nnz(&d->q_dot_q)},
        {&p->series, nq},
    };
    p->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return unit_create(&p->unit, nq) && p->memory;
}

void path_destroy(path *p) {
    unit_destroy(&p->unit);
    free(p->turn);
    free(p->by_x);
    free(p->memory);
}

int path_unknowns(const carom_model *m) {
    return m->def.nu + (m->trivial ? 0 : m->def.nq);
}

int path_list_blocks(const path *p, csr_block *block) {
    const carom_model_def *d = &p->m->def;
    if (p->m->trivial) return 0;
    block[PATH_U] = (csr_block){&d->B, 0, d->nq, p->at, 0, false, NULL};
    block[PATH_Q] = (csr_block){&d->q_dot_q, 0, d->nq, p->at, p->at, false, NULL};
    block[PATH_IDENTITY] = (csr_block){&p->unit.pattern, 0, d->nq, p->at, p->at, false, NULL};
    return PATH_BLOCKS;
}

/* (A9) without w. Models do not give the derivative of q_dot by explicit time. Differences over a part of the step
 * replace it, with an error of dt^4/50000 in q_1. */
static int begin_series(path *p, const double *u) {
    const carom_model_def *d = &p->m->def;
    const double dt = p->dt, part = dt / 64;
    if (d->kinematics(d->context, p->t0 + part, p->q0, u, p->series, NULL, NULL) ||
        d->kinematics(d->context, p->t0 - part, p->q0, u, p->q_dot1, NULL, NULL) ||
        d->kinematics(d->context, p->t0, p->q0, u, p->q_dot0, NULL, p->q_dot_q))
        return 1;
    for (int i = 0; i < d->nq; i++)
        p->series[i] = p->q0[i] + dt * p->q_dot0[i] + dt * dt / 2 * (p->series[i] - p->q_dot1[i]) / (2 * part);
    pattern_multiply(&d->q_dot_q, p->q_dot_q, dt * dt / 2, p->q_dot0, p->series);
    pattern_multiply(&d->B, p->B0, -dt, u, p->series);
    return 0;
}

int path_begin(path *p, const motion *now, double t1, double dt, double share) {
    const carom_model_def *d = &p->m->def;
    p->t0 = now->t, p->q0 = now->q, p->t1 = t1, p->dt = dt, p->share = share;
    if (p->m->trivial) return 0;
    if (d->kinematics(d->context, p->t0, p->q0, now->u, NULL, p->B0, NULL)) return 1;
    return p->map == PATH_SERIES && begin_series(p, now->u);
}

const double *path_read(path *p, const double *z) {
    const carom_model_def *d = &p->m->def;
    for (int j = 0; j < d->nu; j++) p->w[j] = p->offset[j] + p->share * z[j];
    if (!p->m->trivial) return z + p->at;
    for (int j = 0; j < d->nu; j++) p->q[j] = p->q0[j] + p->dt * p->w[j];
    return p->q;
}

static void series_rows(const path *p, const double *q, double *rows) {
    const carom_model_def *d = &p->m->def;
    for (int i = 0; i < d->nq; i++) rows[i] = q[i] - p->series[i];
    pattern_multiply(&d->B, p->B0, -p->dt, p->w, rows);
}

int path_rows(path *p, const double *q, double *rows) {
    const carom_model_def *d = &p->m->def;
    rows += p->at;
    if (p->m->trivial) return 0;
    if (p->map == PATH_SERIES) return series_rows(p, q, rows), 0;
    if (d->kinematics(d->context, p->t0, p->q0, p->w, p->q_dot0, NULL, NULL) ||
        d->kinematics(d->context, p->t1, q, p->w, p->q_dot1, NULL, NULL))
        return 1;
    for (int i = 0; i < d->nq; i++) rows[i] = q[i] - p->q0[i] - p->dt / 2 * (p->q_dot0[i] + p->q_dot1[i]);
    for (int k = 0; k < d->rotations && p->map == PATH_EXPONENTIAL; k++) {
        const carom_rotation *r = &d->rotation[k];
        exponential(p->q0 + r->q, p->w + r->u, p->dt, p->turn[k], p->by_x[k]);
        for (int i = 0; i < 4; i++) rows[r->q + i] = q[r->q + i] - p->turn[k][i];
    }
    return 0;
}

/* Of the exponential map: its own derivatives in the places of those of (K1), which has entries for all of them. */
static void put_exponential(path *p) {
    const carom_model_def *d = &p->m->def;
    for (int k = 0; k < d->rotations; k++) {
        const carom_rotation *r = &d->rotation[k];
        exponential(p->q0 + r->q, p->w + r->u, p->dt, p->turn[k], p->by_x[k]);
        for (int i = 0; i < 4; i++) {
            for (int e = d->B.start[r->q + i]; e < d->B.start[r->q + i + 1]; e++)
                p->B1[e] = 2 / p->dt * p->by_x[k][i][d->B.index[e] - r->u] - p->B0[e];
            for (int e = d->q_dot_q.start[r->q + i]; e < d->q_dot_q.start[r->q + i + 1]; e++) p->q_dot_q[e] = 0;
        }
    }
}

int path_jacobian(path *p, const csr_block *block, const double *q, csr *J) {
    const carom_model_def *d = &p->m->def;
    const double half = p->dt / 2;
    const bool series = p->map == PATH_SERIES;
    if (p->m->trivial) return 0;
    csr_add(J, &block[PATH_IDENTITY], 1, p->unit.value);
    csr_add(J, &block[PATH_U], -(series ? p->dt : half) * p->share, p->B0);
    if (series) return 0;
    if (d->kinematics(d->context, p->t1, q, p->w, NULL, p->B1, p->q_dot_q)) return 1;
    if (p->map == PATH_EXPONENTIAL) put_exponential(p);
    csr_add(J, &block[PATH_U], -half * p->share, p->B1);
    csr_add(J, &block[PATH_Q], -half, p->q_dot_q);
    return 0;
}
