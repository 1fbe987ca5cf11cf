#include "integrator/locate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/report.h"
#include "integrator/vectors.h"

enum {
    MOST_EVENTS = 400,
    MOST_ITERATIONS = 10,
    MOST_HALVINGS = 12,
    MOST_IN_VAIN = 800,
    LEAST_IN_VAIN = 50,
    LONGEST_PAUSE = 16
};

/* Shorter steps are lost in the round-off of time. */
static double least_step(const locate *l) {
    return 4 * DBL_EPSILON * (fabs(l->at.x.t) + l->now.dt);
}

/* Until the next call the model's functions take these sides of its switches; NULL: by their arguments. */
static void hold_sides(const locate *l, const int *side) {
    const carom_model_def *d = &l->m->def;
    if (d->switches) d->take_sides(d->context, side);
}

/* ---------------------------------------------------------------- trial steps */

static void count_work(locate *l, const step_report *part, bool taken, step_report *report) {
    long work = 1;
    for (int k = 0; k < MOST_STAGES; k++) report->newton[k] += part->newton[k], work += part->newton[k];
    l->now.work += work;
    if (!taken) l->now.vain += work > LEAST_IN_VAIN ? work : LEAST_IN_VAIN;
}

static bool take_held(locate *l, step_report *report) {
    const carom_model_def *d = &l->m->def;
    const fixed_scheme *f = &l->scheme;
    attempt *a = &l->attempt;
    step_report part = {0};
    bool by_rates = a->brief || l->now.hold == BY_RATES, keeps = l->now.hold == AS_THEY_ARE && !by_rates;
    if (keeps && d->position(d->context, l->at.x.t, l->at.x.q, l->c, NULL)) return event_undefined(l->at.x.t, report);
    bool taken = f->step(f->self, &a->start.x, a->start.sense, by_rates, l->now.young, keeps ? l->c : NULL, &a->end.x,
                         l->now.tolerance, &part);
    count_work(l, &part, taken, report);
    if (taken) report->residual = fmax(report->residual, part.residual);
    else memcpy(report->reason, part.reason, sizeof part.reason);
    return taken;
}

/* Where more contacts hold a body than it has ways to move, the gaps with which they closed may contradict each other
 * by round-off: then each is kept as it is. Where a contact that sticks says the same as the gap of another, stages
 * contradict each other by the order: then all are held by their rates. */
static bool take_somehow(locate *l, step_report *report) {
    hold_by first = l->now.hold;
    bool taken = take_held(l, report);
    while (!taken && l->m->def.contacts && l->now.hold < BY_RATES && !l->now.futile && !l->now.young) {
        l->now.hold++;
        taken = take_held(l, report);
    }
    if (!taken) l->now.hold = first;
    return taken;
}

/* Velocities below the largest of these are zero for some contact. */
static double most_zero_velocity(locate *l) {
    double most = 0;
    for (int k = 0; k < l->m->def.contacts; k++) most = fmax(most, zero_velocity(&l->scales, k));
    return most;
}

/* (V33): no contact has changed its state at a node. */
static bool keeps_node(locate *l, const scheme_node *node) {
    const carom_model *m = l->m;
    const attempt *a = &l->attempt;
    for (int k = 0; k < m->def.contacts; k++) {
        carom_contact_state state = (carom_contact_state)a->start.x.contact[k];
        double gap = node->gaps ? node->gaps[m->def.ng + k] : 0, zero = zero_velocity(&l->scales, k);
        if (state == CAROM_OPEN) continue;
        if (fabs(gap) > zero_gap(&l->scales, k)) return false;
        if (!node->slips || m->def.contact[k].slips == 0) continue;
        double size = 0;
        for (int j = m->slip[k]; j < m->slip[k + 1]; j++) size = hypot(size, node->slips[j]);
        if (state == CAROM_STICK ? size > zero : attempt_slip(a, k, node->slips) < -zero) return false;
    }
    return true;
}

