/* References through events, to the last digit: smooth phases by smooth_solve, each until one of its functions falls
 * below zero; the instant is bisected in long double. */
#ifndef TEST_PHASED_H
#define TEST_PHASED_H

#include "smooth.h"

typedef struct phased {
    int n, watched; /* variables (at most 8), functions */
    smooth_rhs *rhs;
    real (*watch)(int k, real t, const real *y, const void *context); /* above zero as long as the phase lasts */
    void (*happen)(int k, real t, real *y, void *context);            /* to the next phase, at the zero of function k */
    void *context;
    real stride; /* zeros closer together than this may be missed */
    real t, y[8];
    int events;
    real instant[64]; /* of the events; later ones are counted only */
} phased;

/* Forward to the time until. */
void phased_advance(phased *p, real until);

#endif
