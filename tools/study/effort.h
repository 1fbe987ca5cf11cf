/* Work and precision: how much processor time an error costs. */
#ifndef CAROM_EFFORT_H
#define CAROM_EFFORT_H

#include <stdbool.h>

typedef struct effort {
    double seconds;    /* NaN: these runs cannot tell */
    bool extrapolated; /* beyond the runs that were made: extrapolated */
} effort;

/* The time for an error no larger than wanted, from runs with ever smaller steps, by straight lines between them on
 * logarithmic axes. Beyond them, from the nearest run with the mean slope of the four runs there. Runs whose error or
 * time is not positive do not count. */
effort effort_for(double wanted, const double *errors, const double *seconds, int count);

#endif