/* The same at the end: open contacts have taken no percussion, closed ones are closed. */
static bool keeps_end(locate *l, const phase *end) {
    const carom_model *m = l->m;
    for (int k = 0; k < m->def.contacts; k++) {
        bool open = l->attempt.start.x.contact[k] == CAROM_OPEN;
        if (open ? end->x.P[m->N + k] > 0 : fabs(end->s[m->N + k]) > zero_velocity(&l->scales, k)) return false;
    }
    return keeps_node(l, &(scheme_node){.slips = end->s + m->F});
}

static bool take_by_laws(locate *l, step_report *report) {
    const fixed_scheme *f = &l->scheme;
    attempt *a = &l->attempt;
    phase *end = &l->lawful;
    step_report part = {0};
    phase_copy(l->m, end, &a->start);
    end->x.t = a->end.x.t;
    bool kept = f->obey(f->self, &a->start.x, &end->x, l->now.tolerance, &part) && keeps_end(l, end);
    for (int i = 0; kept && i < f->nodes; i++) {
        scheme_node node;
        f->node(f->self, i, &node);
        kept = keeps_node(l, &node);
    }
    count_work(l, &part, kept, report);
    if (!kept) return false;
    memcpy(end->x.contact, a->start.x.contact, (size_t)l->m->def.contacts * sizeof *end->x.contact);
    report->residual = fmax(report->residual, part.residual);
    phase_copy(l->m, &a->end, end);
    attempt_keep_nodes(a, f);
    l->now.hold = BY_LAWS;
    a->obeys = false, a->admits = true;
    return true;
}

/* Whatever force it takes, and then by other forces that obey. */
static bool take_forced(locate *l, step_report *report) {
    const fixed_scheme *f = &l->scheme;
    attempt *a = &l->attempt;
    if (!take_somehow(l, report)) return false;
    attempt_keep_nodes(a, f);
    a->obeys = watch_obeys(&l->watcher, a);
    a->admits = !a->obeys && f->admit(f->self, &a->start.x, a->start.sense, &a->end.x, most_zero_velocity(l),
                                      l->now.tolerance, report);
    if (l->now.hold == BY_RATES) settle(&l->settler, &a->end, l->now.tolerance);
    l->now.young = l->now.young && l->now.hold == AT_ZERO && !a->admits;
    return true;
}

/* Whatever works; by laws for a start if that did in the step before. */
static bool take_kept(locate *l, step_report *report) {
    const bool contacts = l->m->def.contacts > 0 && !l->attempt.brief;
    if (l->now.hold == BY_LAWS) {
        if (contacts && take_by_laws(l, report)) return true;
        l->now.hold = AT_ZERO;
    }
    if (take_forced(l, report)) return true;
    if (l->now.young) {
        if (l->attempt.h > l->now.dt / 10) return false;
        l->now.young = false;
        if (take_forced(l, report)) return true;
    }
    if (!contacts || l->now.futile) return false;
    bool taken = take_by_laws(l, report);
    l->now.futile = !taken;
    return taken;
}

/* A trial step of length h from the present state. */
static bool take(locate *l, double h, step_report *report) {
    attempt *a = &l->attempt;
    a->h = h;
    a->brief = h < 1e-3 * l->now.dt;
    phase_copy(l->m, &a->start, &l->at);
    phase_copy(l->m, &a->end, &l->at);
    a->end.x.t = fmin(fmin(l->at.x.t + h, l->jumps.left), l->now.latest);
    if (!take_kept(l, report)) return false;
    return attempt_keep_ends(a) || event_undefined(a->end.x.t, report);
}

/* Slip in several directions that friction can turn. */
static bool may_turn(const locate *l, int k) {
    const carom_model_contact *c = &l->m->def.contact[k];
    return l->at.x.contact[k] == CAROM_SLIP && c->slips > 1 && c->friction > 0;
}

