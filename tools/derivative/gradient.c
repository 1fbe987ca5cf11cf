#include "derivative/gradient.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/difference.h"
#include "derivative/extreme.h"
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

/* ---------------------------------------------------------------- a run, and runs beside it */

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

static carom_status move_value(carom_sim *sim, const carom_model *model, const char *name, double by,
                               carom_error *error) {
    if (!strncmp(name, "start.", 6)) return move_start(sim, model, name + 6, by, error);
    const int i = carom_model_parameter(model, name);
    carom_status status = carom_sim_set_parameter(sim, i, carom_sim_parameter(sim, i) + by, error);
    return status ? status : carom_sim_restart(sim, error);
}

/* The run in which what has index k is moved. */
typedef struct variant {
    const gradient_question *question;
    int k;
    double by;
} variant;

static carom_status start(void *context, bool derivatives, carom_sim **sim, carom_error *error) {
    const variant *v = context;
    const gradient_question *q = v->question;
    const carom_model *model = carom_scene_model(q->scene);
    carom_status status = carom_sim_create(model, &q->run, sim, error);
    if (!status && v->by != 0) status = move_value(*sim, model, q->by[v->k], v->by, error);
    if (!status && derivatives && q->method == GRADIENT_ADJOINT)
        return carom_sim_trace(*sim, q->by, q->count, 0, error);
    if (!status && derivatives) status = carom_sim_differentiate_from(*sim, q->side, q->by, q->count, error);
    return status;
}

static carom_status set_extremes(variant *v, objective *o, bool derivatives, carom_error *error) {
    const gradient_question *q = v->question;
    carom_status status = CAROM_OK;
    double *by = calloc((size_t)q->count + 1, sizeof *by), value;
    if (!by) return carom_error_memory(error);
    for (int i = 0; i < objective_extremes(o) && !status; i++) {
        const objective_extreme *x = objective_extreme_at(o, i);
        const extreme_question find = {start, v, x->of, x->sign, x->text, q->by, q->run.dt};
        status = extreme_find(&find, &value, derivatives ? by : NULL, error);
        double *to = status ? NULL : objective_set_extreme(o, i, value, q->count);
        if (to) memcpy(to, by, (size_t)q->count * sizeof *to);
    }
    free(by);
    return status;
}

/* ---------------------------------------------------------------- one run */

static carom_status follow_run(carom_sim *sim, objective *o, bool derivatives, carom_error *error) {
    carom_status status = CAROM_OK;
    objective_begin(o);
    while (!status && !carom_sim_done(sim)) {
        status = carom_sim_step(sim, error);
        if (!status) objective_follow(o, sim, derivatives);
    }
    return status;
}

