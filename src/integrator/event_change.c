#include "integrator/event_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/balance.h"
#include "integrator/process_change.h"
#include "integrator/tie_change.h"
#include "integrator/vectors.h"

/* ---------------------------------------------------------------- when it happens, (SE7) */

/* The rate of the function that is zero at the event, along a column. */
static bool function_rate(event_change *c, const candidate *x, const attempt *a, const carom_place *at, int column) {
    const carom_model *m = c->m;
    const carom_place rate = variation_column(c->v, column);
    const bool gap = x->kind == CAROM_STRIKE && x->contact >= 0, slip = x->kind == CAROM_STOP && x->contact >= 0;
    const carom_tangent wanted = {
        .c = gap ? c->c : NULL, .s = slip ? c->s : NULL, .a = x->contact == SWITCH ? c->a : NULL};
    if (!variation_tangent(c->v, column, at, &rate, &wanted)) return false;
    c->rate[column] = gap    ? c->c[m->def.ng + x->contact]
                      : slip ? attempt_slip(a, x->contact, c->s + m->F)
                             : c->a[x->which];
    return true;
}

/* How much of the motion goes through the surface: 1 if all of it, 0 where it touches, (SE10). */
static double transversality(const carom_pattern *rows, const double *value, int row, const double *flow, double rate) {
    double along = 0, sum = 0;
    for (int e = rows->start[row]; e < rows->start[row + 1]; e++) {
        const double part = value[e] * flow[rows->index[e]];
        along += part, sum += fabs(part);
    }
    return fabs(rate) / (sum + fabs(rate - along));
}

static void note_transversality(event_change *c, const candidate *x, const phase *end) {
    const carom_model *m = c->m;
    const carom_model_def *d = &m->def;
    const carom_place flow = variation_column(c->v, c->v->columns);
    const double rate = c->rate[c->v->columns];
    double part = 1;
    if (x->contact < 0) return;
    if (x->kind == CAROM_STRIKE && !d->position(d->context, end->x.t, end->x.q, NULL, c->c_q))
        part = transversality(&d->c_q, c->c_q, d->ng + x->contact, flow.q, rate);
    else if (d->contact[x->contact].slips == 1 &&
             !d->velocity(d->context, end->x.t, end->x.q, end->x.u, NULL, c->WT, NULL))
        part = transversality(&d->WT, c->WT, m->F + m->slip[x->contact], flow.u, rate);
    variation_note(&c->v->margins.transversality, part, end->x.t, x->contact);
}

/* The columns end where the function of the candidate is zero, at one end of the trial step. */
static void meet(event_change *c, const candidate *x, const attempt *a, const phase *end) {
    variation *v = c->v;
    const carom_place at = {end->x.t, end->x.q, end->x.u};
    bool defined = true;
    for (int k = 0; k <= v->columns && defined; k++) defined = function_rate(c, x, a, &at, k);
    if (!defined) variation_lose_change(v, at.t, CHANGE_UNDEFINED, "an event");
    else if (!(fabs(c->rate[v->columns]) > 0))
        variation_lose(v, at.t, "the motion only touches %s%s%s at t = %.9g",
                       x->contact >= 0 ? "contact '" : "a switch",
                       x->contact >= 0 ? c->m->def.contact[x->contact].name : "", x->contact >= 0 ? "'" : "", at.t);
    if (v->lost) return;
    note_transversality(c, x, end);
    event_trace_meet(c, x, a, end);
    variation_meet(v, c->rate);
}

/* Static friction above kinetic friction lets forces jump at a break. */
static bool any_kinetic(const carom_model *m) {
    bool any = false;
    for (int k = 0; k < m->def.contacts; k++) any = any || m->def.contact[k].kinetic > 0;
    return any;
}

/* A force leaves its cone at one end of the trial step. */
static void meet_load(event_change *c, const attempt *a, const motion *end) {
    if (load_change_rates(&c->load, a, end, c->rate)) {
        load_change_trace(&c->load, a, end, c->rate[c->v->columns]);
        variation_meet(c->v, c->rate);
    } else if (any_kinetic(c->m))
        variation_lose(c->v, end->t, "forces are not unique at t = %.9g, where a state ends and friction falls",
                       end->t);
    else
        variation_leave_out(
            c->v, "forces are not unique at t = %.9g, where a state ends, and this instant is taken as given", end->t);
}

void event_change_meet(event_change *c, const candidate *x, const attempt *a) {
    if (c->v->lost) return;
    if (x->contact == LOAD) meet_load(c, a, &a->end.x);
    else meet(c, x, a, &a->end);
}

