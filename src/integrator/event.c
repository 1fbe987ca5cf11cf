#include "integrator/event.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/event_change.h"
#include "integrator/vectors.h"

bool event_velocities(const carom_model *m, const motion *x, double *s) {
    const carom_model_def *d = &m->def;
    return !m->ns || !d->velocity(d->context, x->t, x->q, x->u, s, NULL, NULL);
}

bool event_sides(const carom_model *m, phase *x, double *room) {
    const carom_model_def *d = &m->def;
    if (d->switches && d->switching(d->context, x->x.t, x->x.q, x->x.u, room)) return false;
    for (int j = 0; j < d->switches; j++) {
        bool floors = d->switch_info[j].kind == CAROM_SWITCH_FLOOR;
        x->side[j] = floors ? (int)fmax(fmin(floor(room[j]), 1e9), -1e9) : room[j] < 0 ? -1 : 1;
    }
    return true;
}

bool event_undefined(double t, step_report *report) {
    snprintf(report->reason, sizeof report->reason, "the model is not defined at t = %.9g", t);
    return false;
}

/* ---------------------------------------------------------------- states after an event */

/* Nobody can tell which of the closed contacts is to blame. The reason names the first and counts the others. */
static bool no_accelerations(event_handler *e, const phase *x, const solver_report *found, step_report *report) {
    const carom_model_def *d = &e->m->def;
    e->unsolved = !found->undefined;
    const size_t size = sizeof report->reason;
    int first = -1, closed = 0;
    bool rough = false;
    for (int k = d->contacts - 1; k >= 0; k--)
        if (x->x.contact[k] != CAROM_OPEN) first = k, closed++, rough = rough || d->contact[k].friction > 0;
    char others[40] = "", stage[64];
    snprintf(stage, sizeof stage, "for the accelerations at t = %.9g", x->x.t);
    if (closed > 1) snprintf(others, sizeof others, " and %d other closed one%s", closed - 1, closed > 2 ? "s" : "");
    if (found->undefined || closed == 0) explain(report, &e->rates->impact.problem, e->m, found, stage);
    else
        snprintf(report->reason, size, "no accelerations satisfy the laws of contact '%s'%s at t = %.9g%s",
                 d->contact[first].name, others, x->x.t,
                 rates_exist(e->rates, x->x.contact) ? ": the solver fails, since bodies at rest have some"
                 : rough ? ": friction as strong as this may leave rigid bodies none (Painleve), 'events: capture' may "
                           "find an impact instead"
                         : "");
    return false;
}

/* What follows the states of x, by the accelerations there. */
static bool read_states(event_handler *e, phase *x, solver_report *found) {
    const rates_place at = {x->x.t, x->x.q, x->x.u, x->x.contact, x->sense, NULL};
    if (!rates_solve(e->rates, &at, true, found)) return false;
    rates_read(e->rates, x->x.contact, x->sense);
    return true;
}

/* Closed contacts slip if they move and stick if they can. Bodies at rest whose accelerations the solver does not find
 * keep their states: the laws of the next step decide. */
static bool find_states(event_handler *e, phase *x, solver_report *found) {
    const carom_model *m = e->m;
    *found = (solver_report){.undefined = true};
    if (!event_velocities(m, &x->x, x->s)) return false;
    contacts_update_followers(m, x->x.contact);
    for (int k = 0; k < m->def.contacts; k++) {
        if (x->x.contact[k] == CAROM_OPEN) continue;
        double size = slip_speed(m, k, x->s);
        bool slips = m->def.contact[k].slips == 0 || size > zero_slip(e->scales, k);
        x->x.contact[k] = slips ? CAROM_SLIP : CAROM_STICK;
        if (slips) phase_set_sense(x, m, k, x->s + m->F + m->slip[k], size);
    }
    return read_states(e, x, found) || (!found->undefined && rates_exist(e->rates, x->x.contact));
}

bool event_states(event_handler *e, phase *x, step_report *report) {
    solver_report found;
    return find_states(e, x, &found) || no_accelerations(e, x, &found, report);
}

/* ---------------------------------------------------------------- impacts */

static bool solve_blow(event_handler *e, const candidate *what, const phase *x, double tolerance, long *work,
                       step_report *report) {
    const carom_model *m = e->m;
    char stage[96];
    impact *i = &e->blow->impact;
    solver_report found;
    bool solved = impact_solve(i, tolerance, &found);
    report->newton[1] += found.iterations;
    *work += 1 + found.iterations;
    report->residual = fmax(report->residual, found.residual);
    report->yielded = fmax(report->yielded, found.yielded);
    if (what->contact == JUMP) snprintf(stage, sizeof stage, "where a given motion jumps, at t = %.9g", x->x.t);
    else snprintf(stage, sizeof stage, "at an impact of '%s' at t = %.9g", m->def.contact[what->contact].name, x->x.t);
    e->unsolved = !solved && !found.undefined && what->contact != JUMP;
    if (!solved) explain(report, &i->problem, m, &found, stage);
    else impact_velocities(i, e->after);
    if (solved) impact_count(i, report);
    return solved;
}

