/* A convergence study: errors of integrators over step sizes, against one reference, in all norms. */
#ifndef CAROM_CONVERGE_H
#define CAROM_CONVERGE_H

#include "study/norms.h"
#include "study/reference.h"
#include "study/runs.h"

typedef struct convergence_def {
    const char *scene; /* path */
    const char *const *overrides;
    int override_count;
    const scheme *schemes; /* none: the scene's own integrator with its options */
    int scheme_count;
    const double *dt; /* coarse to fine */
    int dt_count;
    const char *reference; /* as in reference_create */
} convergence_def;

typedef struct convergence_run {
    carom_status status;
    carom_error error;
    long steps;
    double t, newton; /* time at the end; iterations over the run */
} convergence_run;

/* One quantity of one scheme in one norm, over all step sizes. */
typedef struct convergence_curve {
    double *error; /* NaN: the run failed */
    double *order; /* from the step size before; NaN: none */
    bool *floor;   /* round-off: left out of the overall order */
    double overall;
} convergence_curve;

typedef struct convergence {
    convergence_def def;
    carom_scene *scene;
    quantities all;
    reference reference;
    const char **labels; /* [schemes] */
    int schemes;
    double steps;               /* of all runs together */
    int components[QUANTITIES]; /* for each quantity that the reference gives; 0: it is not compared */
    convergence_run *runs;      /* [schemes][dt_count] */
    convergence_curve *curves;  /* [QUANTITIES][NORMS][schemes] */
    int failed;                 /* runs */
} convergence;

/* Reads scene and reference, and checks all that can be checked before the first step. Borrows from def. */
carom_status convergence_create(const convergence_def *def, convergence **study, carom_error *error);
/* Runs and compares, as runs_execute. A run that fails says why in runs; the others are compared. */
carom_status convergence_execute(convergence *c, int workers, runs_watch watch, void *context, carom_error *error);
void convergence_destroy(convergence *c);

/* Of scheme s at step size i; of quantity x in norm k by scheme s. */
const convergence_run *convergence_at(const convergence *c, int s, int i);
const convergence_curve *convergence_of(const convergence *c, int x, int k, int s);

/* Whether any run has an error of quantity x in norm k that is not zero. */
bool convergence_differs(const convergence *c, int x, int k);

/* "1e-2,5e-3" and "1e-1..1e-3/5" (5 values in geometric progression, both ends included), in any mixture: from coarse
 * to fine, none twice. Free *dt. */
carom_status read_step_sizes(const char *text, double **dt, int *count, carom_error *error);

#endif
