/* A line about how far the steps of one or many runs are, on a terminal only. */
#ifndef CAROM_PROGRESS_H
#define CAROM_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
    bool shown;
    double started, next; /* seconds */
    double first;         /* steps done before */
} progress;

double seconds_now(void);
void progress_start(progress *p, double first, bool quiet);
/* Is it time for another line? */
bool progress_due(const progress *p);
/* steps done of total; where: "t = 0.5" */
void progress_show(progress *p, double done, double total, const char *where);
void progress_clear(const progress *p);

#endif
