#include "study/reference.h"

#include "error.h"
#include "integrator/integrator.h"
#include "scene/scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- exact */

/* The exact solution must start where the runs start, to eight digits, which a user may have typed. */
static carom_status check_start(const reference_need *need, const double *q, const double *u, carom_error *error) {
    const carom_model_def *d = carom_model_get(carom_scene_model(need->loaded));
    for (int i = 0; i < d->nq + d->nu; i++) {
        double exact = i < d->nq ? q[i] : u[i - d->nq], start = i < d->nq ? d->q0[i] : d->u0[i - d->nq];
        if (fabs(exact - start) > 1e-8 * fmax(1, fabs(start)))
            return carom_error_set(
                error, CAROM_DATA,
                "the exact solution does not fit the initial state: %s is %.9g there and starts at %.9g",
                need->all->names[i], exact, start);
    }
    return CAROM_OK;
}

static carom_status use_exact(reference *r, carom_error *error) {
    const reference_need *need = &r->need;
    int nq = need->all->nq, nu = need->all->nu;
    double *x = malloc((size_t)(nq + nu) * sizeof *x);
    if (!x) return carom_error_memory(error);
    double t0 = carom_model_get(carom_scene_model(need->loaded))->t0;
    bool there = scene_exact(need->loaded, t0, x, x + nq);
    carom_status status = there ? check_start(need, x, x + nq, error)
                                : carom_error_set(error, CAROM_DATA, "%s has no 'exact' solution", need->scene);
    free(x);
    r->exact = true;
    scene_exact_given(need->loaded, r->given, r->given + nq);
    snprintf(r->text, sizeof r->text, "the exact solution of the scene");
    return status;
}

/* ---------------------------------------------------------------- runs */

