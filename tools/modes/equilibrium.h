/* States at rest: forces balance, with contacts that are closed there held (docs/theory/modes.md). */
#ifndef CAROM_EQUILIBRIUM_H
#define CAROM_EQUILIBRIUM_H

#include "modes/statics.h"

typedef struct equilibrium {
    double *q;                    /* [nq] */
    double residual;              /* the force that is left, divided by the scale of all forces */
    int iterations;               /* of Newton's method */
    carom_contact_state *contact; /* [contacts] open, closed and free to slip, closed and sticking */
} equilibrium;

/* Finds the one near q by Newton's method. Afterwards s holds the balance there, the rows that are held, and the
 * derivatives. CAROM_FAILED: there is none near, and error says why. */
carom_status equilibrium_find(statics *s, const double *q, equilibrium *found, carom_error *error);
void equilibrium_free(equilibrium *e);

#endif
