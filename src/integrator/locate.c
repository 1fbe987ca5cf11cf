#include "integrator/locate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/balance.h"
#include "integrator/locate_inside.h"
#include "integrator/vectors.h"

enum { MOST_EVENTS = 400 };

/* ---------------------------------------------------------------- events */

/* A switch that is passed again in the same instant: both of its sides push the motion onto it, (V25). Where features
 * of bodies do so, the step can be captured. */
static bool slides_on_switch(locate *l, const candidate *x, step_report *report) {
    if (x->contact != SWITCH) return false;
    bool again = l->at.x.t - l->switched[x->which] <= 1e-9 * l->now.dt;
    l->switched[x->which] = l->at.x.t;
    l->now.switched++;
    if (!again) return false;
    snprintf(report->reason, sizeof report->reason,
             "the motion would slide along the surface where '%s' switches, at t = %.9g",
             l->m->def.switch_names[x->which], l->at.x.t);
    report->hint =
        ": both sides push it there; if that is friction, give a contact with friction; if a valley, two contacts";
    l->now.lost = l->m->switch_on != NULL;
    return true;
}

static bool happen(locate *l, const candidate *x, step_report *report) {
    if (slides_on_switch(l, x, report)) return false;
    l->now.hold = AT_ZERO;
    l->now.futile = false;
    l->now.happened++;
    l->now.standing++;
    if (!event_happen(&l->events, x, &l->at, l->now.tolerance, &l->now.work, report)) return false;
    l->now.unknown = false;
    scales_move(&l->scales, &l->at.x);
    l->now.young = l->now.young || slip_begins(l);
    if (x->contact == LOAD && slip_begins(l)) l->now.reach = fmin(l->now.reach, l->scheme.onset * l->now.dt);
    return true;
}

/* Slip that begins from rest and is over at once. The acceleration at the start gave its sense, but the force turns
 * round within the step. A shorter step sees both. */
static bool is_too_long(locate *l, const candidate *x) {
    return x->kind == CAROM_STOP && x->tau <= least_step(l) && l->attempt.h > 1e-6 * l->now.dt &&
           slip_speed(l->m, x->contact, l->at.s) <= zero_slip(&l->scales, x->contact);
}

/* What the step has cost so far. Forces are looked at for every contact: their work counts per contact. */
static long work_done(const locate *l) {
    return l->now.work + l->rates.work / (1 + l->m->def.contacts);
}

/* Whether events follow each other without end: too many in the step, or too many in one instant for its contacts, as
 * when redundant contacts hand their load to one another. Or steps between them get nowhere. */
static bool is_endless(locate *l) {
    locate_progress *now = &l->now;
    if (l->at.x.t > now->since + 1e-9 * now->dt) now->since = l->at.x.t, now->standing = 0;
    return work_done(l) > 250L * (8 + l->watcher.samples) || now->happened >= MOST_EVENTS ||
           now->standing > 4 * (1 + l->m->def.contacts + l->m->def.switches);
}

/* The percussions of the step break their laws, but no event was found. Halves the step to get near to the place where
 * that happens, and captures it in the end, (V14). */
static bool divide(locate *l, step_report *report) {
    l->now.reach = l->attempt.h / 2;
    l->now.vain += LEAST_IN_VAIN;
    return !l->attempt.brief || capture_rest(l, l->attempt.end.x.t, report);
}

/* Without contacts there is nothing to look for. The run divides a step that cannot be solved. */
static bool glide(locate *l, double end, step_report *report) {
    bool taken = try_step(l, end - l->at.x.t, report);
    if (taken) go_on(l);
    return taken;
}

/* The trial step holds an event: ends there, and lets it happen. */
static bool meet(locate *l, candidate *x, step_report *report) {
    bool inside = true;
    if (is_too_long(l, x)) {
        l->now.reach = l->attempt.h / 2;
        return true;
    }
    if (x->tau > least_step(l)) {
        if (!step_to_first(l, x, report, &inside)) return l->now.lost = true, false;
        if (watch_broken(&l->watcher, &l->attempt)) return divide(l, report);
        doubt_add(&report->doubt, watch_doubt(&l->watcher));
        go_on_to(l, inside ? x : NULL);
    } else if (l->varied) event_change_meet_start(&l->change, x, &l->attempt);
    return !inside || happen(l, x, report);
}

