/* Stepping: a step is taken whole; if its problem has no solution that meets the tolerance, in 2, 4, ... parts; if that
 * fails too, the run ends with a reason and the state of the last accepted step. */
#include "run/latch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "integrator/balance.h"
#include "integrator/found.h"
#include "integrator/report.h"
#include "stop.h"

enum { MOST_CUTS = 200, HALVINGS = 7 };

void sim_hold(const carom_sim *sim, const double *side) {
    const carom_model_def *d = &sim->model->def;
    const bool held = side && side[0] != 0;
    for (int j = 0; j < d->switches && held; j++) sim->held[j] = (int)side[1 + j];
    if (d->switches) d->take_sides(d->context, held ? sim->held : NULL);
}

const event_log *sim_located(const carom_sim *sim) {
    return sim->integrator->events ? sim->integrator->events(sim->self) : NULL;
}

/* Whether the step from a to b passes a contact that its scheme has not seen. Located events are the scheme's own. */
static bool passes(carom_sim *sim, const motion *a, const motion *b, double h, passage *found) {
    const carom_model_def *d = &sim->model->def;
    const straight path = {
        .t = a->t, .h = h, .from = a->q, .to = b->q, .u = {a->u, b->u}, .state = {a->contact, b->contact}};
    if (!d->contacts || carom_sim_locates(sim) || !passage_possible(&sim->passages, path)) return false;
    return passage_find(&sim->passages, path, 0, d->contacts, found);
}

/* With continuous detection: whether the piece is to be cut, at a contact that it passes, however little, or enters, as
 * schemes at velocity level do. Such schemes end a short piece at the surface, and strike in the next one. */
static bool is_to_be_cut(carom_sim *sim, const motion *a, const motion *b, double h, passage *found) {
    const double shortest = 1e-3 * sim->dt;
    const straight path = {.t = a->t, .h = h, .from = a->q, .to = b->q, .state = {a->contact, b->contact}};
    if (!passage_possible(&sim->passages, path)) return false;
    if (passage_find(&sim->passages, path, 0, sim->model->def.contacts, found))
        return (0.9 * found->in + 0.1 * found->deepest) * h > 1e-9 * sim->dt;
    if (!passage_enter(&sim->passages, path, found) || !(found->in < 1 - 1e-6)) return false;
    if (found->in * h < shortest) found->in = found->deepest = shortest / h;
    return h > 2 * shortest;
}

static void count_passage(carom_sim *sim, const motion *a, double h, const passage *p) {
    if (!sim->passed_count++ || p->gap < sim->passed.gap) {
        sim->passed = *p;
        sim->passed_time = a->t + p->deepest * h;
    }
}

/* Impacts without rebound, (L4), that the scheme captured are events at the end of the piece. */
static bool log_thuds(carom_sim *sim, double *from, double *to, const motion *a, const motion *b) {
    const carom_model *m = sim->model;
    const ledger sides[2] = {ledger_in(sim, from), ledger_in(sim, to)};
    motion before = *b;
    before.u = a->u, before.contact = a->contact;
    if (!event_log_begin(&sim->log, &before, NULL, b->P)) return false;
    for (int k = 0; k < m->def.contacts; k++) {
        carom_event thud = {.time = b->t, .contact = k, .kind = CAROM_THUD};
        for (int side = 0; side < 2; side++) {
            const double *s = sides[side].s, *slip = s + m->F + m->slip[k];
            thud.gap_dot[side] = s[m->N + k];
            memcpy(thud.slip[side], slip, (size_t)m->def.contact[k].slips * sizeof *slip);
        }
        if (sim->dulled[k] > 0) event_log_add(&sim->log, thud);
    }
    const instant now = event_log_instant(&sim->log, sim->log.instants);
    if (!event_log_end(&sim->log, b, NULL, b->P)) return false;
    for (int side = 0; side < 2; side++) memcpy(now.work[side], sides[side].work, INSTANT_WORKS * sizeof(double));
    return true;
}

/* What follows a piece that the scheme has taken. */
static bool finish_piece(carom_sim *sim, double *from, double *to, motion a, motion b, double h, bool again,
                         step_report *report) {
    const carom_model *m = sim->model;
    const event_log *events = sim_located(sim);
    const int first = sim->log.instants;
    if (model_anchor(m, b.t, b.q, sim->anchors)) return explain_undefined(report, "end");
    if (events && !event_log_append(&sim->log, events)) return event_log_no_room(report);
    if (friction_vanishes(sim, &a, &b, report)) return false;
    if (!mass_holds_to(sim, &b, first, report) || support_lost(sim, from, to, &b, first, report)) return false;
    if (!work_add(sim, from, to, &a, &b, h, again, first)) return explain_undefined(report, "end");
    if (report->weakened && !log_thuds(sim, from, to, &a, &b)) return event_log_no_room(report);
    if (!latch_finish(sim, from, to, h, again, report)) return false;
    for (int i = 0; i < m->ns; i++) sim->P[i] += b.P[i];
    for (int k = 0; k < m->def.contacts; k++) sim->contact[k] = fmax(sim->contact[k], b.contact[k]);
    return true;
}

