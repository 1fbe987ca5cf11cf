/* Where a branch of motions of twice the period begins: at a flip, in the direction that a period turns round, (SE18).
 */
#ifndef CAROM_DOUBLED_H
#define CAROM_DOUBLED_H

#include "derivative/period.h"

typedef struct doubled {
    orbit_point x, direction; /* twice as many shots */
    int shots, repeats;
    double start, phase; /* of the map */
    int depth;           /* how many flips led here */
} doubled;

/* At a point of the map that has just been solved. Free x.x and direction.x. */
carom_status doubled_create(const period_map *p, const orbit_point *x, int depth, doubled *d, carom_error *error);

#endif
