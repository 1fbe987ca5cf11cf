#include "derivative/shot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/directions.h"
#include "error.h"

void shot_state(const period_map *p, const carom_sim *sim, double *x) {
    memcpy(x, carom_sim_q(sim), (size_t)p->d->nq * sizeof *x);
    memcpy(x + p->d->nq, carom_sim_u(sim), (size_t)p->d->nu * sizeof *x);
}

void shot_contacts(const period_map *p, const carom_sim *sim, shot *s) {
    for (int k = 0; k < p->d->contacts; k++) s->contact[k] = carom_sim_contact(sim, k);
}

/* ---------------------------------------------------------------- formulas */

static const char **column_names(const period_map *p) {
    const char **names = calloc((size_t)directions_time(p) + 1, sizeof *names);
    if (names && p->parameter >= 0) names[0] = p->q.parameter;
    return names;
}

carom_status shot_formula(const period_map *p, objective *o, double *value, double *by, carom_error *error) {
    const char **names = column_names(p);
    carom_status status = names ? objective_read(o, p->sim, names, value, by, error) : carom_error_memory(error);
    free(names);
    return status;
}

static carom_status read_section(period_map *p, const shot *s, carom_error *error) {
    double *by = calloc((size_t)directions_time(p) + 1, sizeof *by);
    carom_status status = by ? shot_formula(p, p->section, &p->section_value, by, error) : carom_error_memory(error);
    memset(p->section_by, 0, (size_t)p->size * sizeof *p->section_by);
    for (int f = 0; f < s->free && !status; f++)
        for (int k = 0; k < p->size; k++) p->section_by[f] += p->pick[f * p->size + k] * by[directions_first(p) + k];
    if (!status) p->section_by_value = p->parameter >= 0 ? by[0] : 0;
    free(by);
    return status;
}

/* ---------------------------------------------------------------- steps */

/* part holds the time until the shot has ended. */
static bool keep_event(period_map *p, const carom_event *e) {
    if (p->events == p->room) {
        const int room = 2 * p->room + 8;
        orbit_event *more = realloc(p->event, (size_t)room * sizeof *more);
        if (!more) return false;
        p->event = more, p->room = room;
    }
    p->event[p->events++] = (orbit_event){e->time, e->contact, e->kind, -e->gap_dot[0]};
    return true;
}

/* The rate of component i at the newest of the states, now and so many steps before; sign -1: at the oldest. */
static double difference(const shot *s, int steps, int i, double sign) {
    static const double weight[][FLOW_STEPS + 1] = {
        [1] = {1, -1},
        [2] = {1.5, -2, 0.5},
        [4] = {25.0 / 12, -4, 3, -4.0 / 3, 0.25},
        [6] = {49.0 / 20, -6, 7.5, -20.0 / 3, 3.75, -1.2, 1.0 / 6},
    };
    double sum = 0;
    for (int k = 0; k <= steps; k++) {
        const int back = sign > 0 ? k : steps - k;
        sum += sign * weight[steps][k] * (back ? s->before[back - 1][i] : s->end[i]);
    }
    return sum / s->dt;
}

/* The rates of the state at both ends of a shot, by differences over as many steps as no event is near. */
static void note_flow(const period_map *p, shot *s, int step, int quiet) {
    const int steps = quiet >= 6 ? 6 : quiet >= 4 ? 4 : quiet >= 2 ? 2 : 1;
    const bool begins = step == quiet && step == steps && steps > 1;
    for (int i = 0; i < p->size; i++) {
        if (begins) s->flow[0][i] = p->drifts[i] ? 0 : difference(s, steps, i, -1);
        s->flow[1][i] = p->drifts[i] ? 0 : difference(s, steps, i, 1);
    }
    s->is_smooth[0] = s->is_smooth[0] || begins;
    s->is_smooth[1] = quiet >= 2;
}

static carom_status run_shot(period_map *p, shot *s, carom_error *error) {
    carom_status status = CAROM_OK;
    int count;
    s->is_smooth[0] = s->is_smooth[1] = false;
    shot_state(p, p->sim, s->end);
    for (int step = 1, quiet = 0; !status && !carom_sim_done(p->sim); step++) {
        double *oldest = s->before[FLOW_STEPS - 1];
        memmove(s->before + 1, s->before, (FLOW_STEPS - 1) * sizeof *s->before);
        s->before[0] = s->end, s->end = oldest;
        for (int i = 0; i < p->size; i++) p->most[i] = fmax(p->most[i], fabs(s->before[0][i]));
        status = carom_sim_step(p->sim, error);
        if (status) break;
        const carom_event *event = carom_sim_events(p->sim, &count);
        for (int i = 0; i < count && !status; i++)
            if (!keep_event(p, &event[i])) status = carom_error_memory(error);
        quiet = count ? 0 : quiet + 1;
        shot_state(p, p->sim, s->end);
        note_flow(p, s, step, quiet);
    }
    return status;
}

/* Steps to the end of this part of the period. None is longer than dt of the scene. */
static carom_status place(const period_map *p, const double *state, double start, double end, double *dt,
                          carom_error *error) {
    *dt = (end - start) / ceil((end - start) / carom_scene_run(p->q.scene)->dt * (1 - 1e-9));
    carom_status status = carom_sim_set_dt(p->sim, *dt, error);
    if (!status) status = carom_sim_set_until(p->sim, end, error);
    return status ? status : carom_sim_set_state(p->sim, start, state, state + p->d->nq, error);
}

carom_status shot_simulate(const period_map *p, const double *state, double start, double end, double *to,
                           carom_error *error) {
    double dt;
    carom_status status = place(p, state, start, end, &dt, error);
    while (!status && !carom_sim_done(p->sim)) status = carom_sim_step(p->sim, error);
    if (!status) shot_state(p, p->sim, to);
    return status;
}

carom_status shot_follow(period_map *p, const double *state, double start, double end, shot *s, carom_error *error) {
    carom_status status = place(p, state, start, end, &s->dt, error);
    if (status) return status;
    shot_contacts(p, p->sim, s);
    directions_find(p, s);
    directions_read(p, directions_time(p), s->start_time);
    if (p->parameter >= 0) directions_read(p, 0, s->start_value);
    if (p->section && s == p->shot) status = read_section(p, s, error);
    if (!status) status = run_shot(p, s, error);
    if (!status && carom_sim_lost(p->sim))
        status = carom_error_set(error, CAROM_FAILED, "the orbit has no derivative: %s", carom_sim_lost(p->sim));
    if (status) return status;
    directions_combine(p, s, s->gap, s->E);
    directions_read(p, directions_time(p), s->by_time);
    if (p->parameter >= 0) directions_read(p, 0, s->by_value);
    return CAROM_OK;
}
