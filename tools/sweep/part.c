#include "sweep/part.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "result/csv.h"
#include "study/pool.h"
#include "sweep/columns.h"
#include "sweep/trial.h"

/* What the processes share. Runs are begun and written in their order. While one run takes long, others may go ahead as
 * far as there are slots. */
typedef struct shared {
    long next, written;
    long at[]; /* [workers] the run that each is at; -1: none */
} shared;

typedef struct slot {
    bool done;
    outcome outcome;
} slot;

typedef struct crew {
    const sweep_question *q;
    sweep_task task;
    const char *path;
    sweep_columns columns;
    long runs; /* of the task */
    long slots;
    size_t slot_size;
    shared *shared;
    char *memory; /* [slots] */
    trial *trial;
    result_writer *writer;
    FILE *reasons;
    double *row;
    sweep_progress progress;
    sweep_watch watch;
    void *context;
    carom_error error; /* of writing */
} crew;

char *part_path(const char *out, sweep_task task) {
    char *path = NULL;
    const int written =
        task.of > 1 ? asprintf(&path, "%s.part%dof%d", out, task.number + 1, task.of) : asprintf(&path, "%s.part", out);
    return written < 0 ? NULL : path;
}

static slot *slot_of(const crew *c, long k) {
    return (slot *)(c->memory + (size_t)(k % c->slots) * c->slot_size);
}

static long run_of(const crew *c, long k) {
    return c->task.number + k * c->task.of;
}

/* ---------------------------------------------------------------- a process */

static carom_status begin(void *self, int job, carom_error *error) {
    (void)error;
    ((crew *)self)->shared->at[job] = -1;
    return CAROM_OK;
}

