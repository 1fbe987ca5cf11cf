#include "study/runs.h"

#include "error.h"
#include "study/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child shares with this process: a track without its rows. The rows have a file in memory. */
typedef struct shared {
    track track;
    volatile long done;
    bool complete;
} shared;

typedef struct crew {
    const run_job *jobs;
    track *tracks;
    shared *shared; /* [count] */
    int *rows;      /* [count] files in memory; -1: none */
    int begun, finished;
    runs_watch watch;
    void *context;
} crew;

static carom_status begin(void *self, int job, carom_error *error) {
    crew *c = self;
    c->begun = job + 1;
    c->rows[job] = memfd_create("carom", MFD_CLOEXEC);
    if (c->rows[job] >= 0) return CAROM_OK;
    return carom_error_set(error, CAROM_FAILED, "a run has no memory for its rows: %s", strerror(errno));
}

/* Signals have their default effect on a child: it has nothing to save. */
static void work(void *self, int job) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    crew *c = self;
    shared *s = &c->shared[job];
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    track_run(&c->jobs[job], c->rows[job], &s->done, &s->track);
    s->complete = true;
}

static void end(void *self, int job, int status) {
    crew *c = self;
    shared *s = &c->shared[job];
    track *t = &c->tracks[job];
    *t = s->track;
    if (!s->complete) {
        *t = (track){0};
        t->status = carom_error_set(&t->error, CAROM_FAILED, "the run was ended by signal %d (%s)",
                                    WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                                    WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "none");
    } else if (track_map(t, c->rows[job], &t->error)) {
        *t = (track){.status = CAROM_MEMORY, .error = t->error};
    }
    close(c->rows[job]);
    c->rows[job] = -1;
    c->finished++;
}

static bool watch_all(void *self) {
    crew *c = self;
    runs_progress progress = {.finished = c->finished};
    for (int i = 0; i < c->begun; i++) progress.steps += c->shared[i].done;
    return !c->watch || c->watch(c->context, &progress);
}

carom_status runs_execute(const run_job *jobs, int count, int workers, runs_watch watch, void *context, track *tracks,
                          carom_error *error) {
    crew c = {.jobs = jobs, .tracks = tracks, .watch = watch, .context = context};
    memset(tracks, 0, (size_t)count * sizeof *tracks);
    if (count == 0) return CAROM_OK;
    for (int i = 0; i < count; i++)
        tracks[i].status = carom_error_set(&tracks[i].error, CAROM_FAILED, "the run was not begun");
    const pool p = {.count = count,
                    .workers = workers > 0 ? workers : pool_processors(),
                    .stop = SIGKILL,
                    .period = 200,
                    .context = &c,
                    .begin = begin,
                    .work = work,
                    .end = end,
                    .watch = watch_all};
    size_t bytes = (size_t)count * sizeof *c.shared;
    c.shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    c.rows = malloc((size_t)count * sizeof *c.rows);
    for (int i = 0; c.rows && i < count; i++) c.rows[i] = -1;
    carom_status status = c.shared != MAP_FAILED && c.rows ? pool_run(&p, error) : carom_error_memory(error);
    for (int i = 0; c.rows && i < count; i++)
        if (c.rows[i] >= 0) close(c.rows[i]);
    if (c.shared != MAP_FAILED) munmap(c.shared, bytes);
    free(c.rows);
    return status;
}
