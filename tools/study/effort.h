/* Work and precision: how much processor time an error costs. */
#ifndef CAROM_EFFORT_H
#define CAROM_EFFORT_H

#include <stdbool.h>

typedef struct effort {
    double seconds;    /* NaN: these runs do not tell */
    bool extrapolated; /* beyond the runs that were made */
} effort;

/* The time it takes to get an error no larger than wanted, from runs with ever smaller steps: straight lines between
 * them, both axes being logarithms; beyond them, from the run next to it with the mean slope of the four runs there.
 * Runs whose error or time is not a positive number do not count. */
effort effort_for(double wanted, const double *errors, const double *seconds, int count);

#endif
