/* How friction by a formula of slip changes, (SE70) in docs/theory/sensitivity.md: mu(v, t, q, theta) is the radius of
 * its ball over the load, by the slip of rows of the problem, or by a slip that is given. */
#ifndef CAROM_RUB_CHANGE_H
#define CAROM_RUB_CHANGE_H

#include "integrator/adjoint.h"

/* A copy of the friction laws of a problem at its solution. */
typedef struct rub {
    problem *p;
    int copy;
    const double *z, *rows; /* rows: as rub_rows returns them */
} rub;

/* The rows of the problem at z where laws read slips from them, in [n + looks] of room; else NULL. */
const double *rub_rows(const carom_model *m, problem *p, const double *z, double *room);

/* Adds to the rates of the radii that of mu where its place changes at the given rate, and the slips [slips] that are
 * given (NULL: they rest). Slips of rows change with these. False: not defined. */
bool rub_change(const rub *x, const variation *v, int column, const carom_place *rate, const double *slips,
                double *radius);
/* The transpose: weights of the radii, added to those of the place, of the constants and of the given slips. */
bool rub_pull(const rub *x, adjoint *a, const double *radius, double *t, double *q, double *slips);

#endif