/* The state by time at the start, as the column of (SE6). */
static bool start_flow(event_change *c, const phase *x) {
    variation *v = c->v;
    const carom_model_def *d = &c->m->def;
    const carom_place at = {x->x.t, x->x.q, x->x.u};
    const rates_place place = {at.t, at.q, at.u, x->x.contact, x->sense, NULL};
    solver_report found;
    if (model_q_dot(c->m, at.t, at.q, at.u, c->q_dot)) return false;
    if (!rates_solve(&c->load.rates, &place, false, &found)) return false;
    v->t[v->columns] = 1;
    memcpy(v->q + v->columns * d->nq, c->q_dot, (size_t)d->nq * sizeof *c->q_dot);
    memcpy(v->u + v->columns * d->nu, c->load.rates.impact.z, (size_t)d->nu * sizeof *v->u);
    return true;
}

/* A run that starts where a gap closes: starts before that have a derivative, (SE66). */
static void meet_first(event_change *c, const candidate *x, const attempt *a) {
    variation *v = c->v;
    const double t = a->start.x.t;
    const bool strikes = x->kind == CAROM_STRIKE && x->contact >= 0;
    double *before = c->before; /* room */
    memcpy(before, v->t, (size_t)v->columns * sizeof *before);
    if (!strikes || !start_flow(c, &a->start)) {
        variation_lose(v, t, "the run starts at an event, at t = %.9g", t);
        return;
    }
    meet(c, x, a, &a->start);
    for (int k = 0; k < v->columns && !v->lost; k++) {
        const double later = v->t[k] - before[k];
        if (later == 0) continue;
        if (v->from == 0)
            variation_lose(v, t, "the run starts at an event, at t = %.9g: its derivative is one-sided", t);
        else if (v->from * later < 0)
            variation_lose(v, t, "the run starts at an event, at t = %.9g, and on this side beyond it", t);
    }
}

/* The part before ended there, at a given time: its end moves on to the event. What follows from another event is at
 * the instant of that one. Where a force leaves its cone, that instant counts if forces jump there. */
void event_change_meet_start(event_change *c, const candidate *x, const attempt *a) {
    variation *v = c->v;
    if (v->lost || v->last_event == a->start.x.t) return;
    if (x->contact == LOAD && !(v->given && (any_kinetic(c->m) || c->m->def.latches))) return;
    if (v->given && !v->timed)
        variation_lose(v, a->start.x.t, "an event at t = %.9g, where a step ends, was not expected", a->start.x.t);
    else if (x->contact == LOAD) meet_load(c, a, &a->start.x);
    else if (v->given) meet(c, x, a, &a->start);
    else meet_first(c, x, a);
}

/* ---------------------------------------------------------------- what it does, (SE8) */

void event_change_begin(event_change *c, const phase *x) {
    const carom_place at = {x->x.t, x->x.q, x->x.u};
    bool defined = true;
    for (int k = 0; k < c->v->columns && defined && c->m->ns; k++) {
        const carom_place rate = variation_column(c->v, k);
        defined = variation_tangent(c->v, k, &at, &rate, &(carom_tangent){.s = c->before + k * c->m->ns});
    }
    if (!defined) variation_lose_change(c->v, at.t, CHANGE_UNDEFINED, "an event");
    event_trace_begin(c, x);
}

/* M' (u^+ - u^-) - M u^-', the balance of a blow at fixed u^+ */
static bool differentiate_balance(event_change *c, int k, const carom_place *at, const carom_place *rate,
                                  const double *u_rate) {
    const carom_pattern *M = &c->m->def.M;
    const impact *i = &c->blow->impact;
    if (!variation_tangent(c->v, k, at, rate, &(carom_tangent){.M = c->M})) return false;
    for (int row = 0; row < c->m->def.nu; row++) {
        c->balance[row] = 0;
        for (int e = M->start[row]; e < M->start[row + 1]; e++) {
            const int j = M->index[e];
            c->balance[row] += c->M[e] * (i->z[j] - i->v[j]) - i->M[e] * u_rate[j];
        }
    }
    return true;
}

bool event_change_jump_column(event_change *c, int k, const phase *x, bool rebounds) {
    const variation *v = c->v;
    const carom_place at = {x->x.t, x->x.q, c->blow->impact.z}, column = variation_rate(v, k),
                      rate = {column.t, column.q, v->rest + c->m->def.nq};
    const double *before = c->before + k * c->m->ns;
    const impact_rate parts = {.balance = c->balance, .before = rebounds ? before : NULL, .start = before};
    return differentiate_balance(c, k, &at, &rate, column.u) && impact_change_column(&c->impact, k, &at, &rate, &parts);
}

