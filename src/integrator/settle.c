#include "integrator/settle.h"

#include <math.h>
#include <string.h>

#include "integrator/event.h"

/* M (u - v) = W P at the end of the trial step: v, and chi in s = W^T u + chi, are for the caller to set. */
static bool begin(locate *l, const double *u, const double *v) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    const motion *x = &l->trial;
    impact *i = &l->strike;
    if (d->mass(d->context, x->t, x->q, l->M) || d->velocity(d->context, x->t, x->q, u, l->s, l->WT, NULL))
        return false;
    memset(l->struck, 0, (size_t)m->ns * sizeof *l->struck);
    memset(i->f, 0, (size_t)d->nu * sizeof *i->f);
    i->M = l->M, i->WT = l->WT, i->v = v, i->before = l->struck;
    memcpy(i->z, v, (size_t)d->nu * sizeof *i->z);
    memset(i->z + d->nu, 0, (size_t)m->ns * sizeof *i->z);
    return true;
}

/* Position functions of joints and closed contacts as rows of s, zero in all others; the largest of them. */
static double positions_left(locate *l, double *rows) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    double most = 0;
    if (d->position(d->context, l->trial.t, l->trial.q, l->c, NULL)) return NAN;
    memset(rows, 0, (size_t)m->ns * sizeof *rows);
    memcpy(rows, l->c, (size_t)d->ng * sizeof *rows);
    for (int k = 0; k < d->contacts; k++)
        if (l->trial.contact[k] != CAROM_OPEN) rows[m->N + k] = l->c[d->ng + k];
    for (int k = 0; k < m->ns; k++) most = fmax(most, fabs(rows[k]));
    return most;
}

/* One step of Newton's method on (V15): M delta = W P without friction, W^T delta + c = 0, q <- q + B delta. */
static bool correct_positions(locate *l) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    impact *i = &l->strike;
    solver_report found;
    memset(l->u, 0, (size_t)d->nu * sizeof *l->u);
    if (!begin(l, l->u, l->u)) return false;
    positions_left(l, i->chi);
    for (int k = 0; k < d->contacts; k++) impact_guide(i, k, l->trial.contact[k] != CAROM_OPEN);
    if (!impact_solve(i, zero_gap(l), &found)) return false;
    if (model_q_dot(m, l->trial.t, l->trial.q, i->z, l->q_dot1) ||
        model_q_dot(m, l->trial.t, l->trial.q, l->u, l->q_dot0))
        return false;
    for (int k = 0; k < d->nq; k++) l->trial.q[k] += l->q_dot1[k] - l->q_dot0[k];
    return true;
}

/* (V16): all states are kept. */
static bool correct_velocities(locate *l, double tolerance) {
    const carom_model *m = l->m;
    impact *i = &l->strike;
    solver_report found;
    if (!begin(l, l->trial.u, l->trial.u)) return false;
    impact_set_chi(i, l->s, l->trial.u);
    for (int k = 0; k < m->def.contacts; k++)
        impact_fix(i, k, (carom_contact_state)l->trial.contact[k], l->sense + m->slip[k]);
    if (!impact_solve(i, tolerance, &found)) return false;
    memcpy(l->trial.u, i->z, (size_t)m->def.nu * sizeof *l->trial.u);
    for (int k = 0; k < m->ns; k++) l->trial.P[k] += impact_percussion(i)[k];
    impact_velocities(i, event_stored(l, &l->trial));
    return true;
}

void settle(locate *l, double tolerance) {
    enum { MOST_CORRECTIONS = 4 };
    const size_t size = (size_t)l->m->def.nq * sizeof *l->q;
    double left = positions_left(l, l->strike.chi), was = INFINITY;
    memcpy(l->q, l->trial.q, size);
    for (int i = 0; i < MOST_CORRECTIONS && left > zero_gap(l) && left < was / 2; i++) {
        memcpy(l->q, l->trial.q, size);
        was = left;
        left = correct_positions(l) ? positions_left(l, l->strike.chi) : NAN;
    }
    if (!(left <= was)) memcpy(l->trial.q, l->q, size);
    correct_velocities(l, tolerance);
}
