/* Where the potential switches: bars that join and part (docs/theory/multisymplectic.md, (Y19) to (Y21)). While an
 * interval lasts, every switch of the model keeps its side. The interval is cut where an argument changes sign; there
 * the side changes, and an impulse along the gradient of the argument keeps the energy of the intervals on both sides.
 */
#ifndef CAROM_CROSSING_H
#define CAROM_CROSSING_H

#include "integrator/interval.h"

typedef struct crossings {
    const carom_model *m;
    int *side;          /* [switches] held at present */
    double *a;          /* [switches] arguments */
    carom_range *range; /* [2 (nq + nu + switches)] room for the derivatives of an argument */
    double *e, *q_dot;  /* [nu], [nq] room */
} crossings;

/* How many doubles of a scheme's memory keep the sides, and the energy and direction of an impulse that is due. */
int crossings_memory(const carom_model *model);
bool crossings_create(crossings *c, const carom_model *model); /* false: out of memory */
void crossings_destroy(crossings *c);

/* Sides by the arguments at the first state. Not 0: the model is not defined there. */
int crossings_start(crossings *c, double t, const double *q, double *memory);
/* Before the first interval of a step: the sides are held, and x is at the node. False: the report says why. */
bool crossings_begin(crossings *c, interval *x, const double *memory, step_report *report);
/* After the last one. */
void crossings_end(crossings *c, const interval *x, double *memory);

/* Shortens the interval to end at the first switch in it. *crossed: its number; -1: there is none. */
bool crossings_cut(crossings *c, interval *x, int *crossed, step_report *report);
/* At the node where the interval ended: the switch changes its side. */
bool crossings_pass(crossings *c, interval *x, int crossed, step_report *report);

#endif