/* The velocities after the blow, as it is in its problem. */
static void jump(event_change *c, const phase *x, bool rebounds) {
    variation *v = c->v;
    const int nu = c->m->def.nu;
    solver_change found = CHANGE_FOUND;
    for (int k = 0; k < variation_count(v) && found == CHANGE_FOUND; k++)
        if (!event_change_jump_column(c, k, x, rebounds)) found = CHANGE_UNDEFINED;
    if (found == CHANGE_FOUND) found = impact_change_solve(&c->impact);
    variation_lose_change(v, x->x.t, found, "an impact");
    event_trace_jump(c, x, rebounds);
    for (int k = 0; k < v->columns && !v->lost; k++)
        memcpy(v->u + k * nu, impact_change_of(&c->impact, k), (size_t)nu * sizeof *v->u);
}

/* How far friction is from the other of stick and slip, (SE10). */
static void note_friction(event_change *c, const phase *x) {
    const carom_model *m = c->m;
    const impact *i = &c->blow->impact;
    const double *P = impact_percussion(i);
    impact_velocities(i, c->s);
    for (int k = 0; k < m->def.contacts; k++) {
        const double most = m->def.contact[k].friction * contact_load(m, k, P), force = slip_speed(m, k, P);
        if (!(most > 0) || m->def.contact[k].slips == 0) continue;
        const double before = slip_speed(m, k, i->before), after = slip_speed(m, k, c->s);
        const bool sticks = law_of_friction(&c->blow->impact.problem, m, 0, k)->branch == LAW_HOLD;
        variation_note(&c->v->margins.friction, sticks ? 1 - force / most : after / (before + after), x->x.t, k);
    }
}

static bool share_velocities(const carom_pattern *WT, int a, int b) {
    for (int i = WT->start[a]; i < WT->start[a + 1]; i++)
        for (int j = WT->start[b]; j < WT->start[b + 1]; j++)
            if (WT->index[i] == WT->index[j]) return true;
    return false;
}

/* Two contacts of one body close at one instant. In motions nearby one of them closes first, and which one decides.
 * False: there are no such contacts. */
static bool find_tie(const event_change *c, const phase *x, const bool *struck, int tied[2]) {
    const carom_model *m = c->m;
    for (int k = 0; k < m->def.contacts; k++)
        for (int l = 0; l < k; l++) {
            const bool both = struck[k] && struck[l] && x->x.contact[k] == CAROM_OPEN && x->x.contact[l] == CAROM_OPEN;
            if (!both || !share_velocities(&m->def.WT, m->N + k, m->N + l)) continue;
            tied[0] = l, tied[1] = k;
            return true;
        }
    return false;
}

void event_change_strike(event_change *c, const phase *x, const bool *struck) {
    const carom_model_contact *all = c->m->def.contact;
    int tied[2];
    if (c->v->lost) return;
    if (!find_tie(c, x, struck, tied)) jump(c, x, true);
    else if (c->v->from != 0 && !c->blow->impact.struck) tie_change(c, x, struck);
    else
        variation_lose(c->v, x->x.t, "contacts '%s' and '%s' strike at one instant, t = %.9g, and their order decides",
                       all[tied[0]].name, all[tied[1]].name, x->x.t);
    if (c->v->lost) return;
    if (!c->blow->impact.struck) note_friction(c, x);
    else variation_note(&c->v->margins.friction, c->impact.process->record.margin, x->x.t, -1);
}

/* The problem of a blow that keeps the states, without anything to do: (u, 0). */
static bool begin_keeping(event_change *c, const phase *x) {
    blow *b = c->blow;
    impact *i = &b->impact;
    memset(b->before, 0, (size_t)c->m->ns * sizeof *b->before);
    return blow_begin(b, x->x.t, x->x.q, x->x.u) &&
           problem_set_units(&i->problem, c->m, i->M, i->WT, &(law_gain){.velocity = 1}, i->dt);
}

void event_change_rest(event_change *c, const phase *x) {
    if (c->v->lost) return;
    if (!begin_keeping(c, x)) variation_lose_change(c->v, x->x.t, CHANGE_UNDEFINED, "the end of slip");
    else jump(c, x, false);
}

/* Rates of the positions that joints and closed contacts keep at zero, as rows of s. */
static bool kept_rates(event_change *c, int k, const phase *x, const carom_place *at, const carom_place *rate) {
    const carom_model *m = c->m;
    if (!variation_tangent(c->v, k, at, rate, &(carom_tangent){.c = c->c})) return false;
    memset(c->s, 0, (size_t)m->ns * sizeof *c->s);
    for (int i = 0; i < m->nc; i++)
        if (i < m->def.ng || x->x.contact[i - m->def.ng] != CAROM_OPEN)
            c->s[i < m->def.ng ? i : m->N + i - m->def.ng] = c->c[i];
    return true;
}