/* The trial step holds no event. */
static bool accept(locate *l, step_report *report) {
    doubt_add(&report->doubt, watch_doubt(&l->watcher));
    go_on(l);
    return true;
}

/* Some forces keep the states by (V30), but those of the step break their laws, since rows that nearly depend on each
 * other need enormous forces. Other forces may obey the laws and keep the states; if none do, an event was missed. */
static bool mend(locate *l, step_report *report) {
    attempt *a = &l->attempt;
    candidate x;
    if (a->brief || l->now.hold == BY_LAWS || !try_by_laws(l, report) || !attempt_keep_ends(a))
        return divide(l, report);
    return watch_first(&l->watcher, a, &x) ? meet(l, &x, report) : accept(l, report);
}

/* Slip in several directions is sensed anew in every step. */
static void turn_senses(locate *l) {
    const carom_model *m = l->m;
    for (int k = 0; k < m->def.contacts; k++) {
        if (l->at.x.contact[k] != CAROM_SLIP || m->def.contact[k].slips < 2) continue;
        double size = slip_speed(m, k, l->at.s);
        if (size > zero_slip(&l->scales, k)) phase_set_sense(&l->at, m, k, l->at.s + m->F + m->slip[k], size);
    }
}

/* Nothing has happened in the step yet, and islands may take it on their own. */
static bool may_part(const locate *l, double end) {
    return l->parts && !l->varied && !l->now.whole && !l->now.happened && l->jumps.left > end;
}

/* From one event to the next, or to the end. */
static bool advance(locate *l, double end, step_report *report) {
    candidate x = {.kind = CAROM_STOP};
    if (!l->m->def.contacts && !l->m->def.switches) return glide(l, end, report);
    turn_senses(l);
    outcome o = is_endless(l) || l->now.unknown ? STUCK : try_longest_step(l, end, report, &x.contact);
    if (may_part(l, end)) {
        l->now.whole = true;
        const division d = step_in_parts(l, end, o == MOVING, report);
        if (d == QUIET) return accept(l, report);
        if (d == UNTAKEN) return advance(l, end, report);
        if (d != WHOLE) return d == TAKEN;
    }
    if (o == AT_REST) return happen(l, &x, report);
    if (o == LOST) return false;
    if (o == STUCK) return capture_rest(l, end, report);
    if (watch_first(&l->watcher, &l->attempt, &x)) return meet(l, &x, report);
    if (watch_broken(&l->watcher, &l->attempt)) return mend(l, report);
    return accept(l, report);
}

/* ---------------------------------------------------------------- jumps of given motions */

static void look_ahead(locate *l, double end) {
    jumps_search(&l->jumps, l->at.x.t, end, l->at.x.q, 10 * l->now.tolerance);
}

static bool pass_jump(locate *l, double end, step_report *report) {
    if (!happen(l, &(candidate){.kind = CAROM_STRIKE, .contact = JUMP, .after = l->jumps.right}, report)) return false;
    look_ahead(l, end);
    return true;
}

/* A given motion may jump within the round-off of time between two steps. Then the velocities at the start of this step
 * are not those at the end of the last one. */
static bool meet_jump(locate *l, double end, step_report *report) {
    const carom_model *m = l->m;
    bool jumped = false;
    if (!m->def.rheonomic) return true;
    if (!event_velocities(m, &l->at.x, l->s)) return event_undefined(l->at.x.t, report);
    for (int k = 0; k < m->ns; k++) jumped = jumped || fabs(l->s[k] - l->at.s[k]) > zero_rate(&l->scales, k);
    if (!jumped) return true;
    l->jumps.left = l->jumps.right = l->at.x.t;
    return pass_jump(l, end, report);
}

/* ---------------------------------------------------------------- the step */

/* The last look at a step: whatever went wrong on the way, bodies must not overlap. */
static bool overlaps(locate *l, step_report *report) {
    const carom_model_def *d = &l->m->def;
    if (l->m->nc && d->position(d->context, l->at.x.t, l->at.x.q, l->c, NULL))
        return !event_undefined(l->at.x.t, report);
    for (int k = 0; k < d->contacts; k++) {
        double gap = l->c[d->ng + k];
        if (gap >= 0 || gap >= -1e5 * zero_gap(&l->scales, k)) continue;
        snprintf(report->reason, sizeof report->reason, "contact '%s' is penetrated by %.3g", d->contact[k].name, -gap);
        return true;
    }
    return false;
}