static carom_status compute(const gradient_question *q, gradient_answer *answer, carom_error *error) {
    const carom_model *model = carom_scene_model(q->scene);
    carom_sim *sim = NULL;
    objective *o = NULL;
    variant v = {.question = q};
    *answer = (gradient_answer){.by = calloc((size_t)q->count + 1, sizeof *answer->by), .method = q->method};
    carom_status status = answer->by ? start(&v, true, &sim, error) : carom_error_memory(error);
    if (!status) status = objective_create(sim, model, q->of, &o, error);
    if (!status) status = follow_run(sim, o, true, error);
    if (!status && carom_sim_lost(sim))
        status = carom_error_set(error, CAROM_FAILED, "there is no derivative: %s", carom_sim_lost(sim));
    if (!status) status = set_extremes(&v, o, true, error);
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

/* If the method is free, prefers the adjoint for many derivatives. Falls back to the forward method where the adjoint
 * leaves something out, or cannot tell whether an event at the very end moves. */
static carom_status compute_both(const gradient_question *q, gradient_answer *answer, carom_error *error) {
    gradient_question own = *q;
    if (q->method != GRADIENT_EITHER) return compute(q, answer, error);
    own.method = q->count >= GRADIENT_MANY ? GRADIENT_ADJOINT : GRADIENT_FORWARD;
    carom_status status = compute(&own, answer, error);
    if (own.method == GRADIENT_FORWARD || status == CAROM_DATA || (!status && !answer->caveat[0])) return status;
    gradient_free(answer);
    own.method = GRADIENT_FORWARD;
    return compute(&own, answer, error);
}

/* One derivative, from one side. The other results of this run also go into the answer. */
static carom_status compute_side(const gradient_question *q, int k, int which, gradient_answer *answer,
                                 carom_error *error) {
    gradient_question own = *q;
    gradient_answer one;
    gradient_sides *sides = &answer->sides[k];
    own.by = q->by + k, own.count = 1, own.method = GRADIENT_FORWARD, own.side = which ? -1 : 1;
    carom_status status = compute(&own, &one, error);
    sides->value[which] = status ? NAN : one.by[0];
    if (status) snprintf(sides->reason[which], sizeof sides->reason[which], "%.190s", error->message);
    else {
        if (isnan(one.by[0]))
            snprintf(sides->reason[which], sizeof sides->reason[which],
                     "several events happen at this instant, and each of them moves on its own");
        double *by = answer->by;
        free(one.by);
        one.by = by, one.sides = answer->sides;
        *answer = one;
    }
    return status;
}

static bool agree(const double value[2]) {
    return fabs(value[0] - value[1]) <= 1e-9 * fmax(fabs(value[0]), fabs(value[1])) + 1e-13;
}

/* (SE63). CAROM_FAILED: no derivative has a side. */
static carom_status compute_sides(const gradient_question *q, gradient_answer *answer, carom_error *error) {
    bool any = false;
    *answer = (gradient_answer){.by = calloc((size_t)q->count + 1, sizeof *answer->by),
                                .sides = calloc((size_t)q->count + 1, sizeof *answer->sides)};
    if (!answer->by || !answer->sides) return carom_error_memory(error);
    for (int k = 0; k < q->count; k++) {
        for (int which = 0; which < 2; which++) {
            const carom_status status = compute_side(q, k, which, answer, error);
            if (status == CAROM_MEMORY) return status;
            any = any || !status;
        }
        answer->by[k] = agree(answer->sides[k].value) ? answer->sides[k].value[0] : NAN;
    }
    return any ? CAROM_OK : CAROM_FAILED;
}

carom_status gradient_compute(const gradient_question *q, gradient_answer *answer, carom_error *error) {
    carom_status status = compute_both(q, answer, error);
    if (status != CAROM_FAILED || q->method == GRADIENT_ADJOINT) return status;
    const carom_error why = *error;
    gradient_free(answer);
    status = compute_sides(q, answer, error);
    if (status == CAROM_FAILED) *error = why;
    return status;
}

void gradient_free(gradient_answer *answer) {
    free(answer->by);
    free(answer->sides);
    *answer = (gradient_answer){0};
}

/* ---------------------------------------------------------------- differences */

static carom_status value_at(const gradient_question *q, int k, double by, double *value, long *events,
                             carom_error *error) {
    const carom_model *model = carom_scene_model(q->scene);
    carom_sim *sim = NULL;
    objective *o = NULL;
    variant v = {q, k, by};
    carom_status status = start(&v, false, &sim, error);
    if (!status) status = objective_create(sim, model, q->of, &o, error);
    if (!status) status = follow_run(sim, o, false, error);
    if (!status) status = set_extremes(&v, o, false, error);
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

/* Differences of neighbouring runs. A run with another number of events is not compared. */
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
    snprintf(found->reason, sizeof found->reason, "runs nearby have other events");
    if (isnan(answer->by[k])) {
        found->value = found->error = NAN;
        snprintf(found->reason, sizeof found->reason,
                 "differences over both sides cannot check a derivative from one side");
        return CAROM_OK;
    }
    return difference_extrapolate(value_beside, &n, step, 1, &found->value, &found->error) ? CAROM_OK
                                                                                           : carom_error_memory(error);
}