/* Newton's impact law over all contacts that touch. */
static bool let_strike(event_handler *e, const candidate *what, const phase *x, double tolerance, long *work,
                       step_report *report) {
    impact *i = &e->blow->impact;
    if (!blow_begin(e->blow, x->x.t, x->x.q, x->x.u)) return event_undefined(x->x.t, report);
    contacts_rub_as(&i->problem, e->m, x->x.contact);
    for (int k = 0; k < e->m->def.contacts; k++) {
        impact_close(i, k, e->touches[k]);
        if (e->pressed[k]) impact_press(i, k);
    }
    return solve_blow(e, what, x, tolerance, work, report);
}

/* Gaps this small close together: a thousand times their round-off, or what the tolerance leaves. */
static bool is_closed(event_handler *e, int row) {
    return e->c[row] <= 0 || e->c[row] <= fmax(zero_position(e->scales, row), 1e3 * scales_round_off(e->scales, row));
}

static bool begin_strike(event_handler *e, const candidate *what, const phase *x) {
    const carom_model *m = e->m;
    const carom_model_def *d = &m->def;
    double *before = e->blow->before;
    if (m->nc && d->position(d->context, x->x.t, x->x.q, e->c, NULL)) return false;
    memcpy(before, e->struck, (size_t)m->ns * sizeof *before);
    for (int k = 0; k < d->contacts; k++) {
        e->touches[k] = k == what->contact || x->x.contact[k] != CAROM_OPEN || is_closed(e, d->ng + k);
        const int by = contact_pressed_by(m, k);
        if (by != k) e->touches[k] = by < 0 || e->touches[by];
        before[m->N + k] = fmin(before[m->N + k], 0); /* what parts already must not be drawn back */
        e->pressed[k] = false;
    }
    return true;
}

/* A contact that bears a pull. */
static bool is_glued(const carom_model_def *d, int k) {
    for (int i = 0; i < d->latches; i++)
        if (d->latch[i].contact == k) return true;
    return false;
}

/* A rebound that ends within 1e-5 dt does not count, (V9), nor one on glue that the glue does not see, (V40). */
static bool is_over_soon(const event_handler *e, int k) {
    const carom_model_def *d = &e->m->def;
    const double v = e->after[e->m->N + k], a = -rates_row(e->rates, e->m->N + k), gap = e->c[d->ng + k];
    if (!(v > 0 && a > 0)) return false;
    return 2 * v < a * 1e-5 * e->scales->dt || (v * v < -4 * a * gap && is_glued(d, k));
}

/* The state after the impact as solved, with the contacts closed that touch and do not part. */
static void read_strike(event_handler *e, phase *x) {
    memcpy(x->x.u, e->blow->impact.z, (size_t)e->m->def.nu * sizeof *x->x.u);
    for (int k = 0; k < e->m->def.contacts; k++) {
        bool closed = e->touches[k] && e->after[e->m->N + k] <= scales_of_open(e->scales, k).rate;
        x->x.contact[k] = closed ? CAROM_SLIP : CAROM_OPEN;
    }
}

/* Contacts that are back soon: those that rebound lose their restitution, their velocity before counts as zero; those
 * that part because another strikes, as the feet of a rocking body, are kept closed. */
static bool soften(event_handler *e, const phase *x) {
    const carom_model *m = e->m;
    double *before = e->blow->before;
    solver_report found;
    bool any = false;
    phase_copy(m, &e->guess, x);
    read_strike(e, &e->guess);
    if (!find_states(e, &e->guess, &found)) return false;
    for (int k = 0; k < m->def.contacts; k++)
        if (e->touches[k] && is_over_soon(e, k)) {
            e->pressed[k] = before[m->N + k] == 0;
            before[m->N + k] = 0, any = true;
        }
    return any;
}

/* Contacts that are kept closed pull for that. */
static void see_pulls(event_handler *e) {
    impact *i = &e->blow->impact;
    for (int k = 0; k < e->m->def.contacts; k++)
        e->pulled = e->pulled || (e->pressed[k] && impact_percussion(i)[e->m->N + k] < 0);
}

