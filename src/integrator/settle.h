/* Back to where joints and closed contacts hold (docs/theory/events.md, (V15), (V16)), after a step that held them by
 * their rates. */
#ifndef CAROM_SETTLE_H
#define CAROM_SETTLE_H

#include "integrator/locate.h"

/* Positions and velocities at the end of the trial step. Where there is no way back, they stay as they are. */
void settle(locate *l, double tolerance);

#endif