static long greatest_divisor(long a, long b) {
    while (b) {
        long rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* One row in so many is kept, such that no run misses one. If the step of a run is no multiple of dt, up to round-off,
 * all rows are kept: the times of that run lie between them. */
static long rows_to_keep(const reference_need *need, double dt) {
    long keep = 0;
    for (int i = 0; i < need->count; i++) {
        double ratio = need->dt[i] / dt;
        if (ratio > 1e9 || fabs(ratio - round(ratio)) > 4 * DBL_EPSILON * ratio) return 1;
        keep = greatest_divisor((long)round(ratio), keep);
    }
    return keep > 0 ? keep : 1;
}

static double steps_of(const carom_scene *scene, double dt) {
    double t0 = carom_model_get(carom_scene_model(scene))->t0;
    return (double)steps_between(t0, carom_scene_run(scene)->until, dt, true);
}

static carom_status use_run(reference *r, const char *scheme_text, double dt, carom_error *error) {
    const reference_need *need = &r->need;
    double finest = need->dt[need->count - 1];
    carom_status status = scheme_text ? scheme_read(scheme_text, &r->scheme, error) : CAROM_OK;
    if (status) return status;
    if (!(dt > 0) || isinf(dt)) return carom_error_set(error, CAROM_DATA, "the step of the reference must be positive");
    if (dt >= finest)
        return carom_error_set(error, CAROM_DATA,
                               "the reference needs a smaller step than the finest run: %g is not below %g", dt,
                               finest);
    r->job = (run_job){.scene = need->scene,
                       .overrides = need->overrides,
                       .override_count = need->override_count,
                       .scheme = scheme_text ? &r->scheme : NULL,
                       .dt = dt,
                       .past_end = true,
                       .keep = rows_to_keep(need, dt)};
    carom_run_def run = scheme_run(r->job.scheme, carom_scene_run(need->loaded));
    carom_sim *sim;
    status = carom_sim_create(carom_scene_model(need->loaded), &run, &sim, error);
    carom_sim_destroy(sim);
    r->is_run = true;
    r->steps = steps_of(need->loaded, dt);
    snprintf(r->text, sizeof r->text, "%s with dt = %g", scheme_text ? r->scheme.label : run.integrator, dt);
    return status;
}

static carom_status use_scene(reference *r, const char *path, carom_error *error) {
    carom_scene *scene;
    carom_status status = carom_scene_load(path, NULL, 0, &scene, error);
    if (status) return status;
    status = quantities_create(carom_scene_model(scene), &r->other, error);
    const carom_run_def *run = carom_scene_run(scene);
    snprintf(r->text, sizeof r->text, "%s (%s with dt = %g)", path, run->integrator, run->dt);
    r->job = (run_job){.scene = path, .past_end = true, .keep = 1};
    r->is_run = true;
    r->steps = steps_of(scene, run->dt);
    carom_scene_destroy(scene);
    return status;
}

/* The component of a track that is number i of its own quantities. */
static void look_at_track(reference *r, int component, const quantities *own, int i) {
    const track *t = &r->track;
    int row = i - own->nq - own->nu;
    bool q = i < own->nq, u = !q && row < 0;
    r->from[component] = q ? t->q + i : u ? t->u + (i - own->nq) : t->P + row;
    r->stride[component] = q ? t->nq : u ? t->nu : t->np;
    r->given[component] = true;
    if (row < 0) return;
    r->from[component + r->need.all->np] = t->last + row;
    r->stride[component + r->need.all->np] = t->np;
}

/* The reference must have at least one of the coordinates and velocities. */
static carom_status check_given(const reference *r, const char *path, carom_error *error) {
    const quantities *all = r->need.all;
    for (int i = 0; i < all->nq + all->nu; i++)
        if (r->given[i]) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA,
                           "%s has none of the coordinates and velocities of the scene: no '%s', ...", path,
                           all->names[0]);
}

carom_status reference_adopt(reference *r, track *run, carom_error *error) {
    r->track = *run;
    *run = (track){0};
    const track *t = &r->track;
    if (t->status) {
        *error = t->error;
        char reason[sizeof t->error.message];
        memcpy(reason, t->error.message, sizeof reason);
        snprintf(error->message, sizeof error->message, "the reference failed: %.700s", reason);
        return t->status;
    }
    r->rows = t->rows;
    r->t = t->time;
    const quantities *all = r->need.all, *own = r->other.count ? &r->other : all;
    for (int i = 0; i < all->count; i++) {
        int k = own == all ? i : quantities_find(own, all->names[i]);
        if (k >= 0) look_at_track(r, i, own, k);
    }
    return check_given(r, r->job.scene, error);
}

/* ---------------------------------------------------------------- files */

/* How far equal times may differ by how they were computed. */
static double round_off(const reference *r, double t) {
    return 8 * DBL_EPSILON * fmax(fabs(t), fabs(r->t[r->rows - 1]));
}

static carom_status check_end(const reference *r, double dt, double t, carom_error *error) {
    double end = r->t[r->rows - 1];
    if (t <= end + round_off(r, t)) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA,
                           "the reference (%s) ends at t = %.9g, before the run with dt = %g gets to %.9g", r->text,
                           end, dt, t);
}

/* Finds a file that ends too early before anything is computed. */
static carom_status check_ends(const reference *r, carom_error *error) {
    const reference_need *need = &r->need;
    double t0 = carom_model_get(carom_scene_model(need->loaded))->t0;
    carom_status status = CAROM_OK;
    for (int i = 0; i < need->count && !status; i++) {
        long steps = steps_between(t0, carom_scene_run(need->loaded)->until, need->dt[i], false);
        status = check_end(r, need->dt[i], t0 + (double)steps * need->dt[i], error);
    }
    return status;
}

static carom_status use_file(reference *r, const char *path, carom_error *error) {
    const quantities *all = r->need.all;
    carom_status status = sheet_read(path, &r->sheet, error);
    if (status) return status;
    const sheet *s = &r->sheet;
    r->rows = s->rows;
    r->t = s->values + sheet_find(s, "t") * s->rows;
    for (int i = 0; i < all->count; i++) {
        int column = sheet_find(s, all->names[i]);
        if (column < 0 || (i >= all->nq + all->nu && !s->percussions)) continue;
        r->from[i] = s->values + column * s->rows;
        r->stride[i] = 1;
        r->given[i] = true;
        if (i < all->nq + all->nu) continue;
        r->from[i + all->np] = r->from[i];
        r->stride[i + all->np] = 1;
    }
    snprintf(r->text, sizeof r->text, "%s", path);
    status = check_given(r, path, error);
    return status ? status : check_ends(r, error);
}

