#include "derivative/gradient.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

carom_status gradient_run_until(const carom_scene *scene, double T, carom_run_def *run, carom_error *error) {
    const double t0 = carom_model_get(carom_scene_model(scene))->t0;
    *run = *carom_scene_run(scene);
    if (!(T > t0) || isinf(T))
        return carom_error_set(error, CAROM_DATA, "the time %g is not after the start, %g", T, t0);
    run->until = T;
    run->dt = (T - t0) / ceil((T - t0) / run->dt * (1 - 1e-12));
    return CAROM_OK;
}

/* ---------------------------------------------------------------- one run */

static carom_status follow(carom_sim *sim, objective *o, bool derivatives, carom_error *error) {
    carom_status status = CAROM_OK;
    objective_begin(o);
    while (!status && !carom_sim_done(sim)) {
        status = carom_sim_step(sim, error);
        if (!status) objective_follow(o, sim, derivatives);
    }
    return status;
}

carom_status gradient_compute(const gradient_question *q, gradient_answer *answer, carom_error *error) {
    const carom_model *model = carom_scene_model(q->scene);
    carom_sim *sim = NULL;
    objective *o = NULL;
    *answer = (gradient_answer){.by = calloc((size_t)q->count + 1, sizeof *answer->by)};
    carom_status status = answer->by ? carom_sim_create(model, &q->run, &sim, error) : carom_error_memory(error);
    if (!status) status = objective_create(sim, model, q->of, &o, error);
    if (!status) status = carom_sim_differentiate(sim, q->by, q->count, error);
    if (!status) status = follow(sim, o, true, error);
    if (!status && carom_sim_lost(sim))
        status = carom_error_set(error, CAROM_FAILED, "there is no derivative: %s", carom_sim_lost(sim));
    if (!status) status = objective_read(o, sim, q->by, &answer->value, answer->by, error);
    if (!status) {
        answer->margins = carom_sim_margins(sim);
        answer->located = carom_sim_locates(sim) || !carom_model_get(model)->contacts;
        answer->events = objective_events(o);
    }
    objective_destroy(o);
    if (sim) carom_sim_destroy(sim);
    return status;
}

/* ---------------------------------------------------------------- differences */

/* A component of the start, moved. */
static carom_status move_start(carom_sim *sim, const carom_model *model, const char *name, double by,
                               carom_error *error) {
    const carom_model_def *d = carom_model_get(model);
    const int q = carom_model_coordinate(model, name), u = carom_model_velocity(model, name);
    double *state = malloc(((size_t)d->nq + (size_t)d->nu) * sizeof *state);
    if (!state) return carom_error_memory(error);
    memcpy(state, carom_sim_q(sim), (size_t)d->nq * sizeof *state);
    memcpy(state + d->nq, carom_sim_u(sim), (size_t)d->nu * sizeof *state);
    state[q >= 0 ? q : d->nq + u] += by;
    carom_status status = carom_sim_set_state(sim, carom_sim_time(sim), state, state + d->nq, error);
    free(state);
    return status;
}

static carom_status move(carom_sim *sim, const carom_model *model, const char *name, double by, carom_error *error) {
    if (!strncmp(name, "start.", 6)) return move_start(sim, model, name + 6, by, error);
    const int i = carom_model_parameter(model, name);
    carom_status status = carom_sim_set_parameter(sim, i, carom_sim_parameter(sim, i) + by, error);
    return status ? status : carom_sim_restart(sim, error);
}

static carom_status value_at(const gradient_question *q, int k, double by, double *value, long *events,
                             carom_error *error) {
    const carom_model *model = carom_scene_model(q->scene);
    carom_sim *sim = NULL;
    objective *o = NULL;
    carom_status status = carom_sim_create(model, &q->run, &sim, error);
    if (!status) status = objective_create(sim, model, q->of, &o, error);
    if (!status) status = move(sim, model, q->by[k], by, error);
    if (!status) status = follow(sim, o, false, error);
    if (!status) status = objective_read(o, sim, q->by, value, NULL, error);
    if (!status) *events = objective_events(o);
    objective_destroy(o);
    if (sim) carom_sim_destroy(sim);
    return status;
}

static double present(const gradient_question *q, int k) {
    const carom_model *model = carom_scene_model(q->scene);
    const carom_model_def *d = carom_model_get(model);
    const char *name = q->by[k], *own = name + 6;
    if (strncmp(name, "start.", 6) != 0) return d->parameter[carom_model_parameter(model, name)];
    const int i = carom_model_coordinate(model, own);
    return i >= 0 ? d->q0[i] : d->u0[carom_model_velocity(model, own)];
}

/* Ridders: central differences with halved steps, extrapolated; the best is the one that changes least with the next
 * column. Levels at which the number of events is another one do not count. */
enum { LEVELS = 7 };

static void extrapolate(double table[LEVELS][LEVELS], int level, gradient_difference *found) {
    double factor = 4;
    for (int j = 1; j <= level; j++, factor *= 4) {
        table[level][j] = (factor * table[level][j - 1] - table[level - 1][j - 1]) / (factor - 1);
        const double error =
            fmax(fabs(table[level][j] - table[level][j - 1]), fabs(table[level][j] - table[level - 1][j - 1]));
        if (!(error >= found->error)) found->error = error, found->value = table[level][j];
    }
}

carom_status gradient_compare(const gradient_question *q, const gradient_answer *answer, int k,
                              gradient_difference *found, carom_error *error) {
    double table[LEVELS][LEVELS], value[2], step = 4e-3 * fmax(fabs(present(q, k)), 1e-2);
    long events[2];
    int level = 0;
    *found = (gradient_difference){.value = NAN, .error = NAN};
    snprintf(found->reason, sizeof found->reason, "the events are others nearby");
    for (int i = 0; i < LEVELS + 4 && level < LEVELS; i++, step /= 2) {
        for (int side = 0; side < 2; side++) {
            carom_status status = value_at(q, k, side ? -step : step, &value[side], &events[side], error);
            if (status == CAROM_MEMORY) return status;
            if (status) snprintf(found->reason, sizeof found->reason, "%.150s", error->message);
            if (status) events[side] = -1;
        }
        if (events[0] != answer->events || events[1] != answer->events) {
            level = 0;
            continue;
        }
        table[level][0] = (value[0] - value[1]) / (2 * step);
        if (level > 0) extrapolate(table, level, found);
        level++;
    }
    return CAROM_OK;
}