static void work(void *self, int job) {
    crew *c = self;
    shared *s = c->shared;
    for (long k; (k = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < c->runs;) {
        while (k >= __atomic_load_n(&s->written, __ATOMIC_ACQUIRE) + c->slots) usleep(1000);
        s->at[job] = k;
        trial_run(c->trial, run_of(c, k), &slot_of(c, k)->outcome);
        __atomic_store_n(&slot_of(c, k)->done, true, __ATOMIC_RELEASE);
        s->at[job] = -1;
    }
}

/* If a run ends its process, it has failed; the other runs go on. */
static void end(void *self, int job, int status) {
    crew *c = self;
    const long k = c->shared->at[job];
    if (k < 0 || slot_of(c, k)->done) return;
    outcome *o = &slot_of(c, k)->outcome;
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    *o = (outcome){.failed = true};
    for (size_t i = 0; i < outcome_numbers(c->q); i++) o->number[i] = NAN;
    snprintf(o->reason, sizeof o->reason, "its process was ended by signal %d (%s)", number,
             number ? strsignal(number) : "none");
    slot_of(c, k)->done = true;
}

/* ---------------------------------------------------------------- what is written */

static carom_status write_points(crew *c, long run, const outcome *o, carom_error *error) {
    const int axes = c->q->plan->axes, size = 1 + c->q->kept;
    const double *point = o->number + c->q->kept + c->q->exponents;
    carom_status status = CAROM_OK;
    c->row[0] = (double)run;
    memcpy(c->row + 1, c->q->plan->value + run * axes, (size_t)axes * sizeof *c->row);
    for (int i = 0; i < o->points && !status; i++, point += size) {
        memcpy(c->row + 1 + axes, point, (size_t)size * sizeof *c->row);
        status = result_append_event(c->writer, c->row, error);
    }
    return status;
}

static void write_row(crew *c, long run, const outcome *o) {
    const int axes = c->q->plan->axes, kept = c->q->kept;
    double *to = c->row;
    *to++ = (double)run;
    memcpy(to, c->q->plan->value + run * axes, (size_t)axes * sizeof *to), to += axes;
    memcpy(to, o->number, (size_t)kept * sizeof *to), to += kept;
    *to++ = (double)o->events;
    memcpy(to, o->number + kept, (size_t)c->q->exponents * sizeof *to), to += c->q->exponents;
    *to = o->failed;
}

static void write_reason(crew *c, long run, const outcome *o) {
    fprintf(c->reasons, "%ld,", run);
    csv_text(c->reasons, o->reason);
    fputc('\n', c->reasons);
    fflush(c->reasons);
}

static carom_status write_one(crew *c, long k) {
    const outcome *o = &slot_of(c, k)->outcome;
    const long run = run_of(c, k);
    carom_status status = write_points(c, run, o, &c->error);
    write_row(c, run, o);
    if (!status) status = result_append(c->writer, c->row, NULL, k + 1, &c->error);
    if (o->failed) c->progress.failed++, write_reason(c, run, o);
    slot_of(c, k)->done = false;
    return status;
}

static carom_status write_done(crew *c) {
    shared *s = c->shared;
    carom_status status = CAROM_OK;
    while (!status && s->written < c->runs && __atomic_load_n(&slot_of(c, s->written)->done, __ATOMIC_ACQUIRE)) {
        status = write_one(c, s->written);
        __atomic_store_n(&s->written, s->written + 1, __ATOMIC_RELEASE);
    }
    c->progress.done = s->written;
    return status;
}

/* The processes are started before the file is opened: its writer is a thread, which they would not have. */
static carom_status open_writer(crew *c) {
    const sweep_columns *f = &c->columns;
    long step = 0;
    bool finished = false;
    if (c->shared->written == 0)
        return result_create(c->path, &f->info, f->rows, f->row, f->row_unit, 0, &c->writer, &c->error);
    carom_status status =
        result_resume(c->path, &f->info, f->rows, f->row, 0, &c->writer, NULL, &step, &finished, &c->error);
    if (!status && !finished && step != c->shared->written)
        status = carom_error_set(&c->error, CAROM_FAILED, "%s changes while it is read", c->path);
    return status;
}

static bool watch(void *self) {
    crew *c = self;
    carom_status status = c->writer ? CAROM_OK : open_writer(c);
    if (!status) status = write_done(c);
    return !status && c->watch(c->context, &c->progress);
}

/* ---------------------------------------------------------------- all of them */

/* Replaces processes that have died, as long as there are runs. */
static carom_status compute(crew *c, int workers, carom_error *error) {
    const pool p = {.count = workers,
                    .workers = workers,
                    .stop = SIGKILL,
                    .period = 20,
                    .context = c,
                    .begin = begin,
                    .work = work,
                    .end = end,
                    .watch = watch};
    carom_status status = CAROM_OK;
    while (!status && c->shared->written < c->runs) status = pool_run(&p, error);
    if (!status && !c->writer) open_writer(c); /* nothing was left to compute */
    if (c->error.status) *error = c->error, status = c->error.status;
    return status;
}

/* Reads how many rows an earlier command has written, and how many of them had failed. The file must be missing or
 * belong to the same sweep. */
static carom_status look_back(crew *c, long *rows, bool *finished, carom_error *error) {
    struct stat there;
    result_reader *r;
    *rows = 0, *finished = false;
    if (stat(c->path, &there)) return CAROM_OK;
    carom_status status = result_open(c->path, &r, error);
    if (status) return status;
    const char *scene = result_text(r, "scene"), *ended = result_text(r, "status");
    *finished = ended && !strcmp(ended, "finished");
    const long count = result_rows(r);
    const int failed = result_find(r, "failed");
    double *values = malloc(((size_t)count + 1) * sizeof *values);
    if (!scene || strcmp(scene, c->columns.scene) != 0 || failed < 0)
        status = carom_error_set(error, CAROM_DATA, "%s belongs to another sweep: remove it, or choose another --out",
                                 c->path);
    else status = values ? result_read(r, failed, 0, count, values, error) : carom_error_memory(error);
    for (long i = 0; i < count && !status; i++) c->progress.failed += values[i] != 0;
    free(values);
    result_close(r);
    *rows = count;
    return status;
}

static carom_status share(crew *c, int workers, long done, carom_error *error) {
    const size_t head = (sizeof(shared) + (size_t)workers * sizeof(long) + 63) / 64 * 64, most = (size_t)256 << 20;
    c->slot_size = (sizeof(slot) + outcome_numbers(c->q) * sizeof(double) + 63) / 64 * 64;
    c->slots = (long)(most / c->slot_size);
    if (c->slots > c->runs) c->slots = c->runs;
    if (c->slots < 2 * workers) c->slots = 2 * workers;
    void *memory = mmap(NULL, head + (size_t)c->slots * c->slot_size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return carom_error_memory(error);
    c->shared = memory, c->memory = (char *)memory + head;
    c->shared->next = c->shared->written = done;
    c->progress.first = c->progress.done = done;
    return CAROM_OK;
}

static void unshare(crew *c, int workers) {
    const size_t head = (sizeof(shared) + (size_t)workers * sizeof(long) + 63) / 64 * 64;
    if (c->shared) munmap(c->shared, head + (size_t)c->slots * c->slot_size);
}

static carom_status open_reasons(crew *c, carom_error *error) {
    char *path = NULL;
    if (asprintf(&path, "%s.failed", c->path) < 0) return carom_error_memory(error);
    c->reasons = fopen(path, c->shared->written ? "a" : "w");
    if (!c->reasons) carom_error_set(error, CAROM_DATA, "%s: %s", path, strerror(errno));
    free(path);
    return c->reasons ? CAROM_OK : CAROM_DATA;
}

static carom_status finish(crew *c, carom_status status, carom_error *error) {
    if (!c->writer) return status;
    const result_summary summary = {.status = status ? "interrupted" : "finished"};
    carom_status closed = result_finish(c->writer, &summary, status ? NULL : error);
    return status ? status : closed;
}

carom_status part_compute(const sweep_question *q, sweep_task task, const char *path, int workers, sweep_watch watching,
                          void *context, carom_error *error) {
    crew c = {.q = q, .task = task, .path = path, .watch = watching, .context = context};
    long done = 0;
    bool finished = false;
    c.runs = (q->plan->runs - task.number + task.of - 1) / task.of;
    c.progress.total = c.runs;
    if (workers == 0) workers = pool_processors();
    if (workers > c.runs) workers = c.runs > 0 ? (int)c.runs : 1;
    carom_status status = sweep_columns_create(&c.columns, q, false, error);
    c.row = malloc(((size_t)c.columns.rows + (size_t)c.columns.points + 1) * sizeof *c.row);
    if (!status && !c.row) status = carom_error_memory(error);
    if (!status) status = look_back(&c, &done, &finished, error);
    if (!status && !finished) status = trial_create(q, &c.trial, error);
    if (!status && !finished) status = share(&c, workers, done, error);
    if (!status && !finished) status = open_reasons(&c, error);
    if (!status && !finished) status = finish(&c, compute(&c, workers, error), error);
    if (c.reasons) fclose(c.reasons);
    unshare(&c, workers);
    trial_destroy(c.trial);
    free(c.row);
    sweep_columns_destroy(&c.columns);
    return status;
}