static bool strike(event_handler *e, const candidate *what, phase *x, double tolerance, long *work,
                   step_report *report) {
    if (!begin_strike(e, what, x)) return event_undefined(x->x.t, report);
    if (!let_strike(e, what, x, tolerance, work, report)) return false;
    if (soften(e, x) && !let_strike(e, what, x, tolerance, work, report)) return false;
    if (e->change) event_change_strike(e->change, x, e->touches);
    see_pulls(e);
    read_strike(e, x);
    for (int k = 0; k < e->m->ns; k++) x->sum[k] += impact_percussion(&e->blow->impact)[k];
    return event_states(e, x, report);
}

/* ---------------------------------------------------------------- slip that stops */

/* Contacts of one body come to rest together: one at a time they would take turns for ever. */
static bool rests_with(const event_handler *e, const phase *x, int k, int contact) {
    if (k == contact) return true;
    if (x->x.contact[k] != CAROM_SLIP || e->m->def.contact[k].slips < 2) return false;
    return slip_speed(e->m, k, e->struck) <= 100 * slip_speed(e->m, contact, e->struck);
}

static void keep_resting(event_handler *e, const candidate *what, const phase *x) {
    for (int k = 0; k < e->m->def.contacts; k++)
        impact_fix(&e->blow->impact, k,
                   rests_with(e, x, k, what->contact) ? CAROM_STICK : (carom_contact_state)x->x.contact[k],
                   x->sense + e->m->slip[k]);
}

/* What is left of the slip of a contact that has come to rest is taken away, all other states kept. */
static bool rest(event_handler *e, const candidate *what, phase *x, double tolerance, long *work, step_report *report) {
    const carom_model *m = e->m;
    impact *i = &e->blow->impact;
    if (slip_speed(m, what->contact, e->struck) <= zero_slip(e->scales, what->contact)) return true;
    memset(e->blow->before, 0, (size_t)m->ns * sizeof *e->blow->before);
    if (!blow_begin(e->blow, x->x.t, x->x.q, x->x.u)) return event_undefined(x->x.t, report);
    keep_resting(e, what, x);
    if (!solve_blow(e, what, x, tolerance, work, report)) return false;
    memcpy(x->x.u, i->z, (size_t)m->def.nu * sizeof *x->x.u);
    return true;
}

static bool stop(event_handler *e, const candidate *what, phase *x, double tolerance, long *work, step_report *report) {
    if (e->change) {
        keep_resting(e, what, x);
        event_change_rest(e->change, x);
    }
    return rest(e, what, x, tolerance, work, report) && event_states(e, x, report);
}

/* ---------------------------------------------------------------- forces that end */

/* Slip in several directions begins against the force of the instant, (SE21). sense: as read a little later; forces
 * that say something else are not unique, or jump. */
static void aim(const event_handler *e, int k, double *sense) {
    const carom_model *m = e->m;
    const int slips = m->def.contact[k].slips;
    double against[LAW_SIZE], off = 0;
    if (!slip_against(m, k, rates_forces(e->rates), against)) return;
    for (int j = 0; j < slips; j++) off = hypot(off, sense[j] - against[j]);
    for (int j = 0; j < slips && off < 1e-3; j++) sense[j] = against[j];
}

static bool begins_to_turn(const carom_model *m, int k, double before, double after) {
    return m->def.contact[k].slips > 1 && before == CAROM_STICK && after == CAROM_SLIP;
}

static void aim_slips(event_handler *e, const double *state, phase *x) {
    const carom_model *m = e->m;
    const rates_place at = {x->x.t, x->x.q, x->x.u, x->x.contact, x->sense, NULL};
    solver_report found;
    bool turns = false;
    if (!e->aims) return;
    for (int k = 0; k < m->def.contacts; k++) turns = turns || begins_to_turn(m, k, x->x.contact[k], state[k]);
    if (!turns || !rates_solve(e->rates, &at, false, &found)) return;
    for (int k = 0; k < m->def.contacts; k++)
        if (begins_to_turn(m, k, x->x.contact[k], state[k])) aim(e, k, x->sense + m->slip[k]);
}

/* No forces keep the states any longer. At the instant itself accelerations are too small to tell what follows. So the
 * watcher has read them a little later, if there are any. */
static bool end_states(event_handler *e, const candidate *what, phase *x, step_report *report) {
    solver_report found;
    if (!what->state) return read_states(e, x, &found) || no_accelerations(e, x, &found, report);
    memcpy(x->sense, what->sense, (size_t)e->m->slips * sizeof *x->sense);
    aim_slips(e, what->state, x);
    memcpy(x->x.contact, what->state, (size_t)e->m->def.contacts * sizeof *x->x.contact);
    return true;
}

