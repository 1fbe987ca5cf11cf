/* How a step of the Lobatto scheme changes with its start, its parameters and its length (docs/theory/sensitivity.md,
 * (SE4), (SE5)). */
#ifndef CAROM_LOBATTO_CHANGE_H
#define CAROM_LOBATTO_CHANGE_H

#include "integrator/ending_change.h"
#include "integrator/junction.h"
#include "integrator/lobatto_scheme.h"

/* Rates of the model's functions at a stage. */
typedef struct stage_change {
    double *p, *b, *c, *s, *q_dot, *WT;
    double *F;      /* of F^i */
    double *Q, *V;  /* of the stage itself */
    double *memory; /* these vectors in one piece */
} stage_change;

typedef struct lobatto_change {
    lobatto_scheme *l;
    variation *v;
    solver *solver;
    stage_change *stage;                   /* [s] along the present column */
    double *rows, *radius;                 /* [columns + 1][n + looks], [columns + 1][laws] */
    double *at;                            /* [n + looks] rows at the solution, where laws read slips from them */
    double *F;                             /* [columns + 1][s][nu] of F^i at fixed unknowns */
    double *p_n, *s_n;                     /* [columns + 1][nu], [columns + 1][ns] of p and s at the start */
    double *c_n;                           /* [columns + 1][nc] of what position functions are kept at */
    double *balance, *earlier, *s, *slips; /* of the end, along the present column */
    junction place;
    ending_change end;
    double *memory;
} lobatto_change;

bool lobatto_change_create(lobatto_change *c, lobatto_scheme *l, variation *v); /* false: out of memory */
void lobatto_change_destroy(lobatto_change *c);

/* After a step from now: the columns of the variation go along with it, the last one by the time of its end. */
void lobatto_change_step(lobatto_change *c, const motion *now);

/* Inside: what the step leaves in the trace (lobatto_adjoint.c). */
void lobatto_change_trace(lobatto_change *c, const motion *now);

#endif
