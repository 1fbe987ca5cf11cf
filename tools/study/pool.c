#include "study/pool.h"

#include "error.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct child {
    pid_t pid;
    int job, alive; /* alive: a pipe that the end of the child closes */
} child;

typedef struct crew {
    const pool *pool;
    child *children;    /* [workers] */
    struct pollfd *end; /* [workers] */
    int running, begun;
} crew;

int pool_processors(void) {
    cpu_set_t processors;
    int count = sched_getaffinity(0, sizeof processors, &processors) ? 1 : CPU_COUNT(&processors);
    return count > 0 ? count : 1;
}

/* ---------------------------------------------------------------- one child */

/* A child ends with its parent. */
static void live(const pool *p, int job, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, p->stop);
    if (getppid() != parent) _exit(1);
    p->work(p->context, job);
    _exit(0);
}

static carom_status begin(crew *c, carom_error *error) {
    const pool *p = c->pool;
    int ends[2] = {-1, -1};
    carom_status status = p->begin(p->context, c->begun, error);
    if (status) return status;
    pid_t parent = getpid(), pid = pipe(ends) == 0 ? fork() : -1;
    if (pid == 0) live(p, c->begun, parent);
    const int reason = errno;
    if (ends[1] >= 0) close(ends[1]);
    c->children[c->running] = (child){pid, c->begun++, ends[0]};
    if (pid > 0) {
        c->running++;
        return CAROM_OK;
    }
    if (ends[0] >= 0) close(ends[0]);
    return carom_error_set(error, CAROM_FAILED, "no process can be started: %s", strerror(reason));
}

static void reap(crew *c, int i) {
    const child one = c->children[i];
    int status = 0;
    while (waitpid(one.pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(one.alive);
    c->children[i] = c->children[--c->running];
    c->pool->end(c->pool->context, one.job, status);
}

/* ---------------------------------------------------------------- all of them */

static void wait_for_some(crew *c) {
    for (int i = 0; i < c->running; i++) c->end[i] = (struct pollfd){.fd = c->children[i].alive, .events = POLLIN};
    if (poll(c->end, (nfds_t)c->running, c->pool->period) <= 0) return;
    for (int i = c->running - 1; i >= 0; i--)
        if (c->end[i].revents) reap(c, i);
}

static carom_status supervise(crew *c, carom_error *error) {
    const pool *p = c->pool;
    carom_status status = CAROM_OK;
    while (!status && (c->running > 0 || c->begun < p->count)) {
        while (!status && c->running < p->workers && c->begun < p->count) status = begin(c, error);
        if (!status) wait_for_some(c);
        if (!status && !p->watch(p->context)) status = carom_error_set(error, CAROM_FAILED, "interrupted");
    }
    for (int i = 0; i < c->running; i++) kill(c->children[i].pid, p->stop);
    while (c->running > 0) reap(c, c->running - 1);
    return status;
}

carom_status pool_run(const pool *p, carom_error *error) {
    crew c = {.pool = p};
    c.children = calloc((size_t)p->workers + 1, sizeof *c.children);
    c.end = calloc((size_t)p->workers + 1, sizeof *c.end);
    carom_status status = c.children && c.end ? supervise(&c, error) : carom_error_memory(error);
    free(c.children);
    free(c.end);
    return status;
}
