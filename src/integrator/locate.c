#include "integrator/locate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/event.h"
#include "integrator/settle.h"
#include "integrator/vectors.h"

enum { MOST_EVENTS = 400, MOST_ITERATIONS = 10, MOST_HALVINGS = 12 };

/* ---------------------------------------------------------------- steps with fixed states */

/* Shorter steps are lost in the round-off of time. */
static double least_step(const locate *l) {
    return 4 * DBL_EPSILON * (fabs(l->at.t) + l->dt);
}

static bool take_fixed(locate *l, double tolerance, step_report *report) {
    const carom_model_def *d = &l->m->def;
    step_report part = {0};
    bool by_rates = is_short(l) || l->hold == BY_RATES, keeps = l->hold == AS_THEY_ARE && !by_rates;
    if (keeps && d->position(d->context, l->at.t, l->at.q, l->kept, NULL)) return event_undefined(l, report);
    bool taken =
        l->scheme.take(l->scheme.self, &l->at, l->sense, by_rates, keeps ? l->kept : NULL, &l->trial, tolerance, &part);
    l->work++;
    for (int k = 0; k < MOST_STAGES; k++) report->newton[k] += part.newton[k], l->work += part.newton[k];
    if (taken) report->residual = fmax(report->residual, part.residual);
    else memcpy(report->reason, part.reason, sizeof part.reason);
    return taken;
}

/* A trial step of length h from the present state. Where more contacts hold a body than it has ways to move, the gaps
 * with which they closed may contradict each other by round-off: then each is kept as it is. Where a
 * contact that sticks says the same as the gap of another, stages contradict each other by the order: then all are held
 * by their rates. */
static bool take(locate *l, double h, double tolerance, step_report *report) {
    l->h = h;
    l->trial.t = fmin(l->at.t + h, l->jumps.left);
    bool taken = take_fixed(l, tolerance, report);
    for (hold_by first = l->hold; !taken && l->m->def.contacts && l->hold < BY_RATES;) {
        l->hold++;
        taken = take_fixed(l, tolerance, report);
        if (!taken && l->hold == BY_RATES) {
            l->hold = first;
            break;
        }
    }
    l->dense_known = false;
    if (taken && !watch_obeys(l))
        l->scheme.admit(l->scheme.self, &l->at, l->sense, &l->trial, zero_velocity(l, tolerance), tolerance, report);
    if (taken && l->hold == BY_RATES) settle(l, tolerance);
    if (taken) memcpy(l->after, event_stored(l, &l->trial), (size_t)l->m->ns * sizeof *l->after);
    return taken;
}

/* The trial step is accepted. */
static void go_on(locate *l) {
    memset(l->held, 0, (size_t)l->m->def.contacts * sizeof *l->held);
    for (int k = 0; k < l->m->ns; k++) l->P[k] += l->trial.P[k];
    event_copy(l, &l->at, &l->trial);
}

/* d/dtau of the watched function at the end of the trial step, (V8): known for gaps, by a difference of the dense
 * output for slips. */
static double slope_at_end(locate *l, const watch *w, double f) {
    const double part = 1e-4;
    if (w->kind == CAROM_STRIKE) return l->after[l->m->N + w->contact];
    return (f - watch_inside(l, w, 1 - part)) / (part * l->h);
}

/* Newton's method on the length of the step, so that it ends at the event; the dense output gives the guess. Events of
 * forces need no more than the guess, since an error delta in their time is one of O(delta^2) in the motion. *inside:
 * false if the event turns out to lie beyond the whole step. */
static bool step_to(locate *l, const watch *w, double whole, double tolerance, step_report *report, bool *inside) {
    double tau = w->tau, slope = 0, last_tau = 0, last_f = 0, least = least_step(l);
    *inside = true;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        if (!take(l, tau, tolerance, report)) return false;
        if (w->kind == CAROM_OPENING || w->kind == CAROM_BREAK) return true;
        double f = watch_at(l, w, l->trial.t, l->trial.q, l->trial.u);
        double zero = w->kind == CAROM_STRIKE ? zero_gap(l) / 16 : zero_velocity(l, 0) / 8;
        if (fabs(f) <= zero) return true;
        slope = i == 0 || w->kind == CAROM_STRIKE || tau == last_tau ? slope_at_end(l, w, f)
                                                                     : (f - last_f) / (tau - last_tau);
        last_tau = tau, last_f = f;
        double next = tau - f / slope;
        if (!(next > least) || next == tau) return true; /* round-off leaves nothing to gain */
        if (next > whole) {
            *inside = tau < whole;
            next = whole;
            if (tau == whole) return true;
        }
        tau = next;
    }
    return true;
}

/* ---------------------------------------------------------------- the step */

