/* An integrator is one descriptor: what it is called and claims (shown by carom list and describe), and its functions
 * (carom/plugin.h). A new one is a file and a line in integrator.c. */
#ifndef CAROM_INTEGRATOR_H
#define CAROM_INTEGRATOR_H

#include "integrator/candidate.h"
#include "integrator/stability.h"
#include "model/model.h"
#include "problem/problem.h"

enum { MOST_STAGES = CAROM_MOST_STAGES };

#define RUN_MOST_STEPS 1e15 /* they are counted in a double */

typedef carom_motion motion;
typedef carom_step_report step_report;
typedef carom_integrator_def integrator;

/* The functions of a descriptor in a file that has all of these under their own names. */
#define INTEGRATOR_FUNCTIONS                                                                                           \
    .create = create, .destroy = destroy, .start = start, .step = step, .stage = stage, .forget = forget

/* A promise of the same order whatever holds the motion, while no contact changes its state. */
#define PROMISE_ORDER(n)                                                                                               \
    .order = (n), .velocity_order = (n), .joint_order = (n), .rolling_order = (n), .sliding_order = (n)

const integrator *integrator_find(const char *name);

/* Do the contacts of the model have laws that exist, and that the integrator can have? */
carom_status integrator_check_laws(const integrator *scheme, const carom_model *model, carom_error *error);

/* The value of an option as its place in a NULL-terminated list of choices; 0 where it is not given. */
carom_status option_choice(const carom_run_def *run, const char *name, const char *const *choices, int *choice,
                           carom_error *error);

/* The value of an option that is a number in [least, most] (a whole one, if whole); untouched where it is not given. */
carom_status option_number(const carom_run_def *run, const char *name, double least, double most, bool whole,
                           double *number, carom_error *error);

#endif
