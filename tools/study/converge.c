#include "study/converge.h"

#include "error.h"
#include "scene/scene.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- round-off */

/* Errors of a few units in the last place. */
static const double TINY = 4 * DBL_EPSILON;
/* The size to which round-off, and the residuals of step problems, may grow over thousands of steps. */
static const double SMALL = 1000 * DBL_EPSILON, RESIDUALS = 100;

/* ---------------------------------------------------------------- creating */

static carom_status check_run(const convergence *c, const scheme *s, double dt, carom_error *error) {
    carom_run_def run = scheme_run(s, carom_scene_run(c->scene));
    const carom_model *model = carom_scene_model(c->scene);
    double t0 = carom_model_get(model)->t0;
    run.dt = dt;
    carom_sim *sim;
    carom_status status = carom_sim_create(model, &run, &sim, error);
    carom_sim_destroy(sim);
    if (!status && steps_between(t0, run.until, dt, false) < 1)
        status = carom_error_set(error, CAROM_DATA, "dt = %g is longer than the run from t = %g until %g", dt, t0,
                                 run.until);
    return status;
}

static const scheme *scheme_at(const convergence *c, int i) {
    return c->def.scheme_count ? &c->def.schemes[i] : NULL;
}

static carom_status check_runs(convergence *c, carom_error *error) {
    const carom_run_def *run = carom_scene_run(c->scene);
    double t0 = carom_model_get(carom_scene_model(c->scene))->t0;
    carom_status status = CAROM_OK;
    for (int s = 0; s < c->schemes && !status; s++) {
        c->labels[s] = c->def.scheme_count ? c->def.schemes[s].label : run->integrator;
        status = check_run(c, scheme_at(c, s), c->def.dt[0], error);
        if (!status) status = check_run(c, scheme_at(c, s), c->def.dt[c->def.dt_count - 1], error);
        for (int i = 0; i < c->def.dt_count; i++)
            c->steps += (double)steps_between(t0, run->until, c->def.dt[i], false);
    }
    return status;
}

static carom_status reserve_errors(convergence *c, carom_error *error) {
    size_t runs = (size_t)(c->schemes * c->def.dt_count), curves = (size_t)(QUANTITIES * NORMS * c->schemes);
    c->labels = calloc((size_t)c->schemes, sizeof *c->labels);
    c->runs = calloc(runs, sizeof *c->runs);
    c->curves = calloc(curves, sizeof *c->curves);
    bool room = c->labels && c->runs && c->curves;
    for (size_t i = 0; i < curves && room; i++) {
        convergence_curve *curve = &c->curves[i];
        curve->error = calloc((size_t)c->def.dt_count, sizeof *curve->error);
        curve->order = calloc((size_t)c->def.dt_count, sizeof *curve->order);
        curve->floor = calloc((size_t)c->def.dt_count, sizeof *curve->floor);
        room = curve->error && curve->order && curve->floor;
    }
    return room ? CAROM_OK : carom_error_memory(error);
}

/* All rows are kept until they are compared. */
static carom_status check_memory(const convergence *c, carom_error *error) {
    double rows = c->steps + (c->reference.is_run ? c->reference.steps / (double)c->reference.job.keep : 0);
    double bytes = rows * (double)(2 + c->all.count) * sizeof(double);
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (bytes < there) return CAROM_OK;
    return carom_error_set(
        error, CAROM_DATA,
        "%.2g steps take %.2g GB of memory to compare, this machine has %.2g: take longer steps or an "
        "earlier run.until",
        c->steps + c->reference.steps, bytes * 1e-9, there * 1e-9);
}

static carom_status prepare(convergence *c, carom_error *error) {
    const convergence_def *d = &c->def;
    carom_status status = carom_scene_load(d->scene, d->overrides, d->override_count, &c->scene, error);
    if (!status) status = scene_validate_start(c->scene, error);
    if (!status) status = quantities_create(carom_scene_model(c->scene), &c->all, error);
    if (!status) status = reserve_errors(c, error);
    if (!status) status = check_runs(c, error);
    if (status) return status;
    reference_need need = {d->scene, d->overrides, d->override_count, c->scene, &c->all, d->dt, d->dt_count};
    status = reference_create(d->reference, &need, &c->reference, error);
    if (!status) status = check_memory(c, error);
    c->steps += c->reference.steps;
    return status;
}

