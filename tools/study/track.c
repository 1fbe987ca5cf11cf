#include "study/track.h"

#include "error.h"
#include "model/model.h"
#include "result/store.h"
#include "scene/scene.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

long steps_between(double t0, double until, double dt, bool past_end) {
    double steps = fmin((until - t0) / dt, 2e15); /* carom_sim_create refuses half as many already */
    double slack = steps * 4 * DBL_EPSILON + 1e-9;
    return (long)(past_end ? ceil(steps - slack) : floor(steps + slack));
}

/* ---------------------------------------------------------------- rows */

static size_t row_size(const track *t) {
    return 2 + (size_t)(t->nq + t->nu + (t->keep > 1 ? 2 : 1) * t->np);
}

static void divide_memory(track *t, long rows) {
    t->time = t->memory;
    t->E = t->time + rows;
    t->q = t->E + rows;
    t->u = t->q + rows * t->nq;
    t->P = t->u + rows * t->nu;
    t->last = t->keep > 1 ? t->P + rows * t->np : t->P;
}

static carom_status no_room(const track *t, carom_error *error) {
    char reason[128];
    return carom_error_set(error, CAROM_MEMORY, "no memory for a run with dt = %g, which takes %.2g GB: %s", t->dt,
                           (double)t->bytes * 1e-9, store_reason(errno, reason, sizeof reason));
}

