/* How restitution changes, (SE79) in docs/theory/sensitivity.md: as a coefficient, or by the speed of the approach,
 * e(|s_N|, theta). */
#ifndef CAROM_REBOUND_CHANGE_H
#define CAROM_REBOUND_CHANGE_H

#include "integrator/adjoint.h"

int rebound_room(const carom_model *model); /* doubles */

typedef struct rebound {
    const double *s;         /* [ns] velocities before */
    const double *in_effect; /* [k * stride] restitution of contact k; 0: it does not rebound */
    int stride;
    double *room; /* [rebound_room] */
} rebound;

/* Rates e[contacts] where s changes at the given rate (NULL: it rests); zero where nothing rebounds. False: not
 * defined. */
bool rebound_change(const rebound *x, const variation *v, int column, const double *rate, double *e);
/* The transpose: weights [contacts] of e, which are lost, added to those of coefficients or constants, and of s [ns]
 * (NULL: it rests). */
bool rebound_pull(const rebound *x, adjoint *a, double *weight, double *s);

#endif
