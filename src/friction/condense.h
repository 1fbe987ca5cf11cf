/* Contacts whose velocities follow their percussions through other unknowns x,
 *
 *     A x = B r + c,      u = C x + D r + d,                                                                (FC6)
 *
 * as those of bodies (A = M, B = H, C = H^T) or of joints. */
#ifndef CAROM_FRICTION_CONDENSE_H
#define CAROM_FRICTION_CONDENSE_H

#include "friction/friction.h"

typedef struct linear_map {
    entries A, B, C, D;
    double *c, *d; /* [A.rows], [D.rows] */
} linear_map;

void linear_map_free(linear_map *m);

typedef enum condense_result { CONDENSED, CONDENSE_SINGULAR, CONDENSE_MEMORY } condense_result;

/* W = D + C A^-1 B, to be freed, and q = d + C A^-1 c [D.rows]. *row: where A is singular, a row of the part that is.
 */
condense_result friction_condense(const linear_map *m, entries *W, double *q, int *row);

/* The friction problem of contacts with these coefficients; it knows its bodies where (FC6) has them. */
condense_result friction_reduce(const linear_map *m, int dimension, int contacts, const double *mu, friction_problem *p,
                                int *row);

/* x of (FC6) for these percussions [A.rows]. */
condense_result friction_unknowns(const linear_map *m, const double *r, double *x);

#endif
