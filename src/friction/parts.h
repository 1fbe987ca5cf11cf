/* The parts that friction_solve puts together, each for one island. */
#ifndef CAROM_FRICTION_PARTS_H
#define CAROM_FRICTION_PARTS_H

#include "friction/friction.h"

/* What a part works with: it improves r until its error is at most tolerance, or it sees that others do better. */
typedef struct island {
    friction_problem problem;
    double *r, *u;                 /* [3 contacts] best percussions so far; velocities, room */
    double error;                  /* of r */
    friction_part part, found;     /* at work; the one that found r */
    double tolerance;              /* of error */
    double deadline;               /* on clock_seconds */
    int sweeps, factored, most;    /* most: factorisations */
    bool jammed, late, astray;     /* there is no solution, (FC7); the deadline came; percussions grow without bound */
    bool exhausted;                /* out of memory */
    bool hands_over;               /* sweeps may leave the rest to Newton's method */
    bool turned;                   /* interior points gave up since their path turned back */
    double *kept;                  /* [6 contacts] R and U of points that they kept, one behind the other */
    int points;                    /* so many */
    struct contact_system *system; /* made when it is first asked for */
    const struct body_blocks *bodies; /* of the whole; NULL: not known */
    const int *list;                  /* the contacts of the island in the whole */
    int *block;                       /* room for body_blocks_of */
} island;

double clock_seconds(void);
/* The error of r with its velocities u; it keeps r if it is the best so far. Infinite for percussions that are absurd.
 */
double island_compare(island *s, const double *r, const double *u);

/* Elimination for the island. NULL: out of memory. */
struct contact_system *island_system(island *s);
/* The number of sweeps that cost as much as Newton's method would; infinite: sweeps are all there is. */
double island_patience(island *s);

enum { FEW = 3 };
/* Newton's method for two to FEW contacts, without overhead. */
bool few_solve(island *s);

/* Block Gauss-Seidel with momentum. */
bool sweeps_solve(island *s);

/* Newton's method on problems held near a centre that moves, with so many factorisations at most. */
bool proximal_newton_solve(island *s, int most);

/* Newton's method along a path through the insides of cones. */
bool interior_solve(island *s);
/* The same path by its length, from where interior points kept it, through the points where it turns back. */
bool interior_follow_turns(island *s);

/* Whether pressures prove that there is no solution, (FC7). */
bool jam_exists(const friction_problem *p);

#endif
