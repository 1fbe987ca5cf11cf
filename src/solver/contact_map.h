/* The contacts of a step problem as a friction problem, (FC6) in docs/theory/friction.md: linearised at z, with the
 * smooth unknowns and the percussions of joints as x,
 *
 *     A x = B r + c,    u = C x + D r + d. */
#ifndef CAROM_CONTACT_MAP_H
#define CAROM_CONTACT_MAP_H

#include "friction/condense.h"
#include "problem/problem.h"

typedef enum contact_units {
    CONTACT_UNITS_OWN,     /* percussions and velocities as the problem has them */
    CONTACT_UNITS_VELOCITY /* both as velocities, (S1) */
} contact_units;

typedef struct contact_map {
    linear_map map;
    int contacts, dimension; /* 2 where all friction is planar */
    double *mu;              /* [contacts] */
    int *unknown;            /* [dimension contacts] of the problem; -1: none, for friction that is not there */
    double *unit;            /* [dimension contacts] r is the unknown times unit */
    int *place;              /* [n] of the problem: where an unknown is among x; -1: not there */
} contact_map;

/* rows: values of the problem's rows at z; its Jacobian must be that at z as well. Contacts that are disabled or told
 * to stay open take no part, and their percussions are zero. False: there are no contacts; out of memory; or some law
 * does not fit a cone, such as given directions or branches, or friction that is no disk. */
bool contact_map_create(contact_map *c, const problem *p, const double *z, const double *rows, contact_units units);
void contact_map_free(contact_map *c);
/* z from percussions r [dimension contacts], x following. False: A is singular, or out of memory. */
bool contact_map_recover(const contact_map *c, const problem *p, const double *r, double *z);

#endif
