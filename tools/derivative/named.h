/* What a run starts with, by name: a parameter ("mu"), or a component of the start ("start.x"). */
#ifndef CAROM_NAMED_H
#define CAROM_NAMED_H

#include "carom/carom.h"

typedef struct named {
    int parameter, component; /* of the model; of (q, u); -1: the other one */
} named;

/* One that can change, or a sentence. */
carom_status named_find(const carom_model *model, const char *name, named *found, carom_error *error);
/* Its value in the scene. */
double named_value(const carom_model *model, named n);

/* Those that are parameters take their values; the next restart has the start that goes with them. */
carom_status named_set_parameters(carom_sim *sim, const named *names, const double *value, int count,
                                  carom_error *error);
/* Those that are components of the start take their values, in the present state; state: room for [nq + nu]. */
carom_status named_set_start(carom_sim *sim, const carom_model *model, const named *names, const double *value,
                             int count, double *state, carom_error *error);

#endif
