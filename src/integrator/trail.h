/* The motion over a step that events divide: the dense outputs of the trial steps that were accepted. */
#ifndef CAROM_TRAIL_H
#define CAROM_TRAIL_H

#include "integrator/attempt.h"

typedef struct trail {
    const dense *dense; /* of every piece, borrowed */
    int nq, nu;
    int pieces;
    double *memory; /* of each: its start and length, positions and velocities as in attempt */
    size_t room;
    carom_range *seen; /* [nq] where trial steps were, that were looked at; NULL: none was */
    carom_range *place;
} trail;

/* a: any attempt of the same scheme, which is borrowed. False: out of memory. */
bool trail_create(trail *x, const attempt *a);
void trail_destroy(trail *x);

void trail_begin(trail *x); /* a step */
/* A part of a trial step has positions in these ranges. */
void trail_see(trail *x, const carom_range *q);

/* The next piece; straight: it has no nodes. False: out of memory. */
bool trail_add(trail *x, const attempt *a, bool straight);
/* The state at a time. weights: room for as many numbers as the dense output has values. False: there is no piece. */
bool trail_at(const trail *x, double t, double *q, double *u, double *weights);

#endif