/* Slip in several directions that comes to rest loses its direction there. Steps half as long as it has left to go keep
 * their order, (V10): the length of such a step, or h. Every stage is asked, since slip that has passed through zero
 * may well end in its old direction. */
static double before_rest(const locate *l, double h, double tolerance, int *resting) {
    const carom_model *m = l->m;
    const fixed_scheme *f = &l->scheme;
    for (int k = 0; k < m->def.contacts; k++) {
        if (l->at.contact[k] != CAROM_SLIP || m->def.contact[k].slips < 2) continue;
        double now = event_slip(l, k, l->before);
        for (int i = 1; i <= f->s && now > zero_velocity(l, tolerance); i++) {
            double then = watch_slip(l, k, i < f->s ? f->slips(f->self, i) : l->after + m->F);
            double part = i < f->s ? f->c[i] : 1;
            double half = l->h * part * now / (now - then) / 2;
            if (then < now / 4 && half < h) h = half, *resting = k;
        }
    }
    return h;
}

typedef enum progress { STUCK, MOVING, AT_REST } progress;

/* As far as fixed states can be followed towards the end: a step they cannot solve is shortened. *resting: the contact
 * whose slip is as good as over, by its time or by its size. Half the time left is followed by the other half: to try
 * more is in vain. */
static progress follow(locate *l, double end, double tolerance, step_report *report, int *resting) {
    double h = fmin(end - l->at.t, l->reach);
    bool rests = false;
    for (int shortened = 0; shortened <= MOST_HALVINGS; shortened++) {
        bool taken = take(l, h, tolerance, report);
        double shorter = taken ? before_rest(l, h, tolerance, resting) : h / 2;
        l->reach = rests ? h : 4 * h;
        if (shorter == h) return MOVING;
        if (taken && (shorter < 1e-6 * l->dt || event_slip(l, *resting, l->before) <= 4 * zero_velocity(l, tolerance)))
            return AT_REST;
        rests = rests || taken;
        h = shorter;
    }
    return STUCK;
}

/* Slip in several directions is sensed anew in every step. */
static void turn_senses(locate *l, double tolerance) {
    const carom_model *m = l->m;
    for (int k = 0; k < m->def.contacts; k++) {
        if (l->at.contact[k] != CAROM_SLIP || m->def.contact[k].slips < 2) continue;
        double size = event_slip(l, k, l->before);
        if (size > zero_velocity(l, tolerance)) event_sense(l, k, l->before + m->F + m->slip[k], size);
    }
}

/* Events that accumulate, and states that cannot be followed: the rest of the step is captured. */
static bool capture_rest(locate *l, double end, double tolerance, step_report *report) {
    const carom_model *m = l->m;
    step_report part = {0};
    l->trial.t = end;
    bool captured = l->scheme.capture(l->scheme.self, &l->at, &l->trial, tolerance, &part);
    for (int k = 0; k < MOST_STAGES; k++) report->newton[k] += part.newton[k];
    report->residual = fmax(report->residual, part.residual);
    report->captured = true;
    if (!captured) {
        memcpy(report->reason, part.reason, sizeof part.reason);
        return false;
    }
    go_on(l);
    if (!event_velocities(l, &l->at, l->after)) return event_undefined(l, report);
    for (int k = 0; k < m->def.contacts; k++) l->touches[k] = l->at.contact[k] != CAROM_OPEN;
    event_closed(l, tolerance);
    memcpy(l->at.contact, l->trial.contact, (size_t)m->def.contacts * sizeof *l->at.contact);
    return event_states(l, tolerance, report);
}

static void load_modes(locate *l, const double *modes) {
    memcpy(l->at.contact, modes, (size_t)l->m->def.contacts * sizeof *modes);
    memcpy(l->sense, modes + l->m->def.contacts, (size_t)l->m->nF * sizeof *modes);
}

static void keep_modes(const locate *l, double *modes) {
    memcpy(modes, l->at.contact, (size_t)l->m->def.contacts * sizeof *modes);
    memcpy(modes + l->m->def.contacts, l->sense, (size_t)l->m->nF * sizeof *modes);
}

int locate_modes(const carom_model *m) {
    return m->def.contacts + m->nF;
}

/* Slip that begins from rest and is over before it began: the acceleration at the start has told its sense, and the
 * force turns round within the step. A shorter step sees both. */
static bool is_too_long(const locate *l, const watch *w, double tolerance) {
    return w->kind == CAROM_STOP && w->tau <= least_step(l) && l->h > 1e-6 * l->dt &&
           event_slip(l, w->contact, l->before) <= zero_velocity(l, tolerance);
}

