/* One run of a scene, kept in memory: what studies compare. */
#ifndef CAROM_TRACK_H
#define CAROM_TRACK_H

#include "run/monitor.h"
#include "study/scheme.h"

typedef struct run_job {
    const char *scene; /* path */
    const char *const *overrides;
    int override_count;
    const scheme *scheme; /* NULL: the scene's own integrator with its options */
    double dt;            /* 0: the scene's own */
    bool past_end; /* the last step is the first that reaches until, as in carom run; false: no step goes beyond it */
    long keep;     /* every n-th step is a row; 0: no rows */
    int timings;   /* repeats that only step: seconds is the time of the fastest */
} run_job;

/* A run that failed has what it computed before; without a single row, it did not start. */
typedef struct track {
    carom_status status;
    carom_error error;
    int nq, nu, np;   /* np: percussions, in the order of s */
    double t0, t, dt; /* t: reached */
    long steps;       /* taken */
    long rows;        /* the first is the initial state, row i is step i * keep */
    long keep;        /* of its job */
    /* [rows] and [rows][n]. P: percussions summed since the row before; last: those of the step that ends at the row,
     * or P where every step is a row. E: NaN where the model has no energy. All point into memory. */
    double *time, *q, *u, *P, *last, *E;
    extremes seen;           /* over all steps, kept or not */
    double newton;           /* iterations over the run, all stages together */
    int newton_max;          /* in one step */
    long divided;            /* steps that had to be divided */
    double seconds;          /* processor time; without repeats it includes looking at every step */
    unsigned long long hash; /* of the final state */
    void *memory;
    size_t bytes;
} track;

/* The number of steps from t0 to until: those that fit, or one more if the last must reach until. Round-off does not
 * count. */
long steps_between(double t0, double until, double dt, bool past_end);

/* Executes a job in this process. fd: a file for the rows, shared with whoever maps it; -1: the rows are this process's
 * own. *done counts the steps while it runs, with those of repeats; may be NULL. */
void track_run(const run_job *job, int fd, volatile long *done, track *result);
/* Takes the rows from fd of a track that another process has computed. */
carom_status track_map(track *t, int fd, carom_error *error);
void track_destroy(track *t);

#endif