int locate_modes(const carom_model *m) {
    return m->def.contacts + m->slips + MODES_HOW + m->def.switches;
}

contact_mode mode_of(double number) {
    const int n = (int)number;
    return (contact_mode){(carom_contact_state)(n % 4), (hold_by)(n / 4 % 4), n / 16 != 0};
}

double mode_number(contact_mode mode) {
    return (int)mode.state + 4 * (int)mode.hold + 16 * mode.young;
}

/* Islands that have taken the step on their own have told theirs. */
static void keep_contacts(const locate *l, double *modes) {
    for (int k = 0; k < l->m->def.contacts; k++) {
        contact_mode x =
            l->now.parted ? mode_of(l->mode[k]) : (contact_mode){.hold = l->now.hold, .young = l->now.young};
        x.state = (carom_contact_state)l->at.x.contact[k];
        modes[k] = mode_number(x);
    }
}

/* The whole remembers what any island does. */
static void take_contacts(locate *l, const double *modes) {
    memcpy(l->mode, modes, (size_t)l->m->def.contacts * sizeof *modes);
    for (int k = 0; k < l->m->def.contacts; k++) {
        const contact_mode x = mode_of(modes[k]);
        l->at.x.contact[k] = x.state;
        if (x.hold > l->now.hold) l->now.hold = x.hold;
        l->now.young = l->now.young || x.young;
    }
}

static void keep_modes(const locate *l, double *modes) {
    keep_contacts(l, modes);
    memcpy(modes + l->m->def.contacts, l->at.sense, (size_t)l->m->slips * sizeof *modes);
    double *how = modes + l->m->def.contacts + l->m->slips;
    how[0] = l->now.penalty, how[1] = l->now.pause;
    for (int j = 0; j < l->m->def.switches; j++) how[MODES_HOW + j] = l->at.side[j];
}

/* Clears what an event at the very end of a step, or a failed step, has left: it is not in the memory of motions. */
static void begin(locate *l, const motion *now, const double *modes, double dt, double tolerance) {
    const carom_model *m = l->m;
    phase_copy_motion(m, &l->at.x, now, l->at.memory_size);
    memcpy(l->at.sense, modes + m->def.contacts, (size_t)m->slips * sizeof *modes);
    memset(l->at.sum, 0, (size_t)m->ns * sizeof *l->at.sum);
    memset(l->at.work, 0, (size_t)m->ns * sizeof *l->at.work);
    memset(l->at.held, 0, (size_t)m->def.contacts * sizeof *l->at.held);
    l->now = (locate_progress){.dt = dt, .tolerance = tolerance, .reach = dt, .since = now->t, .latest = INFINITY};
    const double *how = modes + m->def.contacts + m->slips;
    l->now.penalty = (int)how[0], l->now.pause = (int)how[1];
    take_contacts(l, modes);
    for (int j = 0; j < m->def.switches; j++) l->at.side[j] = (int)how[MODES_HOW + j];
    for (int j = 0; j < m->def.switches; j++) l->switched[j] = -INFINITY;
    l->scales.dt = l->scheme.run->dt;
    l->scales.tolerance = l->rates.tolerance = tolerance;
    l->rates.rest = tolerance / dt;
    l->rates.work = 0;
    scales_move(&l->scales, &l->at.x);
    event_log_clear(&l->events.log);
    if (m->part) trail_begin(&l->trail);
    l->events.unsolved = l->events.pulled = false;
}

/* If a contact pulled in an impact, its load in the hop that is left out should outweigh this pull, (V9). If its load
 * differs then, the percussions of the step break their laws. */
static bool pulls(locate *l, step_report *report) {
    const carom_model *m = l->m;
    for (int k = 0; k < m->def.contacts && l->events.pulled; k++) {
        const double margin = fmin(l->at.sum[m->N + k], sliding_margin(m, k, l->at.sum));
        if (law_that_rubs(&l->blow.impact.problem, m, k)->G * margin >= -zero_speed(&l->scales, k)) continue;
        snprintf(report->reason, sizeof report->reason, "contact '%s' pulls by %.3g", m->def.contact[k].name, -margin);
        return l->now.lost = true;
    }
    return false;
}

