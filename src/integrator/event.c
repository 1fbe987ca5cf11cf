#include "integrator/event.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- the present state */

void event_copy(const locate *l, motion *to, const motion *from) {
    const carom_model *m = l->m;
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)m->def.nq * sizeof *to->q);
    memcpy(to->u, from->u, (size_t)m->def.nu * sizeof *to->u);
    memcpy(to->P, from->P, (size_t)m->ns * sizeof *to->P);
    memcpy(to->contact, from->contact, (size_t)m->def.contacts * sizeof *to->contact);
    memcpy(to->memory, from->memory, l->memory_size * sizeof *to->memory);
}

bool event_velocities(const locate *l, const motion *x, double *s) {
    const carom_model_def *d = &l->m->def;
    return !l->m->ns || !d->velocity(d->context, x->t, x->q, x->u, s, NULL, NULL);
}

double *event_stored(const locate *l, const motion *x) {
    return l->scheme.velocities(l->scheme.self, x);
}

double event_slip(const locate *l, int k, const double *s) {
    double size = 0;
    for (int j = l->m->slip[k]; j < l->m->slip[k + 1]; j++) size = hypot(size, s[l->m->F + j]);
    return size;
}

void event_sense(locate *l, int k, const double *vector, double length) {
    for (int j = l->m->slip[k], i = 0; j < l->m->slip[k + 1]; j++, i++)
        l->sense[j] = length != 0 ? vector[i] / length : i == 0;
}

/* ---------------------------------------------------------------- states after an event */

bool event_undefined(const locate *l, step_report *report) {
    snprintf(report->reason, sizeof report->reason, "the model is not defined at t = %.9g", l->at.t);
    return false;
}

/* Which of the closed contacts is to blame nobody can tell: the first is named, and how many others there are. */
static bool no_accelerations(const locate *l, const solver_report *found, step_report *report) {
    const carom_model_def *d = &l->m->def;
    const size_t size = sizeof report->reason;
    int first = -1, closed = 0;
    bool rough = false;
    for (int k = d->contacts - 1; k >= 0; k--)
        if (l->at.contact[k] != CAROM_OPEN) first = k, closed++, rough = rough || d->contact[k].friction > 0;
    char others[40] = "", stage[64];
    snprintf(stage, sizeof stage, "for the accelerations at t = %.9g", l->at.t);
    if (closed > 1) snprintf(others, sizeof others, " and %d other closed one%s", closed - 1, closed > 2 ? "s" : "");
    if (found->undefined || closed == 0) explain(report->reason, size, &l->rates.impact.problem, l->m, found, stage);
    else
        snprintf(report->reason, size, "no accelerations satisfy the laws of contact '%s'%s at t = %.9g%s",
                 d->contact[first].name, others, l->at.t,
                 rough ? ": friction as strong as this may leave rigid bodies none (Painleve), 'events: capture' may "
                         "find an impact instead"
                       : "");
    return false;
}

/* Closed contacts slip if they move and stick if they can, by the step problem at acceleration level. */
static bool find_states(locate *l, motion *x, double tolerance, solver_report *found) {
    const carom_model *m = l->m;
    double rest = zero_velocity(l, tolerance);
    *found = (solver_report){.undefined = true};
    if (!event_velocities(l, x, l->s)) return false;
    for (int k = 0; k < m->def.contacts; k++) {
        if (x->contact[k] == CAROM_OPEN) continue;
        double size = event_slip(l, k, l->s);
        bool slips = size > rest || m->def.contact[k].slips == 0;
        x->contact[k] = slips ? CAROM_SLIP : CAROM_STICK;
        if (slips) event_sense(l, k, l->s + m->F + m->slip[k], size);
    }
    if (!rates_solve(&l->rates, x->t, x->q, x->u, x->contact, l->sense, true, found)) return false;
    rates_read(&l->rates, x->contact, l->sense);
    return true;
}

bool event_states(locate *l, double tolerance, step_report *report) {
    solver_report found;
    return find_states(l, &l->at, tolerance, &found) || no_accelerations(l, &found, report);
}

/* ---------------------------------------------------------------- impacts */

/* The velocity problem (I1)-(I4) at the present configuration without forces; l->before are the velocities it sees. */
static bool begin_impact(locate *l) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    const motion *x = &l->at;
    impact *i = &l->strike;
    if (d->mass(d->context, x->t, x->q, l->M) || d->velocity(d->context, x->t, x->q, x->u, l->s, l->WT, NULL))
        return false;
    i->M = l->M, i->WT = l->WT, i->v = x->u, i->before = l->before;
    memset(i->f, 0, (size_t)d->nu * sizeof *i->f);
    impact_set_chi(i, l->s, x->u);
    memcpy(i->z, x->u, (size_t)d->nu * sizeof *i->z);
    memset(i->z + d->nu, 0, (size_t)m->ns * sizeof *i->z);
    return true;
}