/* Slip in several directions begins from rest. */
static bool slip_begins(locate *l) {
    for (int k = 0; k < l->m->def.contacts; k++)
        if (may_turn(l, k) && slip_speed(l->m, k, l->at.s) <= zero_velocity(&l->scales, k)) return true;
    return false;
}

/* (V29): friction turns slip in less than 16 steps. */
static bool is_young(locate *l) {
    const carom_model *m = l->m;
    const motion *x = &l->at.x;
    const double steps = 16 * l->now.dt / l->attempt.h;
    if (!rates_look(&l->rates, &(rates_place){x->t, x->q, x->u, x->contact, l->at.sense, NULL})) return false;
    for (int k = 0; k < m->def.contacts; k++) {
        if (!may_turn(l, k)) continue;
        const double G = law_of_contact(&l->rates.impact.problem, m, 0, k)->G, PN = l->attempt.end.x.P[m->N + k];
        if (slip_speed(m, k, l->at.s) < steps * m->def.contact[k].friction * G * PN) return true;
    }
    return false;
}

/* Derivatives go along with the trial step, up to the event it ends at (NULL: it ends at a given time). */
static void vary(locate *l, const candidate *end) {
    const attempt *a = &l->attempt;
    if (!l->varied || l->varied->lost) return;
    l->scheme.vary(l->scheme.self, &a->start.x, a->start.sense, l->now.hold == BY_LAWS);
    if (a->brief || l->now.hold == BY_RATES) event_change_settle(&l->change, &a->end);
    if (end) event_change_meet(&l->change, end, a);
}

static void lose_derivatives(locate *l, double end) {
    if (l->varied) variation_lose(l->varied, end, "events up to t = %.9g could not be located", end);
}

/* The trial step is accepted, and ends at an event, or at a given time (NULL). */
static void go_on_to(locate *l, const candidate *event) {
    const attempt *a = &l->attempt;
    vary(l, event);
    phase_copy(l->m, &l->at, &a->end);
    memset(l->at.held, 0, (size_t)l->m->def.contacts * sizeof *l->at.held);
    for (int k = 0; k < l->m->ns; k++) l->at.sum[k] = a->start.sum[k] + a->end.x.P[k];
    scales_move(&l->scales, &l->at.x);
    l->now.young = l->now.young && is_young(l);
}

static void go_on(locate *l) {
    go_on_to(l, NULL);
}

static bool is_in_time(const locate *l, const candidate *x) {
    return x->contact == SWITCH && l->m->def.switch_info[x->which].time_only;
}

static bool is_met(locate *l, const candidate *x, double f) {
    if (x->contact == SWITCH) return fabs(f) <= 1e-3 * certify_zero(&l->watcher.certifier, x);
    double zero = x->kind == CAROM_STRIKE ? zero_gap(&l->scales, x->contact) / 16
                                          : (zero_velocity(&l->scales, x->contact) - 10 * l->now.tolerance) / 8;
    return fabs(f) <= zero;
}

/* To the last time before a switch in time. */
static bool take_until(locate *l, const candidate *x, step_report *report) {
    l->now.latest = nextafter(x->after, -INFINITY);
    bool taken = take(l, x->tau, report);
    l->now.latest = INFINITY;
    return taken;
}

/* Newton's method on the length of the step, so that it ends at the event; the dense output gives the guess. Events of
 * forces need no more than the guess, since an error delta in their time is one of O(delta^2) in the motion. *inside:
 * false if the event turns out to lie beyond the whole step. */
