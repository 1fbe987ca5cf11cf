#include "sweep/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/objective.h"
#include "error.h"
#include "sweep/exponents.h"
#include "sweep/section.h"

struct trial {
    const sweep_question *q;
    const carom_model *model;
    carom_sim *sim;
    objective **keep, *period, *after;
    section section;
    exponents exponents;
    double *state; /* [nq + nu] */
    double *given; /* [axes] parameters of the scene */
};

/* ---------------------------------------------------------------- making */

static carom_status make_formulas(trial *t, carom_error *error) {
    const sweep_question *q = t->q;
    carom_status status = CAROM_OK;
    for (int k = 0; k < q->kept && !status; k++)
        status = objective_create(t->sim, t->model, q->keep[k], &t->keep[k], error);
    if (!status && q->period) status = objective_create(t->sim, t->model, q->period, &t->period, error);
    if (!status && q->after) status = objective_create(t->sim, t->model, q->after, &t->after, error);
    return status;
}

carom_status trial_create(const sweep_question *q, trial **made, carom_error *error) {
    trial *t = *made = calloc(1, sizeof *t);
    if (!t) return carom_error_memory(error);
    t->q = q, t->model = carom_scene_model(q->scene);
    const carom_model_def *d = carom_model_get(t->model);
    t->keep = calloc((size_t)q->kept + 1, sizeof *t->keep);
    t->state = calloc((size_t)d->nq + (size_t)d->nu, sizeof *t->state);
    t->given = calloc((size_t)q->plan->axes + 1, sizeof *t->given);
    for (int k = 0; t->given && k < q->plan->axes; k++) t->given[k] = named_value(t->model, q->plan->names[k]);
    carom_status status = t->keep && t->state && t->given ? CAROM_OK : carom_error_memory(error);
    if (!status) status = carom_sim_create(t->model, carom_scene_run(q->scene), &t->sim, error);
    if (!status) status = make_formulas(t, error);
    if (!status) status = section_create(&t->section, q, t->sim, t->keep, error);
    if (!status && q->exponents) status = exponents_create(&t->exponents, t->sim, error);
    if (!status) return CAROM_OK;
    trial_destroy(t);
    *made = NULL;
    return status;
}

void trial_destroy(trial *t) {
    if (!t) return;
    for (int k = 0; t->keep && k < t->q->kept; k++) objective_destroy(t->keep[k]);
    free(t->keep);
    objective_destroy(t->period);
    objective_destroy(t->after);
    section_destroy(&t->section);
    exponents_destroy(&t->exponents);
    carom_sim_destroy(t->sim);
    free(t->state);
    free(t->given);
    free(t);
}

/* ---------------------------------------------------------------- the start of a run */

/* Sets all values anew from those of the scene: the run before had others. */
static carom_status set_anew(trial *t, const double *value, carom_error *error) {
    const sweep_plan *p = t->q->plan;
    carom_status status = named_set_parameters(t->sim, p->names, t->given, p->axes, error);
    return status ? status : named_set_parameters(t->sim, p->names, value, p->axes, error);
}

static carom_status read_time(trial *t, objective *o, const char *what, double least, double *time,
                              carom_error *error) {
    if (!o) return CAROM_OK;
    carom_status status = objective_read(o, t->sim, NULL, time, NULL, error);
    if (!status && !(*time >= least && isfinite(*time)))
        status = carom_error_set(error, CAROM_DATA, "%s is %g, and must be a %s time", what, *time,
                                 least > 0 ? "positive" : "finite");
    return status;
}

/* Makes the steps end with the period, *every of them in one. */
static carom_status fit_steps(trial *t, long *every, carom_error *error) {
    const double dt = carom_scene_run(t->q->scene)->dt;
    double period = 0;
    carom_status status = read_time(t, t->period, "the period", 1e-300, &period, error);
    *every = 0;
    if (status || !t->period) return status;
    *every = (long)ceil(period / dt * (1 - 1e-12));
    return carom_sim_set_dt(t->sim, period / (double)*every, error);
}

static carom_status begin(trial *t, const double *value, double *after, carom_error *error) {
    const sweep_plan *p = t->q->plan;
    long every = 0;
    *after = 0;
    carom_status status = named_set_parameters(t->sim, p->names, value, p->axes, error);
    if (status) status = set_anew(t, value, error);
    if (!status) status = fit_steps(t, &every, error);
    if (!status) status = carom_sim_restart(t->sim, error);
    if (!status) status = named_set_start(t->sim, t->model, p->names, value, p->axes, t->state, error);
    if (!status) status = read_time(t, t->after, "the transient", 0, after, error);
    for (int k = 0; k < t->q->kept; k++) objective_begin(t->keep[k]);
    section_begin(&t->section, every);
    if (!status && t->q->exponents) status = exponents_begin(&t->exponents, t->sim, *after == 0, error);
    return status;
}

/* ---------------------------------------------------------------- its steps */

static bool is_over(const trial *t, const outcome *o) {
    return carom_sim_done(t->sim) || (t->q->points > 0 && o->points == t->q->points);
}

static carom_status follow_run(trial *t, double after, outcome *o, carom_error *error) {
    carom_sim *sim = t->sim;
    const double end = carom_sim_time(sim) + after - 1e-9 * carom_scene_run(t->q->scene)->dt;
    carom_status status = CAROM_OK;
    int events;
    while (!status && !is_over(t, o)) {
        const bool counted = carom_sim_time(sim) >= end && t->q->points > 0;
        if (counted) section_before(&t->section, sim);
        status = carom_sim_step(sim, error);
        if (status) break;
        for (int k = 0; k < t->q->kept; k++) objective_follow(t->keep[k], sim, false);
        carom_sim_events(sim, &events);
        o->events += events;
        if (counted) status = section_after(&t->section, sim, o, error);
        if (!status && t->q->exponents)
            status = exponents_follow(&t->exponents, sim, carom_sim_time(sim) >= end, error);
    }
    return status;
}

static carom_status read_end(trial *t, outcome *o, carom_error *error) {
    const int kept = t->q->kept;
    carom_status status = CAROM_OK;
    for (int k = 0; k < kept && !status; k++)
        status = objective_read(t->keep[k], t->sim, NULL, &o->number[k], NULL, error);
    if (!status && t->q->exponents) exponents_read(&t->exponents, t->sim, t->q->exponents, o->number + kept);
    return status;
}

void trial_run(trial *t, long run, outcome *o) {
    const size_t numbers = outcome_numbers(t->q);
    carom_error error = {0};
    double after;
    *o = (outcome){0};
    for (size_t i = 0; i < numbers; i++) o->number[i] = NAN;
    carom_status status = begin(t, t->q->plan->value + run * t->q->plan->axes, &after, &error);
    if (!status) status = follow_run(t, after, o, &error);
    if (!status) status = read_end(t, o, &error);
    o->failed = status != CAROM_OK;
    if (status) snprintf(o->reason, sizeof o->reason, "%.*s", SWEEP_REASON - 1, error.message);
}
