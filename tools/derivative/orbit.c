#include "derivative/orbit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/shot.h"
#include "error.h"

/* ---------------------------------------------------------------- two crossings of the section */

/* The state at which the section is crossed upwards within the last step: a step from its start to the crossing or,
 * where that step fails, interpolation between its ends. */
static void interpolate(const period_map *p, const carom_sim *sim, double before, double after, const double *was,
                        double *t, double *x) {
    const double part = before / (before - after), dt = carom_scene_run(p->q.scene)->dt;
    *t = carom_sim_time(sim) - (1 - part) * dt;
    if (part > 1e-6 && !shot_simulate(p, was, *t - part * dt, *t, x, NULL)) return;
    shot_state(p, sim, x);
    for (int i = 0; i < p->size; i++) x[i] = was[i] + part * (x[i] - was[i]);
}

/* Contacts that were in one state before and after the last step keep it. */
static void keep_contacts(const period_map *p, const carom_sim *sim, carom_contact_state *contact) {
    for (int k = 0; k < p->d->contacts; k++)
        if (contact[k] != carom_sim_contact(sim, k)) contact[k] = CAROM_OPEN;
}

/* Two crossings in a row: the state at the first, the period between them. */
static carom_status find_crossings(period_map *p, carom_sim *sim, orbit_point *x, carom_error *error) {
    double before = NAN, now = NAN, t, *was = calloc(2 * (size_t)p->size + 1, sizeof *was);
    int crossings = 0;
    carom_status status = was ? CAROM_OK : carom_error_memory(error);
    while (!status && crossings < 2 && !carom_sim_done(sim)) {
        shot_state(p, sim, was);
        if (!crossings) shot_contacts(p, sim, p->shot);
        status = carom_sim_step(sim, error);
        before = now;
        if (!status) status = objective_read(p->section, sim, NULL, &now, NULL, error);
        if (status || !(before < 0 && now >= 0)) continue;
        interpolate(p, sim, before, now, was, &t, crossings ? was + p->size : x->x);
        if (crossings++ == 0) p->start = t, keep_contacts(p, sim, p->shot->contact);
        else x->T = t - p->start;
    }
    free(was);
    if (!status && crossings < 2)
        status = carom_error_set(error, CAROM_FAILED, "'%s' does not pass zero upwards twice between t = %g and %g",
                                 p->q.section, p->q.after, carom_sim_time(sim));
    return status;
}

/* ---------------------------------------------------------------- the first guess */

/* First guesses of the starts of the other shots, one after the other. */
static carom_status guess_shots(const period_map *p, orbit_point *x, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int j = 1; j < p->shots && !status; j++) {
        status = period_settle(p, x, j - 1, error);
        if (!status)
            status = shot_simulate(p, x->x + (j - 1) * p->size, period_start(p, x->T, j - 1), period_start(p, x->T, j),
                                   x->x + j * p->size, error);
        if (!status) shot_contacts(p, p->sim, &p->shot[j]);
    }
    return status;
}

static carom_status simulate(period_map *p, carom_sim *sim, orbit_point *x, carom_error *error) {
    const double t0 = p->d->t0, dt = carom_scene_run(p->q.scene)->dt;
    carom_status status = CAROM_OK;
    if (p->parameter >= 0) status = carom_sim_set_parameter(sim, p->parameter, x->value, error);
    if (!status) status = carom_sim_restart(sim, error);
    while (!status && carom_sim_time(sim) < t0 + p->q.after - 1e-9 * dt) status = carom_sim_step(sim, error);
    if (status) return status;
    shot_state(p, sim, x->x);
    shot_contacts(p, sim, p->shot);
    status = period_measure(p, x, error);
    if (!status && p->section) status = find_crossings(p, sim, x, error);
    if (!status && p->period) p->phase = (carom_sim_time(sim) - t0) / x->T;
    return status ? status : guess_shots(p, x, error);
}

carom_status orbit_guess(period_map *p, orbit_point *x, carom_error *error) {
    carom_run_def run = *carom_scene_run(p->q.scene);
    carom_sim *sim = NULL;
    if (p->q.after + p->d->t0 >= run.until) run.until = p->d->t0 + 2 * p->q.after;
    carom_status status = carom_sim_create(p->m, &run, &sim, error);
    if (!status) status = simulate(p, sim, x, error);
    if (sim) carom_sim_destroy(sim);
    return status;
}

/* ---------------------------------------------------------------- the answer */

static bool create(orbit_answer *a, const carom_model_def *d, int multipliers) {
    const size_t nq = (size_t)d->nq, nu = (size_t)d->nu;
    a->q = calloc(2 * nq + nu + (size_t)a->visits * (nq + nu), sizeof *a->q);
    a->multiplier = calloc((size_t)multipliers + 1, sizeof *a->multiplier);
    if (!a->q || !a->multiplier) return false;
    a->u = a->q + nq, a->advance = a->u + nu, a->visit = a->advance + nq;
    return true;
}

carom_status orbit_read(const corrector *c, const orbit_point *x, orbit_answer *answer, carom_error *error) {
    const period_map *p = c->map;
    const size_t state = (size_t)p->size * sizeof *x->x;
    *answer = (orbit_answer){.t = period_start(p, x->T, 0),
                             .period = x->T,
                             .value = x->value,
                             .residual = c->residual,
                             .iterations = c->iterations,
                             .visits = p->repeats,
                             .events = p->events,
                             .slowest = period_slowest(p),
                             .margins = p->margins};
    if (!create(answer, p->d, p->size)) return carom_error_memory(error);
    memcpy(answer->q, x->x, state);
    for (int v = 0; v < p->repeats; v++)
        memcpy(answer->visit + v * p->size, x->x + v * (p->shots / p->repeats) * p->size, state);
    for (int j = 0; j < p->shots; j++) {
        const double *from = x->x + j * p->size;
        for (int i = 0; i < p->d->nq; i++) answer->advance[i] += p->shot[j].end[i] - from[i];
    }
    return period_multipliers(p, answer->multiplier, &answer->count, error);
}

bool orbit_copy(const orbit_answer *from, const carom_model_def *d, orbit_answer *to) {
    const size_t size = (size_t)d->nq + (size_t)(1 + from->visits) * (size_t)(d->nq + d->nu);
    *to = *from;
    if (!create(to, d, from->count)) {
        orbit_free(to);
        return false;
    }
    memcpy(to->q, from->q, size * sizeof *to->q);
    memcpy(to->multiplier, from->multiplier, (size_t)from->count * sizeof *to->multiplier);
    return true;
}

void orbit_free(orbit_answer *answer) {
    free(answer->q);
    free(answer->multiplier);
}

carom_status orbit_find(const orbit_question *q, orbit_answer *answer, carom_error *error) {
    period_map map;
    corrector c = {0};
    orbit_point x = {0};
    *answer = (orbit_answer){0};
    carom_status status = period_create(&map, q, error);
    if (!status) status = corrector_create(&c, &map, error);
    if (!status && !(x.x = period_states(&map))) status = carom_error_memory(error);
    if (!status) status = orbit_guess(&map, &x, error);
    if (!status) status = corrector_solve(&c, &x, NULL, error);
    if (!status) status = orbit_read(&c, &x, answer, error);
    free(x.x);
    corrector_destroy(&c);
    period_destroy(&map);
    return status;
}
