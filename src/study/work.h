/* Work and precision: how much processor time an error costs. */
#ifndef CAROM_WORK_H
#define CAROM_WORK_H

#include <stdbool.h>

typedef struct work {
    double seconds;    /* NaN: more steps do not lead to this error, as far as is known */
    bool extrapolated; /* beyond the runs that were made */
} work;

/* The time it takes to get an error no larger than wanted, from runs with ever smaller steps: straight lines between
 * them, both axes being logarithms; beyond them, the line of the two runs next to it. Runs whose error or time is not
 * a positive number do not count. */
work work_for(double wanted, const double *errors, const double *seconds, int count);

#endif
