/* Closes joints on position level, for schemes that hold them on velocity level (docs/theory/moreau.md). Positions do
 * not move by (K1) with the velocity v, but with the nearest velocity w that closes the joints:
 *
 *     M (w - v) = W_g N                                  M, W_g at (t_0, q_0)                                   (H1)
 *     q_1 by (K1) with w                                                                                        (H2)
 *     g(t_1, q_1) = 0                                                                                           (H3) */
#ifndef CAROM_CLOSURE_H
#define CAROM_CLOSURE_H

#include "integrator/balance.h"
#include "integrator/path.h"

/* Blocks of the Jacobian: (H1) by w and N, (H3) by q_1; then (H2). */
enum { CLOSURE_MASS, CLOSURE_PERCUSSION, CLOSURE_JOINT, CLOSURE_PATH };

typedef struct closure {
    const carom_model *m;
    problem problem;
    solver *solver;
    path path;
    csr_block block[CLOSURE_PATH + PATH_BLOCKS];
    double *M, *WT, *c, *c_q, *z;
    double *memory;  /* these vectors in one piece */
    const double *v; /* of the present update */
} closure;

bool closure_create(closure *c, const carom_model *model); /* false: out of memory */
void closure_destroy(closure *c);
bool closure_advance(closure *c, const motion *now, const double *v, motion *next, double dt, double tolerance,
                     step_report *report);

#endif
