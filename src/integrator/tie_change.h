/* Derivatives from one side where contacts of one body strike at one instant (docs/theory/sensitivity.md, (SE67)). */
#ifndef CAROM_TIE_CHANGE_H
#define CAROM_TIE_CHANGE_H

#include "integrator/event_change.h"

/* Call it after the impact problem of the blow is solved for all touching contacts, at x with the velocities before it.
 * Each column takes the strikes in its own order, or is lost. The solution stays. */
void tie_change(event_change *c, const phase *x, const bool *touches);

#endif
