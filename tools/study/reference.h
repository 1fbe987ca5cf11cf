/* What runs are compared with: an exact solution, a fine run, a run of another scene, a file. */
#ifndef CAROM_REFERENCE_H
#define CAROM_REFERENCE_H

#include "study/quantities.h"
#include "study/sheet.h"
#include "study/track.h"

/* The study that needs it. */
typedef struct reference_need {
    const char *scene; /* path */
    const char *const *overrides;
    int override_count;
    const carom_scene *loaded; /* the scene once more, for its exact solution and its model */
    const quantities *all;
    const double *dt; /* of all runs, coarse to fine */
    int count;
} reference_need;

typedef struct reference {
    reference_need need;
    char text[512];    /* what it is, for the reader of a table */
    bool exact;        /* by formulas */
    bool is_run;       /* the caller must execute job and hand over its track */
    bool interpolated; /* so far, by reference_sample */
    bool *given;       /* [all->count] */
    run_job job;
    double steps; /* of job */
    scheme scheme;
    /* what was recorded: rows at t[]; component i is from[i][row * stride[i]] */
    long rows;
    const double *t, **from; /* [all->sampled] */
    long *stride;
    track track;
    sheet sheet;
    quantities other; /* the scene that serves as the reference */
} reference;

/* text: "exact"; a step size (with the scene's own integrator); INTEGRATOR[:OPTIONS]@DT; a scene .yaml; a recording .h5
 * or .csv. NULL: exact where the scene has a solution, otherwise an eighth of the finest step. Borrows from need. */
carom_status reference_create(const char *text, const reference_need *need, reference *r, carom_error *error);
/* Hands over the track of r->job. */
carom_status reference_adopt(reference *r, track *run, carom_error *error);
/* (q, u, P, p) at every row of a run, [rows][all->sampled]: percussions P summed since the row before, and p of the
 * reference's own step that ends there or contains it; NaN where not given.
 * Between the times of the reference: q by cubic Hermite polynomials where its rate is known, otherwise q and u by
 * cubics through four rows, percussions in proportion. */
carom_status reference_sample(reference *r, const track *run, double *values, carom_error *error);
void reference_destroy(reference *r);

#endif