static bool solve_impact(locate *l, int contact, double tolerance, step_report *report) {
    const carom_model *m = l->m;
    char stage[96];
    impact *i = &l->strike;
    solver_report found;
    bool solved = impact_solve(i, tolerance, &found);
    report->newton[1] += found.iterations;
    l->work += 1 + found.iterations;
    report->residual = fmax(report->residual, found.residual);
    if (contact == JUMP) snprintf(stage, sizeof stage, "where a given motion jumps, at t = %.9g", l->at.t);
    else snprintf(stage, sizeof stage, "at an impact of '%s' at t = %.9g", m->def.contact[contact].name, l->at.t);
    if (!solved) explain(report->reason, sizeof report->reason, &i->problem, m, &found, stage);
    else impact_velocities(i, l->after);
    return solved;
}

/* Newton's impact law over all contacts that touch. */
static bool let_strike(locate *l, int contact, double tolerance, step_report *report) {
    if (!begin_impact(l)) return event_undefined(l, report);
    for (int k = 0; k < l->m->def.contacts; k++) {
        impact_close(&l->strike, k, l->touches[k]);
        if (l->pressed[k]) impact_press(&l->strike, k);
    }
    return solve_impact(l, contact, tolerance, report);
}

/* Contacts of one body come to rest together: one at a time they would take turns for ever. */
static bool rests_with(const locate *l, int k, int contact) {
    if (k == contact) return true;
    if (l->at.contact[k] != CAROM_SLIP || l->m->def.contact[k].slips < 2) return false;
    return event_slip(l, k, l->struck) <= 100 * event_slip(l, contact, l->struck);
}

/* What is left of the slip of a contact that has come to rest is taken away, all other states kept. */
static bool rest(locate *l, int contact, double tolerance, step_report *report) {
    const carom_model *m = l->m;
    if (event_slip(l, contact, l->struck) <= zero_velocity(l, tolerance)) return true;
    memset(l->before, 0, (size_t)m->ns * sizeof *l->before);
    if (!begin_impact(l)) return event_undefined(l, report);
    for (int k = 0; k < m->def.contacts; k++)
        impact_fix(&l->strike, k, rests_with(l, k, contact) ? CAROM_STICK : (carom_contact_state)l->at.contact[k],
                   l->sense + m->slip[k]);
    if (!solve_impact(l, contact, tolerance, report)) return false;
    memcpy(l->at.u, l->strike.z, (size_t)m->def.nu * sizeof *l->at.u);
    return true;
}

/* (V9): a rebound that is over within 1e-5 of the step is none. */
static bool is_over_soon(const locate *l, int k) {
    double v = l->after[l->m->N + k], a = rates_row(&l->rates, l->m->N + k);
    return v > 0 && a < 0 && 2 * v < -a * 1e-5 * l->dt;
}

/* Contacts that are back soon: those that rebound lose their restitution, their velocity before counts as zero; those
 * that part because another strikes, as the feet of a rocking body, are kept closed. */
static bool soften(locate *l, double tolerance) {
    const carom_model *m = l->m;
    solver_report found;
    bool any = false;
    memcpy(l->trial.u, l->strike.z, (size_t)m->def.nu * sizeof *l->trial.u);
    if (!find_states(l, &l->trial, tolerance, &found)) return false;
    for (int k = 0; k < m->def.contacts; k++)
        if (l->touches[k] && is_over_soon(l, k)) {
            l->pressed[k] = l->before[m->N + k] == 0;
            l->before[m->N + k] = 0, any = true;
        }
    return any;
}

/* Those that touch and do not part, into trial.contact. */
void event_closed(locate *l, double tolerance) {
    const carom_model *m = l->m;
    double rest = zero_velocity(l, tolerance);
    for (int k = 0; k < m->def.contacts; k++)
        l->trial.contact[k] = l->touches[k] && l->after[m->N + k] <= rest ? CAROM_SLIP : CAROM_OPEN;
}

static bool strike(locate *l, int contact, double tolerance, step_report *report) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    double touch = 1e3 * zero_gap(l); /* gaps this small close together */
    if (m->nc && d->position(d->context, l->at.t, l->at.q, l->c, NULL)) return event_undefined(l, report);
    memcpy(l->before, l->struck, (size_t)m->ns * sizeof *l->before);
    for (int k = 0; k < d->contacts; k++) {
        l->touches[k] = k == contact || l->at.contact[k] != CAROM_OPEN || l->c[d->ng + k] <= touch;
        l->before[m->N + k] = fmin(l->before[m->N + k], 0); /* what parts already must not be drawn back */
        l->pressed[k] = false;
    }
    if (!let_strike(l, contact, tolerance, report)) return false;
    event_copy(l, &l->trial, &l->at);
    event_closed(l, tolerance);
    if (soften(l, tolerance) && !let_strike(l, contact, tolerance, report)) return false;
    event_closed(l, tolerance);
    memcpy(l->at.u, l->strike.z, (size_t)d->nu * sizeof *l->at.u);
    memcpy(l->at.contact, l->trial.contact, (size_t)d->contacts * sizeof *l->at.contact);
    for (int k = 0; k < m->ns; k++) l->P[k] += impact_percussion(&l->strike)[k];
    return true;
}

/* ---------------------------------------------------------------- events */

