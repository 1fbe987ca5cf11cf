/* Derivatives from one side where contacts of one body strike at one instant (docs/theory/sensitivity.md, (SE67)). */
#ifndef CAROM_TIE_CHANGE_H
#define CAROM_TIE_CHANGE_H

#include "integrator/event_change.h"

/* After the impact problem of the blow is solved for all contacts that touch, at x with the velocities before it: the
 * columns take the strikes in their own order, or are lost. The solution stays. */
void tie_change(event_change *c, const phase *x, const bool *touches);

#endif
