#include "integrator/tie_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/balance.h"
#include "integrator/vectors.h"

enum { MOST_STRIKES = 64 };

/* A motion beside the tie, along one column: strikes one after the other, in no time. */
typedef struct sequence {
    event_change *c;
    const phase *x; /* before the strikes */
    int k;          /* the column, whose present rates are in the variation */
    double *u;      /* [nu] velocities */
    double *s;      /* [ns] and their s */
    double *late;   /* [contacts] how much later each strikes than the present instant; NaN: it does not */
    double *state;  /* [contacts] */
    double *sense;  /* [slips] */
    double zero;    /* velocities up to this count as zero */
    double *memory;
} sequence;

static bool create(sequence *q, event_change *c, const phase *x) {
    const carom_model *m = c->m;
    *q = (sequence){.c = c, .x = x};
    const vector_part parts[] = {{&q->u, m->def.nu},
                                 {&q->s, m->ns},
                                 {&q->late, m->def.contacts},
                                 {&q->state, m->def.contacts},
                                 {&q->sense, m->slips}};
    q->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    for (int i = 0; i < m->def.nu; i++) q->zero = fmax(q->zero, 1e-9 * fabs(x->x.u[i]));
    return q->memory != NULL;
}

/* When each contact strikes, in first order. False: not defined. */
static bool foresee(sequence *q, const bool *touches) {
    const carom_model *m = q->c->m;
    const carom_model_def *d = &m->def;
    const carom_place at = {q->x->x.t, q->x->x.q, q->u}, rate = variation_column(q->c->v, q->k);
    if (d->velocity(d->context, at.t, at.q, at.u, q->s, NULL, NULL)) return false;
    if (!variation_tangent(q->c->v, q->k, &at, &rate, &(carom_tangent){.c = q->c->c})) return false;
    for (int n = 0; n < d->contacts; n++) {
        const bool strikes = touches[n] && q->state[n] == CAROM_OPEN && q->s[m->N + n] < -q->zero;
        q->late[n] = strikes ? -q->c->c[d->ng + n] / q->s[m->N + n] : NAN;
    }
    return true;
}

/* The first of them on the side that is asked for; NaN: none. */
static double first_of(const sequence *q) {
    const int side = q->c->v->from;
    double first = NAN;
    for (int n = 0; n < q->c->m->def.contacts; n++)
        if (!isnan(q->late[n]) && !(side * q->late[n] >= side * first)) first = q->late[n];
    return first;
}

/* Contacts whose order the column leaves open strike together. */
static bool strikes_now(const sequence *q, int contact, double first) {
    double most = 1e-3 * (1 + fabs(q->c->v->t[q->k]));
    for (int n = 0; n < q->c->m->def.contacts; n++) most = fmax(most, fabs(q->late[n]));
    return fabs(q->late[contact] - first) <= 1e-9 * most;
}

/* The column goes on to the next strike, along the motion before it. Before the first strike that is (1, q_t, u_t) of
 * (SE6); after it, velocities and accelerations. */
static bool go_to(sequence *q, double late, bool struck) {
    event_change *c = q->c;
    variation *v = c->v;
    const carom_model_def *d = &c->m->def;
    const rates_place place = {q->x->x.t, q->x->x.q, q->u, q->state, q->sense, NULL};
    solver_report found;
    const double *q_t = v->q + v->columns * d->nq, *u_t = v->u + v->columns * d->nu;
    if (struck) {
        if (model_q_dot(c->m, place.t, place.q, place.u, c->q_dot)) return false;
        if (!rates_solve(&c->load.rates, &place, false, &found)) return false;
        q_t = c->q_dot, u_t = c->load.rates.impact.z;
    }
    v->t[q->k] += late;
    for (int i = 0; i < d->nq; i++) v->q[q->k * d->nq + i] += late * q_t[i];
    for (int i = 0; i < d->nu; i++) v->u[q->k * d->nu + i] += late * u_t[i];
    return true;
}

/* The impact problem of those that strike now, and of what is closed. */
static bool let_strike(sequence *q, double first) {
    event_change *c = q->c;
    const carom_model *m = c->m;
    impact *i = &c->blow->impact;
    double *before = c->blow->before;
    solver_report found;
    if (!blow_begin(c->blow, q->x->x.t, q->x->x.q, q->u)) return false;
    memcpy(before, q->s, (size_t)m->ns * sizeof *before);
    for (int n = 0; n < m->def.contacts; n++) {
        before[m->N + n] = fmin(before[m->N + n], 0);
        impact_close(i, n, strikes_now(q, n, first) || q->state[n] != CAROM_OPEN);
    }
    return impact_solve(i, c->load.rates.tolerance, &found);
}