/* What the step has cost so far. Forces are looked at for every contact: their work counts per contact. */
static long work_done(const locate *l) {
    return l->work + l->rates.work / (1 + l->m->def.contacts);
}

/* Events that follow each other without end: too many in the step, or more in one instant than its contacts account
 * for, as where redundant contacts hand their load to one another. Or steps between them that get nowhere. */
static bool is_endless(locate *l) {
    if (l->at.t > l->since + 1e-9 * l->dt) l->since = l->at.t, l->standing = 0;
    return work_done(l) > 250L * (8 + l->samples) || l->happened >= MOST_EVENTS ||
           l->standing > 4 * (1 + l->m->def.contacts);
}

/* A step whose percussions break their laws although none of its events was found is halved, to get near to the place
 * where that happens, and in the end captured, (V14). */
static bool divide(locate *l, double tolerance, step_report *report) {
    l->reach = l->h / 2;
    return !is_short(l) || capture_rest(l, l->trial.t, tolerance, report);
}

/* Without contacts there is nothing to look for. What cannot be solved is for the run to divide, once and not twice. */
static bool glide(locate *l, double end, double tolerance, step_report *report) {
    bool taken = take(l, end - l->at.t, tolerance, report);
    if (taken) go_on(l);
    return taken;
}

/* From one event to the next, or to the end. */
static bool advance(locate *l, double end, double tolerance, step_report *report) {
    watch w = {.kind = CAROM_STOP};
    bool inside;
    if (!l->m->def.contacts) return glide(l, end, tolerance, report);
    memcpy(l->before, event_stored(l, &l->at), (size_t)l->m->ns * sizeof *l->before);
    turn_senses(l, tolerance);
    progress p = is_endless(l) ? STUCK : follow(l, end, tolerance, report, &w.contact);
    if (p == AT_REST) return event_happen(l, &w, tolerance, report);
    if (p == STUCK) return capture_rest(l, end, tolerance, report);
    double whole = l->h;
    bool event = watch_first(l, &w, tolerance);
    if (!event && watch_broken(l, tolerance)) return divide(l, tolerance, report);
    if (!event) {
        go_on(l);
        return true;
    }
    if (is_too_long(l, &w, tolerance)) {
        l->reach = l->h / 2;
        return true;
    }
    if (w.tau > least_step(l)) {
        if (!step_to(l, &w, whole, tolerance, report, &inside)) return false;
        if (watch_broken(l, tolerance)) return divide(l, tolerance, report);
        go_on(l);
        if (!inside) return true;
    }
    return event_happen(l, &w, tolerance, report);
}

/* ---------------------------------------------------------------- jumps of given motions */

static void look_ahead(locate *l, double end, double tolerance) {
    jumps_search(&l->jumps, l->at.t, end, l->at.q, zero_velocity(l, tolerance));
}

static bool pass_jump(locate *l, double end, double tolerance, step_report *report) {
    if (!event_happen(l, &(watch){.kind = CAROM_STRIKE, .contact = JUMP, .after = l->jumps.right}, tolerance, report))
        return false;
    look_ahead(l, end, tolerance);
    return true;
}

/* A jump in the round-off of time between two steps: what the last one left is not what this one finds. */
static bool meet_jump(locate *l, double end, double tolerance, step_report *report) {
    const carom_model *m = l->m;
    double most = 0;
    if (!m->def.rheonomic) return true;
    if (!event_velocities(l, &l->at, l->s)) return event_undefined(l, report);
    for (int k = 0; k < m->ns; k++) most = fmax(most, fabs(l->s[k] - event_stored(l, &l->at)[k]));
    if (!(most > zero_velocity(l, tolerance))) return true;
    l->jumps.left = l->jumps.right = l->at.t;
    return pass_jump(l, end, tolerance, report);
}

/* The last look at a step: whatever went wrong on the way, bodies must not overlap. */
static bool overlaps(locate *l, step_report *report) {
    const carom_model_def *d = &l->m->def;
    const double most = 1e5 * zero_gap(l);
    if (l->m->nc && d->position(d->context, l->at.t, l->at.q, l->c, NULL)) return !event_undefined(l, report);
    for (int k = 0; k < d->contacts; k++)
        if (!(l->c[d->ng + k] >= -most)) {
            snprintf(report->reason, sizeof report->reason, "contact '%s' is penetrated by %.3g", d->contact[k].name,
                     -l->c[d->ng + k]);
            return true;
        }
    return false;
}

