/* Step problems with many contacts, by the solvers of friction problems. */
#ifndef CAROM_LARGE_H
#define CAROM_LARGE_H

#include "solver/solver_inside.h"

enum { LARGE = 12 }; /* contacts from which on it is tried */

bool large_applies(const problem *p);
/* A better z from the problem linearised at z. False: z stays as it is, since the laws form no friction problem, or one
 * that could not be solved. */
bool large_improve(solver *s, problem *p, double *z);

#endif
