#include "integrator/variation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/balance.h"
#include "integrator/vectors.h"

carom_place variation_column(const variation *v, int column) {
    return (carom_place){v->t[column], v->q + column * v->m->def.nq, v->u + column * v->m->def.nu};
}

int variation_count(const variation *v) {
    return v->columns + v->timed;
}

carom_place variation_rate(const variation *v, int column) {
    const carom_model_def *d = &v->m->def;
    return column < v->columns ? variation_column(v, column) : (carom_place){0, v->rest, v->rest + d->nq};
}

span variation_span(const variation *v, int column) {
    const carom_place start = variation_rate(v, column);
    return (span){column, start, (column == v->columns ? 1 : v->follows * start.t) - start.t};
}

const double *variation_sense(const variation *v, int column) {
    return v->sense + column * v->m->slips;
}

double variation_coefficient(const variation *v, int column, int contact, int which) {
    return column == v->columns ? 0 : v->coefficient[(column * v->m->def.contacts + contact) * 3 + which];
}

double variation_bound(const variation *v, int column, int latch, int which) {
    return column == v->columns ? 0 : v->bound[(column * v->m->def.latches + latch) * 3 + which];
}

bool variation_tangent(const variation *v, int column, const carom_place *at, const carom_place *rate,
                       const carom_tangent *wanted) {
    const carom_model_def *d = &v->m->def;
    return !d->tangent(d->context, column == v->columns ? -1 : v->parameter[column], at, rate, wanted);
}

double radius_by_friction(const carom_model *m, int contact, const problem_law *l, const double *z) {
    const carom_model_contact *c = &m->def.contact[contact];
    double load, by[LOADS];
    int unknown[LOADS];
    law_load(l, z, &load, unknown, by);
    return c->by_slip || (c->kinetic > 0 && l->mu == c->kinetic) ? 0 : l->G * (load - l->given);
}

void variation_radius(const variation *v, int column, problem *p, const double *z, double *radius) {
    const carom_model *m = v->m;
    memset(radius, 0, (size_t)p->laws * sizeof *radius);
    for (int copy = 0; copy * m->ns < p->n - p->nF; copy++)
        for (int k = 0; k < m->def.contacts; k++) {
            const double coefficient = variation_coefficient(v, column, k, 0);
            const problem_law *l = coefficient != 0 ? law_of_friction(p, m, copy, k) : NULL;
            if (l) radius[l - p->law] = coefficient * radius_by_friction(m, k, l, z);
        }
}

/* (SE7): the end moves on by -e'/e_t, and the state moves along with it. */
void variation_meet(variation *v, const double *rate) {
    const carom_model_def *d = &v->m->def;
    const double *q = v->q + v->columns * d->nq, *u = v->u + v->columns * d->nu;
    for (int k = 0; k < v->columns; k++) {
        const double t = -rate[k] / rate[v->columns];
        v->t[k] += t;
        for (int i = 0; i < d->nq; i++) v->q[k * d->nq + i] += t * q[i];
        for (int i = 0; i < d->nu; i++) v->u[k * d->nu + i] += t * u[i];
    }
}

void variation_begin(variation *v) {
    const carom_margin far = {.least = INFINITY, .contact = -1};
    v->margins = (carom_margins){far, far, far};
    v->last_event = -INFINITY;
    v->lost = v->given = v->timed = false;
    v->fresh = true;
    v->caveat[0] = 0;
    v->follows = 0;
    v->traced = 0;
    v->side = NULL;
    if (v->sense) memset(v->sense, 0, (size_t)((v->columns + 1) * v->m->slips) * sizeof *v->sense);
    v->instants = 0;
}

void variation_lose(variation *v, double t, const char *format, ...) {
    if (v->lost) return;
    v->lost = true;
    v->lost_at = t;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->reason, sizeof v->reason, format, arguments);
    va_end(arguments);
}