/* ---------------------------------------------------------------- creating */

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

static bool read_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end;
}

/* "rattle@1e-5" */
static carom_status use_other_run(reference *r, const char *text, const char *at, carom_error *error) {
    double dt;
    if (!read_number(at + 1, &dt))
        return carom_error_set(error, CAROM_DATA, "reference '%s': '%s' is not a step size", text, at + 1);
    char *scheme_text = strndup(text, (size_t)(at - text));
    carom_status status = scheme_text ? use_run(r, scheme_text, dt, error) : carom_error_memory(error);
    free(scheme_text);
    return status;
}

static carom_status no_reference(const char *text, carom_error *error) {
    size_t length = strcspn(text, ":");
    char name[64];
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, text);
    if (integrator_find(name))
        return carom_error_set(error, CAROM_DATA, "reference '%s' needs a step size: %s@1e-5", text, text);
    return carom_error_set(error, CAROM_DATA,
                           "reference '%s' is none of: exact, a step size, INTEGRATOR@DT, a file .yaml, .h5 or .csv",
                           text);
}

static carom_status use(reference *r, const char *text, carom_error *error) {
    double dt;
    const char *at = text ? strrchr(text, '@') : NULL;
    if (!text && r->need.loaded->exact) return use_exact(r, error);
    if (!text) return use_run(r, NULL, r->need.dt[r->need.count - 1] / 8, error);
    if (!strcmp(text, "exact")) return use_exact(r, error);
    if (ends_with(text, ".yaml") || ends_with(text, ".yml")) return use_scene(r, text, error);
    if (ends_with(text, ".h5") || ends_with(text, ".csv")) return use_file(r, text, error);
    if (read_number(text, &dt)) return use_run(r, NULL, dt, error);
    return at ? use_other_run(r, text, at, error) : no_reference(text, error);
}

carom_status reference_create(const char *text, const reference_need *need, reference *r, carom_error *error) {
    size_t sampled = (size_t)need->all->sampled;
    *r = (reference){.need = *need};
    r->given = calloc((size_t)need->all->count, sizeof *r->given);
    r->from = calloc(sampled, sizeof *r->from);
    r->stride = calloc(sampled, sizeof *r->stride);
    bool room = r->given && r->from && r->stride;
    carom_status status = room ? use(r, text, error) : carom_error_memory(error);
    if (status) reference_destroy(r);
    return status;
}

void reference_destroy(reference *r) {
    free(r->given);
    free(r->from);
    free(r->stride);
    scheme_destroy(&r->scheme);
    track_destroy(&r->track);
    sheet_destroy(&r->sheet);
    quantities_destroy(&r->other);
    *r = (reference){0};
}

/* ---------------------------------------------------------------- sampling */

static double value(const reference *r, int i, long row) {
    return r->from[i][row * r->stride[i]];
}

/* Position between rows: the row k before it, and the fraction to the next one. */
typedef struct place {
    long k;
    double on; /* in [0, 1) */
} place;

/* The cubic polynomial through the values and rates at rows k and k + 1. */
static double hermite(const reference *r, int i, int rate, place p) {
    double h = r->t[p.k + 1] - r->t[p.k], s = p.on, c = 1 - s;
    double a = value(r, i, p.k), b = value(r, i, p.k + 1), v = value(r, rate, p.k), w = value(r, rate, p.k + 1);
    return c * c * (1 + 2 * s) * a + s * s * (1 + 2 * c) * b + h * s * c * (c * v - s * w);
}

