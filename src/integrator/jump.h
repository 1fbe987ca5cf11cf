/* Velocities that jump by themselves (docs/theory/events.md, (V12), (V13)): those of a frame or a drive whose formula
 * has a kink. */
#ifndef CAROM_JUMP_H
#define CAROM_JUMP_H

#include "model/model.h"

/* chi and its rate at a time. */
typedef struct jump_look {
    double t, *chi, *rate;
} jump_look;

typedef struct jumps {
    const carom_model *m;
    int samples;        /* looks per search */
    jump_look look[3];  /* both ends of an interval, and its middle */
    double *rest;       /* [nu] zeros */
    double left, right; /* the next one: two neighbouring times; infinite: none */
    double *memory;
} jumps;

bool jumps_create(jumps *j, const carom_model *model, int samples); /* false: out of memory */
void jumps_destroy(jumps *j);

/* The first jump in [from, to] that is larger than zero, where the positions are q: left and right. */
void jumps_search(jumps *j, double from, double to, const double *q, double zero);

#endif