/* From one event to the next until the end. */
static bool go_to(locate *l, double end, step_report *report) {
    if (l->now.pause > 0) {
        l->now.pause--;
        return capture_rest(l, end, report) && !overlaps(l, report);
    }
    look_ahead(l, end);
    if (!meet_jump(l, end, report)) return false;
    while (end - l->at.x.t > least_step(l) || l->jumps.left <= end)
        if (l->jumps.left - l->at.x.t <= least_step(l) ? !pass_jump(l, end, report)
                                                       : !advance(l, fmin(end, l->jumps.left), report))
            return false;
    return !overlaps(l, report);
}

/* If there is no solution for an impact, no accelerations after an event, or no way to or from an event, the step is
 * captured from its start: velocities at its end solve another problem. If that fails too, the first reason is the
 * better one. */
static bool capture_whole(locate *l, const motion *now, const double *modes, double end, step_report *report) {
    char reason[sizeof report->reason];
    if (!l->events.unsolved && !l->now.lost) return false;
    memcpy(reason, report->reason, sizeof reason);
    begin(l, now, modes, l->now.dt, l->now.tolerance);
    if (l->varied) variation_copy(l->varied, &l->first);
    hold_sides(l, l->at.side);
    l->now.futile = true;
    if (capture_rest(l, end, report) && !overlaps(l, report)) return true;
    memcpy(report->reason, reason, sizeof reason);
    return false;
}

bool locate_step(locate *l, const motion *now, const double *modes, motion *next, double *next_modes, double dt,
                 double tolerance, step_report *report) {
    const double end = next->t;
    begin(l, now, modes, dt, tolerance);
    const bool paused = l->now.pause > 0;
    if (l->varied) variation_copy(&l->first, l->varied);
    hold_sides(l, l->at.side);
    if (l->varied && l->varied->fresh) event_change_start(&l->change, &l->at);
    bool arrived = (go_to(l, end, report) && !pulls(l, report)) || capture_whole(l, now, modes, end, report);
    hold_sides(l, NULL);
    if (!arrived) return false;
    if (!paused && !l->now.parted) impose_pause(l);
    pause_where_unknown(l);
    report->switched = l->now.switched;
    memcpy(l->at.x.P, l->at.sum, (size_t)l->m->ns * sizeof *l->at.sum);
    phase_copy_motion(l->m, next, &l->at.x, l->at.memory_size);
    next->t = end;
    keep_modes(l, next_modes);
    return true;
}

/* Gaps up to this count as closed where a run starts, or starts again: the error of coordinates typed with ten digits,
 * or with eight if they are small, or the gap that the run itself leaves of a closed contact, (V39). */
static double zero_start_gap(locate *l, int k) {
    const double typed = fmin(1e-10, 1e-8 * scales_size(&l->scales, l->m->def.ng + k));
    return fmax(typed, l->scheme.run->tolerance * l->scheme.run->dt * scales_slope(&l->scales, l->m->N + k));
}

bool locate_start(locate *l, motion *first, double *modes, step_report *report) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    const double zero = fmax(1e-10, l->scheme.run->tolerance); /* the error of ten typed digits, or of a run */
    l->rates.tolerance = l->scales.tolerance = zero / 10;
    l->scales.dt = 0;
    phase_copy_motion(m, &l->at.x, first, l->at.memory_size);
    scales_move(&l->scales, &l->at.x);
    if (m->nc && d->position(d->context, first->t, first->q, l->c, NULL)) return event_undefined(first->t, report);
    if (!event_sides(m, &l->at, l->argument)) return event_undefined(first->t, report);
    if (!event_velocities(m, &l->at.x, l->at.s)) return event_undefined(first->t, report);
    for (int k = 0; k < d->contacts; k++) {
        bool closed =
            l->c[d->ng + k] <= zero_start_gap(l, k) && fabs(l->at.s[m->N + k]) <= scales_of_open(&l->scales, k).rate;
        l->at.x.contact[k] = closed ? CAROM_SLIP : CAROM_OPEN;
    }
    if (!event_states(&l->events, &l->at, report)) return false;
    l->now.young = slip_begins(l);
    memcpy(first->contact, l->at.x.contact, (size_t)d->contacts * sizeof *first->contact);
    keep_modes(l, modes);
    return true;
}

