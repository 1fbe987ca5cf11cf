/* Where on a periodic motion its period begins. The state would jump if a start met an event. So, where the period is
 * known, the starts of shots move along the motion before one does. */
#ifndef CAROM_PHASE_H
#define CAROM_PHASE_H

#include "derivative/period.h"

/* How far the starts should move, as a part of the period; 0: they are good where they are. The map must be at the
 * point. */
double phase_advance(const period_map *p);
/* Begins the period later by advance: point, direction and map change, the motion stays. */
carom_status phase_move(period_map *p, orbit_point *x, orbit_point *direction, double advance, carom_error *error);
/* The states at the times t0 + (phase + visit) period, where the first map began: [repeats][size]. */
carom_status phase_visits(const period_map *p, const orbit_point *x, double phase, double *visit, carom_error *error);

#endif
