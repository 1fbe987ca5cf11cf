/* Where on a branch something happens, (SE17), (SE19). All stations of a search are reached from the same one. */
#ifndef CAROM_PLACE_H
#define CAROM_PLACE_H

#include "derivative/station.h"

/* A watched number changes its sign between two stations. CAROM_FAILED: nothing can be solved between them. */
carom_status place_root(corrector *c, const station *from, const station *low, const station *high, watched what,
                        station *at, carom_error *error);
/* Events change between a station and the distance high: the last station with the order of low, and the first one with
 * another. Each stays empty if none was met. */
carom_status place_change(corrector *c, const station *from, const station *low, double high, station *last,
                          station *first, carom_error *error);
/* A strike that goes: a station nearer to where its speed is zero; empty if from is the nearest. */
carom_status place_graze(corrector *c, const station *from, station *nearer, carom_error *error);

#endif