carom_status convergence_create(const convergence_def *def, convergence **study, carom_error *error) {
    convergence *c = *study = calloc(1, sizeof *c);
    if (!c) return carom_error_memory(error);
    c->def = *def;
    c->schemes = def->scheme_count ? def->scheme_count : 1;
    carom_status status = prepare(c, error);
    if (status) {
        convergence_destroy(c);
        *study = NULL;
    }
    return status;
}

void convergence_destroy(convergence *c) {
    if (!c) return;
    for (int i = 0; c->curves && i < QUANTITIES * NORMS * c->schemes; i++) {
        free(c->curves[i].error);
        free(c->curves[i].order);
        free(c->curves[i].floor);
    }
    free(c->curves);
    free(c->runs);
    free(c->labels);
    reference_destroy(&c->reference);
    quantities_destroy(&c->all);
    carom_scene_destroy(c->scene);
    free(c);
}

const convergence_run *convergence_at(const convergence *c, int s, int i) {
    return &c->runs[s * c->def.dt_count + i];
}

const convergence_curve *convergence_of(const convergence *c, int x, int k, int s) {
    return &c->curves[(x * NORMS + k) * c->schemes + s];
}

bool convergence_differs(const convergence *c, int x, int k) {
    for (int s = 0; s < c->schemes; s++)
        for (int i = 0; i < c->def.dt_count; i++)
            if (convergence_of(c, x, k, s)->error[i] != 0) return true;
    return false;
}

/* ---------------------------------------------------------------- comparing */

/* Room for one comparison, and what it finds about round-off. */
typedef struct comparison {
    double *sample, *error; /* of the reference: [rows][sampled]; [rows][components] */
    double *tiny, *small;   /* levels of each curve at each step size: [QUANTITIES][NORMS][schemes][dt_count] */
} comparison;

static void copy_component(const convergence *c, const track *run, int i, long row, double *value) {
    const quantities *all = &c->all;
    if (i < all->nq) *value = run->q[row * all->nq + i];
    else if (i < all->nq + all->nu) *value = run->u[row * all->nu + i - all->nq];
    else *value = run->P[row * all->np + i - all->nq - all->nu];
}

/* The errors of one quantity; the largest value that the reference has; the sum of its absolute values. */
static double subtract(const convergence *c, const track *run, const quantity *x, int components, comparison *work,
                       double *total) {
    double scale = *total = 0;
    for (long n = 0; n < run->rows; n++) {
        const double *reference_row = work->sample + n * c->all.sampled + (x->own_step ? c->all.np : 0);
        double *e = work->error + n * components;
        for (int i = x->first; i < x->first + x->count; i++) {
            if (!c->reference.given[i]) continue;
            copy_component(c, run, i, n, e);
            *e++ -= reference_row[i];
            scale = fmax(scale, fabs(reference_row[i]));
            *total += fabs(reference_row[i]);
        }
    }
    return scale;
}

static void measure(convergence *c, const track *run, int s, int dt, comparison *work) {
    for (int x = 0; x < QUANTITIES; x++) {
        int m = c->components[x];
        if (m == 0) continue;
        double total, scale = subtract(c, run, &c->all.of[x], m, work, &total);
        double residual = RESIDUALS * run->seen.residual * (x == 0 ? run->t - run->t0 : 1);
        for (int k = 0; k < NORMS; k++) {
            int curve = (x * NORMS + k) * c->schemes + s;
            long place = (long)curve * c->def.dt_count + dt;
            c->curves[curve].error[dt] = norm_of(&norms[k], run->dt, run->rows, m, work->error, total);
            work->tiny[place] = norm_of_constant(&norms[k], run->dt, run->rows, m, TINY * scale, total);
            work->small[place] = norm_of_constant(&norms[k], run->dt, run->rows, m, SMALL * scale + residual, total);
        }
    }
}

static void find_orders(convergence *c, const comparison *work) {
    for (int i = 0; i < QUANTITIES * NORMS * c->schemes; i++) {
        convergence_curve *curve = &c->curves[i];
        const norm *kind = &norms[i / c->schemes % NORMS];
        const double *dt = c->def.dt;
        int count = c->def.dt_count;
        long place = (long)i * count;
        mark_floor(kind, count, dt, curve->error, work->tiny + place, work->small + place, curve->floor);
        bool use[MOST_STEP_SIZES];
        for (int k = 0; k < count; k++) {
            use[k] = !curve->floor[k];
            curve->order[k] = k ? order_between(kind, dt[k - 1], curve->error[k - 1], dt[k], curve->error[k]) : NAN;
        }
        curve->overall = order_of(kind, count, dt, curve->error, use);
    }
}