static bool step_to(locate *l, const candidate *x, double whole, step_report *report, bool *inside) {
    const attempt *a = &l->attempt;
    double tau = x->tau, slope = 0, last_tau = 0, last_f = 0, least = least_step(l);
    *inside = true;
    if (is_in_time(l, x)) return take_until(l, x, report);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        if (!take(l, tau, report)) return false;
        if (x->contact == LOAD) return true;
        double f = watch_end(&l->watcher, a, x);
        if (is_met(l, x, f)) return true;
        slope = i == 0 || (x->kind == CAROM_STRIKE && x->contact >= 0) || tau == last_tau
                    ? watch_slope(&l->watcher, a, x, f)
                    : (f - last_f) / (tau - last_tau);
        last_tau = tau, last_f = f;
        double next = tau - f / slope;
        if (!(next > least) || fabs(next - tau) <= least / 4) return true; /* round-off leaves nothing to gain */
        if (next > whole) {
            *inside = tau < whole;
            next = whole;
            if (tau == whole) return true;
        }
        tau = next;
    }
    return true;
}

/* A shorter step is another one, up to its order: a gap that the longer one left open by less may close in it. */
static bool step_to_first(locate *l, candidate *x, step_report *report, bool *inside) {
    candidate earlier;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        if (!step_to(l, x, l->attempt.h, report, inside)) return false;
        if (!watch_bounded(&l->watcher, &l->attempt, &earlier) || earlier.tau <= least_step(l)) return true;
        *x = earlier;
    }
    return true;
}

/* ---------------------------------------------------------------- slip that comes to rest */

/* Slip in several directions that comes to rest loses its direction there. Steps half as long as it has left to go keep
 * their order, (V10): the length of such a step, or h. Every node is asked, since slip that has passed through zero may
 * well end in its old direction. */
static double half_way_to_rest(const attempt *a, int k, double now, double h) {
    for (int i = 0; i <= a->nodes; i++) {
        const double *slips = i == a->nodes ? a->end.s + a->m->F : a->node[i].slips;
        if (!slips) continue;
        double then = attempt_slip(a, k, slips), part = i == a->nodes ? 1 : a->c[i];
        if (then < now / 4) h = fmin(h, a->h * part * now / (now - then) / 2);
    }
    return h;
}

static double before_rest(locate *l, double h, int *resting) {
    const carom_model *m = l->m;
    for (int k = 0; k < m->def.contacts; k++) {
        if (l->at.x.contact[k] != CAROM_SLIP || m->def.contact[k].slips < 2) continue;
        double now = slip_speed(m, k, l->at.s), half = half_way_to_rest(&l->attempt, k, now, h);
        if (half < h && now > zero_velocity(&l->scales, k)) h = half, *resting = k;
    }
    return h;
}

static bool is_at_rest(locate *l, double left, int k) {
    return left < 1e-6 * l->now.dt || slip_speed(l->m, k, l->at.s) <= 4 * zero_velocity(&l->scales, k);
}

typedef enum outcome { LOST, STUCK, MOVING, AT_REST } outcome;

/* (V36): trial steps that led to nothing have cost more than a step may. */
static bool is_vain(const locate *l) {
    return l->now.vain > MOST_IN_VAIN;
}

/* Laws of contacts, or sides of formulas, may be what keeps the present states from being followed. */
static bool may_change(const locate *l) {
    bool any = l->m->def.switches > 0;
    for (int k = 0; k < l->m->def.contacts; k++) any = any || l->at.x.contact[k] != CAROM_OPEN;
    return any;
}

/* As far as fixed states can be followed towards the end: a step they cannot solve is shortened. *resting: the contact
 * whose slip is as good as over, by its time or by its size. Half the time left is followed by the other half: to try
 * more is in vain. */
static outcome follow(locate *l, double end, step_report *report, int *resting) {
    double h = fmin(end - l->at.x.t, l->now.reach);
    bool rests = false;
    for (int shortened = 0; shortened <= MOST_HALVINGS && !is_vain(l); shortened++) {
        bool taken = take(l, h, report);
        double shorter = taken ? before_rest(l, h, resting) : h / 2;
        l->now.reach = rests ? h : 4 * h;
        if (shorter == h) return MOVING;
        if (taken && is_at_rest(l, shorter, *resting)) return AT_REST;
        rests = rests || taken;
        h = shorter;
    }
    return may_change(l) ? STUCK : LOST;
}

