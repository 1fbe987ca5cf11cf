/* All runs go in parallel and are examined. Then the good ones are repeated one after the other for their times, since
 * parallel runs slow each other down. The number of processes changes nothing but the times. */
#include "study/compare.h"

#include "error.h"
#include "model/model.h"
#include "scene/scene.h"
#include "study/reference.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 100000, WINDOWS = 400, MOST_REPEATS = 1000 };
static const double LEAST_TIMED = 0.1; /* seconds that repeats take together: a short run is repeated more often */
static const double SMALL_ENERGY =
    0.01; /* if E(0) is smaller than this part of the kinetic energy, errors are not divided by it */
static const double KEPT_ENERGY = 1e-2; /* a run whose error stays within this part keeps its energy */

typedef struct comparing {
    const compare_def *def;
    comparison *c;
    carom_scene *scene;
    const carom_model *model;
    double dt;    /* of the scene */
    double scale; /* the largest kinetic energy of a run, the least over all runs: some runs may blow up */
    double drift; /* of the energy of the reference; NaN: unknown */
    quantities quantities;
    reference reference;
    compare_progress progress;
} comparing;

static int runs_of(const comparison *c) {
    return c->schemes * c->sizes;
}

/* ---------------------------------------------------------------- setting up */

static carom_status load(comparing *g, carom_error *error) {
    const compare_def *def = g->def;
    comparison *c = g->c;
    carom_status status = carom_scene_load(def->scene, def->overrides, def->override_count, &g->scene, error);
    if (!status) status = scene_validate_start(g->scene, error);
    if (status) return status;
    g->model = carom_scene_model(g->scene);
    g->dt = carom_scene_run(g->scene)->dt;
    const carom_model_def *d = &g->model->def;
    const char *unit = carom_scene_unit(g->scene, "t");
    snprintf(c->time, sizeof c->time, *unit ? "t [%s]" : "t", unit);
    c->title = strdup(carom_scene_title(g->scene));
    c->t0 = d->t0, c->until = carom_scene_run(g->scene)->until;
    c->contacts = d->contacts > 0, c->position = d->ng > 0, c->velocity = d->ng + d->ngamma > 0;
    c->schemes = def->scheme_count, c->sizes = def->dt ? def->dt_count : 1, c->shown = (c->sizes - 1) / 2;
    c->all = calloc((size_t)runs_of(c), sizeof *c->all);
    if (!c->title || !c->all) return carom_error_memory(error);
    for (int i = 0; i < runs_of(c); i++) {
        double dt = def->dt ? def->dt[i % c->sizes] : g->dt;
        if ((c->until - c->t0) / dt > 1e15)
            return carom_error_set(error, CAROM_DATA, "--dt: %g is too small for a run until %g", dt, c->until);
        c->all[i].scheme = &def->schemes[i / c->sizes];
        c->all[i].dt = dt;
    }
    return quantities_create(g->model, &g->quantities, error);
}

static carom_status find_reference(comparing *g, carom_error *error) {
    const compare_def *def = g->def;
    reference_need need = {.scene = def->scene,
                           .overrides = def->overrides,
                           .override_count = def->override_count,
                           .loaded = g->scene,
                           .all = &g->quantities,
                           .dt = def->dt ? def->dt : &g->dt,
                           .count = g->c->sizes};
    carom_status status = reference_create(def->reference, &need, &g->reference, error);
    if (!status) memcpy(g->c->reference, g->reference.text, sizeof g->c->reference);
    return status;
}

static run_job job_of(const comparing *g, const compared *run) {
    long steps = steps_between(g->c->t0, g->c->until, run->dt, false);
    return (run_job){.scene = g->def->scene,
                     .overrides = g->def->overrides,
                     .override_count = g->def->override_count,
                     .scheme = run->scheme,
                     .dt = run->dt,
                     .keep = steps / MOST_ROWS + 1};
}

/* ---------------------------------------------------------------- running */

static bool watch(void *context, const runs_progress *now) {
    comparing *g = context;
    g->progress.finished = now->finished;
    g->progress.steps = (double)now->steps;
    return !g->def->watch || g->def->watch(g->def->context, &g->progress);
}

static double steps_of(const comparing *g, const compared *run) {
    return (double)steps_between(g->c->t0, g->c->until, run->dt, false);
}

/* The reference goes first, since it is the longest run. */
static carom_status run_all(comparing *g, run_job *jobs, track *tracks, carom_error *error) {
    comparison *c = g->c;
    int extra = g->reference.is_run;
    g->progress = (compare_progress){.runs = extra + runs_of(c), .total = g->reference.steps};
    if (extra) jobs[0] = g->reference.job;
    for (int i = 0; i < runs_of(c); i++) {
        jobs[extra + i] = job_of(g, &c->all[i]);
        g->progress.total += steps_of(g, &c->all[i]);
    }
    carom_status status = runs_execute(jobs, extra + runs_of(c), g->def->workers, watch, g, tracks, error);
    for (int i = 0; i < runs_of(c); i++) {
        c->all[i].run = tracks[extra + i];
        c->all[i].seconds = c->all[i].run.seconds;
    }
    if (extra && !status) return reference_adopt(&g->reference, &tracks[0], error);
    if (extra) track_destroy(&tracks[0]);
    return status;
}

