/* An interval of the multisymplectic scheme: from a node, over a length that is given or ends at a contact, with the
 * impulses of contacts that touch at the node (docs/theory/multisymplectic.md, (Y4) to (Y8)). */
#ifndef CAROM_INTERVAL_H
#define CAROM_INTERVAL_H

#include "integrator/drift.h"
#include "integrator/integrator.h"

typedef struct interval {
    const carom_model *m;
    drift drift;
    bool at_node; /* impacts keep the energy of the node (Y10), not that of the intervals (Y7) */
    /* the node: time, gaps, force at rest; T and q_before of the interval that ended there */
    double t, *q, *p, *f, *gap, *u, T, *q_before;
    bool seen; /* energies and W of the node are known: */
    double E, V, *s, *WT;
    int closed;    /* contacts that touch there, ... */
    int *touching; /* ... first in the list; then those that are held besides */
    bool *hops;    /* those of them that part and close again in the interval */
    /* the interval: momentum at its beginning, velocity, end, gaps there */
    double h, *kicked, *v, *q1, *gap1;
    double residual;             /* (Y23) of what was solved for it ... */
    const char *missed;          /* ... and what misses most */
    double *P, *push, scale;     /* impulses, W P, twice the energy they take from the trial velocities */
    bool grazing, held, stopped; /* held instead of (Y10): a hop was too short to be followed */
    bool crossing;               /* the potential switches at the node: ... */
    double *across;              /* ... an impulse in this direction keeps the energy, (Y21) */
    double *w, *low, *dP, *column, *y, *rest, *kick; /* work */
    int most;                                        /* contacts for which there is a full matrix A, with work */
    double *A, *work;
    double *memory;
} interval;

bool interval_create(interval *x, const carom_model *model); /* all but the drift; false: out of memory */
void interval_destroy(interval *x);

/* At a node: gaps, and which contacts touch; how near that is. */
bool interval_see(interval *x, step_report *report); /* energies and W, once */
bool interval_gaps(const interval *x, const double *q, double *gap, step_report *report);
void interval_look(interval *x);
double interval_reach(const interval *x);

/* From the node over h, (Y4) with the impulses (Y6), (Y7) or (Y10). */
bool interval_traverse(interval *x, double h, step_report *report);
/* The same over rest, or up to the contact that comes first (Y5): interval_length.c. */
bool interval_pass(interval *x, double rest, step_report *report);
/* Does the interval as it stands meet the tolerance? If not, with the reason. */
bool interval_meets(const interval *x, double tolerance, step_report *report);
/* Has a contact that touched at the node parted in between? It may be back. */
bool interval_parted(const interval *x, int k);
/* Is a gap entered at the end? Then again over h with impulses that prevent it (Y8). */
bool interval_entered(const interval *x);
bool interval_hold(interval *x, double h, step_report *report);
/* Its energy -dL/dh (Y7), and the size of what was added up. */
bool interval_measure(interval *x, double *E, double *size, step_report *report);
/* The end becomes the node, at the time t. */
bool interval_arrive(interval *x, double t, step_report *report);

/* Shared by interval.c and interval_length.c. A miss counts as a velocity, unless it is round-off, which is below
 * floor. */
void interval_count_miss(interval *x, const char *what, double miss, double floor);
double interval_fastest(const interval *x, const double *u);     /* component of a velocity */
bool interval_undefined(const interval *x, step_report *report); /* says so; false */
void interval_forget_hops(interval *x);

/* Rows of W^T at a node with impulses: the rate of a gap with the velocity u; p += a W_k. */
double interval_along(const interval *x, int k, const double *u);
void interval_direct(const interval *x, int k, double a, double *p);

#endif
