/* How far a trial step goes: to an event, or as far as the states of contacts can be followed. */
#include "integrator/locate_inside.h"

#include <math.h>

enum { MOST_ITERATIONS = 10, MOST_HALVINGS = 12 };

/* ---------------------------------------------------------------- to an event */

static bool is_in_time(const locate *l, const candidate *x) {
    return x->contact == SWITCH && l->m->def.switch_info[x->which].time_only;
}

static bool is_met(locate *l, const candidate *x, double f) {
    if (x->contact == SWITCH) return fabs(f) <= 1e-3 * certify_zero(&l->watcher.certifier, x);
    if (x->kind == CAROM_STRIKE)
        return fabs(f) <= scales_of_open_at(&l->scales, x->contact, &l->attempt.end.x).gap / 16;
    return fabs(f) <= slip_round_off(&l->scales, x->contact) / 8;
}

/* To the last time before a switch in time. */
static bool try_until(locate *l, const candidate *x, step_report *report) {
    l->now.latest = nextafter(x->after, -INFINITY);
    bool taken = try_step(l, x->tau, report);
    l->now.latest = INFINITY;
    return taken;
}

/* Newton's method on the length of a step that ends where forces leave their cones, (V37). If it does not converge, as
 * where forces jump or are not unique, the guess of the dense output will do. */
static bool step_to_load(locate *l, candidate *x, double whole, step_report *report) {
    enum { CORRECTIONS = 4 };
    const attempt *a = &l->attempt;
    const double guess = x->tau, after = x->after;
    double tau = guess, best = INFINITY;
    for (int i = 0; i < CORRECTIONS; i++) {
        const bool taken = try_step(l, tau, report);
        const double f = taken && watch_unique(&l->watcher, a) ? watch_end(&l->watcher, a, x) : NAN;
        if (!(fabs(f) < best)) {
            x->after = after;
            return i == 0 ? taken : try_step(l, guess, report);
        }
        best = fabs(f);
        if (i > 0) x->after = a->end.x.t;
        const double next = tau - f / watch_slope(&l->watcher, a, x, f), change = fabs(next - tau);
        if (!(change <= guess / 10) || change <= 1e-12 * guess || next >= whole) return true;
        tau = next;
    }
    return true;
}

/* Newton's method on the length of the step, so that it ends at the event; the dense output gives the guess. *inside:
 * false if the event turns out to lie beyond the whole step. */
static bool step_to(locate *l, candidate *x, double whole, step_report *report, bool *inside) {
    const attempt *a = &l->attempt;
    double tau = x->tau, slope = 0, last_tau = 0, last_f = 0, least = least_step(l);
    *inside = true;
    if (is_in_time(l, x)) return try_until(l, x, report);
    if (x->contact == LOAD) return step_to_load(l, x, whole, report);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        if (!try_step(l, tau, report)) return false;
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

/* A shorter step gives another motion, up to its order. So a gap that the longer step left barely open may close in it.
 */
bool step_to_first(locate *l, candidate *x, step_report *report, bool *inside) {
    candidate earlier;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        if (!step_to(l, x, l->attempt.h, report, inside)) return false;
        if (!watch_bounded(&l->watcher, &l->attempt, &earlier) || earlier.tau <= least_step(l)) return true;
        *x = earlier;
    }
    return true;
}

/* ---------------------------------------------------------------- slip that comes to rest */

/* Slip in several directions that comes to rest loses its direction there. Steps of half the time that is left keep
 * their order, (V10). Returns the length of such a step, or h. Asks every node, since slip that has passed through zero
 * may end in its old direction. */
static double half_way_to_rest(const attempt *a, int k, double now, double h) {
    for (int i = 0; i <= a->nodes; i++) {
        const double *slips = i == a->nodes ? a->end.s + a->m->F : a->node[i].slips;
        if (!slips) continue;
        double then = attempt_slip(a, k, slips), part = i == a->nodes ? 1 : a->c[i];
        if (then < now / 4) h = fmin(h, a->h * part * now / (now - then) / 2);
    }
    return h;
}