bool locate_vary(locate *l, variation *v) {
    l->varied = v;
    event_change_destroy(&l->change);
    variation_destroy(&l->first);
    l->first = (variation){0};
    l->events.change = v ? &l->change : NULL;
    if (!v) return true;
    const bool copied = variation_create(&l->first, l->m, v->columns);
    return event_change_create(&l->change, l->m, v, &l->blow) && copied;
}

const event_log *locate_events(const locate *l) {
    return &l->events.log;
}

const int *locate_sides(const locate *l) {
    return l->m->def.switches ? l->at.side : NULL;
}

bool locate_certifies(const locate *l) {
    return certifier_can(&l->watcher.certifier);
}

/* ---------------------------------------------------------------- setup */

carom_status locate_options(const carom_run_def *run, const carom_model *model, int s, bool published, bool *located,
                            int *samples, carom_error *error) {
    static const char *const choices[] = {"capture", "locate", NULL};
    double number = 4 * s;
    int choice = 0;
    carom_status status = option_choice(run, "events", choices, &choice, error);
    if (!status) status = option_number(run, "samples", 2, 1000, true, &number, error);
    *located = choice == 1;
    *samples = (int)number;
    for (int k = 0; k < model->def.contacts && !status && *located; k++)
        if (!law_follows_direction(&model->def.contact[k]))
            status =
                carom_error_set(error, CAROM_DATA,
                                "'events: locate' needs one force for every direction of slip, contact '%s' has "
                                "the law '%s' and %d slips, without the functions 'support' and 'gauge'; 'events: "
                                "capture' takes any law",
                                model->def.contact[k].name, model->def.contact[k].law, model->def.contact[k].slips);
    if (!status && *located && published)
        status = carom_error_set(error, CAROM_DATA, "'events: locate' goes with 'variant: cured' only");
    if (!status && *located && model->def.rheonomic && !model->def.velocity_rate)
        status = carom_error_set(
            error, CAROM_DATA, "'events: locate' needs the model's function 'velocity_rate', since it moves by itself");
    return status;
}

bool locate_create(locate *l, const carom_model *m, fixed_scheme scheme, int samples, int memory) {
    *l = (locate){.m = m, .scheme = scheme};
    const int switches = m->def.switches;
    const vector_part parts[] = {{&l->c, m->nc},
                                 {&l->s, m->ns},
                                 {&l->argument, switches},
                                 {&l->switched, switches},
                                 {&l->mode, m->def.contacts}};
    l->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    bool ok = rates_create(&l->rates, m) && l->memory;
    ok = scales_create(&l->scales, m) && ok;
    ok = blow_create(&l->blow, m) && ok;
    ok = jumps_create(&l->jumps, m, samples) && ok;
    ok = phase_create(&l->at, m, memory, scheme.s_at) && ok;
    ok = phase_create(&l->lawful, m, memory, scheme.s_at) && ok;
    ok = attempt_create(&l->attempt, m, &l->scheme, memory) && ok;
    ok = ok && watcher_create(&l->watcher, &l->attempt, samples, &l->rates, &l->scales);
    ok = ok && event_handler_create(&l->events, m, memory, scheme.s_at, &l->rates, &l->scales, &l->blow);
    l->events.aims = scheme.onset >= 1;
    l->events.log.work = l->at.work;
    if (m->part) {
        ok = ok && trail_create(&l->trail, &l->attempt);
        l->events.log.trail = l->watcher.certifier.trail = &l->trail;
    }
    return ok && settler_create(&l->settler, m, &l->blow, &l->scales) && locate_parts_create(&l->parts, l);
}

void locate_forget(locate *l) {
    solver_forget(l->blow.impact.solver);
    solver_forget(l->rates.impact.solver);
}

void locate_destroy(locate *l) {
    locate_parts_destroy(l->parts);
    trail_destroy(&l->trail);
    event_change_destroy(&l->change);
    variation_destroy(&l->first);
    settler_destroy(&l->settler);
    event_handler_destroy(&l->events);
    watcher_destroy(&l->watcher);
    attempt_destroy(&l->attempt);
    phase_destroy(&l->lawful);
    phase_destroy(&l->at);
    jumps_destroy(&l->jumps);
    blow_destroy(&l->blow);
    scales_destroy(&l->scales);
    rates_destroy(&l->rates);
    free(l->memory);
}