void variation_leave_out(variation *v, const char *format, ...) {
    if (v->caveat[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->caveat, sizeof v->caveat, format, arguments);
    va_end(arguments);
}

void variation_lose_change(variation *v, double t, solver_change why, const char *what) {
    static const char *const because[] = {[CHANGE_UNDEFINED] = "the model's derivatives are not defined",
                                          [CHANGE_SINGULAR] = "the equations are singular, or contradict each other",
                                          [CHANGE_NOT_UNIQUE] = "friction depends on forces that are not unique",
                                          [CHANGE_AT_EDGE] = "a contact is on the edge between two states",
                                          [CHANGE_TURNS] = "slip turns in an impact faster than the impact goes on",
                                          [CHANGE_UNENDED] = "no percussions end the impact"};
    if (why != CHANGE_FOUND) variation_lose(v, t, "%s for %s at t = %.9g", because[why], what, t);
}

void variation_note(carom_margin *m, double value, double time, int contact) {
    if (value < m->least) *m = (carom_margin){value, time, contact};
}

void normalised_rate(const double p[4], double rate[4]) {
    const double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    double along = 0;
    for (int i = 0; i < 4; i++) along += p[i] * rate[i] / (size * size);
    for (int i = 0; i < 4; i++) rate[i] = (rate[i] - along * p[i]) / size;
}

void variation_normalise(variation *v, const double *q) {
    const carom_model_def *d = &v->m->def;
    for (int r = 0; r < d->rotations; r++)
        for (int k = 0; k < v->columns; k++) normalised_rate(q + d->rotation[r].q, v->q + k * d->nq + d->rotation[r].q);
}

bool variation_keep_instant(variation *v) {
    if (v->instants == v->room) {
        const int room = 2 * v->room + 4;
        double *more = realloc(v->instant, (size_t)(room * (v->columns + 1)) * sizeof *more);
        if (!more) return false;
        v->instant = more, v->room = room;
    }
    memcpy(v->instant + v->instants++ * v->columns, v->t, (size_t)v->columns * sizeof *v->t);
    return true;
}

/* ---------------------------------------------------------------- setup */

static size_t values(const variation *v) {
    const carom_model_def *d = &v->m->def;
    return (size_t)(v->columns + 1) * (size_t)(1 + d->nq + d->nu + v->m->slips);
}

bool variation_create(variation *v, const carom_model *m, int columns) {
    const carom_model_def *d = &m->def;
    *v = (variation){.m = m, .columns = columns};
    variation_begin(v);
    const vector_part parts[] = {{&v->t, columns + 1},
                                 {&v->q, (columns + 1) * d->nq},
                                 {&v->u, (columns + 1) * d->nu},
                                 {&v->sense, (columns + 1) * m->slips},
                                 {&v->coefficient, columns * d->contacts * 3},
                                 {&v->bound, columns * d->latches * 3},
                                 {&v->rest, d->nq + d->nu}};
    v->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    v->parameter = calloc((size_t)columns + 1, sizeof *v->parameter);
    return v->memory && v->parameter;
}

void variation_destroy(variation *v) {
    free(v->memory);
    free(v->parameter);
    free(v->instant);
}

void variation_copy(variation *to, const variation *from) {
    const variation own = *to;
    *to = *from;
    to->instant = own.instant, to->room = own.room;
    to->t = own.t, to->q = own.q, to->u = own.u, to->sense = own.sense;
    to->coefficient = own.coefficient, to->bound = own.bound, to->parameter = own.parameter, to->rest = own.rest,
    to->memory = own.memory;
    memcpy(to->t, from->t, values(from) * sizeof *to->t);
    memcpy(to->coefficient, from->coefficient,
           (size_t)(from->columns * from->m->def.contacts * 3) * sizeof *to->coefficient);
    memcpy(to->bound, from->bound, (size_t)(from->columns * from->m->def.latches * 3) * sizeof *to->bound);
    memcpy(to->parameter, from->parameter, (size_t)from->columns * sizeof *to->parameter);
}
