/* Percussions at one state, without forces: M (u^+ - u) = W P, the velocity problem (I1)-(I4) at a given place. Impacts
 * solve it, and so do corrections of positions and velocities. */
#ifndef CAROM_BLOW_H
#define CAROM_BLOW_H

#include "integrator/impact.h"

typedef struct blow {
    impact impact; /* its laws are for the caller to set */
    double *M, *WT, *s;
    double *before; /* [ns] s before, as the laws see it: for the caller to set */
    double *zero;   /* [nu] */
    double *memory;
} blow;

bool blow_create(blow *b, const carom_model *model); /* false: out of memory */
void blow_destroy(blow *b);

/* At (t, q) with the velocities u. False: the model is not defined there. */
bool blow_begin(blow *b, double t, const double *q, const double *u);
/* The same for displacements, which start from zero; chi, their rows, is for the caller to set. */
bool blow_begin_displacement(blow *b, double t, const double *q);

#endif
