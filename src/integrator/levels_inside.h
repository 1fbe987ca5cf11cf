/* What the problem of levels.h and its setup share. */
#ifndef CAROM_LEVELS_INSIDE_H
#define CAROM_LEVELS_INSIDE_H

#include "integrator/levels.h"

/* Blocks of the Jacobian. One for each of (A1)-(A3): by their velocities, by q, by q and u through h, by q through W.
 * Percussions of all rows, of joints, gaps, spins and slips. Laws by q, u and v. Then r, and rows that laws look at. */
enum {
    MASS,
    MASS_Q = MASS + LEVELS,
    STIFFNESS = MASS_Q + LEVELS,
    DAMPING = STIFFNESS + LEVELS,
    TURN = DAMPING + LEVELS,
    P_ALL = TURN + LEVELS,
    L_ALL,
    K_JOINT,
    K_GAP,
    P_SPIN,
    P_SLIP,
    L_SPIN,
    L_SLIP,
    RATE_U,
    RATE_Q,
    SECOND_V,
    SECOND_U,
    SECOND_Q,
    SECOND_R,
    JOINT,
    GAP,
    LOOK_U,
    LOOK_Q,
    PLACE_R,
    PLACE_U,
    PLACE_Q
};

_Static_assert(PLACE_Q + 1 == LEVEL_BLOCKS, "one block each");

/* Rows and Jacobian, as problem.h asks for them. */
int levels_evaluate(void *self, const double *z, double *rows, bool jacobian);

#endif