/* A scheme, also one of a program, may fail without a word. */
static void give_a_reason(const carom_sim *sim, step_report *report) {
    if (report->reason[0]) return;
    snprintf(report->reason, sizeof report->reason, "%s finds no step and gives no reason", sim->integrator->info.name);
}

typedef enum outcome { FAILED, TAKEN, PASSING } outcome;

/* A piece of the step, of length h, from one state to another; again: others were before it. PASSING: it passes a
 * contact or something lets go in it, and *part of its length is to be tried. */
static outcome take_piece(carom_sim *sim, double *from, double *to, double h, bool again, bool cut, double *part,
                          step_report *total) {
    passage passed;
    step_report report = {.dulled = sim->dulled};
    motion a = sim_motion(sim, from), b = sim_motion(sim, to);
    memset(sim->dulled, 0, (size_t)sim->model->def.contacts * sizeof *sim->dulled);
    sensitivity_begin_piece(sim);
    bool done = sim->integrator->step(sim->self, &a, &b, h, sim->tolerance, &report);
    if (done) {
        sensitivity_end_piece(sim, &b, &report);
        model_normalise(sim->model, b.q);
        cut = cut && is_to_be_cut(sim, &a, &b, h, &passed);
        if (cut) *part = 0.9 * passed.in + 0.1 * passed.deepest;
        else if (passes(sim, &a, &b, h, &passed)) count_passage(sim, &a, h, &passed);
        cut = cut || latch_cut(sim, from, to, h, part);
        done = cut || finish_piece(sim, from, to, a, b, h, again, &report);
    }
    if (!done) give_a_reason(sim, &report);
    report_add(total, &report, done);
    if (!done || cut) sensitivity_undo_piece(sim);
    return !done ? FAILED : cut ? PASSING : TAKEN;
}

/* A joint breaks where a piece is to begin: the state without it. */
static bool break_at_start(carom_sim *sim, double **from, double *to, bool again, step_report *report) {
    memcpy(to, *from, sim->size * sizeof *to);
    if (!again) memset(ledger_in(sim, to).loss, 0, 2 * (size_t)sim->model->def.contacts * sizeof *to);
    if (!latch_finish(sim, *from, to, 0, again, report)) return false;
    *from = to;
    return true;
}

static bool no_room_to_cut(step_report *report) {
    snprintf(report->reason, sizeof report->reason,
             "what happens at its very start leaves no piece of the step before it");
    return false;
}

/* From one part of the step to another, in one piece; or, with continuous detection, in as many as it passes contacts:
 * a piece is cut soon after the gap closes, (Z3), so that the scheme sees it. *from: where
 * it begins, and where it ends. */
static bool take_part(carom_sim *sim, double **from, double *turns[2], double begin, double target, double whole,
                      int *pieces, int *cuts, step_report *total) {
    double first = begin, end = target;
    bool fresh = true;
    while (begin < target) {
        double part, *to = turns[*pieces % 2], h = begin == first && end == target ? whole : (end - begin) * sim->dt;
        const double *now = sim->now;
        if (fresh && latch_overloaded(sim, *from)) {
            if (!break_at_start(sim, from, to, ++*pieces > 1, total)) return false;
            continue;
        }
        memcpy(to + sim->input, *from + sim->input, (sim->size - sim->input) * sizeof *to);
        to[STATE_TIME] = now[STATE_ORIGIN] + (now[STATE_STEPS] - now[STATE_FIRST] + end) * sim->dt;
        switch (take_piece(sim, *from, to, h, *pieces > 0, *cuts > 0, &part, total)) {
        case FAILED:
            return false;
        case PASSING:
            end = fmin(begin + (end - begin) * part, target);
            if (!(end > begin)) return no_room_to_cut(total);
            fresh = false;
            --*cuts;
            break;
        case TAKEN:
            *from = to;
            ++*pieces;
            begin = end, end = target;
            fresh = true;
        }
    }
    return true;
}

