/* Step problems of many bodies in contact: sweeps in the space of bodies, (FC9) in docs/theory/friction.md, solve them
 * to the error that the run accepts. */
#ifndef CAROM_PILE_H
#define CAROM_PILE_H

#include "solver/solver_inside.h"

/* True: the problem is accepted, and report->residual is the largest error of a law. False: z is the guess again; solve
 * the problem like any other. */
bool pile_solve(solver *s, problem *p, double *z, double tolerance, solver_report *report);
void pile_destroy(struct pile *pile);

#endif