/* Slip in several directions is sensed anew in every step. */
static void turn_senses(locate *l) {
    const carom_model *m = l->m;
    for (int k = 0; k < m->def.contacts; k++) {
        if (l->at.x.contact[k] != CAROM_SLIP || m->def.contact[k].slips < 2) continue;
        double size = slip_speed(m, k, l->at.s);
        if (size > zero_velocity(&l->scales, k)) phase_set_sense(&l->at, m, k, l->at.s + m->F + m->slip[k], size);
    }
}

/* ---------------------------------------------------------------- events */

/* A switch that is passed again in the same instant: both of its sides push the motion onto it, (V25). */
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
    return true;
}

static bool happen(locate *l, const candidate *x, step_report *report) {
    if (slides_on_switch(l, x, report)) return false;
    l->now.hold = AT_ZERO;
    l->now.futile = false;
    l->now.happened++;
    l->now.standing++;
    if (!event_happen(&l->events, x, &l->at, l->now.tolerance, &l->now.work, report)) return false;
    scales_move(&l->scales, &l->at.x);
    l->now.young = l->now.young || slip_begins(l);
    if (x->contact == LOAD && slip_begins(l)) l->now.reach = fmin(l->now.reach, l->scheme.onset * l->now.dt);
    return true;
}

/* By the laws of all stages where they are solved with ease; where they were not before, as robustly as can be. */
static bool capture(locate *l, bool robustly, step_report *report) {
    const fixed_scheme *f = &l->scheme;
    attempt *a = &l->attempt;
    if (!robustly && f->obey(f->self, &a->start.x, &a->end.x, l->now.tolerance, report)) return true;
    report_again(report, l->m->def.contacts);
    return f->capture(f->self, &a->start.x, &a->end.x, l->now.tolerance, report);
}

/* Events that accumulate, and states that cannot be followed: the rest of the step is captured. */
static bool capture_rest(locate *l, double end, step_report *report) {
    const carom_model *m = l->m;
    attempt *a = &l->attempt;
    step_report part = {.dulled = report->dulled};
    phase_copy(m, &a->start, &l->at);
    phase_copy(m, &a->end, &l->at);
    a->end.x.t = end;
    hold_sides(l, NULL);
    bool captured = capture(l, l->now.futile || is_vain(l) || l->now.penalty > 0, &part);
    part.captured = true;
    report_add(report, &part, captured);
    if (!captured) return false;
    lose_derivatives(l, end);
    go_on(l);
    if (!event_sides(m, &l->at, l->argument)) return event_undefined(end, report);
    hold_sides(l, l->at.side);
    if (!event_velocities(m, &l->at.x, l->at.s)) return event_undefined(end, report);
    for (int k = 0; k < m->def.contacts; k++) {
        bool closed = l->at.x.contact[k] != CAROM_OPEN && l->at.s[m->N + k] <= zero_velocity(&l->scales, k);
        l->at.x.contact[k] = closed ? CAROM_SLIP : CAROM_OPEN;
    }
    if (!event_states(&l->events, &l->at, report)) return false;
    l->now.young = l->now.young || slip_begins(l);
    return true;
}

/* Slip that begins from rest and is over before it began: the acceleration at the start has told its sense, and the
 * force turns round within the step. A shorter step sees both. */
static bool is_too_long(locate *l, const candidate *x) {
    return x->kind == CAROM_STOP && x->tau <= least_step(l) && l->attempt.h > 1e-6 * l->now.dt &&
           slip_speed(l->m, x->contact, l->at.s) <= zero_velocity(&l->scales, x->contact);
}

/* What the step has cost so far. Forces are looked at for every contact: their work counts per contact. */
static long work_done(const locate *l) {
    return l->now.work + l->rates.work / (1 + l->m->def.contacts);
}

/* Events that follow each other without end: too many in the step, or more in one instant than its contacts account
 * for, as where redundant contacts hand their load to one another. Or steps between them that get nowhere. */
