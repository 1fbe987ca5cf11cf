/* Intervals of the multisymplectic scheme, looked at from outside. */
#ifndef TEST_INTERVALS_H
#define TEST_INTERVALS_H

#include "integrator/drift.h"
#include "run/sim.h"

/* T(v) + (V(q) + V(q_1))/2 of the interval without impulse that begins at a saved state and has the length h. */
double interval_energy(const carom_sim *sim, double *state, const drift *d, double h);
/* T + V at the node where it ends; h < 0: where the interval began that ended at the state. */
double node_energy(const carom_sim *sim, double *state, const drift *d, double h);

#endif
