/* Where on a branch something happens, (SE17), (SE19). All stations of a search are reached from the same one. */
#ifndef CAROM_PLACE_H
#define CAROM_PLACE_H

#include "derivative/station.h"

/* Finds the station between two others at which a watched number is zero. CAROM_FAILED: no station can be solved
 * there. */
carom_status place_root(corrector *c, const station *from, const station *low, const station *high, watched what,
                        station *at, carom_error *error);
/* Finds where events change between a station and the distance high: the last station with the order of low, and the
 * first one with another. Each stays empty if none was met. */
carom_status place_change(corrector *c, const station *from, const station *low, double high, station *last,
                          station *first, carom_error *error);
/* Approaches the graze at which a strike ends: a station where the strike is slower; empty if from is the
 * nearest one. */
carom_status place_graze(corrector *c, const station *from, station *nearer, carom_error *error);

#endif