static bool is_endless(locate *l) {
    locate_progress *now = &l->now;
    if (l->at.x.t > now->since + 1e-9 * now->dt) now->since = l->at.x.t, now->standing = 0;
    return work_done(l) > 250L * (8 + l->watcher.samples) || now->happened >= MOST_EVENTS ||
           now->standing > 4 * (1 + l->m->def.contacts + l->m->def.switches);
}

/* A step whose percussions break their laws although none of its events was found is halved, to get near to the place
 * where that happens, and in the end captured, (V14). */
static bool divide(locate *l, step_report *report) {
    l->now.reach = l->attempt.h / 2;
    l->now.vain += LEAST_IN_VAIN;
    return !l->attempt.brief || capture_rest(l, l->attempt.end.x.t, report);
}

/* Without contacts there is nothing to look for. The run divides a step that cannot be solved. */
static bool glide(locate *l, double end, step_report *report) {
    bool taken = take(l, end - l->at.x.t, report);
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
        if (!step_to_first(l, x, report, &inside)) return false;
        if (watch_broken(&l->watcher, &l->attempt)) return divide(l, report);
        doubt_add(&report->doubt, watch_doubt(&l->watcher));
        go_on_to(l, inside ? x : NULL);
    }
    return !inside || happen(l, x, report);
}

/* The trial step holds no event. */
static bool accept(locate *l, step_report *report) {
    doubt_add(&report->doubt, watch_doubt(&l->watcher));
    go_on(l);
    return true;
}

/* Some forces keep the states by (V30), but those of the step break their laws: rows that nearly depend on each other
 * take enormous ones. Others may do, by laws; if not, something was not found. */
static bool mend(locate *l, step_report *report) {
    attempt *a = &l->attempt;
    candidate x;
    if (a->brief || l->now.hold == BY_LAWS || !take_by_laws(l, report) || !attempt_keep_ends(a))
        return divide(l, report);
    return watch_first(&l->watcher, a, &x) ? meet(l, &x, report) : accept(l, report);
}

