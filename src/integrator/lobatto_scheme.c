#include "integrator/lobatto_scheme.h"

#include <math.h>
#include <string.h>

#include "integrator/turned.h"

/* The velocity functions s(t_n, q_n, v_n), kept in the memory after R^1..R^{s-1}. */
double *lobatto_velocities(const lobatto_scheme *l, const motion *now) {
    return now->memory + (l->stages.s - 1) * l->m->ns;
}

/* ---------------------------------------------------------------- the stages */

/* (B10): R_F^{i-1} slides along y_{i-1}, in contacts that were closed before and can turn their slip. */
static bool set_directions(lobatto_scheme *l, bool wanted) {
    lobatto_stages *st = &l->stages;
    bool any = false;
    for (int k = 0; k < l->m->def.contacts; k++)
        for (int copy = 0; copy < st->s - 1 && l->m->def.contact[k].slips > 1; copy++) {
            problem_law *friction = law_of_friction(&st->problem, l->m, copy, k);
            friction->directed = wanted && ending_persists(&l->end, k) && law_follows_direction(&l->m->def.contact[k]);
            friction->direction = lobatto_slip_row(st, copy, k);
            friction->still = l->end.still;
            any = any || friction->directed;
        }
    return any;
}

/* Percussions are kept in the memory; where events divide steps, over the length of theirs. */
double lobatto_kept_over(const lobatto_scheme *l) {
    return l->stages.sense ? l->stages.dt : 1;
}

void lobatto_guess(lobatto_scheme *l, const motion *now) {
    const carom_model_def *d = &l->m->def;
    const lobatto_stages *st = &l->stages;
    double *z = st->z;
    for (int i = 0; i < st->s; i++, z += d->nu) memcpy(z, now->u, (size_t)d->nu * sizeof *z);
    for (int i = 1; i < st->s && !l->m->trivial; i++, z += d->nq) memcpy(z, now->q, (size_t)d->nq * sizeof *z);
    for (int k = 0; k < (st->s - 1) * l->m->ns; k++) z[k] = now->memory[k] * lobatto_kept_over(l);
}

static bool solve_stages(lobatto_scheme *l, const motion *now, double tolerance, step_report *report) {
    lobatto_stages *st = &l->stages;
    solver_report found;
    lobatto_guess(l, now);
    bool directed = set_directions(l, true);
    solver_way *const directed_way = l->undirected || l->easily ? solver_solve_newton : solver_solve;
    solver_way *const last_way = l->easily ? solver_solve_newton : solver_solve_yielding;
    bool solved = lobatto_stages_solve(st, directed ? directed_way : last_way, tolerance, &found);
    l->undirected = directed && !solved;
    report->newton[0] += found.iterations;
    if (!solved && directed && !l->easily) { /* slip that comes to rest gives no direction */
        lobatto_guess(l, now);
        set_directions(l, false);
        solved = lobatto_stages_solve(st, last_way, tolerance, &found);
        report->newton[0] += found.iterations;
    }
    report->residual = found.residual;
    report->yielded = fmax(report->yielded, found.yielded);
    if (!solved) explain(report, &st->problem, l->m, &found, "for the positions");
    return solved;
}

/* A contact that presses at an inner stage and is open at the end has been thrown off in between: the impact law would
 * press on bodies that are apart, and stop them there. A gap below the tolerance is closed. */
static bool thrown_off(lobatto_scheme *l, int contact, double tolerance) {
    lobatto_stages *st = &l->stages;
    const problem_law *end = law_of_contact(&st->problem, l->m, st->s - 2, contact);
    return !contact_follows(l->m, contact) && ending_touches(&l->end, &st->problem, st->s - 2, contact) > 0 &&
           end->level * solver_rows(st->solver)[end->row] > tolerance + end->floor;
}

static bool strikes(lobatto_scheme *l) {
    for (int k = 0; k < l->m->def.contacts; k++)
        if (ending_strikes(&l->end, &l->stages.problem, l->stages.s - 1, k)) return true;
    return false;
}

/* (B18): from the first stage that closes it, the contact stays closed. */
static void keep_closed(lobatto_scheme *l, int contact) {
    bool closed = false;
    for (int copy = 0; copy < l->stages.s - 1; copy++) {
        problem_law *normal = law_of_contact(&l->stages.problem, l->m, copy, contact);
        closed = closed || normal->branch == LAW_HOLD;
        if (closed) normal->law = &law_bilateral;
    }
}

static void let_go(lobatto_scheme *l) {
    for (int k = 0; k < l->m->def.contacts; k++)
        for (int copy = 0; copy < l->stages.s - 1; copy++)
            law_of_contact(&l->stages.problem, l->m, copy, k)->law = &law_signorini;
}

/* Whether a contact is caught that opens without an impact: it has lifted off, as stages may well do. */
static bool catch_thrown_off(lobatto_scheme *l, double tolerance) {
    bool any = false;
    if (!l->overshoots || !strikes(l)) return false;
    for (int k = 0; k < l->m->def.contacts; k++)
        if (thrown_off(l, k, tolerance)) keep_closed(l, k), any = true;
    return any;
}