/* A force that is not known has no zero: what looked like one is none. */
static bool know_forces(locate *l, step_report *report) {
    solver_report found;
    return rates_solve(&l->rates, l->at.t, l->at.q, l->at.u, l->at.contact, l->sense, false, &found) ||
           no_accelerations(l, &found, report);
}

/* Stick that breaks slips against the force that held it. */
static bool begin_slip(locate *l, int k, step_report *report) {
    const carom_model *m = l->m;
    if (!know_forces(l, report)) return false;
    const double *force = rates_forces(&l->rates) + m->F + m->slip[k];
    double size = 0;
    for (int j = 0; j < m->def.contact[k].slips; j++) size = hypot(size, force[j]);
    event_sense(l, k, force, -size);
    l->at.contact[k] = CAROM_SLIP;
    if (m->def.contact[k].slips > 1 && l->scheme.s == 2) l->reach = 1e-3 * l->dt; /* no stage knows where slip turns */
    return true;
}

static void log_event(locate *l, carom_event_kind kind, int k, const double *P) {
    const carom_model *m = l->m;
    const double *s = l->struck;
    carom_event e = {.time = l->at.t, .contact = k, .kind = kind};
    e.gap_dot[0] = s[m->N + k], e.gap_dot[1] = l->after[m->N + k];
    e.PN = P ? P[m->N + k] : 0;
    e.loss = -e.PN * (e.gap_dot[0] + e.gap_dot[1]) / 2;
    for (int j = 0, F = m->F + m->slip[k]; j < m->def.contact[k].slips; j++, F++) {
        e.slip[0][j] = s[F], e.slip[1][j] = l->after[F];
        e.PF[j] = P ? P[F] : 0;
        e.loss -= e.PF[j] * (s[F] + l->after[F]) / 2;
    }
    event_log_add(&l->log, e);
}

/* A state that ends where a given motion jumps, without a percussion. */
static void log_change(locate *l, int k, const double *P) {
    carom_contact_state before = (carom_contact_state)event_log_instant(&l->log, l->log.instants).contact[0][k];
    carom_contact_state after = (carom_contact_state)l->at.contact[k];
    if (before == after || before == CAROM_OPEN) return;
    log_event(l, after == CAROM_OPEN ? CAROM_OPENING : after == CAROM_SLIP ? CAROM_BREAK : CAROM_STOP, k, P);
}

/* A contact that is to open by its acceleration, and to close by its first step, has a force that is zero as far as the
 * scheme can tell: it stays closed for that step, (V11). */
static void hold(locate *l, int k, double tolerance) {
    const carom_model *m = l->m;
    double size = event_slip(l, k, l->after), zero = zero_velocity(l, tolerance);
    double moves = fmax(fabs(l->struck[m->N + k]), fabs(l->after[m->N + k])); /* a true impact lets go at once */
    if (l->at.contact[k] != CAROM_OPEN || moves > zero) return;
    l->held[k] = true;
    l->at.contact[k] = size > zero || m->def.contact[k].slips == 0 ? CAROM_SLIP : CAROM_STICK;
    if (size > zero) event_sense(l, k, l->after + m->F + m->slip[k], size);
}

bool event_happen(locate *l, const watch *w, double tolerance, step_report *report) {
    const carom_model *m = l->m;
    const double *P = NULL;
    bool done = true;
    l->hold = AT_ZERO;
    l->happened++;
    l->standing++;
    if (w->contact == JUMP) memcpy(l->struck, event_stored(l, &l->at), (size_t)m->ns * sizeof *l->struck);
    else if (!event_velocities(l, &l->at, l->struck)) return event_undefined(l, report);
    if (!event_log_begin(&l->log, &l->at, l->P)) return event_log_no_room(report);
    if (w->contact == JUMP || w->kind == CAROM_OPENING || w->kind == CAROM_BREAK) l->at.t = fmax(l->at.t, w->after);
    if (w->kind == CAROM_STRIKE) {
        done = strike(l, w->contact, tolerance, report) && event_states(l, tolerance, report);
        P = impact_percussion(&l->strike);
    } else if (w->kind == CAROM_OPENING) {
        done = know_forces(l, report);
        l->at.contact[w->contact] = CAROM_OPEN;
    } else if (w->kind == CAROM_BREAK) done = begin_slip(l, w->contact, report);
    else done = rest(l, w->contact, tolerance, report) && event_states(l, tolerance, report);
    if (!done) return false;
    if (!event_velocities(l, &l->at, l->after)) return event_undefined(l, report);
    for (int k = 0; k < m->def.contacts && w->kind == CAROM_STRIKE; k++)
        if (k == w->contact || l->held[k]) hold(l, k, tolerance);
    memcpy(event_stored(l, &l->at), l->after, (size_t)m->ns * sizeof *l->after);
    for (int k = 0; k < m->def.contacts; k++)
        if (P ? P[m->N + k] > 0 : k == w->contact) log_event(l, w->kind, k, P);
        else if (w->contact == JUMP) log_change(l, k, P);
    return event_log_end(&l->log, &l->at, l->P) || event_log_no_room(report);
}