/* A contact that is to open by its acceleration, and to close by its first step, has a force that is zero as far as the
 * scheme can tell: it stays closed for that step, (V11). */
static void hold(event_handler *e, int k, phase *x) {
    const carom_model *m = e->m;
    double size = slip_speed(m, k, e->after), zero = zero_slip(e->scales, k);
    double moves = fmax(fabs(e->struck[m->N + k]), fabs(e->after[m->N + k])); /* a true impact lets go at once */
    if (x->x.contact[k] != CAROM_OPEN || moves > scales_of_open(e->scales, k).rate) return;
    x->held[k] = true;
    x->x.contact[k] = size > zero || m->def.contact[k].slips == 0 ? CAROM_SLIP : CAROM_STICK;
    if (size > zero) phase_set_sense(x, m, k, e->after + m->F + m->slip[k], size);
}

/* ---------------------------------------------------------------- the log */

static void log_event(event_handler *e, carom_event_kind kind, int k, double t, const double *P) {
    const carom_model *m = e->m;
    const double *s = e->struck;
    carom_event event = {.time = t, .contact = k, .kind = kind};
    event.gap_dot[0] = s[m->N + k], event.gap_dot[1] = e->after[m->N + k];
    event.PN = P ? P[m->N + k] : 0;
    event.loss = -event.PN * (event.gap_dot[0] + event.gap_dot[1]) / 2;
    for (int j = 0, F = m->F + m->slip[k]; j < m->def.contact[k].slips; j++, F++) {
        event.slip[0][j] = s[F], event.slip[1][j] = e->after[F];
        event.PF[j] = P ? P[F] : 0;
        event.loss -= event.PF[j] * (s[F] + e->after[F]) / 2;
    }
    event_log_add(&e->log, event);
}

/* A state that ends without a percussion, where a given motion jumps or no forces keep it. */
static void log_change(event_handler *e, int k, const phase *x, const double *P) {
    carom_contact_state before = (carom_contact_state)event_log_instant(&e->log, e->log.instants).contact[0][k];
    carom_contact_state after = (carom_contact_state)x->x.contact[k];
    if (before == after || before == CAROM_OPEN) return;
    log_event(e, after == CAROM_OPEN ? CAROM_OPENING : after == CAROM_SLIP ? CAROM_BREAK : CAROM_STOP, k, x->x.t, P);
}

static void log_all(event_handler *e, const candidate *what, const phase *x) {
    const impact *i = &e->blow->impact;
    const double *P = what->kind == CAROM_STRIKE && e->jumped ? impact_percussion(i) : NULL;
    for (int k = 0; k < e->m->def.contacts; k++)
        if (P ? P[e->m->N + k] > 0 : k == what->contact) log_event(e, what->kind, k, x->x.t, P);
        else if (what->contact < 0) log_change(e, k, x, P);
    for (int k = 0; k < e->m->def.contacts && P; k++)
        if (i->dulled[k] > 0) log_event(e, CAROM_THUD, k, x->x.t, NULL);
}

/* ---------------------------------------------------------------- the event */

/* Velocities of what holds bodies jump where they go over to the other side: those of joints and closed contacts. */
static bool velocities_jump(event_handler *e, const phase *x, const double *s) {
    const carom_model *m = e->m;
    bool any = false;
    for (int i = 0; i < m->N; i++) any = any || fabs(s[i] - x->s[i]) > zero_rate(e->scales, i);
    for (int k = 0; k < m->def.contacts; k++) {
        if (x->x.contact[k] == CAROM_OPEN) continue;
        any = any || fabs(s[m->N + k] - x->s[m->N + k]) > zero_rate(e->scales, m->N + k);
        for (int j = m->F + m->slip[k]; j < m->F + m->slip[k + 1]; j++)
            any = any || fabs(s[j] - x->s[j]) > zero_slip(e->scales, k);
    }
    return any;
}

/* Gaps may jump there, too, (V45): a closed contact whose gap opens is open, and one whose gap closes takes part in an
 * impact. False: the model is not defined there. */
static bool let_gaps_jump(event_handler *e, phase *x, bool *jumped) {
    const carom_model *m = e->m;
    const carom_model_def *d = &m->def;
    *jumped = false;
    if (m->nc && d->position(d->context, x->x.t, x->x.q, e->c, NULL)) return false;
    for (int k = 0; k < d->contacts; k++) {
        const int row = d->ng + k;
        if (fabs(e->c[row] - e->gap[row]) <= zero_gap(e->scales, k) || contact_pressed_by(m, k) != k) continue;
        const bool closed = is_closed(e, row);
        *jumped = *jumped || (closed && x->x.contact[k] == CAROM_OPEN);
        if (!closed) x->x.contact[k] = CAROM_OPEN;
    }
    return true;
}

