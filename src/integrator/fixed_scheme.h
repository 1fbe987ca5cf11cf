/* The functions of a scheme that can step with fixed states of its contacts (docs/theory/events.md). Located events
 * know a scheme only by these. */
#ifndef CAROM_FIXED_SCHEME_H
#define CAROM_FIXED_SCHEME_H

#include "integrator/variation.h"

/* What the scheme knows of the step it took last at one of its nodes. NULL: it does not know that there. */
typedef struct scheme_node {
    const double *q, *u;      /* wanted inside the step, for its dense output */
    const double *gaps;       /* c(t, q) */
    const double *slips;      /* gamma_F, by the order of the scheme */
    const double *percussion; /* [ns] in units of the whole step, for its sign */
} scheme_node;

typedef struct fixed_scheme {
    void *self;
    int nodes;
    const double *c;          /* [nodes] in [0, 1], ascending; its ends may or may not be nodes */
    int s_at;                 /* where a motion keeps s(t, q, u) in its memory, */
    int of_u;                 /* which is so many vectors in the order of u, then vectors in the order of s */
    const carom_run_def *run; /* whose tolerance and dt tell what counts as zero; a step may be a piece of dt */
    /* Slip in several directions that begins from stick: in the first part of dt of this length. 1 where the scheme
     * itself finds out how slip turns. */
    double onset;
    /* From now to next over next->t - now->t with the states now->contact, sliding along sense. by_rates: closed
     * contacts and joints by their velocities, for steps too short for positions. finely: slip in several directions
     * has begun lately, (V28). kept: what position functions are to stay at, NULL for zero. */
    bool (*step)(void *self, const motion *now, const double *sense, bool by_rates, bool finely, const double *kept,
                 motion *next, double tolerance, step_report *report);
    void (*node)(const void *self, int i, scheme_node *node);
    /* After step: next->P with the same motion that obeys the laws, and guesses for the next step from it. False: there
     * is none. */
    bool (*admit)(void *self, const motion *now, const double *sense, motion *next, double zero, double tolerance,
                  step_report *report);
    /* The same as step with the laws themselves in place of fixed states, for node and admit to read. */
    bool (*obey)(void *self, const motion *now, motion *next, double tolerance, step_report *report);
    /* The same as obey, as robust as can be: whatever happens is captured, with order 1 and no nodes. */
    bool (*capture)(void *self, const motion *now, motion *next, double tolerance, step_report *report);
    /* After step or obey: adds what percussions did, row by row, by the quadrature of the scheme, (W9e). */
    void (*work)(const void *self, const motion *now, const motion *next, double *work);
    /* After a step: the variation that the scheme was given goes along with it. by_laws: it was a step of obey. */
    void (*vary)(void *self, const motion *now, const double *sense, bool by_laws);
} fixed_scheme;

#endif
