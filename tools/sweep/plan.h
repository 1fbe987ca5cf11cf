/* Which runs a sweep has: what is varied, and the values in every run. */
#ifndef CAROM_PLAN_H
#define CAROM_PLAN_H

#include "derivative/named.h"

/* A parameter, or a component of the start. */
typedef struct sweep_axis {
    char *name;     /* "e", "start.z" */
    double *values; /* [count] of a grid or a list */
    int count;
    double from, to; /* ends of the range of random values */
    bool range;      /* FIRST..LAST */
} sweep_axis;

typedef struct sweep_plan {
    sweep_axis *axis;
    named *names; /* [axes] */
    int axes;
    long runs;
    double *value; /* [runs][axes] */
} sweep_plan;

/* Reads axes as they are typed: "e=0.1..0.9/200", "e=0.1,0.5", and with random > 0 "e=0.1..0.9". A grid has all
 * combinations; the last axis changes first. random: this many runs of a Latin hypercube, which the seed determines.
 * The caller frees plan, also after a failure. */
carom_status plan_create(const carom_model *model, const char *const *texts, int count, long random,
                         unsigned long long seed, sweep_plan *plan, carom_error *error);
void plan_destroy(sweep_plan *plan);

#endif