bool nears_rest(locate *l, int k) {
    const carom_model *m = l->m;
    if (l->at.x.contact[k] != CAROM_SLIP || m->def.contact[k].slips < 2) return false;
    const double now = slip_speed(m, k, l->at.s), h = l->attempt.h;
    return now > zero_slip(&l->scales, k) && half_way_to_rest(&l->attempt, k, now, h) < h;
}

static double before_rest(locate *l, double h, int *resting) {
    const carom_model *m = l->m;
    for (int k = 0; k < m->def.contacts; k++) {
        if (l->at.x.contact[k] != CAROM_SLIP || m->def.contact[k].slips < 2) continue;
        double now = slip_speed(m, k, l->at.s), half = half_way_to_rest(&l->attempt, k, now, h);
        if (half < h && now > zero_slip(&l->scales, k)) h = half, *resting = k;
    }
    return h;
}

static bool is_at_rest(locate *l, double left, int k) {
    return left < 1e-6 * l->now.dt || slip_speed(l->m, k, l->at.s) <= 4 * zero_slip(&l->scales, k);
}

/* ---------------------------------------------------------------- towards the end */

/* Whether laws of contacts, or sides of formulas, can be the reason that the present states cannot be followed. */
static bool may_change(const locate *l) {
    bool any = l->m->def.switches > 0;
    for (int k = 0; k < l->m->def.contacts; k++) any = any || l->at.x.contact[k] != CAROM_OPEN;
    return any;
}

/* Trial steps are short beside the time that closed contacts stay where their gaps are smooth (CF41). */
static double smooth_for(const locate *l, int k) {
    const carom_model *m = l->m;
    const motion *x = &l->at.x;
    const bool open = x->contact[k] == CAROM_OPEN;
    return m->smooth && !open ? m->smooth(m->def.context, k, NULL, x->q, x->u) / 4 : INFINITY;
}

static double smooth_reach(const locate *l) {
    double least = INFINITY;
    for (int k = 0; k < l->m->def.contacts && l->m->smooth; k++) least = fmin(least, smooth_for(l, k));
    return least;
}

static bool ends_smooth(const locate *l, int k, double h) {
    const carom_model *m = l->m;
    const motion *x = &l->at.x, *y = &l->attempt.end.x;
    return !m->smooth || x->contact[k] == CAROM_OPEN || m->smooth(m->def.context, k, x->q, y->q, y->u) >= h;
}

static bool stays_smooth(const locate *l, double h) {
    bool all = true;
    for (int k = 0; k < l->m->def.contacts && l->m->smooth && all; k++) all = ends_smooth(l, k, h);
    return all;
}

bool is_too_far(const locate *l, int k) {
    return !(smooth_for(l, k) >= l->attempt.h) || !ends_smooth(l, k, l->attempt.h);
}

/* Tries shorter and shorter steps, until one keeps the states of all contacts or more tries are in vain. */
outcome try_longest_step(locate *l, double end, step_report *report, int *resting) {
    const double left = end - l->at.x.t;
    const double reach = fmin(l->now.reach, smooth_reach(l));
    const bool whole = left <= reach;
    double h = fmin(left, reach);
    bool rests = false;
    for (int shortened = 0; shortened <= MOST_HALVINGS && !is_vain(l); shortened++) {
        bool taken = try_step(l, h, report) && stays_smooth(l, h);
        double shorter = taken ? before_rest(l, h, resting) : h / 2;
        l->now.rests = rests;
        const bool all = left - h <= least_step(l); /* steps of one length differ by round-off */
        l->now.follows = rests || all ? 0 : whole ? 1 - h / left : 1;
        l->now.reach = rests ? h : 4 * h;
        if (shorter == h) return MOVING;
        if (taken && is_at_rest(l, shorter, *resting)) return AT_REST;
        rests = rests || taken;
        h = shorter;
    }
    return may_change(l) ? STUCK : LOST;
}
