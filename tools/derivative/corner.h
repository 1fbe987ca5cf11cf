/* Where the events of a periodic motion change, its branch may go on in another direction (docs/theory/sensitivity.md,
 * (SE62)). */
#ifndef CAROM_CORNER_H
#define CAROM_CORNER_H

#include "derivative/station.h"

/* The first point beyond the corner at the last point that was reached. beyond: a state near it, not periodic, whose
 * events are those of the next part. CAROM_FAILED: none was found. */
carom_status corner_turn(corrector *c, const station *last, station *beyond, station *next, carom_error *error);

/* Says in text where the motion jumps at the corner, since two events happen at one instant, so that the branch ends;
 * empty: it does not. */
carom_status corner_jump(corrector *c, const station *last, const station *beyond, char *text, size_t size,
                         carom_error *error);

#endif
