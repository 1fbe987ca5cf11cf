#include "integrator/scales.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "integrator/vectors.h"

static const double ROUND_OFF = 64 * DBL_EPSILON;

bool scales_create(scales *z, const carom_model *m) {
    const carom_model_def *d = &m->def;
    *z = (scales){.m = m};
    const vector_part parts[] = {
        {&z->position, m->nc},         {&z->velocity, m->ns}, {&z->slope, m->ns}, {&z->c_q, pattern_nnz(&d->c_q)},
        {&z->WT, pattern_nnz(&d->WT)}, {&z->s, m->ns},        {&z->q_dot, d->nq},
    };
    return (z->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

void scales_destroy(scales *z) {
    free(z->memory);
}

void scales_move(scales *z, const motion *x) {
    z->at = x;
    z->known = false;
}

/* sum_i |dc/dq_i| (|q_i| + dt |q_dot_i|) */
static double size_of_position(const scales *z, int row) {
    const carom_pattern *c_q = &z->m->def.c_q;
    double sum = 0;
    for (int e = c_q->start[row]; e < c_q->start[row + 1]; e++) {
        int i = c_q->index[e];
        sum += fabs(z->c_q[e]) * (fabs(z->at->q[i]) + z->dt * fabs(z->q_dot[i]));
    }
    return sum;
}

/* |W_k| of a row of s, at most 1 */
static double slope_of(const scales *z, int row) {
    const carom_pattern *WT = &z->m->def.WT;
    double length = 0;
    for (int e = WT->start[row]; e < WT->start[row + 1]; e++) length = hypot(length, z->WT[e]);
    return fmin(1, length);
}

/* sum_i |W_i u_i| + |chi| */
static double size_of_velocity(const scales *z, int row) {
    const carom_pattern *WT = &z->m->def.WT;
    double sum = 0, chi = z->s[row];
    for (int e = WT->start[row]; e < WT->start[row + 1]; e++) {
        double part = z->WT[e] * z->at->u[WT->index[e]];
        sum += fabs(part), chi -= part;
    }
    return sum + fabs(chi);
}

/* Where the model is not defined round-off is 0: the caller evaluates the model there as well, and reports it. */
static void measure(scales *z) {
    const carom_model *m = z->m;
    const carom_model_def *d = &m->def;
    const motion *x = z->at;
    if (z->known) return;
    z->known = true;
    bool places =
        m->nc && !d->position(d->context, x->t, x->q, NULL, z->c_q) && !model_q_dot(m, x->t, x->q, x->u, z->q_dot);
    bool speeds = m->ns && !d->velocity(d->context, x->t, x->q, x->u, z->s, z->WT, NULL);
    for (int i = 0; i < m->nc; i++) z->position[i] = places ? ROUND_OFF * size_of_position(z, i) : 0;
    for (int i = 0; i < m->ns; i++) z->velocity[i] = speeds ? ROUND_OFF * size_of_velocity(z, i) : 0;
    for (int i = 0; i < m->ns; i++) z->slope[i] = speeds ? slope_of(z, i) : 1;
}

double scales_round_off(scales *z, int row) {
    measure(z);
    return z->position[row];
}

double scales_size(scales *z, int row) {
    return scales_round_off(z, row) / ROUND_OFF;
}

double zero_position(scales *z, int row) {
    return scales_round_off(z, row) + z->tolerance * z->dt;
}

double zero_gap(scales *z, int contact) {
    return zero_position(z, z->m->def.ng + contact);
}

open_scale scales_of_open(scales *z, int contact) {
    const double noise = scales_round_off(z, z->m->def.ng + contact);
    const int row = z->m->N + contact;
    return (open_scale){noise, noise + z->dt * z->tolerance * z->slope[row], zero_rate(z, row)};
}

/* The terms of the round-off of a gap are dc/dq_i times these. */
static void share_round_off(const scales *z, int row, double *rounding) {
    const carom_pattern *c_q = &z->m->def.c_q;
    for (int i = 0; i < z->m->def.nq; i++) rounding[i] = 0;
    for (int e = c_q->start[row]; e < c_q->start[row + 1]; e++) {
        const int i = c_q->index[e];
        rounding[i] = copysign(ROUND_OFF * (fabs(z->at->q[i]) + z->dt * fabs(z->q_dot[i])), z->c_q[e]);
    }
}

open_scale scales_of_open_at(scales *z, int contact, const motion *x, double *rounding) {
    const motion *at = z->at;
    scales_move(z, x);
    const open_scale scale = scales_of_open(z, contact);
    if (rounding) share_round_off(z, z->m->def.ng + contact, rounding);
    scales_move(z, at);
    return scale;
}

double zero_rate(scales *z, int row) {
    measure(z);
    return 10 * z->tolerance * z->slope[row] + z->velocity[row];
}

double zero_slip(scales *z, int k) {
    const carom_model *m = z->m;
    double most = 0;
    for (int j = m->slip[k]; j < m->slip[k + 1]; j++) most = fmax(most, zero_rate(z, m->F + j));
    return most;
}

double slip_round_off(scales *z, int k) {
    const carom_model *m = z->m;
    double most = 0;
    measure(z);
    for (int j = m->slip[k]; j < m->slip[k + 1]; j++) most = fmax(most, z->velocity[m->F + j]);
    return most;
}

/* A row without slope moves nothing. */
static double share(const scales *z, int row) {
    return z->slope[row] > 0 ? z->velocity[row] / z->slope[row] : 0;
}

double zero_speed(scales *z, int k) {
    const carom_model *m = z->m;
    measure(z);
    double most = share(z, m->N + k);
    for (int j = m->slip[k]; j < m->slip[k + 1]; j++) most = fmax(most, share(z, m->F + j));
    return 10 * z->tolerance + most;
}
