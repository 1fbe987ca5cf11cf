/* What benchmarks of growing problems share: the clock, the memory of a process, and a process for each size. */
#ifndef CAROM_BENCH_ALONE_H
#define CAROM_BENCH_ALONE_H

#include "carom/carom.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double most_memory(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return 1024.0 * (double)use.ru_maxrss;
}

static inline _Noreturn void fail(const carom_error *error) {
    char text[1100];
    fprintf(stderr, "%s\n", carom_error_text(error, text, sizeof text));
    _exit(1);
}

/* measure(of, result) in a process of its own, for the memory; false: it did not come to its end. */
static inline bool measure_alone(void (*measure)(const void *of, void *result), const void *of, void *result,
                                 size_t size) {
    int ends[2], status;
    if (pipe(ends)) return false;
    const pid_t child = fork();
    if (child == 0) {
        measure(of, result);
        _exit(write(ends[1], result, size) != (ssize_t)size);
    }
    close(ends[1]);
    const bool done = child > 0 && read(ends[0], result, size) == (ssize_t)size;
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child && done;
}

/* The exponent p of n^p. */
static inline double growth(double before, double now, int fewer, int more) {
    return log(now / before) / log((double)more / fewer);
}

#endif
