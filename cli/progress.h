/* A line about how far a run is, on a terminal only. */
#ifndef CAROM_PROGRESS_H
#define CAROM_PROGRESS_H

#include "carom/carom.h"

typedef struct progress {
    bool shown;
    double started, next; /* seconds */
    long first;           /* step at which this part of the run began */
} progress;

double seconds_now(void);
void progress_start(progress *p, const carom_sim *sim, bool quiet);
void progress_show(progress *p, const carom_sim *sim);
void progress_clear(const progress *p);

#endif
