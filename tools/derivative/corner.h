/* Where the events of a periodic motion change, its branch may go on in another direction (docs/theory/sensitivity.md,
 * (SE62)). */
#ifndef CAROM_CORNER_H
#define CAROM_CORNER_H

#include "derivative/station.h"

/* Finds the first point beyond the corner. last: the last point that was reached; beyond: a state near it that is not
 * periodic and has the events of the next part. CAROM_FAILED: no point was found. */
carom_status corner_turn(corrector *c, const station *last, station *beyond, station *next, carom_error *error);

/* Two events that happen at one instant may make the motion jump, and then the branch ends. Says so in text; empty: the
 * motion does not jump. */
carom_status corner_jump(corrector *c, const station *last, const station *beyond, char *text, size_t size,
                         carom_error *error);

#endif