/* ---------------------------------------------------------------- the end of the step */

/* (B11), written as M (v_{n+1} - V^s) = f + W (DP - earlier): p is affine in the velocity. */
bool lobatto_balance_end(lobatto_scheme *l) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    lobatto_stages *st = &l->stages;
    lobatto_stage *last = &st->stage[st->s - 1];
    impact *e = &l->end.impact;
    if (d->mass(d->context, last->t, last->Q, last->M)) return false;
    e->M = last->M, e->WT = last->WT, e->v = last->V;
    e->problem.at = (friction_place){last->t, last->Q};
    for (int k = 0; k < d->nu; k++) {
        e->f[k] = st->p_n[k] - last->p[k];
        for (int j = 0; j < st->s; j++) e->f[k] += st->b[j] * st->stage[j].F[k];
    }
    for (int k = 0; k < m->ns; k++) {
        l->end.earlier[k] = 0;
        for (int j = 0; j < st->s - 1; j++) l->end.earlier[k] += st->b[j] * lobatto_percussions(st, j)[k];
    }
    impact_set_chi(e, last->s, last->V);
    return true;
}

/* b_s R^s over the sum of the others, for percussions of a steady force. */
double lobatto_share_of_end(const lobatto_stages *st) {
    double last = st->b[st->s - 1];
    return last / (1 - last);
}

/* ---------------------------------------------------------------- the step */

void lobatto_rub_as(lobatto_scheme *l, const motion *now) {
    contacts_rub_as(&l->stages.problem, l->m, now->contact);
    contacts_rub_as(&l->end.impact.problem, l->m, now->contact);
}

static bool take_stages(lobatto_scheme *l, const motion *now, double dt, double tolerance, step_report *report) {
    lobatto_rub_as(l, now);
    if (!lobatto_stages_begin(&l->stages, now->t, now->q, now->u, dt, false)) return explain_undefined(report, "start");
    ending_begin(&l->end, now, lobatto_velocities(l, now), &l->stages.problem, dt, tolerance);
    if (!lobatto_stages_keep(&l->stages, now->memory, lobatto_kept_over(l), tolerance))
        return explain_undefined(report, "start");
    if (!solve_stages(l, now, tolerance, report)) return false;
    if (!catch_thrown_off(l, tolerance)) return true;
    const bool caught = solve_stages(l, now, tolerance, report);
    let_go(l);
    return caught || solve_stages(l, now, tolerance, report);
}

void lobatto_read(lobatto_scheme *l, motion *next) {
    const lobatto_stages *st = &l->stages;
    const int ns = l->m->ns;
    memcpy(next->q, st->stage[st->s - 1].Q, (size_t)l->m->def.nq * sizeof *next->q);
    ending_read(&l->end, next);
    for (int j = 0; j < l->stages.s - 1; j++)
        for (int k = 0; k < ns; k++) next->memory[j * ns + k] = lobatto_percussions(st, j)[k] / lobatto_kept_over(l);
    impact_velocities(&l->end.impact, lobatto_velocities(l, next));
}

/* (S28) */
static bool has_turned(lobatto_scheme *l, const motion *now, double tolerance, step_report *report) {
    lobatto_stages *st = &l->stages;
    const turned_step x = {.t = now->t,
                           .dt = st->dt,
                           .z = st->z,
                           .h = st->stage[0].b,
                           .WT = st->stage[0].WT,
                           .P = l->end.earlier,
                           .q = {now->q, st->stage[st->s - 1].Q},
                           .gaps = l->end.gaps};
    return turned_without_cause(l->m, &st->problem, &x, tolerance, report);
}

bool lobatto_capture(lobatto_scheme *l, const motion *now, motion *next, double dt, double tolerance,
                     step_report *report) {
    if (!take_stages(l, now, dt, tolerance, report)) return false;
    lobatto_stages *st = &l->stages;
    if (!lobatto_balance_end(l)) return explain_undefined(report, "end");
    if (has_turned(l, now, tolerance, report)) return false;
    if (!ending_capture(&l->end, &st->problem, solver_rows(st->solver), st->s - 1, lobatto_share_of_end(st), tolerance,
                        report))
        return false;
    lobatto_read(l, next);
    return true;
}

/* ---------------------------------------------------------------- setup */

bool lobatto_scheme_create(lobatto_scheme *l, const carom_model *m, int s, bool published, bool located) {
    *l = (lobatto_scheme){.m = m, .overshoots = !published && s > 2};
    bool ok = lobatto_stages_create(&l->stages, m, s, !published, located);
    l->stages.problem.absolute = published;
    return ending_create(&l->end, m, published) && ok;
}

void lobatto_scheme_destroy(lobatto_scheme *l) {
    lobatto_stages_destroy(&l->stages);
    ending_destroy(&l->end);
}

void lobatto_scheme_forget(lobatto_scheme *l) {
    l->undirected = false;
    solver_forget(l->stages.solver);
    solver_forget(l->end.impact.solver);
}
