#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double PERIOD = 0.2; /* seconds between two lines */

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool terminal_shown(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
}

/* Writes the line at once and erases only what follows it, so that nothing flickers. A line that wraps could not be
 * overwritten. */
void terminal_line(const char *format, ...) {
    char line[256];
    struct winsize window = {0};
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    bool narrow = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    fprintf(stderr, "\r%.*s\033[K", narrow ? window.ws_col - 1 : (int)sizeof line, line);
    fflush(stderr);
}

void terminal_clear(void) {
    fputs("\r\033[K", stderr);
}

void progress_start(progress *p, double first, bool quiet) {
    double now = seconds_now();
    *p = (progress){!quiet && terminal_shown(), now, now + PERIOD, first};
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

void progress_show(progress *p, double done, double total, const char *where, const char *what) {
    double now = seconds_now(), rate = (done - p->first) / (now - p->started);
    p->next = now + PERIOD;
    char left[40];
    print_duration(left, sizeof left, rate > 0 ? (total - done) / rate : 1e9);
    terminal_line("%3.0f %%   %s %9.*f %s/s   %s left", total > 0 ? 100 * done / total : 100, where, rate < 10 ? 1 : 0,
                  rate, what, left);
}

void progress_clear(const progress *p) {
    if (p->shown) terminal_clear();
}
