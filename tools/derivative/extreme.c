#include "derivative/extreme.h"

#include <math.h>
#include <stdlib.h>

#include "error.h"

/* Steps of any length from a state of the run. */
typedef struct search {
    const extreme_question *q;
    carom_sim *sim;
    double *row, *state; /* the saved one */
    double h;            /* length of the step of the run */
    double delta;        /* of differences */
    double most, when;   /* the largest value at ends of steps and beside events, and its time */
    carom_status status;
    carom_error *error;
} search;

/* ---------------------------------------------------------------- the formula along the run */

static double value_now(search *s, carom_sim *sim) {
    double value = NAN;
    if (!s->status) s->status = carom_sim_row(sim, s->row, s->error);
    if (!s->status) s->status = objective_value(s->q->of, sim, s->row, &value, s->error);
    return s->q->sign * value;
}

/* At the end of a step of length h from the saved state. */
static double probe(search *s, double h) {
    if (!s->status) s->status = carom_sim_load(s->sim, s->state, s->error);
    if (!s->status) s->status = carom_sim_set_dt(s->sim, h, s->error);
    if (!s->status) s->status = carom_sim_step(s->sim, s->error);
    return value_now(s, s->sim);
}

/* The rate of the formula by the length of the step, to the fourth order of delta. */
static double slope(search *s, double h) {
    const double d = s->delta;
    return (8 * (probe(s, h + d) - probe(s, h - d)) - (probe(s, h + 2 * d) - probe(s, h - 2 * d))) / (12 * d);
}

/* The run up to this many steps. */
static carom_status advance(carom_sim *sim, long steps, carom_error *error) {
    carom_status status = CAROM_OK;
    for (long i = 0; i < steps && !status; i++) status = carom_sim_step(sim, error);
    return status;
}

static void note(search *s, double value, double time) {
    if (value > s->most) s->most = value, s->when = time;
}

/* Values that jump may be largest just before an event of the step that sim has made from the saved state, or after it.
 */
static void look_beside_events(search *s, const carom_sim *sim, double start) {
    const double apart = 1e-7 * s->h;
    int count;
    const carom_event *event = carom_sim_events(sim, &count);
    for (int i = 0; i < 2 * count; i++) {
        const double h = event[i / 2].time - start + (i % 2 ? apart : -apart);
        if (h <= 0 || start + h >= carom_sim_time(sim)) continue;
        note(s, probe(s, h), event[i / 2].time);
        s->status = CAROM_OK; /* what cannot be looked at is not known to be larger */
    }
}

/* Follows the run and returns the number of the step after which the value is largest, 0: the start. *steps: how many
 * steps the run has. */
static long best_step(search *s, carom_sim *sim, long *steps) {
    double most = value_now(s, sim);
    long best = 0;
    note(s, most, carom_sim_time(sim));
    for (*steps = 0; !s->status && !carom_sim_done(sim);) {
        const double start = carom_sim_time(sim);
        carom_sim_save(sim, s->state);
        s->status = carom_sim_step(sim, s->error);
        const double value = value_now(s, sim);
        ++*steps;
        if (value > most) most = value, best = *steps;
        note(s, value, carom_sim_time(sim));
        if (!s->status) look_beside_events(s, sim, start);
    }
    return best;
}

/* ---------------------------------------------------------------- where it turns */

/* The zero of the slope between a, where it is positive, and b, by the rule of Illinois. */
static double turning_point(search *s, double a, double b, double at_a, double at_b) {
    enum { MOST = 40 };
    double h = a;
    for (int i = 0, side = 0; i < MOST && b - a > 1e-12 * s->h && !s->status; i++) {
        h = i % 8 == 7 ? (a + b) / 2 : b - at_b * (b - a) / (at_b - at_a);
        const double value = slope(s, h);
        if (value == 0) break;
        if (value > 0) a = h, at_a = value, at_b /= side > 0 ? 2 : 1, side = 1;
        else b = h, at_b = value, at_a /= side < 0 ? 2 : 1, side = -1;
    }
    return h;
}

/* Beside a corner the formula is as steep as elsewhere in the step. Beside a turning point its slope is of the size of
 * delta. */
static bool has_corner(search *s, double h, double most) {
    const double middle = probe(s, h);
    return fabs(probe(s, h + s->delta) - middle) > 0.3 * most * s->delta ||
           fabs(middle - probe(s, h - s->delta)) > 0.3 * most * s->delta;
}

/* The length of the step from the saved state to the extremum; 0: the state itself is the extremum. reach: the extremum
 * lies within this length. */