/* Percussions of the last step are the guess of the next one. Where forces hold each other, what a step leaves open of
 * them stays as guessed: a part of a step begins with its share, or they would grow with every step that is divided.
 * Numbers of parts are powers of two, so that nothing is rounded. */
static void scale_guess(carom_sim *sim, double factor) {
    const motion start = sim_motion(sim, sim->now);
    for (int i = 0; i < sim->model->ns; i++) start.P[i] *= factor;
}

/* The step in a number of equal parts, from sim->now to sim->next. */
static bool take_parts(carom_sim *sim, int parts, step_report *total) {
    double *from = sim->now, *turns[2] = {sim->next, sim->other};
    int pieces = 0, cuts = sim->continuous ? MOST_CUTS : 0;
    memset(sim->P, 0, (size_t)sim->model->ns * sizeof *sim->P);
    memset(sim->contact, 0, (size_t)sim->model->def.contacts * sizeof *sim->contact);
    report_again(total, sim->model->def.contacts);
    sim->passed_count = 0;
    latch_begin_step(sim);
    if (sim->model->finder) found_begin(sim->self);
    event_log_clear(&sim->log);
    sensitivity_begin_step(sim);
    for (int part = 1; part <= parts; part++)
        if (!take_part(sim, &from, turns, (double)(part - 1) / parts, (double)part / parts, sim->dt / parts, &pieces,
                       &cuts, total))
            return false;
    sim->next = from;
    sim->other = from == turns[0] ? turns[1] : turns[0];
    if (pieces > 1) { /* percussions and states are those of the whole step */
        const motion end = sim_motion(sim, from);
        memcpy(end.P, sim->P, (size_t)sim->model->ns * sizeof *end.P);
        memcpy(end.contact, sim->contact, (size_t)sim->model->def.contacts * sizeof *end.contact);
    }
    return true;
}

static bool take_step(carom_sim *sim, int parts, step_report *total) {
    if (parts > 1) scale_guess(sim, 1.0 / parts);
    bool taken = take_parts(sim, parts, total);
    if (parts > 1) scale_guess(sim, parts);
    return taken;
}

static void count(carom_sim *sim, const step_report *report, bool divided) {
    int stages = sim->integrator->stages;
    const double *old = sim->now;
    double *state = sim->next;
    state[STATE_STEPS] = old[STATE_STEPS] + 1;
    state[STATE_ORIGIN] = old[STATE_ORIGIN], state[STATE_FIRST] = old[STATE_FIRST];
    state[STATE_RENEW] = 0;
    state[STATE_DIVIDED] = old[STATE_DIVIDED] + divided;
    state[STATE_CAPTURED] = old[STATE_CAPTURED] + report->captured;
    state[STATE_REDUCED] = old[STATE_REDUCED] + report->reduced;
    doubt doubts = {(long)old[STATE_DOUBTS], (int)old[STATE_DOUBTED], old[STATE_DOUBT_TIME]};
    doubt_add(&doubts, report->doubt);
    state[STATE_DOUBTS] = (double)doubts.count;
    state[STATE_DOUBTED] = doubts.contact;
    state[STATE_DOUBT_TIME] = doubts.time;
    state[STATE_SWITCHED] = old[STATE_SWITCHED] + report->switched;
    state[STATE_WEAKENED] = old[STATE_WEAKENED] + report->weakened;
    state[STATE_LOST] = fmax(old[STATE_LOST], report->lost);
    state[STATE_YIELDS] = old[STATE_YIELDS] + (report->yielded > 0);
    state[STATE_YIELDED] = fmax(old[STATE_YIELDED], report->yielded);
    state[STATE_RESIDUAL] = report->residual;
    const bool deeper = sim->passed_count && (!old[STATE_PASSED] || sim->passed.gap < old[STATE_PASSED_GAP]);
    state[STATE_PASSED] = old[STATE_PASSED] + sim->passed_count;
    state[STATE_PASSED_CONTACT] = deeper ? sim->passed.contact : old[STATE_PASSED_CONTACT];
    state[STATE_PASSED_TIME] = deeper ? sim->passed_time : old[STATE_PASSED_TIME];
    state[STATE_PASSED_GAP] = deeper ? sim->passed.gap : old[STATE_PASSED_GAP];
    for (int k = 0; k < stages; k++) {
        int last = STATE_NEWTON + k, most = last + stages, sum = most + stages;
        state[last] = report->newton[k];
        state[most] = fmax(old[most], report->newton[k]);
        state[sum] = old[sum] + report->newton[k];
    }
}

/* Where a step has no solution and the present velocities alone would lose a support or the inertia within it, this is
 * why. */