static carom_status map(track *t, int fd, carom_error *error) {
    void *memory =
        mmap(NULL, t->bytes, PROT_READ | PROT_WRITE, fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return no_room(t, error);
    t->memory = memory;
    return CAROM_OK;
}

static carom_status reserve_rows(track *t, long rows, int fd, carom_error *error) {
    if (rows == 0) return CAROM_OK;
    if ((double)rows * (double)row_size(t) * sizeof(double) > 1e15) return carom_error_memory(error);
    t->bytes = (size_t)rows * row_size(t) * sizeof(double);
    if (fd >= 0 && ftruncate(fd, (off_t)t->bytes)) return no_room(t, error);
    carom_status status = map(t, fd, error);
    if (!status) divide_memory(t, rows);
    return status;
}

/* The array was divided for all rows; a run that failed has fewer. */
carom_status track_map(track *t, int fd, carom_error *error) {
    t->memory = NULL;
    if (t->bytes == 0) return CAROM_OK;
    carom_status status = map(t, fd, error);
    if (!status) divide_memory(t, (long)(t->bytes / sizeof(double) / row_size(t)));
    return status;
}

void track_destroy(track *t) {
    if (t->memory) munmap(t->memory, t->bytes);
    *t = (track){0};
}

/* ---------------------------------------------------------------- a run */

typedef struct running {
    const run_job *job;
    track *track;
    carom_scene *scene;
    const carom_model *model;
    carom_run_def run;
    carom_sim *sim;
    monitor monitor;
    long steps;
    double *P; /* percussions since the last row */
    volatile long *done;
} running;

static carom_status open_run(running *r, carom_error *error) {
    const run_job *job = r->job;
    carom_status status = carom_scene_load(job->scene, job->overrides, job->override_count, &r->scene, error);
    if (!status) status = scene_validate_start(r->scene, error);
    if (status) return status;
    r->model = carom_scene_model(r->scene);
    r->run = scheme_run(job->scheme, carom_scene_run(r->scene));
    if (job->dt != 0) r->run.dt = job->dt;
    status = carom_sim_create(r->model, &r->run, &r->sim, error);
    if (!status) status = monitor_create(&r->monitor, r->model, error);
    r->P = calloc((size_t)r->model->ns + 1, sizeof *r->P);
    return status ? status : r->P ? CAROM_OK : carom_error_memory(error);
}

static void close_run(running *r) {
    free(r->P);
    monitor_destroy(&r->monitor);
    carom_sim_destroy(r->sim);
    carom_scene_destroy(r->scene);
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void add_row(running *r) {
    track *t = r->track;
    const carom_sim *sim = r->sim;
    const double *q = carom_sim_q(sim), *u = carom_sim_u(sim);
    long i = t->rows++;
    t->time[i] = carom_sim_time(sim);
    t->E[i] = model_energy(&r->model->def, t->time[i], q, u);
    memcpy(t->q + i * t->nq, q, (size_t)t->nq * sizeof *q);
    memcpy(t->u + i * t->nu, u, (size_t)t->nu * sizeof *u);
    memcpy(t->P + i * t->np, r->P, (size_t)t->np * sizeof *r->P);
    if (t->keep > 1 && i > 0) memcpy(t->last + i * t->np, carom_sim_percussion(sim), (size_t)t->np * sizeof *r->P);
    memset(r->P, 0, (size_t)t->np * sizeof *r->P);
}

static carom_status look(running *r, carom_error *error) {
    track *t = r->track;
    long step = carom_sim_steps(r->sim);
    carom_status status = monitor_see(&r->monitor, r->sim, error);
    if (status) return status;
    int newton = 0;
    for (int k = 0; k < carom_sim_stages(r->sim) && step > 0; k++) newton += carom_sim_newton(r->sim, k);
    t->newton += newton;
    if (newton > t->newton_max) t->newton_max = newton;
    for (int i = 0; i < t->np && step > 0; i++) r->P[i] += carom_sim_percussion(r->sim)[i];
    if (r->job->keep > 0 && step % r->job->keep == 0) add_row(r);
    return CAROM_OK;
}

static carom_status step_through(running *r, carom_error *error) {
    track *t = r->track;
    double before = processor_seconds();
    carom_status status = look(r, error);
    while (!status && carom_sim_steps(r->sim) < r->steps) {
        status = carom_sim_step(r->sim, error);
        if (!status) status = look(r, error);
        if (r->done) ++*r->done;
    }
    t->seconds = processor_seconds() - before;
    t->steps = carom_sim_steps(r->sim);
    t->t = carom_sim_time(r->sim);
    t->divided = carom_sim_substeps(r->sim);
    t->hash = carom_sim_hash(r->sim);
    t->seen = r->monitor.seen;
    return status;
}

/* Takes the same steps again without looking at them, for the time. */
static carom_status time_steps(running *r, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < r->job->timings && !status; i++) {
        carom_sim *sim;
        if ((status = carom_sim_create(r->model, &r->run, &sim, error))) return status;
        double before = processor_seconds();
        while (!status && carom_sim_steps(sim) < r->steps) {
            status = carom_sim_step(sim, error);
            if (r->done) ++*r->done;
        }
        r->track->seconds = fmin(r->track->seconds, processor_seconds() - before);
        carom_sim_destroy(sim);
    }
    return status;
}

static carom_status execute(running *r, int fd, carom_error *error) {
    track *t = r->track;
    carom_status status = open_run(r, error);
    if (status) return status;
    const carom_model_def *d = &r->model->def;
    t->nq = d->nq, t->nu = d->nu, t->np = r->model->ns;
    t->t0 = t->t = d->t0;
    t->dt = r->run.dt;
    t->keep = r->job->keep;
    r->steps = steps_between(d->t0, r->run.until, r->run.dt, r->job->past_end);
    if (r->steps < 1)
        return carom_error_set(error, CAROM_DATA, "a step of dt = %g does not fit before the end, t = %g", r->run.dt,
                               r->run.until);
    status = reserve_rows(t, r->job->keep > 0 ? r->steps / r->job->keep + 1 : 0, fd, error);
    if (!status) status = step_through(r, error);
    return status ? status : time_steps(r, error);
}

void track_run(const run_job *job, int fd, volatile long *done, track *result) {
    running r = {.job = job, .track = result, .done = done};
    *result = (track){0};
    result->status = execute(&r, fd, &result->error);
    close_run(&r);
}
