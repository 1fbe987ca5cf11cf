/* Integrators side by side on one scene: structure, error, cost. */
#ifndef CAROM_COMPARE_H
#define CAROM_COMPARE_H

#include "study/effort.h"
#include "study/history.h"
#include "study/norms.h"
#include "study/runs.h"

typedef struct compare_progress {
    bool timing;        /* the second part: runs one after the other */
    int finished, runs; /* of this part */
    double steps, total;
} compare_progress;

typedef struct compare_def {
    const char *scene; /* path */
    const char *const *overrides;
    int override_count;
    const scheme *schemes;
    int scheme_count;
    const double *dt; /* from coarse to fine; NULL: the one of the scene */
    int dt_count;
    const char *reference; /* as in reference_create; NULL: its default */
    const norm *norm;
    int workers; /* 0: one per processor */
    int repeats; /* repeats of each run, one after the other, for its time; 0: the times of the parallel runs, which
                    include looking at every step */
    bool (*watch)(void *context, const compare_progress *progress); /* false: stop. May be NULL */
    void *context;
} compare_def;

/* What is followed over time. */
typedef enum over_time {
    OVER_ENERGY,
    OVER_Q, /* error against the reference, largest component */
    OVER_U,
    OVER_PENETRATION,
    OVER_POSITION,
    OVER_VELOCITY,
    OVER_COUNT
} over_time;

typedef struct curve_over_time {
    long count; /* 0: nothing is shown */
    double *t, *value;
} curve_over_time;

/* One integrator with one step size. A run that failed has what it computed before it failed. */
typedef struct compared {
    const scheme *scheme;
    double dt;
    track run;
    double error_q, error_u;          /* by the norm; NaN: unknown */
    double energy;                    /* largest |E - E(0)|, over the scale of energies; NaN: the model has none */
    double energy_end;                /* E at the end */
    double seconds;                   /* processor time of all steps, the least of several runs, one after the other */
    curve_over_time over[OVER_COUNT]; /* only for the step size in the middle */
} compared;

typedef struct comparison {
    char *title;
    char reference[512]; /* what it is */
    double t0, until;
    char time[64];                     /* "t [s]" */
    int schemes, sizes, shown;         /* the step size whose runs are shown over time */
    compared *all;                     /* [schemes][sizes] */
    bool conserved;                    /* the reference or a run keeps E: errors of energy are shown; false: E itself */
    bool relative;                     /* errors of energy are divided by |E(0)|, which is large enough */
    double energy_start;               /* NaN: the model has no energy */
    bool contacts, position, velocity; /* the model has contacts, constraints on position, any constraints */
    struct comparing *inside;
} comparison;

/* Reads scene and reference, and checks all that can be checked before the first step. Borrows def and what it points
 * to. */
carom_status comparison_create(const compare_def *def, comparison *c, carom_error *error);
/* Runs everything. A run that fails is among the results, with its reason. */
carom_status comparison_execute(comparison *c, carom_error *error);
void comparison_destroy(comparison *c);

/* Processor time for an error of q, over the runs of an integrator with ever smaller steps. */
effort comparison_effort(const comparison *c, int scheme, double error);

/* One row per run with every number; one row per point of what is followed over time. */
carom_status comparison_write_csv(const comparison *c, const char *path, carom_error *error);
carom_status comparison_write_over_time(const comparison *c, const char *path, carom_error *error);
carom_status comparison_draw(const comparison *c, const char *path, carom_error *error);

#endif
