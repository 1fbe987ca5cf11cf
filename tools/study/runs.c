#include "study/runs.h"

#include "error.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const int PERIOD = 200; /* milliseconds between two looks at the progress */

/* What a child and this process both see: everything of a track but its rows, which have a file in memory. */
typedef struct shared {
    track track;
    volatile long done;
    bool complete;
} shared;

typedef struct child {
    pid_t pid;
    int job, rows, end; /* files: of the rows; closed by the end of the child */
} child;

typedef struct crew {
    const run_job *jobs;
    track *tracks;
    shared *shared; /* [count] */
    child *children;
    int count, workers, running, begun, finished;
    runs_watch watch;
    void *context;
} crew;

int runs_workers(void) {
    cpu_set_t processors;
    int count = sched_getaffinity(0, sizeof processors, &processors) ? 1 : CPU_COUNT(&processors);
    return count > 0 ? count : 1;
}

/* ---------------------------------------------------------------- one child */

/* Signals do to a child what they do by default: it has nothing to save. It does not outlive its parent. */
static void work(const run_job *job, int rows, shared *s, pid_t parent) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    track_run(job, rows, &s->done, &s->track);
    s->complete = true;
    _exit(0);
}

static carom_status begin(crew *c, carom_error *error) {
    int job = c->begun, ends[2] = {-1, -1}, rows = memfd_create("carom", MFD_CLOEXEC);
    pid_t parent = getpid(), pid = -1;
    if (rows >= 0 && pipe(ends) == 0) pid = fork();
    if (pid == 0) work(&c->jobs[job], rows, &c->shared[job], parent);
    int reason = errno;
    if (ends[1] >= 0) close(ends[1]);
    if (pid < 0) {
        if (ends[0] >= 0) close(ends[0]);
        if (rows >= 0) close(rows);
        return carom_error_set(error, CAROM_FAILED, "a process could not be started: %s", strerror(reason));
    }
    c->children[c->running++] = (child){pid, job, rows, ends[0]};
    c->begun++;
    return CAROM_OK;
}

static void reap(crew *c, int i) {
    child *one = &c->children[i];
    shared *s = &c->shared[one->job];
    track *t = &c->tracks[one->job];
    int status = 0;
    while (waitpid(one->pid, &status, 0) < 0 && errno == EINTR) {
    }
    *t = s->track;
    if (!s->complete) {
        *t = (track){0};
        t->status = carom_error_set(&t->error, CAROM_FAILED, "the run was ended by signal %d (%s)",
                                    WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                                    WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "none");
    } else if (track_map(t, one->rows, &t->error)) {
        *t = (track){.status = CAROM_MEMORY, .error = t->error};
    }
    close(one->rows);
    close(one->end);
    *one = c->children[--c->running];
    c->finished++;
}

/* ---------------------------------------------------------------- all of them */

static void wait_for_some(crew *c, struct pollfd *ends) {
    for (int i = 0; i < c->running; i++) ends[i] = (struct pollfd){.fd = c->children[i].end, .events = POLLIN};
    if (poll(ends, (nfds_t)c->running, PERIOD) <= 0) return;
    for (int i = c->running - 1; i >= 0; i--)
        if (ends[i].revents) reap(c, i);
}

static bool go_on(const crew *c) {
    runs_progress progress = {.finished = c->finished};
    for (int i = 0; i < c->begun; i++) progress.steps += c->shared[i].done;
    return !c->watch || c->watch(c->context, &progress);
}

static void give_up(crew *c) {
    for (int i = 0; i < c->running; i++) kill(c->children[i].pid, SIGKILL);
    while (c->running > 0) reap(c, c->running - 1);
    for (int i = c->begun; i < c->count; i++)
        c->tracks[i].status = carom_error_set(&c->tracks[i].error, CAROM_FAILED, "the run was not begun");
}

static carom_status supervise(crew *c, struct pollfd *ends, carom_error *error) {
    carom_status status = CAROM_OK;
    while (!status && c->finished < c->count) {
        while (!status && c->running < c->workers && c->begun < c->count) status = begin(c, error);
        if (!status) wait_for_some(c, ends);
        if (!status && !go_on(c)) status = carom_error_set(error, CAROM_FAILED, "interrupted");
    }
    if (status) give_up(c);
    return status;
}

carom_status runs_execute(const run_job *jobs, int count, int workers, runs_watch watch, void *context, track *tracks,
                          carom_error *error) {
    crew c = {.jobs = jobs, .tracks = tracks, .count = count, .watch = watch, .context = context};
    memset(tracks, 0, (size_t)count * sizeof *tracks);
    if (count == 0) return CAROM_OK;
    c.workers = workers > 0 ? workers : runs_workers();
    if (c.workers > count) c.workers = count;
    size_t bytes = (size_t)count * sizeof *c.shared;
    c.shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    c.children = calloc((size_t)c.workers, sizeof *c.children);
    struct pollfd *ends = calloc((size_t)c.workers, sizeof *ends);
    bool room = c.shared != MAP_FAILED && c.children && ends;
    carom_status status = room ? supervise(&c, ends, error) : carom_error_memory(error);
    if (c.shared != MAP_FAILED) munmap(c.shared, bytes);
    free(c.children);
    free(ends);
    return status;
}
