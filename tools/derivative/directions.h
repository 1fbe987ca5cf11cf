/* The directions in which the start of a shot may move, and the columns of the simulation that go along them: first the
 * parameter, then a unit vector for each component of the state, each replaced by the nearest direction that is
 * allowed, then the time of the start (docs/theory/sensitivity.md, (SE14)). */
#ifndef CAROM_DIRECTIONS_H
#define CAROM_DIRECTIONS_H

#include "derivative/period.h"

int directions_first(const period_map *p);
int directions_time(const period_map *p);
void directions_read(const period_map *p, int column, double *x);

/* Chooses a basis of them at the start of a shot; fills free, B and move of the shot, and pick of the map. */
void directions_find(const period_map *p, shot *s);
/* The present values of the directions of the basis: [free][size]. */
void directions_combine(const period_map *p, const shot *s, double *room, double *to);

#endif
