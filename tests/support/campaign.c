#include "campaign.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool campaign_loud;

void campaign_violation(campaign_case *c, const char *format, ...) {
    size_t used = strlen(c->note);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->note + used, sizeof c->note - used, format, arguments);
    va_end(arguments);
    used = strlen(c->note);
    snprintf(c->note + used, sizeof c->note - used, "; ");
    c->violations++;
}

double campaign_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

double campaign_between(uint64_t *state, double least, double most) {
    return least + (most - least) * campaign_random(state);
}

/* Processor time, so that other programs do not count. */
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void judge_one(const campaign *c, uint64_t number, campaign_case *one) {
    double start = seconds();
    c->judge(number, one);
    one->seconds = seconds() - start;
    one->done = true;
}

void campaign_bear(int patience) {
    const struct itimerval limit = {.it_value.tv_sec = patience};
    if (setitimer(ITIMER_PROF, &limit, NULL)) abort();
    alarm(10 * (unsigned)patience);
}

static void begin(const campaign *c, uint64_t number, campaign_case *one, pid_t *child) {
    *child = fork();
    if (*child != 0) return;
    campaign_bear(c->patience);
    judge_one(c, number, one);
    fflush(stdout);
    _exit(0);
}

bool campaign_is_stuck(int status) {
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM);
}

static void end(const campaign *c, campaign_case *one, int status) {
    if (campaign_is_stuck(status)) campaign_violation(one, "stuck for %d s", c->patience);
    else if (WIFSIGNALED(status)) campaign_violation(one, "crashed with signal %d", WTERMSIG(status));
    else if (!one->done) campaign_violation(one, "ended with code %d", WEXITSTATUS(status));
}

static campaign_case *judge_all(const campaign *c, uint64_t first, int count, int jobs) {
    int protection = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_ANONYMOUS, started = 0, running = 0, ended = 0;
    campaign_case *all = mmap(NULL, ((size_t)count + 1) * sizeof *all, protection, flags, -1, 0);
    pid_t *child = calloc((size_t)count + 1, sizeof *child);
    if (all == MAP_FAILED || !child) abort();
    fflush(stdout);
    while (ended < count) {
        if (started < count && running < jobs) {
            begin(c, first + (uint64_t)started, &all[started], &child[started]);
            started++, running++;
            continue;
        }
        int status;
        pid_t pid = wait(&status);
        for (int i = 0; i < started; i++)
            if (child[i] == pid) end(c, &all[i], status);
        running--, ended++;
    }
    free(child);
    return all;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double time_of(const campaign_case *one) {
    return one->size > 0 ? one->seconds / one->size : one->seconds;
}

/* kind -1: of all; 0 where there are none. */
static double median_time(const campaign_case *all, int count, int kind) {
    double *time = calloc((size_t)count + 1, sizeof *time);
    int n = 0;
    if (!time) abort();
    for (int i = 0; i < count; i++)
        if (kind < 0) time[n++] = all[i].seconds;
        else if (all[i].kind == kind) time[n++] = time_of(&all[i]);
    qsort(time, (size_t)n, sizeof *time, by_size);
    double median = time[n / 2];
    free(time);
    return median;
}

static int report(const campaign *c, campaign_case *all, uint64_t first, int count) {
    double median[CAMPAIGN_KINDS], slowest = 0;
    int violations = 0;
    for (int k = 0; k < CAMPAIGN_KINDS; k++) median[k] = median_time(all, count, k);
    for (int i = 0; i < count; i++) {
        campaign_case *one = &all[i];
        if (one->seconds > slowest) slowest = one->seconds;
        double times = time_of(one) / median[one->kind];
        if (c->slowest > 0 && one->seconds > 0.1 && times > c->slowest)
            campaign_violation(one, "lasted %.2f s, %.0f times the median of its kind", one->seconds, times);
        violations += one->violations > 0;
        if (one->note[0]) printf("%6llu: %s\n", (unsigned long long)first + (unsigned long long)i, one->note);
    }
    for (int k = 0; k < CAMPAIGN_COUNTS && c->count[k]; k++) {
        long sum = 0;
        for (int i = 0; i < count; i++) sum += all[i].count[k];
        printf("%8ld  %s\n", sum, c->count[k]);
    }
    printf("seconds of a case: median %.3f, most %.3f\n", median_time(all, count, -1), slowest);
    printf("%d %s, %d with violations\n", count, c->cases, violations);
    return violations > 0;
}

int campaign_main(const campaign *c, int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    if (argc == 2) {
        campaign_case one = {0};
        campaign_loud = true;
        judge_one(c, first, &one);
        return report(c, &one, first, 1);
    }
    int count = argc > 2 ? atoi(argv[2]) : c->few, jobs = argc > 3 ? atoi(argv[3]) : 1;
    return report(c, judge_all(c, first, count, jobs), first, count);
}
