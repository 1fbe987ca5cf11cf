/* Step problems of many bodies in contact, accepted at a tolerance that the run states: swept in the space of bodies,
 * (FC9) in docs/theory/friction.md. */
#ifndef CAROM_PILE_H
#define CAROM_PILE_H

#include "solver/solver_inside.h"

/* True: the problem is accepted; report->residual is what a law misses at most. False: z is the guess again, and the
 * problem is to be solved as any other. */
bool pile_solve(solver *s, problem *p, double *z, double tolerance, solver_report *report);
void pile_destroy(struct pile *pile);

#endif
