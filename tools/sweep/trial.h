/* Runs of a sweep, one after the other in one simulation. Each sets its values and starts again; nothing is
 * built anew. */
#ifndef CAROM_TRIAL_H
#define CAROM_TRIAL_H

#include "sweep/sweep.h"

typedef struct trial trial;

carom_status trial_create(const sweep_question *q, trial **made, carom_error *error);
void trial_destroy(trial *t);
/* Computes the run of this number. outcome says why it failed; it holds outcome_numbers(q) numbers. */
void trial_run(trial *t, long run, outcome *o);

#endif
