/* Periodic motions near one that is simulated, and their multipliers. */
#ifndef CAROM_ORBIT_H
#define CAROM_ORBIT_H

#include "derivative/correct.h"

typedef struct orbit_answer {
    double period, t; /* t: when the orbit starts */
    double value;     /* of the parameter that may change */
    double residual;  /* the largest component of (state after a period - state before) */
    int iterations;
    double *q, *u;   /* the state at its start */
    double *advance; /* [nq] how far coordinates advance in a period */
    int visits;      /* how many periods of the question (or returns to the section) one period of the motion has */
    double *visit;   /* [visits][nq + nu] the states at their starts */
    int count;       /* of multipliers */
    double complex
        *multiplier; /* largest first; where the period is found, without the multiplier 1 along the motion */
    long events;     /* in a period */
    double slowest;  /* the lowest speed of its strikes; infinite: it has none */
    carom_margins margins;
} orbit_answer;

/* CAROM_FAILED: there is none near, or it has no derivative, and error says why. */
carom_status orbit_find(const orbit_question *q, orbit_answer *answer, carom_error *error);
void orbit_free(orbit_answer *answer);
bool orbit_copy(const orbit_answer *from, const carom_model_def *d, orbit_answer *to); /* false: out of memory */

/* A first guess: the state that the scene leads to with this value of the parameter. */
carom_status orbit_guess(period_map *p, orbit_point *x, carom_error *error);
/* What is known of a point that has just been solved. */
carom_status orbit_read(const corrector *c, const orbit_point *x, orbit_answer *answer, carom_error *error);

#endif
