#include "derivative/gradient.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/difference.h"
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
        if (carom_sim_caveat(sim)) snprintf(answer->caveat, sizeof answer->caveat, "%s", carom_sim_caveat(sim));
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

/* Differences of runs: those with another number of events do not count. */
typedef struct neighbours {
    const gradient_question *question;
    const gradient_answer *answer;
    gradient_difference *found;
    int k;
} neighbours;

static bool value_beside(void *context, double by, double *value) {
    const neighbours *n = context;
    carom_error error;
    long events;
    const carom_status status = value_at(n->question, n->k, by, value, &events, &error);
    if (status) snprintf(n->found->reason, sizeof n->found->reason, "%.150s", error.message);
    return !status && events == n->answer->events;
}

carom_status gradient_compare(const gradient_question *q, const gradient_answer *answer, int k,
                              gradient_difference *found, carom_error *error) {
    neighbours n = {q, answer, found, k};
    const double step = 4e-3 * fmax(fabs(present(q, k)), 1e-2);
    snprintf(found->reason, sizeof found->reason, "the events are others nearby");
    return difference_extrapolate(value_beside, &n, step, 1, &found->value, &found->error) ? CAROM_OK
                                                                                           : carom_error_memory(error);
}