bool locate_step(locate *l, const motion *now, const double *modes, motion *next, double *next_modes, double dt,
                 double tolerance, step_report *report) {
    const double end = next->t;
    event_copy(l, &l->at, now);
    tolerance = fmax(tolerance, zero_velocity(l, 0)); /* short steps reach no more than round-off */
    load_modes(l, modes);
    memset(l->P, 0, (size_t)l->m->ns * sizeof *l->P);
    /* what an event at the very end of a step, or a step that failed, left behind is not in the memory */
    memset(l->held, 0, (size_t)l->m->def.contacts * sizeof *l->held);
    l->dt = l->reach = dt;
    l->hold = AT_ZERO;
    l->happened = l->standing = 0;
    l->since = now->t;
    l->rates.tolerance = tolerance;
    l->work = l->rates.work = 0;
    event_log_clear(&l->log);
    look_ahead(l, end, tolerance);
    if (!meet_jump(l, end, tolerance, report)) return false;
    while (end - l->at.t > least_step(l) || l->jumps.left <= end)
        if (l->jumps.left - l->at.t <= least_step(l) ? !pass_jump(l, end, tolerance, report)
                                                     : !advance(l, fmin(end, l->jumps.left), tolerance, report))
            return false;
    if (overlaps(l, report)) return false;
    memcpy(l->at.P, l->P, (size_t)l->m->ns * sizeof *l->P);
    event_copy(l, next, &l->at);
    next->t = end;
    keep_modes(l, next_modes);
    return true;
}

bool locate_start(locate *l, motion *first, double *modes, step_report *report) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    const double zero = 1e-10; /* what typing ten digits leaves */
    l->rates.tolerance = zero / 10;
    event_copy(l, &l->at, first);
    if (m->nc && d->position(d->context, first->t, first->q, l->c, NULL)) return event_undefined(l, report);
    if (!event_velocities(l, &l->at, l->s)) return event_undefined(l, report);
    for (int k = 0; k < d->contacts; k++) {
        bool closed = l->c[d->ng + k] <= zero && fabs(l->s[m->N + k]) <= zero;
        l->at.contact[k] = closed ? CAROM_SLIP : CAROM_OPEN;
    }
    if (!event_states(l, zero / 10, report)) return false;
    memcpy(first->contact, l->at.contact, (size_t)d->contacts * sizeof *first->contact);
    keep_modes(l, modes);
    return true;
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
    if (!status && *located && published)
        status = carom_error_set(error, CAROM_DATA, "'events: locate' goes with 'variant: cured' only");
    if (!status && *located && model->def.rheonomic && !model->def.velocity_rate)
        status = carom_error_set(
            error, CAROM_DATA, "'events: locate' needs the model's function 'velocity_rate', since it moves by itself");
    return status;
}

bool locate_create(locate *l, const carom_model *m, fixed_scheme scheme, int samples, int memory) {
    const carom_model_def *d = &m->def;
    *l = (locate){.m = m, .scheme = scheme, .samples = samples, .memory_size = (size_t)memory};
    l->log.model = m;
    vector_part parts[] = {
        {&l->at.q, d->nq},
        {&l->at.u, d->nu},
        {&l->at.P, m->ns},
        {&l->at.contact, d->contacts},
        {&l->at.memory, memory},
        {&l->trial.q, d->nq},
        {&l->trial.u, d->nu},
        {&l->trial.P, m->ns},
        {&l->trial.contact, d->contacts},
        {&l->trial.memory, memory},
        {&l->sense, m->nF},
        {&l->q, d->nq},
        {&l->u, d->nu},
        {&l->q_dot0, d->nq},
        {&l->q_dot1, d->nq},
        {&l->c, m->nc},
        {&l->kept, m->nc},
        {&l->s, m->ns},
        {&l->before, m->ns},
        {&l->after, m->ns},
        {&l->struck, m->ns},
        {&l->P, m->ns},
        {&l->M, pattern_nnz(&d->M)},
        {&l->WT, pattern_nnz(&d->WT)},
        {&l->values, scheme.s},
    };
    l->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    l->touches = calloc(3 * (size_t)d->contacts + 1, sizeof *l->touches);
    bool ok = dense_create(&l->dense, scheme.s, scheme.c);
    ok = rates_create(&l->rates, m) && ok;
    ok = impact_create(&l->strike, m) && ok;
    ok = jumps_create(&l->jumps, m, samples) && ok;
    if (!ok || !l->memory || !l->touches) return false;
    l->held = l->touches + d->contacts;
    l->pressed = l->held + d->contacts;
    return true;
}

void locate_forget(locate *l) {
    solver_forget(l->strike.solver);
    solver_forget(l->rates.impact.solver);
}

void locate_destroy(locate *l) {
    dense_destroy(&l->dense);
    rates_destroy(&l->rates);
    impact_destroy(&l->strike);
    jumps_destroy(&l->jumps);
    free(l->touches);
    event_log_destroy(&l->log);
    free(l->memory);
}
