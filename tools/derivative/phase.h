/* Where on an orbit its period begins. A start must not meet an event: the state would jump there. Where the period is
 * known, the starts of shots move along the orbit before one does. */
#ifndef CAROM_PHASE_H
#define CAROM_PHASE_H

#include "derivative/period.h"

/* How far the starts should move, in parts of the period; 0: they are good where they are. The map is at the point. */
double phase_advance(const period_map *p);
/* The same orbit from there on: point, direction and map change. */
carom_status phase_move(period_map *p, orbit_point *x, orbit_point *direction, double advance, carom_error *error);
/* The states where the first map began, at the times t0 + (phase + visit) period: [repeats][size]. */
carom_status phase_visits(const period_map *p, const orbit_point *x, double phase, double *visit, carom_error *error);

#endif
