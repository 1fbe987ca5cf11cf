#include "integrator/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

bool settler_create(settler *s, const carom_model *m, blow *b, scales *z) {
    const int nq = m->def.nq;
    *s = (settler){.blow = b, .scales = z};
    const vector_part parts[] = {{&s->q, nq}, {&s->c, m->nc}, {&s->rows, m->ns}, {&s->q_dot, nq}, {&s->beta, nq}};
    return (s->memory = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

void settler_destroy(settler *s) {
    free(s->memory);
}

/* Writes the position functions of joints and closed contacts as rows of s, and zero into the others. Returns how many
 * times they exceed what counts as zero, at most. */
static double positions_left(settler *s, const phase *x) {
    const carom_model *m = s->blow->impact.m;
    const carom_model_def *d = &m->def;
    double most = 0;
    if (d->position(d->context, x->x.t, x->x.q, s->c, NULL)) return NAN;
    memset(s->rows, 0, (size_t)m->ns * sizeof *s->rows);
    for (int i = 0; i < m->nc; i++) {
        if (i >= d->ng && (x->x.contact[i - d->ng] == CAROM_OPEN || contact_follows(m, i - d->ng))) continue;
        s->rows[i < d->ng ? i : m->N + i - d->ng] = s->c[i];
        if (s->c[i] != 0) most = fmax(most, fabs(s->c[i]) / zero_position(s->scales, i));
    }
    return most;
}

/* The largest position that counts as zero. No correction can be better where contacts are redundant. */
static double zero_of_positions(settler *s) {
    double most = 0;
    for (int i = 0; i < s->blow->impact.m->nc; i++) most = fmax(most, zero_position(s->scales, i));
    return most;
}

/* One step of Newton's method on (V15): M delta = W P without friction, W^T delta + c = 0, q <- q + B delta. */
static bool correct_positions(settler *s, phase *x) {
    impact *i = &s->blow->impact;
    const carom_model *m = i->m;
    const carom_model_def *d = &m->def;
    solver_report found;
    if (!blow_begin_displacement(s->blow, x->x.t, x->x.q)) return false;
    memcpy(i->chi, s->rows, (size_t)m->ns * sizeof *s->rows);
    for (int k = 0; k < d->contacts; k++) impact_guide(i, k, x->x.contact[k] != CAROM_OPEN);
    if (!impact_solve(i, zero_of_positions(s), &found)) return false;
    if (model_q_dot(m, x->x.t, x->x.q, i->z, s->q_dot) || model_q_dot(m, x->x.t, x->x.q, s->blow->zero, s->beta))
        return false;
    for (int k = 0; k < d->nq; k++) x->x.q[k] += s->q_dot[k] - s->beta[k];
    return true;
}

/* (V16): all states are kept. */
static bool correct_velocities(settler *s, phase *x, bool counted, double tolerance) {
    impact *i = &s->blow->impact;
    const carom_model *m = i->m;
    solver_report found;
    memset(s->blow->before, 0, (size_t)m->ns * sizeof *s->blow->before);
    if (!blow_begin(s->blow, x->x.t, x->x.q, x->x.u)) return false;
    for (int k = 0; k < m->def.contacts; k++)
        impact_fix(i, k, (carom_contact_state)x->x.contact[k], x->sense + m->slip[k]);
    if (!impact_solve(i, tolerance, &found)) return false;
    memcpy(x->x.u, i->z, (size_t)m->def.nu * sizeof *x->x.u);
    for (int k = 0; k < m->ns && counted; k++) x->x.P[k] += impact_percussion(i)[k];
    impact_velocities(i, x->s);
    return true;
}

void settle(settler *s, phase *x, bool counted, double tolerance) {
    enum { MOST_CORRECTIONS = 4 };
    const size_t size = (size_t)s->blow->impact.m->def.nq * sizeof *s->q;
    double left = positions_left(s, x), was = INFINITY;
    memcpy(s->q, x->x.q, size);
    for (int i = 0; i < MOST_CORRECTIONS && left > 1 && left < was / 2; i++) {
        memcpy(s->q, x->x.q, size);
        was = left;
        left = correct_positions(s, x) ? positions_left(s, x) : NAN;
    }
    if (!(left <= was)) memcpy(x->x.q, s->q, size);
    s->moved = was < INFINITY;
    correct_velocities(s, x, counted, tolerance);
}
