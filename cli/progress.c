#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double PERIOD = 0.2; /* seconds between two lines */

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(progress *p, double first, bool quiet) {
    double now = seconds_now();
    *p = (progress){!quiet && isatty(STDERR_FILENO), now, now + PERIOD, first};
}

/* "1:02:03", "2:03" or "3 s". */
static void print_duration(char *text, size_t size, double seconds) {
    long s = seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000;
    if (s >= 3600) snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else if (s >= 60) snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
    else snprintf(text, size, "%ld s", s);
}

bool progress_due(const progress *p) {
    return p->shown && seconds_now() >= p->next;
}

void progress_show(progress *p, double done, double total, const char *where) {
    double now = seconds_now(), rate = (done - p->first) / (now - p->started);
    p->next = now + PERIOD;
    char left[40];
    print_duration(left, sizeof left, rate > 0 ? (total - done) / rate : 1e9);
    /* one write, erasing only what follows it: nothing flickers */
    fprintf(stderr, "\r%3.0f %%   %s %9.0f steps/s   %s left\033[K", total > 0 ? 100 * done / total : 100, where, rate,
            left);
    fflush(stderr);
}

void progress_clear(const progress *p) {
    if (p->shown) fputs("\r\033[K", stderr);
}
