/* An integrator is one descriptor: what it is called and claims (shown by carom list and describe), and its functions.
 * A new one is a file and a line in integrator.c. */
#ifndef CAROM_INTEGRATOR_H
#define CAROM_INTEGRATOR_H

#include "integrator/candidate.h"
#include "integrator/stability.h"
#include "model/model.h"
#include "problem/problem.h"

enum { MOST_STAGES = 8 };

#define RUN_MOST_STEPS 1e15 /* they are counted in a double */

/* The state between two steps. memory is the integrator's own: everything the next step depends on is in here. */
typedef struct motion {
    double t;
    double *q, *u, *P; /* P: percussions of the step that ended here, in the order of s */
    double *contact;   /* [contacts] carom_contact_state */
    double *memory;
} motion;

typedef struct step_report {
    int newton[MOST_STAGES]; /* iterations per stage */
    double residual;
    int weakened;     /* contacts whose impact law had no solution with their rebound, (L4) */
    double lost;      /* velocity of the fastest of these rebounds */
    double yielded;   /* velocity by which contacts gave way, (L5) */
    bool captured;    /* events of the step could not all be located */
    int switched;     /* sides of formulas that were left */
    doubt doubt;      /* parts of it in which a gap may have closed unseen */
    bool exhausted;   /* it failed for want of memory: in parts it would be another motion */
    char reason[320]; /* why a step failed */
    const char *hint; /* what to do about it: "; try ...". A reason with a hint is told rather than one without. */
} step_report;

typedef struct integrator {
    carom_integrator_info info;
    int stages;
    bool whole; /* steps are tied to each other by dt: one that fails cannot be taken in parts */
    bool kicks; /* percussions act where the step ends, on the velocity of its start */
    /* *memory: doubles of memory wanted. */
    carom_status (*create)(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error);
    void (*destroy)(void *self);
    /* Fills the memory at the initial state, and corrects its contacts where it knows better. False: report says why;
     * without a reason the model is not defined there.
     */
    bool (*start)(void *self, motion *first, step_report *report);
    /* From now to next, over dt. False: report says why, and next is not to be used. */
    bool (*step)(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report);
    /* The problem of a stage and its solution in the step taken last: what tests compare with differences. */
    problem *(*stage)(void *self, int stage, const double **z);
    /* Forget history that is not in the memory, so that the coming steps depend on the state alone. */
    void (*forget)(void *self);
    /* How long steps may be; NULL: as long as they like. */
    stability_limit (*limit)(const void *self);
    bool within; /* refuses to step beyond it */
    /* Events of the step taken last; NULL, or gives NULL: none are located. */
    const struct event_log *(*events)(void *self);
    bool (*certifies)(void *self); /* whether no gap can close unseen then */
    /* Sides of the model's switches that the step taken last ended on; NULL, or gives NULL: none are held. */
    const int *(*sides)(void *self);
    /* p at a state as the scheme itself carries it; NULL: dL/du at (t, q, u). Not 0: the model is not defined there. */
    int (*momentum)(void *self, const motion *now, double *p);
    /* Counts and numbers of its own, the first values of the memory: shown in the summary of a run. */
    int figures;
    const char *const *figure_names;
    /* Columns of its own at a state, in the order of the names. Not 0: the model is not defined there. */
    int columns;
    const char *const *column_names;
    int (*column)(void *self, const motion *now, double *values);
} integrator;

/* The functions of a descriptor in a file that has all of these under their own names. */
#define INTEGRATOR_FUNCTIONS                                                                                           \
    .create = create, .destroy = destroy, .start = start, .step = step, .stage = stage, .forget = forget

/* A promise of the same order whatever holds the motion, while no contact changes its state. */
#define PROMISE_ORDER(n)                                                                                               \
    .order = (n), .velocity_order = (n), .joint_order = (n), .rolling_order = (n), .sliding_order = (n)

const integrator *integrator_find(const char *name);

/* The value of an option as its place in a NULL-terminated list of choices; 0 where it is not given. */
carom_status option_choice(const carom_run_def *run, const char *name, const char *const *choices, int *choice,
                           carom_error *error);

/* The value of an option that is a number in [least, most] (a whole one, if whole); untouched where it is not given. */
carom_status option_number(const carom_run_def *run, const char *name, double least, double most, bool whole,
                           double *number, carom_error *error);

#endif
