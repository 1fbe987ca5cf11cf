#include "sweep/section.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static int find_contact(const carom_model *model, const char *name) {
    const carom_model_def *d = carom_model_get(model);
    int k = name ? d->contacts - 1 : -1;
    while (k >= 0 && strcmp(d->contact[k].name, name) != 0) k--;
    return k;
}

static carom_status check(const section *s, const carom_sim *sim, carom_error *error) {
    if (s->contact >= 0 && !carom_sim_locates(sim))
        return carom_error_set(error, CAROM_DATA,
                               "strikes of '%s' are known where events are located (run: {integrator: lobatto, events: "
                               "locate})",
                               s->q->section);
    return CAROM_OK;
}

carom_status section_create(section *s, const sweep_question *q, carom_sim *sim, objective **keep, carom_error *error) {
    *s = (section){.q = q, .model = carom_scene_model(q->scene), .keep = keep};
    s->contact = find_contact(s->model, q->section);
    s->row = malloc((size_t)carom_sim_columns(sim) * sizeof *s->row);
    s->state = malloc(carom_sim_state_size(sim) * sizeof *s->state);
    carom_status status = s->row && s->state ? check(s, sim, error) : carom_error_memory(error);
    if (status || !q->section || s->contact >= 0) return status;
    status = objective_create(sim, s->model, q->section, &s->formula, error);
    return status ? status : carom_sim_create(s->model, carom_scene_run(q->scene), &s->probe, error);
}

void section_destroy(section *s) {
    objective_destroy(s->formula);
    carom_sim_destroy(s->probe);
    free(s->row);
    free(s->state);
}

void section_begin(section *s, long every) {
    s->every = every, s->was = NAN;
}

void section_before(section *s, const carom_sim *sim) {
    if (!s->formula) return;
    carom_sim_save(sim, s->state);
    s->start = carom_sim_time(sim);
}

/* ---------------------------------------------------------------- points */

static carom_status keep_point(section *s, const carom_sim *sim, double t, outcome *o, carom_error *error) {
    const int kept = s->q->kept;
    double *point = o->number + kept + s->q->exponents + (long)o->points * (1 + kept);
    carom_status status = CAROM_OK;
    if (o->points >= s->q->points) return CAROM_OK;
    point[0] = t;
    for (int k = 0; k < kept && !status; k++) status = objective_value(s->keep[k], sim, s->row, &point[1 + k], error);
    o->points++;
    return status;
}

static carom_status keep_strikes(section *s, carom_sim *sim, outcome *o, carom_error *error) {
    int count;
    const carom_event *event = carom_sim_events(sim, &count);
    carom_status status = CAROM_OK;
    for (int i = 0; i < count && !status; i++) {
        if (event[i].contact != s->contact || event[i].kind != CAROM_STRIKE) continue;
        status = carom_sim_event_row(sim, i, 1, s->row, error);
        if (!status) status = keep_point(s, sim, event[i].time, o, error);
    }
    return status;
}

/* A step of length h from the state before: its end, and the formula there. */
static carom_status probe(section *s, double h, double *value, carom_error *error) {
    carom_status status = carom_sim_load(s->probe, s->state, error);
    if (!status) status = carom_sim_set_dt(s->probe, h, error);
    if (!status) status = carom_sim_step(s->probe, error);
    if (!status) status = carom_sim_row(s->probe, s->row, error);
    return status ? status : objective_value(s->formula, s->probe, s->row, value, error);
}

/* Regula falsi with the weights of Illinois on a < h <= b, where the formula is negative and positive at the ends. If
 * it jumps in between, as at an impact, the interval shrinks to the jump. */
static carom_status keep_crossing(section *s, const carom_sim *sim, double now, outcome *o, carom_error *error) {
    enum { MOST = 60 };
    const double dt = carom_sim_time(sim) - s->start, scale = fabs(now) + fabs(s->was);
    double a = 0, b = dt, at_a = s->was, at_b = now, value = now;
    carom_status status = CAROM_OK;
    for (int i = 0, side = 0; i < MOST && b - a > 1e-13 * dt && !status; i++) {
        const double guess = at_b != at_a ? b - at_b * (b - a) / (at_b - at_a) : (a + b) / 2;
        const double h = i % 8 == 7 || !(guess > a && guess < b) ? (a + b) / 2 : guess;
        status = probe(s, h, &value, error);
        if (fabs(value) <= 1e-14 * scale) break;
        if (value < 0) a = h, at_a = value, at_b /= side < 0 ? 2 : 1, side = -1;
        else b = h, at_b = value, at_a /= side > 0 ? 2 : 1, side = 1;
    }
    return status ? status : keep_point(s, s->probe, carom_sim_time(s->probe), o, error);
}

static carom_status follow_formula(section *s, carom_sim *sim, outcome *o, carom_error *error) {
    double now = NAN;
    carom_status status = carom_sim_row(sim, s->row, error);
    if (!status) status = objective_value(s->formula, sim, s->row, &now, error);
    if (!status && s->was < 0 && now >= 0) status = keep_crossing(s, sim, now, o, error);
    s->was = now;
    return status;
}

carom_status section_after(section *s, carom_sim *sim, outcome *o, carom_error *error) {
    carom_status status = CAROM_OK;
    if (s->formula) return follow_formula(s, sim, o, error);
    if (s->contact >= 0) return keep_strikes(s, sim, o, error);
    if (!s->every || carom_sim_steps(sim) % s->every) return CAROM_OK;
    status = carom_sim_row(sim, s->row, error);
    return status ? status : keep_point(s, sim, carom_sim_time(sim), o, error);
}