static void keep_states(event_change *c, const phase *x) {
    for (int k = 0; k < c->m->def.contacts; k++)
        impact_fix(&c->blow->impact, k, (carom_contact_state)x->x.contact[k], x->sense + c->m->slip[k]);
}

/* The problem of (V15) at positions that need no correction; or, rubs, that of (SE65). */
static bool begin_placing(event_change *c, const phase *x, bool rubs) {
    impact *i = &c->blow->impact;
    if (!blow_begin_displacement(c->blow, x->x.t, x->x.q)) return false;
    for (int k = 0; k < c->m->def.contacts; k++) impact_guide(i, k, x->x.contact[k] != CAROM_OPEN);
    if (rubs) keep_states(c, x);
    return problem_set_units(&i->problem, c->m, i->M, i->WT, &(law_gain){.velocity = 1}, i->dt);
}

/* (V15) changes by what it corrects, (SE23): M delta' = W P', W^T delta' + c' = 0, q' <- q' + B delta'. */
solver_change event_change_correct(event_change *c, const phase *x, bool rubs) {
    variation *v = c->v;
    const carom_model_def *d = &c->m->def;
    const carom_place at = {x->x.t, x->x.q, c->blow->zero};
    if (!begin_placing(c, x, rubs)) return CHANGE_UNDEFINED;
    memset(c->balance, 0, (size_t)d->nu * sizeof *c->balance);
    for (int k = 0; k < variation_count(v); k++) {
        const carom_place column = variation_column(v, k), rate = {column.t, column.q, v->rest + d->nq};
        const impact_rate parts = {.balance = c->balance, .laws = c->s};
        if (!kept_rates(c, k, x, &at, &rate) || !impact_change_column(&c->impact, k, &at, &rate, &parts))
            return CHANGE_UNDEFINED;
    }
    const solver_change found = impact_change_solve(&c->impact);
    if (found == CHANGE_FOUND) event_trace_place(c, x);
    for (int k = 0; k < variation_count(v) && found == CHANGE_FOUND; k++) {
        const carom_place rate = {0, v->rest, impact_change_of(&c->impact, k)};
        if (d->tangent(d->context, -1, &at, &rate, &(carom_tangent){.q_dot = c->q_dot})) return CHANGE_UNDEFINED;
        for (int i = 0; i < d->nq; i++) v->q[k * d->nq + i] += c->q_dot[i];
    }
    return found;
}

void event_change_place(event_change *c, const phase *x) {
    if (!c->v->lost) variation_lose_change(c->v, x->x.t, event_change_correct(c, x, false), "the positions");
}

void event_change_settle(event_change *c, const phase *x) {
    if (c->v->lost) return;
    keep_states(c, x);
    event_change_rest(c, x);
}

void event_change_end(event_change *c, double t, bool logged) {
    variation *v = c->v;
    v->given = false;
    if (logged && !variation_keep_instant(v)) variation_lose(v, t, "out of memory at t = %.9g", t);
    for (int k = 0; k < v->columns && logged && c->tied && !v->lost; k++)
        v->instant[(v->instants - 1) * v->columns + k] = NAN; /* events of the instant have times of their own */
    c->tied = false;
    if (!logged || v->lost) return;
    event_trace_instant(c);
    variation_note(&v->margins.separation, t - v->last_event, t, -1);
    v->last_event = t;
}

/* ---------------------------------------------------------------- setup */

bool event_change_create(event_change *c, const carom_model *m, variation *v, blow *b) {
    const carom_model_def *d = &m->def;
    *c = (event_change){.v = v, .m = m, .blow = b};
    const vector_part parts[] = {{&c->before, (v->columns + 1) * m->ns},
                                 {&c->rate, v->columns + 1},
                                 {&c->c, m->nc},
                                 {&c->c_q, pattern_nnz(&d->c_q)},
                                 {&c->s, m->ns},
                                 {&c->a, d->switches},
                                 {&c->M, pattern_nnz(&d->M)},
                                 {&c->WT, pattern_nnz(&d->WT)},
                                 {&c->balance, d->nu},
                                 {&c->q_dot, d->nq},
                                 {&c->B, pattern_nnz(&d->B)}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    const bool ok = impact_change_create(&c->impact, &b->impact, v) && c->memory;
    return load_change_create(&c->load, m, v) && ok;
}

void event_change_destroy(event_change *c) {
    if (!c->v) return;
    impact_change_destroy(&c->impact);
    load_change_destroy(&c->load);
    free(c->memory);
    c->v = NULL;
}
