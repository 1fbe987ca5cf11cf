/* Shows on a terminal how far the steps of one or many runs are. */
#ifndef CAROM_PROGRESS_H
#define CAROM_PROGRESS_H

#include <stdbool.h>

/* Whether standard error is a terminal that can write over a line. */
bool terminal_shown(void);
/* Overwrites the line before. No longer than the terminal is wide. */
void terminal_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void terminal_clear(void);

typedef struct progress {
    bool shown;
    double started, next; /* seconds */
    double first;         /* steps done before */
} progress;

double seconds_now(void);
void progress_start(progress *p, double first, bool quiet);
/* Whether it is time for another line. */
bool progress_due(const progress *p);
/* steps done of total; where: "t = 0.5"; what they are: "steps" */
void progress_show(progress *p, double done, double total, const char *where, const char *what);
void progress_clear(const progress *p);

#endif
