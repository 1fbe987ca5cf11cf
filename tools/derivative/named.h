/* What a run starts with, by name: a parameter ("mu"), or a component of the start ("start.x"). */
#ifndef CAROM_NAMED_H
#define CAROM_NAMED_H

#include "carom/carom.h"

typedef struct named {
    int parameter, component; /* index in the model, or in (q, u); -1: it is the other one */
} named;

/* Finds a parameter that can change, or a component; otherwise complains in one sentence. */
carom_status named_find(const carom_model *model, const char *name, named *found, carom_error *error);
/* Its value in the scene. */
double named_value(const carom_model *model, named n);

/* Sets the names that are parameters. The next restart starts accordingly. */
carom_status named_set_parameters(carom_sim *sim, const named *names, const double *value, int count,
                                  carom_error *error);
/* Sets the names that are components of the start, in the present state. state: memory for [nq + nu]. */
carom_status named_set_start(carom_sim *sim, const carom_model *model, const named *names, const double *value,
                             int count, double *state, carom_error *error);

#endif
