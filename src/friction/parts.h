/* The parts that friction_solve puts together, each for one island. */
#ifndef CAROM_FRICTION_PARTS_H
#define CAROM_FRICTION_PARTS_H

#include "friction/friction.h"

/* What a part works with: it improves r until its error is at most tolerance, or it sees that others do better. */
typedef struct island {
    friction_problem problem;
    double *r, *u;    /* [3 contacts] best percussions so far; velocities, room */
    double error;     /* of r */
    double tolerance; /* of error */
    double deadline;  /* on clock_seconds */
    int sweeps, factored;
    bool jammed, late; /* there is no solution, (FC7); the deadline came */
    struct block_lu *lu;
} island;

double clock_seconds(void);
/* The error of r with its velocities u; keeps them if they are the best so far. */
double island_compare(island *s, const double *r, const double *u);

/* Block Gauss-Seidel with momentum. patience: sweeps that cost as much as leaving is worth; infinite: all there are.
 */
bool sweeps_solve(island *s, double patience);

/* Newton's method on problems held near a centre that moves. */
bool proximal_newton_solve(island *s);

/* Whether pressures prove that there is no solution, (FC7). */
bool jam_exists(const friction_problem *p);

#endif