static void look_ahead(carom_sim *sim, step_report *report) {
    const carom_model *m = sim->model;
    motion now = sim_motion(sim, sim->now), ahead = sim_motion(sim, sim->other);
    if (report->hint || model_q_dot(m, now.t, now.q, now.u, ahead.q)) return;
    for (int i = 0; i < m->def.nq; i++) ahead.q[i] = now.q[i] + sim->dt * ahead.q[i];
    ahead.t = now.t + sim->dt, ahead.u = now.u, ahead.P = now.P, ahead.contact = now.contact;
    if (support_lost(sim, sim->now, sim->other, &ahead, 0, report) || !mass_holds(sim, ahead.t, ahead.q, report))
        return;
    for (int i = 0; i < m->def.nq; i++) ahead.q[i] = (now.q[i] + ahead.q[i]) / 2;
    mass_holds(sim, now.t + sim->dt / 2, ahead.q, report);
}

/* Lets a program know; false: it asks to stop. */
static bool call(carom_sim *sim, carom_moment moment, int event) {
    return !sim->callback || sim->callback(sim, moment, event, sim->user);
}

static carom_status stopped(const carom_sim *sim, carom_error *error) {
    return carom_error_set(error, CAROM_STOPPED, "a callback has stopped the run at t = %.9g", carom_sim_time(sim));
}

/* Everybody is told of what has happened, even after one asks to stop. */
static carom_status tell(carom_sim *sim, carom_error *error) {
    bool on = true;
    for (int i = 0; i < sim->log.events && sim->callback; i++) on = call(sim, CAROM_AT_EVENT, i) && on;
    on = call(sim, CAROM_AFTER_STEP, -1) && on;
    return on ? CAROM_OK : stopped(sim, error);
}

static carom_status step(carom_sim *sim, carom_error *error);

carom_status sim_step_again(carom_sim *sim, carom_error *error) {
    carom_status status = sim_renew(sim, error);
    if (!status) status = tracing_begin_step(sim, error);
    return status ? status : step(sim, error);
}

carom_status carom_sim_step(carom_sim *sim, carom_error *error) {
    assert_alive(sim);
    assert_alive(sim->origin);
    if (!call(sim, CAROM_BEFORE_STEP, -1)) return stopped(sim, error);
    carom_status status = sim_step_again(sim, error);
    return status ? status : tell(sim, error);
}

carom_status carom_sim_run(carom_sim *sim, carom_error *error) {
    carom_status status = CAROM_OK;
    while (!status && !carom_sim_done(sim)) status = carom_sim_step(sim, error);
    return status;
}

/* What solvers gave up on, and what came of that, is not the motion. */
static carom_status asked_to_stop(carom_sim *sim, carom_error *error) {
    event_log_clear(&sim->log);
    return carom_error_set(error, CAROM_STOPPED, "asked to stop at t = %.9g", carom_sim_time(sim));
}

static carom_status step(carom_sim *sim, carom_error *error) {
    step_report report = {0};
    if (carom_sim_checkpoint(sim)) sim->integrator->forget(sim->self);
    const int halvings = sim->integrator->whole ? 0 : HALVINGS;
    for (int halving = 0; halving <= halvings && !report.exhausted; halving++) {
        const bool taken = take_step(sim, 1 << halving, &report);
        if (stop_asked()) return asked_to_stop(sim, error);
        if (!taken) continue;
        count(sim, &report, halving > 0);
        memcpy(sim->now, sim->next, sim->size * sizeof *sim->now); /* which stays where programs look at it */
        sensitivity_end_step(sim);
        return CAROM_OK;
    }
    event_log_clear(&sim->log);
    if (report.exhausted)
        return carom_error_set(error, CAROM_MEMORY, "step %ld at t = %.9g failed: %s", carom_sim_steps(sim) + 1,
                               carom_sim_time(sim), report.reason);
    look_ahead(sim, &report);
    char parts[40] = "";
    if (halvings) snprintf(parts, sizeof parts, ", even in %d parts", 1 << halvings);
    const char *stiff = "; the forces are stiff: if the scheme is unstable, take a smaller dt, or nsga";
    const char *beyond = "; dt exceeds the limit of stability at the initial state: take a smaller one, or nsga";
    const char *hint = report.hint ? report.hint : sim->stability.number > 1 ? beyond : sim->model->stiff ? stiff : "";
    return carom_error_set(error, CAROM_FAILED, "step %ld at t = %.9g failed: %s%s%s", carom_sim_steps(sim) + 1,
                           carom_sim_time(sim), report.reason, parts, hint);
}