static int repeats_of(const compare_def *def, const compared *run) {
    double enough = ceil(LEAST_TIMED / fmax(run->run.seconds, 1e-9));
    return (int)fmin(fmax(def->repeats, enough), MOST_REPEATS);
}

static carom_status time_all(comparing *g, run_job *jobs, track *tracks, carom_error *error) {
    comparison *c = g->c;
    int count = 0;
    g->progress = (compare_progress){.timing = true};
    for (int i = 0; i < runs_of(c); i++) {
        if (c->all[i].run.status) continue;
        run_job *job = &jobs[count++];
        *job = job_of(g, &c->all[i]);
        job->keep = 0;
        job->timings = repeats_of(g->def, &c->all[i]);
        g->progress.total += steps_of(g, &c->all[i]) * (1 + job->timings);
    }
    g->progress.runs = count;
    carom_status status = runs_execute(jobs, count, 1, watch, g, tracks, error);
    for (int i = 0, k = 0; i < runs_of(c); i++) {
        if (c->all[i].run.status) continue;
        c->all[i].seconds = tracks[k].seconds;
        track_destroy(&tracks[k++]);
    }
    return status;
}

static carom_status run_and_time(comparing *g, carom_error *error) {
    size_t most = (size_t)runs_of(g->c) + 1;
    run_job *jobs = calloc(most, sizeof *jobs);
    track *tracks = calloc(most, sizeof *tracks);
    carom_status status = jobs && tracks ? run_all(g, jobs, tracks, error) : carom_error_memory(error);
    if (!status && g->def->repeats > 0) status = time_all(g, jobs, tracks, error);
    free(jobs);
    free(tracks);
    return status;
}

/* ---------------------------------------------------------------- looking */

/* Errors of a run, [rows][components], for those components of q or u that the reference gives. Returns the number of
 * components. *total: sum of the absolute values of the reference. */
static int errors_of(const comparing *g, const track *t, bool of_q, const double *sample, double *e, double *total) {
    const quantities *all = &g->quantities;
    int n = of_q ? t->nq : t->nu, first = of_q ? 0 : t->nq, m = 0;
    for (int i = 0; i < n; i++) m += g->reference.given[first + i];
    *total = 0;
    for (long row = 0; row < t->rows; row++) {
        const double *x = of_q ? t->q + row * n : t->u + row * n, *exact = sample + row * all->sampled + first;
        for (int i = 0; i < n; i++)
            if (g->reference.given[first + i]) *e++ = x[i] - exact[i], *total += fabs(exact[i]);
    }
    return m;
}

/* A quantity that oscillates is shown by its envelope. */
static carom_status follow_values(const track *t, const double *values, curve_over_time *o, carom_error *error) {
    if (isnan(largest_number(values, t->rows))) return CAROM_OK;
    o->t = malloc(2 * WINDOWS * sizeof *o->t);
    if (!o->t) return carom_error_memory(error);
    o->value = o->t + WINDOWS;
    o->count = envelope_of(t->time, values, t->rows, WINDOWS, o->t, o->value);
    return CAROM_OK;
}

/* Returns the norm of the error. Replaces e by its largest component at each time. */
static carom_status see_error(const comparing *g, compared *run, bool of_q, const double *sample, double *e, bool shown,
                              carom_error *error) {
    const track *t = &run->run;
    double *result = of_q ? &run->error_q : &run->error_u;
    double total;
    int m = errors_of(g, t, of_q, sample, e, &total);
    double apart = t->rows > 1 ? t->time[1] - t->time[0] : t->dt;
    *result = m == 0 || t->status || t->rows < 2 ? NAN : norm_of(g->def->norm, apart, t->rows, m, e, total);
    if (!shown || m == 0) return CAROM_OK;
    for (long row = 0; row < t->rows; row++) {
        double most = 0;
        for (int i = 0; i < m; i++) most = fmax(most, fabs(e[row * m + i]));
        e[row] = most;
    }
    return follow_values(t, e, &run->over[of_q ? OVER_Q : OVER_U], error);
}

/* By how much the energy of the reference itself varies. */
static double drift_of(const comparing *g, const track *t, const double *sample) {
    double drift = NAN;
    for (long i = 0; i < t->rows; i++) {
        const double *x = sample + i * g->quantities.sampled;
        drift = fmax(drift, fabs(model_energy(&g->model->def, t->time[i], x, x + t->nq) - t->E[0]));
    }
    return drift;
}

