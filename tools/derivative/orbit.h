/* Periodic motions by Newton's method on the map of a period, and their multipliers (docs/theory/sensitivity.md,
 * (SE13)).
 */
#ifndef CAROM_ORBIT_H
#define CAROM_ORBIT_H

#include <complex.h>

#include "derivative/objective.h"

typedef struct orbit_question {
    const carom_scene *scene;
    double period;             /* where it is known, as that of what drives the motion; else 0 */
    const char *section;       /* formula that is zero at the start of a period; NULL: the period is known */
    const char *const *modulo; /* [modulos] coordinates that may advance from one period to the next */
    int modulos;
    double after; /* the motion is simulated for so long first */
} orbit_question;

typedef struct orbit_answer {
    double period, t; /* t: when the orbit starts */
    double residual;  /* largest component of the state after a period less that before */
    int iterations;
    double *q, *u;              /* the state at its start */
    double *advance;            /* [nq] of coordinates in a period */
    int count;                  /* of multipliers */
    double complex *multiplier; /* largest first; of free periods without that of the motion along itself, 1 */
    long events;                /* in a period */
    carom_margins margins;
} orbit_answer;

/* CAROM_FAILED: there is none near, or it has no derivative, and error says why. */
carom_status orbit_find(const orbit_question *q, orbit_answer *answer, carom_error *error);
void orbit_free(orbit_answer *answer);

#endif
