/* Models on top of another one, the base: their functions hand on to those of the base, but for those that differ. */
#ifndef CAROM_FORWARD_H
#define CAROM_FORWARD_H

#include "model/model.h"

/* The base behind a context, whose first member is a pointer to it. */
static inline const carom_model *forward_base(const void *context) {
    return *(const carom_model *const *)context;
}

/* Replaces every function of a model that is a copy of its base by one that asks the base. The new model has no
 * contexts of its own for simulations (fork), no derivatives for sensitivities and nothing to destroy. */
void forward_all(carom_model *model);

#endif
