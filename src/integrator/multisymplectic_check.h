/* What the multisymplectic scheme asks of a model. */
#ifndef CAROM_MULTISYMPLECTIC_CHECK_H
#define CAROM_MULTISYMPLECTIC_CHECK_H

#include "integrator/drift.h"

/* CAROM_DATA, with a sentence of its own for each: joints, velocity constraints, friction, restitution other than 1,
 * contacts that move, no energy. */
carom_status multisymplectic_accepts(const carom_model *model, carom_error *error);

/* CAROM_DATA: the forces, looked at around the initial state, are not those of the potential V(q) of the model. */
carom_status multisymplectic_conservative(const drift *d, carom_error *error);

#endif