static carom_status see_errors(comparing *g, compared *run, bool shown, carom_error *error) {
    const track *t = &run->run;
    size_t rows = (size_t)t->rows, all = (size_t)g->quantities.sampled, most = (size_t)(t->nq > t->nu ? t->nq : t->nu);
    double *sample = malloc((rows * all + 1) * sizeof *sample), *e = malloc((rows * most + 1) * sizeof *e);
    carom_status status = sample && e ? reference_sample(&g->reference, t, sample, error) : carom_error_memory(error);
    if (!status) g->drift = fmax(g->drift, drift_of(g, t, sample));
    if (!status) status = see_error(g, run, true, sample, e, shown, error);
    if (!status) status = see_error(g, run, false, sample, e, shown, error);
    free(sample);
    free(e);
    return status;
}

static carom_status see_structure(comparing *g, compared *run, carom_error *error) {
    const track *t = &run->run;
    history h;
    carom_status status = history_create(g->model, t, &h, error);
    if (!status) status = follow_values(t, h.penetration, &run->over[OVER_PENETRATION], error);
    if (!status) status = follow_values(t, h.position, &run->over[OVER_POSITION], error);
    if (!status) status = follow_values(t, h.velocity, &run->over[OVER_VELOCITY], error);
    history_destroy(&h);
    return status;
}

/* ---------------------------------------------------------------- energy */

static void measure_energy(comparing *g, compared *run) {
    const track *t = &run->run;
    run->energy = run->energy_end = NAN;
    for (long i = 0; i < t->rows; i++) run->energy = fmax(run->energy, fabs(t->E[i] - t->E[0]));
    if (t->rows) run->energy_end = t->E[t->rows - 1], g->c->energy_start = t->E[0];
    if (!t->status) g->scale = fmin(g->scale, largest_kinetic(g->model, t));
}

/* Energy counts as kept if the reference or one of the runs keeps it. */
static void judge_energy(comparing *g) {
    comparison *c = g->c;
    double drift = g->drift;
    for (int i = 0; i < runs_of(c); i++)
        if (!c->all[i].run.status) drift = fmin(drift, c->all[i].energy);
    c->conserved = drift <= KEPT_ENERGY * g->scale;
    c->relative = fabs(c->energy_start) > SMALL_ENERGY * g->scale;
}

/* E itself, or its error. */
static carom_status follow_energy(const comparison *c, compared *run, carom_error *error) {
    const track *t = &run->run;
    double *values = malloc(((size_t)t->rows + 1) * sizeof *values);
    if (!values) return carom_error_memory(error);
    double scale = c->relative ? fabs(c->energy_start) : 1;
    for (long i = 0; i < t->rows; i++) values[i] = c->conserved ? fabs(t->E[i] - t->E[0]) / scale : t->E[i];
    carom_status status = follow_values(t, values, &run->over[OVER_ENERGY], error);
    free(values);
    return status;
}

/* ---------------------------------------------------------------- all of it */

static carom_status see_all(comparing *g, carom_error *error) {
    comparison *c = g->c;
    carom_status status = CAROM_OK;
    g->scale = g->drift = c->energy_start = NAN;
    for (int i = 0; i < runs_of(c) && !status; i++) {
        bool shown = i % c->sizes == c->shown;
        measure_energy(g, &c->all[i]);
        status = see_errors(g, &c->all[i], shown, error);
        if (!status && shown) status = see_structure(g, &c->all[i], error);
    }
    judge_energy(g);
    for (int i = 0; i < runs_of(c) && !status; i++) {
        if (i % c->sizes == c->shown) status = follow_energy(c, &c->all[i], error);
        if (c->relative) c->all[i].energy /= fabs(c->energy_start);
    }
    return status;
}

carom_status comparison_create(const compare_def *def, comparison *c, carom_error *error) {
    comparing *g = calloc(1, sizeof *g);
    *c = (comparison){.inside = g};
    if (!g) return carom_error_memory(error);
    g->def = def;
    g->c = c;
    carom_status status = load(g, error);
    if (!status) status = find_reference(g, error);
    if (status) comparison_destroy(c);
    return status;
}

carom_status comparison_execute(comparison *c, carom_error *error) {
    c->inside->c = c; /* it may have been moved */
    carom_status status = run_and_time(c->inside, error);
    return status ? status : see_all(c->inside, error);
}

static void destroy_inside(comparing *g) {
    if (!g) return;
    reference_destroy(&g->reference);
    quantities_destroy(&g->quantities);
    carom_scene_destroy(g->scene);
    free(g);
}

void comparison_destroy(comparison *c) {
    destroy_inside(c->inside);
    for (int i = 0; c->all && i < runs_of(c); i++) {
        track_destroy(&c->all[i].run);
        for (int k = 0; k < OVER_COUNT; k++) free(c->all[i].over[k].t);
    }
    free(c->all);
    free(c->title);
    *c = (comparison){0};
}

effort comparison_effort(const comparison *c, int i, double error) {
    double errors[MOST_STEP_SIZES], seconds[MOST_STEP_SIZES];
    assert(c->sizes <= MOST_STEP_SIZES);
    for (int k = 0; k < c->sizes; k++) {
        errors[k] = c->all[i * c->sizes + k].error_q;
        seconds[k] = c->all[i * c->sizes + k].seconds;
    }
    return effort_for(error, errors, seconds, c->sizes);
}