static double length_from(search *s, double reach, bool *beyond) {
    const double a = 3 * s->delta, at_a = slope(s, a), at_b = slope(s, reach);
    *beyond = at_b >= 0;
    if (!(at_a > 0) || *beyond) return 0;
    const double h = turning_point(s, a, reach, at_a, at_b);
    if (!s->status && has_corner(s, h, fmax(at_a, -at_b)))
        s->status = carom_error_set(s->error, CAROM_FAILED,
                                    "there is no derivative: '%s' is at a corner of the motion, before t = %.9g",
                                    s->q->text, carom_sim_time(s->sim));
    return h;
}

/* Locates the extremum: returns the length of a last step after *from steps of the run, 0: none. The extremum lies in
 * the step before the best row, a little after it, in the next step, or at an end of the run. */
static double locate_extremum(search *s, long best, long steps, long *from) {
    bool beyond = false;
    *from = best > 0 ? best - 1 : 0;
    if (!s->status) s->status = advance(s->sim, *from, s->error);
    carom_sim_save(s->sim, s->state);
    const double h = length_from(s, best == steps ? s->h : s->h + 6 * s->delta, &beyond);
    if (!beyond || s->status) return h;
    if (best == steps) return s->h;
    if (best == 0) return 0;
    if (!s->status) s->status = carom_sim_load(s->sim, s->state, s->error);
    if (!s->status) s->status = carom_sim_set_dt(s->sim, s->h, s->error);
    if (!s->status) s->status = carom_sim_step(s->sim, s->error);
    ++*from;
    carom_sim_save(s->sim, s->state);
    return length_from(s, s->h, &beyond);
}

/* The run from its start on; then s->sim is there again. */
static double search_run(search *s, carom_sim *whole, long *from) {
    long steps;
    double *start = malloc(carom_sim_state_size(s->sim) * sizeof *start);
    if (!start) {
        s->status = carom_error_memory(s->error);
        return 0;
    }
    carom_sim_save(s->sim, start);
    const long best = best_step(s, whole, &steps);
    if (!s->status) s->status = carom_sim_load(s->sim, start, s->error);
    if (!s->status) s->status = carom_sim_set_dt(s->sim, s->h, s->error);
    free(start);
    return s->status ? 0 : locate_extremum(s, best, steps, from);
}

/* ---------------------------------------------------------------- the answer */

/* By the envelope theorem the derivative is that of the formula at the fixed instant of the extremum. */
static carom_status differentiate(search *s, long from, double h, double *value, double *by) {
    carom_sim *sim = NULL;
    carom_status status = s->q->start(s->q->context, by != NULL, &sim, s->error);
    if (!status) status = advance(sim, from, s->error);
    if (!status && h > 0) status = carom_sim_set_dt(sim, h, s->error);
    if (!status && h > 0) status = carom_sim_step(sim, s->error);
    if (!status && by && carom_sim_lost(sim))
        status = carom_error_set(s->error, CAROM_FAILED, "there is no derivative: %s", carom_sim_lost(sim));
    if (!status) status = objective_read(s->q->of, sim, s->q->by, value, by, s->error);
    if (sim) carom_sim_destroy(sim);
    return status;
}

carom_status extreme_find(const extreme_question *q, double *value, double *by, carom_error *error) {
    search s = {.q = q, .h = q->dt, .delta = 2e-2 * q->dt, .most = -INFINITY, .error = error};
    carom_sim *whole = NULL;
    long from = 0;
    double h = 0;
    s.status = q->start(q->context, false, &whole, error);
    if (!s.status) s.status = q->start(q->context, false, &s.sim, error);
    if (!s.status) {
        s.row = malloc((size_t)carom_sim_columns(s.sim) * sizeof *s.row);
        s.state = malloc(carom_sim_state_size(s.sim) * sizeof *s.state);
        if (!s.row || !s.state) s.status = carom_error_memory(error);
    }
    if (!s.status) {
        h = search_run(&s, whole, &from);
    }
    if (!s.status) s.status = differentiate(&s, from, h, value, by);
    if (!s.status && s.most > q->sign * *value + 1e-9 * fabs(*value))
        s.status =
            carom_error_set(error, CAROM_FAILED,
                            "there is no derivative: '%s' is at a jump of the motion, near t = %.9g", q->text, s.when);
    if (whole) carom_sim_destroy(whole);
    if (s.sim) carom_sim_destroy(s.sim);
    free(s.row);
    free(s.state);
    return s.status;
}