/* From one event to the next, or to the end. */
static bool advance(locate *l, double end, step_report *report) {
    candidate x = {.kind = CAROM_STOP};
    if (!l->m->def.contacts && !l->m->def.switches) return glide(l, end, report);
    turn_senses(l);
    outcome o = is_endless(l) ? STUCK : follow(l, end, report, &x.contact);
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

/* A jump in the round-off of time between two steps: what the last one left is not what this one finds. */
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

enum { HOW = 4 }; /* how contacts are held, the penalty, the pause and young slip, between states and sides */

int locate_modes(const carom_model *m) {
    return m->def.contacts + m->slips + HOW + m->def.switches;
}

static void keep_modes(const locate *l, double *modes) {
    memcpy(modes, l->at.x.contact, (size_t)l->m->def.contacts * sizeof *modes);
    memcpy(modes + l->m->def.contacts, l->at.sense, (size_t)l->m->slips * sizeof *modes);
    double *how = modes + l->m->def.contacts + l->m->slips;
    how[0] = l->now.hold, how[1] = l->now.penalty, how[2] = l->now.pause, how[3] = l->now.young;
    for (int j = 0; j < l->m->def.switches; j++) how[HOW + j] = l->at.side[j];
}

/* What an event at the very end of a step, or a step that failed, left behind is not in the memory: it is cleared. */
static void begin(locate *l, const motion *now, const double *modes, double dt, double tolerance) {
    const carom_model *m = l->m;
    phase_copy_motion(m, &l->at.x, now, l->at.memory_size);
    memcpy(l->at.x.contact, modes, (size_t)m->def.contacts * sizeof *modes);
    memcpy(l->at.sense, modes + m->def.contacts, (size_t)m->slips * sizeof *modes);
    memset(l->at.sum, 0, (size_t)m->ns * sizeof *l->at.sum);
    memset(l->at.held, 0, (size_t)m->def.contacts * sizeof *l->at.held);
    l->now = (locate_progress){.dt = dt, .tolerance = tolerance, .reach = dt, .since = now->t, .latest = INFINITY};
    const double *how = modes + m->def.contacts + m->slips;
    l->now.hold = (hold_by)how[0], l->now.penalty = (int)how[1], l->now.pause = (int)how[2];
    l->now.young = how[3] != 0;
    for (int j = 0; j < m->def.switches; j++) l->at.side[j] = (int)how[HOW + j];
    for (int j = 0; j < m->def.switches; j++) l->switched[j] = -INFINITY;
    l->scales.dt = dt;
    l->scales.tolerance = l->rates.tolerance = tolerance;
    l->rates.rest = tolerance / dt;
    l->rates.work = 0;
    scales_move(&l->scales, &l->at.x);
    event_log_clear(&l->events.log);
    l->events.unsolved = false;
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

/* (V36): a step that spent its work in vain was captured in the end, and the next one is likely to be. Ever more are
 * captured at once before events are looked for again. */
static void impose_pause(locate *l) {
    l->now.penalty = is_vain(l) ? (l->now.penalty > 0 ? 2 * l->now.penalty : 1) : 0;
    if (l->now.penalty > LONGEST_PAUSE) l->now.penalty = LONGEST_PAUSE;
    l->now.pause = l->now.penalty;
}

/* A step with an impact that finds no solution is captured from its start: velocities at its end solve another problem.
 */
static bool capture_whole(locate *l, const motion *now, const double *modes, double end, step_report *report) {
    begin(l, now, modes, l->now.dt, l->now.tolerance);
    if (l->varied) variation_copy(l->varied, &l->first);
    hold_sides(l, l->at.side);
    l->now.futile = true;
    return capture_rest(l, end, report) && !overlaps(l, report);
}

bool locate_step(locate *l, const motion *now, const double *modes, motion *next, double *next_modes, double dt,
                 double tolerance, step_report *report) {
    const double end = next->t;
    begin(l, now, modes, dt, tolerance);
    const bool paused = l->now.pause > 0;
    if (l->varied) variation_copy(&l->first, l->varied);
    hold_sides(l, l->at.side);
    bool arrived = go_to(l, end, report) || (l->events.unsolved && capture_whole(l, now, modes, end, report));
    hold_sides(l, NULL);
    if (!arrived) return false;
    if (!paused) impose_pause(l);
    report->switched = l->now.switched;
    memcpy(l->at.x.P, l->at.sum, (size_t)l->m->ns * sizeof *l->at.sum);
    phase_copy_motion(l->m, next, &l->at.x, l->at.memory_size);
    next->t = end;
    keep_modes(l, next_modes);
    return true;
}

bool locate_start(locate *l, motion *first, double *modes, step_report *report) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    const double zero = 1e-10; /* what typing ten digits leaves */
    l->rates.tolerance = l->scales.tolerance = zero / 10;
    phase_copy_motion(m, &l->at.x, first, l->at.memory_size);
    scales_move(&l->scales, &l->at.x);
    if (m->nc && d->position(d->context, first->t, first->q, l->c, NULL)) return event_undefined(first->t, report);
    if (!event_sides(m, &l->at, l->argument)) return event_undefined(first->t, report);
    if (!event_velocities(m, &l->at.x, l->at.s)) return event_undefined(first->t, report);
    for (int k = 0; k < d->contacts; k++) {
        bool closed = l->c[d->ng + k] <= zero && fabs(l->at.s[m->N + k]) <= zero;
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
    const vector_part parts[] = {{&l->c, m->nc}, {&l->s, m->ns}, {&l->argument, switches}, {&l->switched, switches}};
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
    return ok && settler_create(&l->settler, m, &l->blow, &l->scales);
}

void locate_forget(locate *l) {
    solver_forget(l->blow.impact.solver);
    solver_forget(l->rates.impact.solver);
}

void locate_destroy(locate *l) {
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
