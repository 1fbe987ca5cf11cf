/* The start of a branch of motions of twice the period: at a flip, along the direction whose sign a period reverses,
 * (SE18). */
#ifndef CAROM_DOUBLED_H
#define CAROM_DOUBLED_H

#include "derivative/period.h"

typedef struct doubled {
    orbit_point x, direction; /* twice as many shots */
    int shots, repeats;
    double start, phase; /* of the map */
    int depth;           /* how many flips led from the first branch to this one */
} doubled;

/* From a point that the map has just solved. The caller frees x.x and direction.x. */
carom_status doubled_create(const period_map *p, const orbit_point *x, int depth, doubled *d, carom_error *error);

#endif
