/* How a step of RATTLE changes with its start, its parameters and its length (docs/theory/sensitivity.md, (SE12)). */
#ifndef CAROM_RATTLE_CHANGE_H
#define CAROM_RATTLE_CHANGE_H

#include "integrator/ending_change.h"
#include "integrator/junction.h"
#include "integrator/rattle_stage.h"

/* Rates of the model's functions at one end of the step. */
typedef struct place_change {
    double *q; /* of the place itself */
    double *M, *h, *c, *s, *WT, *q_dot;
    double *memory;
} place_change;

typedef struct rattle_change {
    rattle_stage *stage;
    variation *v;
    solver *solver;
    place_change at0, at1; /* along the present column */
    junction place;
    double *rows, *radius; /* [columns + 1][n + looks], [columns + 1][laws] */
    double *at;            /* [n + looks] rows at the solution, where laws read slips from them */
    double *s_n;           /* [columns + 1][ns] of s at the start */
    double *c_n;           /* [columns + 1][nc] of what position functions are kept at */
    double *h1;            /* force at the end, with the velocity of the stage */
    double *balance, *slips;
    ending_change end;
    double *memory;
} rattle_change;

bool rattle_change_create(rattle_change *c, rattle_stage *stage, ending *end, variation *v); /* false: out of memory */
void rattle_change_destroy(rattle_change *c);

/* After a step: the columns of the variation go along with it, the last one by the time of its end. */
void rattle_change_step(rattle_change *c, const motion *now);

/* Inside: what the step leaves in the trace (rattle_adjoint.c). */
void rattle_change_trace(rattle_change *c, const motion *now);

#endif
