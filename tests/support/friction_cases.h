/* Friction problems made from boxes and spheres: what a time step of so many bodies asks for. */
#ifndef FRICTION_CASES_H
#define FRICTION_CASES_H

#include "friction/condense.h"
#include "friction/friction.h"

#include <stdint.h>

typedef struct friction_case {
    int contacts;
    linear_map map; /* (FC6) with A = M, B = H, C = H^T */
    double *mu;
} friction_case;

typedef struct friction_kind {
    const char *name;
    int size; /* about how many contacts there are if nothing else is asked for */
    void (*make)(friction_case *c, int contacts, uint64_t seed);
} friction_kind;

extern const friction_kind friction_kinds[]; /* ended by an empty one */

/* About so many contacts, random by the seed; mu and loads differ by the seed, too. Out of memory ends the program. */
void friction_case_make(const friction_kind *kind, int contacts, uint64_t seed, friction_case *c);
void friction_case_free(friction_case *c);
/* W, q, mu of it. */
void friction_case_problem(const friction_case *c, friction_problem *p);

/* Every entry of M, H and f and every mu times 1 + size x, x random in (-1, 1): still a problem of bodies. */
void friction_case_perturb(friction_case *c, double size, uint64_t seed);
/* Every entry of W likewise: no longer symmetric, nor of bodies, as files of real programs are. */
void friction_perturb(friction_problem *p, double size, uint64_t seed);

#endif