static carom_status compare_all(convergence *c, const track *tracks, comparison *work, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int s = 0; s < c->schemes; s++)
        for (int i = 0; i < c->def.dt_count && !status; i++) {
            const track *run = &tracks[s * c->def.dt_count + i];
            c->runs[s * c->def.dt_count + i] =
                (convergence_run){run->status, run->error, run->steps, run->t, run->newton};
            c->failed += run->status != CAROM_OK;
            if (run->status) continue;
            status = reference_sample(&c->reference, run, work->sample, error);
            if (!status) measure(c, run, s, i, work);
        }
    if (!status) find_orders(c, work);
    return status;
}

static carom_status compare(convergence *c, const track *tracks, carom_error *error) {
    size_t rows = 1, places = (size_t)(QUANTITIES * NORMS * c->schemes * c->def.dt_count);
    for (int i = 0; i < c->schemes * c->def.dt_count; i++)
        if ((size_t)tracks[i].rows > rows) rows = (size_t)tracks[i].rows;
    for (int x = 0; x < QUANTITIES; x++)
        for (int i = c->all.of[x].first; i < c->all.of[x].first + c->all.of[x].count; i++)
            c->components[x] += c->reference.given[i];
    for (int i = 0; i < QUANTITIES * NORMS * c->schemes; i++)
        for (int k = 0; k < c->def.dt_count; k++) c->curves[i].error[k] = NAN;
    size_t cells = rows * (size_t)c->all.sampled;
    comparison work = {malloc(cells * sizeof(double)), malloc(cells * sizeof(double)), calloc(places, sizeof(double)),
                       calloc(places, sizeof(double))};
    bool room = work.sample && work.error && work.tiny && work.small;
    carom_status status = room ? compare_all(c, tracks, &work, error) : carom_error_memory(error);
    free(work.sample);
    free(work.error);
    free(work.tiny);
    free(work.small);
    return status;
}

/* ---------------------------------------------------------------- running */

/* Long runs start first, so that no processor waits at the end: the reference, then from fine to coarse. Tracks keep
 * the order of runs, with the reference last. */
static carom_status execute(convergence *c, run_job *jobs, track *done, track *tracks, int workers, runs_watch watch,
                            void *context, carom_error *error) {
    const convergence_def *d = &c->def;
    int count = 0, offset = c->reference.is_run;
    if (offset) jobs[count++] = c->reference.job;
    for (int i = d->dt_count - 1; i >= 0; i--)
        for (int s = 0; s < c->schemes; s++)
            jobs[count++] = (run_job){.scene = d->scene,
                                      .overrides = d->overrides,
                                      .override_count = d->override_count,
                                      .scheme = scheme_at(c, s),
                                      .dt = d->dt[i],
                                      .keep = 1};
    carom_status status = runs_execute(jobs, count, workers, watch, context, done, error);
    for (int i = 0; i < d->dt_count; i++)
        for (int s = 0; s < c->schemes; s++)
            tracks[s * d->dt_count + i] = done[offset + (d->dt_count - 1 - i) * c->schemes + s];
    if (offset && !status) status = reference_adopt(&c->reference, &done[0], error);
    else if (offset) track_destroy(&done[0]);
    return status;
}

carom_status convergence_execute(convergence *c, int workers, runs_watch watch, void *context, carom_error *error) {
    size_t count = (size_t)(c->schemes * c->def.dt_count), most = count + 1;
    run_job *jobs = calloc(most, sizeof *jobs);
    track *done = calloc(most, sizeof *done), *tracks = calloc(most, sizeof *tracks);
    carom_status status = jobs && done && tracks ? CAROM_OK : carom_error_memory(error);
    if (!status) status = execute(c, jobs, done, tracks, workers, watch, context, error);
    if (!status) status = compare(c, tracks, error);
    for (size_t i = 0; tracks && i < count; i++) track_destroy(&tracks[i]);
    free(jobs);
    free(done);
    free(tracks);
    return status;
}
