/* The largest or the least value of a formula over a run, where it turns within a step, and its derivatives by the
 * envelope theorem (docs/theory/sensitivity.md, (SE25)). */
#ifndef CAROM_EXTREME_H
#define CAROM_EXTREME_H

#include "derivative/objective.h"

/* A new run at its start, with its parameters and derivatives. */
typedef carom_status extreme_start(void *context, bool derivatives, carom_sim **sim, carom_error *error);

typedef struct extreme_question {
    extreme_start *start;
    void *context;
    objective *of;
    double sign;      /* 1: the largest value, -1: the least */
    const char *text; /* "max(x)", for messages */
    const char *const *by;
    double dt;
} extreme_question;

/* by: NULL, or room for its derivatives. CAROM_FAILED: there are none, and error says why. */
carom_status extreme_find(const extreme_question *q, double *value, double *by, carom_error *error);

#endif
