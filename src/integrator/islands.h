/* Islands of velocities that masses, constraints or closed contacts couple. What happens at a contact affects only its
 * island. */
#ifndef CAROM_ISLANDS_H
#define CAROM_ISLANDS_H

#include "integrator/balance.h"

/* A forest over the velocities, island: [nu]; contacts take part if the first copy of their laws is enabled. */
void islands_find(const carom_model *m, problem *p, int *island);
/* The island of the velocities in a row of s; -1: none moves it. */
int island_of_row(const carom_model *m, int *island, int row);
/* The island of the worst row of a problem, as solver_report tells it. */
int island_of_worst(const carom_model *m, const problem *p, int *island, int worst);

#endif