/* A switch goes over to its other side, (V24). Where velocities jump by that, it is an impact: in time with the
 * velocities before it, (V12); in space with those that the other side sees. */
static bool change_side(event_handler *e, const candidate *what, phase *x, double tolerance, long *work,
                        step_report *report) {
    const carom_model *m = e->m;
    const carom_model_def *d = &m->def;
    bool jumped;
    if (m->nc && d->position(d->context, x->x.t, x->x.q, e->gap, NULL)) return event_undefined(x->x.t, report);
    x->side[what->which] = what->side;
    d->take_sides(d->context, x->side);
    if (!event_velocities(m, &x->x, e->after)) return event_undefined(x->x.t, report);
    if (!let_gaps_jump(e, x, &jumped)) return event_undefined(x->x.t, report);
    e->jumped = velocities_jump(e, x, e->after) || jumped;
    const bool in_space = !d->switch_info[what->which].time_only;
    if (in_space) memcpy(e->struck, e->after, (size_t)m->ns * sizeof *e->struck);
    if (in_space && e->change) event_change_begin(e->change, x);
    if (e->jumped) return strike(e, &(candidate){.kind = CAROM_STRIKE, .contact = JUMP}, x, tolerance, work, report);
    return event_states(e, x, report);
}

static bool change_states(event_handler *e, const candidate *what, phase *x, double tolerance, long *work,
                          step_report *report) {
    if (what->contact < 0) x->x.t = fmax(x->x.t, what->after);
    if (what->contact == LOAD) return end_states(e, what, x, report);
    if (what->contact == SWITCH) return change_side(e, what, x, tolerance, work, report);
    if (what->kind == CAROM_STRIKE) return strike(e, what, x, tolerance, work, report);
    return stop(e, what, x, tolerance, work, report);
}

/* What the percussions of the event do. before: those since the start of the step. */
static void add_work(const event_handler *e, const double *before, phase *x) {
    for (int k = 0; k < e->m->ns; k++) x->work[k] += (x->sum[k] - before[k]) * (e->struck[k] + e->after[k]) / 2;
}

bool event_happen(event_handler *e, const candidate *what, phase *x, double tolerance, long *work,
                  step_report *report) {
    const carom_model *m = e->m;
    if (what->contact == JUMP || what->contact == SWITCH) memcpy(e->struck, x->s, (size_t)m->ns * sizeof *e->struck);
    else if (!event_velocities(m, &x->x, e->struck)) return event_undefined(x->x.t, report);
    if (!event_log_begin(&e->log, &x->x, x->side, x->sum)) return event_log_no_room(report);
    const int instants = e->log.instants;
    if (e->change) event_change_begin(e->change, x);
    e->jumped = true;
    if (!change_states(e, what, x, tolerance, work, report)) return false;
    if (!event_velocities(m, &x->x, e->after)) return event_undefined(x->x.t, report);
    for (int k = 0; k < m->def.contacts && what->kind == CAROM_STRIKE; k++)
        if (k == what->contact || x->held[k]) hold(e, k, x);
    add_work(e, event_log_instant(&e->log, instants).P[0], x);
    memcpy(x->s, e->after, (size_t)m->ns * sizeof *e->after);
    log_all(e, what, x);
    if (!event_log_end(&e->log, &x->x, x->side, x->sum)) return event_log_no_room(report);
    if (e->change) event_change_end(e->change, x->x.t, e->log.instants > instants);
    return true;
}

/* ---------------------------------------------------------------- setup */

bool event_handler_create(event_handler *e, const carom_model *m, int memory, int s_at, rates *r, scales *z, blow *b) {
    *e = (event_handler){.m = m, .rates = r, .scales = z, .blow = b, .log.model = m};
    const vector_part parts[] = {{&e->struck, m->ns}, {&e->after, m->ns}, {&e->c, m->nc}, {&e->gap, m->nc}};
    e->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    e->touches = calloc(2 * (size_t)m->def.contacts + 1, sizeof *e->touches);
    if (!phase_create(&e->guess, m, memory, s_at) || !e->memory || !e->touches) return false;
    e->pressed = e->touches + m->def.contacts;
    return true;
}

void event_handler_destroy(event_handler *e) {
    phase_destroy(&e->guess);
    event_log_destroy(&e->log);
    free(e->touches);
    free(e->memory);
}
