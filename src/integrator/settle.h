/* Returns to where joints and closed contacts hold (docs/theory/events.md, (V15), (V16)), after a step that held them
 * by their rates. */
#ifndef CAROM_SETTLE_H
#define CAROM_SETTLE_H

#include "integrator/blow.h"
#include "integrator/phase.h"
#include "integrator/scales.h"

typedef struct settler {
    blow *blow;     /* borrowed */
    scales *scales; /* borrowed */
    double *q, *c, *rows, *q_dot, *beta;
    double *memory;
    bool moved; /* positions have been corrected by the last call */
} settler;

bool settler_create(settler *s, const carom_model *model, blow *b, scales *z); /* false: out of memory */
void settler_destroy(settler *s);

/* Corrects positions and velocities of x. counted: the percussions belong to the step that keeps the states, and are
 * added to x->x.P. Else percussions that obey laws stay as they are. If no correction is found, x stays as it is. */
void settle(settler *s, phase *x, bool counted, double tolerance);

#endif
