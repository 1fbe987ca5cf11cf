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
        {&z->c_q, pattern_nnz(&d->c_q)},
        {&z->q_dot, d->nq},
        {&z->WT, pattern_nnz(&d->WT)},
        {&z->s, m->ns},
    };
    return (z->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

void scales_destroy(scales *z) {
    free(z->memory);
}

void scales_move(scales *z, const motion *x) {
    z->at = x;
    z->places.known = z->speeds.known = false;
}

/* Where the model is not defined round-off is 0: the caller evaluates the model there as well, and reports it. */
static bool has_places(scales *z) {
    const carom_model_def *d = &z->m->def;
    const motion *x = z->at;
    if (z->places.known) return z->places.defined;
    z->places.known = true;
    return z->places.defined = z->m->nc && !d->position(d->context, x->t, x->q, NULL, z->c_q) &&
                               !model_q_dot(z->m, x->t, x->q, x->u, z->q_dot);
}

static bool has_speeds(scales *z) {
    const carom_model_def *d = &z->m->def;
    const motion *x = z->at;
    if (z->speeds.known) return z->speeds.defined;
    z->speeds.known = true;
    return z->speeds.defined = z->m->ns && !d->velocity(d->context, x->t, x->q, x->u, z->s, z->WT, NULL);
}

/* sum_i |dc/dq_i| (|q_i| + dt |q_dot_i|) */
static double size_of_position(scales *z, int row) {
    const carom_pattern *c_q = &z->m->def.c_q;
    double sum = 0;
    for (int e = c_q->start[row]; e < c_q->start[row + 1] && has_places(z); e++) {
        int i = c_q->index[e];
        sum += fabs(z->c_q[e]) * (fabs(z->at->q[i]) + z->dt * fabs(z->q_dot[i]));
    }
    return sum;
}

/* sum_i |W_i u_i| + |chi| */
static double size_of_velocity(scales *z, int row) {
    const carom_pattern *WT = &z->m->def.WT;
    if (!has_speeds(z)) return 0;
    double sum = 0, chi = z->s[row];
    for (int e = WT->start[row]; e < WT->start[row + 1]; e++) {
        double part = z->WT[e] * z->at->u[WT->index[e]];
        sum += fabs(part), chi -= part;
    }
    return sum + fabs(chi);
}

double scales_slope(scales *z, int row) {
    const carom_pattern *WT = &z->m->def.WT;
    double length = 0;
    if (!has_speeds(z)) return 1;
    for (int e = WT->start[row]; e < WT->start[row + 1]; e++) length = hypot(length, z->WT[e]);
    return fmin(1, length);
}

double scales_round_off(scales *z, int row) {
    return ROUND_OFF * size_of_position(z, row);
}

double scales_size(scales *z, int row) {
    return size_of_position(z, row);
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
    return (open_scale){noise, noise + z->dt * z->tolerance * scales_slope(z, row), zero_rate(z, row)};
}

open_scale scales_of_open_at(scales *z, int contact, const motion *x) {
    const motion *at = z->at;
    scales_move(z, x);
    const open_scale scale = scales_of_open(z, contact);
    scales_move(z, at);
    return scale;
}

void scales_rounding(scales *z, int row, const motion *x, double *rounding) {
    const carom_pattern *c_q = &z->m->def.c_q;
    const motion *at = z->at;
    scales_move(z, x);
    for (int i = 0; i < z->m->def.nq; i++) rounding[i] = 0;
    for (int e = c_q->start[row]; e < c_q->start[row + 1] && has_places(z); e++) {
        const int i = c_q->index[e];
        rounding[i] = copysign(ROUND_OFF * (fabs(x->q[i]) + z->dt * fabs(z->q_dot[i])), z->c_q[e]);
    }
    scales_move(z, at);
}

static double round_off_of_rate(scales *z, int row) {
    return ROUND_OFF * size_of_velocity(z, row);
}

double zero_rate(scales *z, int row) {
    return 10 * z->tolerance * scales_slope(z, row) + round_off_of_rate(z, row);
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
    for (int j = m->slip[k]; j < m->slip[k + 1]; j++) most = fmax(most, round_off_of_rate(z, m->F + j));
    return most;
}

/* A row without slope moves nothing. */
static double share(scales *z, int row) {
    const double slope = scales_slope(z, row);
    return slope > 0 ? round_off_of_rate(z, row) / slope : 0;
}

double zero_speed(scales *z, int k) {
    const carom_model *m = z->m;
    double most = share(z, m->N + k);
    for (int j = m->slip[k]; j < m->slip[k + 1]; j++) most = fmax(most, share(z, m->F + j));
    return 10 * z->tolerance + most;
}
