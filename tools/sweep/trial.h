/* Runs of a sweep, one after the other in one simulation: values are set, it starts again, and nothing is built anew.
 */
#ifndef CAROM_TRIAL_H
#define CAROM_TRIAL_H

#include "sweep/sweep.h"

typedef struct trial trial;

carom_status trial_create(const sweep_question *q, trial **made, carom_error *error);
void trial_destroy(trial *t);
/* The run of this number. Why it failed is in the outcome, which has outcome_numbers(q) numbers. */
void trial_run(trial *t, long run, outcome *o);

#endif