/* (SE8) for this column. */
static solver_change jump(sequence *q) {
    event_change *c = q->c;
    variation *v = c->v;
    const carom_model *m = c->m;
    const int nu = m->def.nu;
    const carom_place at = {q->x->x.t, q->x->x.q, q->u}, rate = variation_column(v, q->k);
    if (!variation_tangent(v, q->k, &at, &rate, &(carom_tangent){.s = c->before + q->k * m->ns}))
        return CHANGE_UNDEFINED;
    if (!event_change_jump_column(c, q->k, q->x, true)) return CHANGE_UNDEFINED;
    const solver_change found = impact_change_solve(&c->impact);
    memcpy(v->u + q->k * nu, impact_change_of(&c->impact, q->k), (size_t)nu * sizeof *v->u);
    return found;
}

/* What is closed after the strike, and how it slips. */
static void read_states(sequence *q, double first) {
    const carom_model *m = q->c->m;
    const impact *i = &q->c->blow->impact;
    memcpy(q->u, i->z, (size_t)m->def.nu * sizeof *q->u);
    impact_velocities(i, q->s);
    for (int n = 0; n < m->def.contacts; n++) {
        if (!strikes_now(q, n, first) && q->state[n] == CAROM_OPEN) continue;
        const double speed = slip_speed(m, n, q->s);
        const bool slips = m->def.contact[n].slips == 0 || speed > q->zero;
        q->state[n] = q->s[m->N + n] > q->zero ? CAROM_OPEN : slips ? CAROM_SLIP : CAROM_STICK;
        for (int j = m->slip[n]; j < m->slip[n + 1] && speed > 0; j++) q->sense[j] = q->s[m->F + j] / speed;
    }
}

/* All strikes of the instant, along one column. */
static solver_change strike_in_turn(sequence *q, const bool *touches) {
    memcpy(q->u, q->x->x.u, (size_t)q->c->m->def.nu * sizeof *q->u);
    memcpy(q->state, q->x->x.contact, (size_t)q->c->m->def.contacts * sizeof *q->state);
    memcpy(q->sense, q->x->sense, (size_t)q->c->m->slips * sizeof *q->sense);
    for (int strikes = 0; strikes < MOST_STRIKES; strikes++) {
        if (!foresee(q, touches)) return CHANGE_UNDEFINED;
        const double first = first_of(q);
        if (isnan(first)) return CHANGE_FOUND;
        if (!go_to(q, first, strikes > 0) || !let_strike(q, first)) return CHANGE_UNDEFINED;
        const solver_change found = jump(q);
        if (found != CHANGE_FOUND) return found;
        read_states(q, first);
    }
    return CHANGE_SINGULAR;
}

/* The motion beside the tie must lead to that at the tie. */
static bool leads_there(const sequence *q, const double *after) {
    const int nu = q->c->m->def.nu;
    double off = 0, most = 0;
    for (int i = 0; i < nu; i++) off = fmax(off, fabs(q->u[i] - after[i])), most = fmax(most, fabs(q->x->x.u[i]));
    return off <= 1e-8 * most;
}

static solver_change follow_all(sequence *q, const bool *touches, const double *after, bool *jumps) {
    solver_change found = CHANGE_FOUND;
    for (q->k = 0; q->k < q->c->v->columns && found == CHANGE_FOUND && !*jumps; q->k++) {
        found = strike_in_turn(q, touches);
        *jumps = found == CHANGE_FOUND && !leads_there(q, after);
    }
    return found;
}

void tie_change(event_change *c, const phase *x, const bool *touches) {
    impact *i = &c->blow->impact;
    const size_t n = (size_t)i->problem.n, ns = (size_t)c->m->ns;
    double *solved = calloc(n + ns + 1, sizeof *solved), *before = solved ? solved + n : NULL;
    sequence q = {0};
    bool jumps = false;
    if (!solved || !create(&q, c, x)) {
        variation_lose(c->v, x->x.t, "out of memory at t = %.9g", x->x.t);
    } else {
        memcpy(solved, i->z, n * sizeof *solved);
        memcpy(before, c->blow->before, ns * sizeof *before);
        const solver_change found = follow_all(&q, touches, solved, &jumps);
        variation_lose_change(c->v, x->x.t, found, "strikes at one instant");
        memcpy(i->z, solved, n * sizeof *solved);
        memcpy(c->blow->before, before, ns * sizeof *before);
        i->v = x->x.u;
    }
    if (jumps)
        variation_lose(c->v, x->x.t, "contacts strike at one instant, t = %.9g, and the motion jumps with their order",
                       x->x.t);
    free(q.memory);
    free(solved);
    c->tied = true;
}