/* The polynomial through the four nearest rows, or through as many as there are. */
static double lagrange(const reference *r, int i, place p) {
    double t = r->t[p.k] + p.on * (r->t[p.k + 1] - r->t[p.k]), sum = 0;
    long last = p.k + 2 < r->rows ? p.k + 2 : r->rows - 1, first = last > 3 ? last - 3 : 0;
    if (first == 0) last = r->rows < 4 ? r->rows - 1 : 3;
    for (long a = first; a <= last; a++) {
        double weight = 1;
        for (long b = first; b <= last; b++)
            if (b != a) weight *= (t - r->t[b]) / (r->t[a] - r->t[b]);
        sum += weight * value(r, i, a);
    }
    return sum;
}

/* The percussions between two positions: whole intervals, and parts of the first and the last. */
static double percussion(const reference *r, int i, place from, place to) {
    double sum = 0, a = from.on;
    for (long k = from.k; k < to.k || (k == to.k && to.on > 0); k++) {
        sum += ((k == to.k ? to.on : 1) - a) * value(r, i, k + 1);
        a = 0;
    }
    return sum;
}

/* From p onwards to time t. */
static carom_status find(reference *r, const track *run, double t, place *p, carom_error *error) {
    double same = round_off(r, t);
    if (t < r->t[0] - same)
        return carom_error_set(error, CAROM_DATA, "the reference (%s) starts at t = %.9g, the runs at %.9g", r->text,
                               r->t[0], t);
    carom_status status = check_end(r, run->dt, t, error);
    if (status) return status;
    while (p->k + 1 < r->rows && r->t[p->k + 1] <= t + same) p->k++;
    p->on = 0;
    if (t <= r->t[p->k] + same) return CAROM_OK;
    double step = r->t[p->k + 1] - r->t[p->k];
    if (step > run->dt * (1 + 1e-9))
        return carom_error_set(
            error, CAROM_DATA,
            "the reference (%s) is too coarse: between t = %.9g and %.9g it has no value for a run with dt = %g",
            r->text, r->t[p->k], r->t[p->k + 1], run->dt);
    p->on = (t - r->t[p->k]) / step;
    r->interpolated = true;
    return CAROM_OK;
}

/* Percussions of the reference's own step that ends at p, or contains it. */
static void sample_own_steps(const reference *r, place p, bool first, double *row) {
    const quantities *all = r->need.all;
    long k = p.on > 0 ? p.k + 1 : p.k;
    for (int i = all->count - all->np; i < all->count; i++)
        row[i + all->np] = !r->given[i] ? NAN : first ? 0 : value(r, i + all->np, k);
}

static void sample_row(const reference *r, place before, place now, bool first, double *row) {
    const quantities *all = r->need.all;
    for (int i = 0; i < all->count; i++) {
        int rate = i < all->nq && all->rate[i] >= 0 ? all->nq + all->rate[i] : -1;
        if (!r->given[i]) row[i] = NAN;
        else if (i >= all->nq + all->nu) row[i] = first ? 0 : percussion(r, i, before, now);
        else if (now.on == 0) row[i] = value(r, i, now.k);
        else row[i] = rate >= 0 && r->given[rate] ? hermite(r, i, rate, now) : lagrange(r, i, now);
    }
    sample_own_steps(r, now, first, row);
}

static carom_status sample_exact(const reference *r, double t, double *row, carom_error *error) {
    const quantities *all = r->need.all;
    scene_exact(r->need.loaded, t, row, row + all->nq);
    for (int i = 0; i < all->count; i++) {
        if (!r->given[i]) row[i] = NAN;
        else if (!isfinite(row[i]))
            return carom_error_set(error, CAROM_DATA, "the exact solution of %s is not finite at t = %.9g",
                                   all->names[i], t);
    }
    return CAROM_OK;
}

carom_status reference_sample(reference *r, const track *run, double *values, carom_error *error) {
    carom_status status = CAROM_OK;
    place before = {0}, now = {0};
    for (long n = 0; n < run->rows && !status; n++) {
        double *row = values + n * r->need.all->sampled, t = run->time[n];
        if (r->exact) {
            status = sample_exact(r, t, row, error);
        } else {
            before = now;
            status = find(r, run, t, &now, error);
            if (!status) sample_row(r, before, now, n == 0, row);
        }
    }
    return status;
}
