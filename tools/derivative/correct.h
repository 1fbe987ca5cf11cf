/* Newton's method on the map of a period, (SE15), and the tangent of a branch of periodic motions, (SE16). */
#ifndef CAROM_CORRECT_H
#define CAROM_CORRECT_H

#include "derivative/period.h"

typedef struct corrector {
    period_map *map;
    double *unit;              /* [size] of states; lengths along a branch are measured in these, */
    double T_unit, value_unit; /* of the period and of the parameter */
    int most;                  /* corrections */
    int n;                     /* unknowns of the last system, */
    double *A, *rhs, *room;    /* [n][n], [n], [size], */
    int *pivot;
    double determinant; /* and its determinant */
    int iterations;     /* of the last point */
    double residual;
} corrector;

carom_status corrector_create(corrector *c, period_map *map, carom_error *error);
void corrector_destroy(corrector *c);

/* The product of two directions (x, T, value) in these units. */
double corrector_product(const corrector *c, const orbit_point *a, const orbit_point *b);

/* Finds a periodic motion near x. Without a border the parameter keeps its value. With one, x and the parameter move
 * across the border. Afterwards the map holds the motion at x. */
carom_status corrector_solve(corrector *c, orbit_point *x, const orbit_point *border, carom_error *error);
/* The direction in which the branch goes on, of length one, with a positive component along the border. c->determinant
 * becomes the determinant of the system that has the tangent as its border. */
carom_status corrector_tangent(corrector *c, const orbit_point *border, orbit_point *tangent, carom_error *error);

#endif
