/* How the end of a step changes, (SE5) in docs/theory/sensitivity.md: that of the problem of ending.h. */
#ifndef CAROM_ENDING_CHANGE_H
#define CAROM_ENDING_CHANGE_H

#include "integrator/ending.h"
#include "integrator/impact_change.h"

typedef struct ending_change {
    ending *e;
    impact_change impact;
    double *counted, *given, *slips; /* rates along the present column */
    double *last;                    /* [ns] percussions of the last stage that press a contact */
    double *memory;
} ending_change;

/* Rates along a column, the scheme's part of it. */
typedef struct ending_rate {
    const double *balance; /* [nu] at fixed (u, P), without its terms in W */
    const double *WT, *s;  /* of W^T, and [ns] of s at fixed u; NULL: the model tells */
    const double *earlier; /* [ns] of the percussions of the stages */
    const double *slips;   /* [slips] of those of the last stage */
    const double *before;  /* [ns] of s at the start of the step */
} ending_rate;

/* Weights of these rates, and of the place of the end. */
typedef struct ending_weight {
    double *earlier, *slips, *before, *t, *q;
} ending_weight;

bool ending_change_create(ending_change *c, ending *e, const variation *v); /* false: out of memory */
void ending_change_destroy(ending_change *c);
/* At the end (t, q, u) of the step, which changes at the given rate with u fixed. False: not defined there. */
bool ending_change_column(ending_change *c, int column, const carom_place *at, const carom_place *rate,
                          const ending_rate *parts);
/* After all columns: u' and t' of the end into the variation. */
solver_change ending_change_read(ending_change *c, variation *v);

/* Transposed: from the weights of u to those of the balance and of s at the end, in impact.rows, and of W^T there, in
 * a->WT; those of the percussions of the stages, of the slips of the last one and of s at the start are added. */
bool ending_pull(ending_change *c, adjoint *a, double t, const ending_weight *parts);

#endif
