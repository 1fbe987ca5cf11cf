/* Which quantities a run records. */
#ifndef CAROM_RECORD_H
#define CAROM_RECORD_H

#include "carom/carom.h"

typedef struct recording {
    int count;
    int *column; /* of the simulation */
    const char **names, **units;
    double *all, *row; /* every quantity at the present state; those recorded */
} recording;

carom_status recording_create(recording *r, const carom_scene *scene, const carom_sim *sim, carom_error *error);
void recording_destroy(recording *r);
/* Whether everything a panel shows ("x,y", "phi:phi_dot", "*.gap") is recorded. */
bool recording_fits(const recording *r, const char *panel);
/* Fills row. */
carom_status recording_take(recording *r, carom_sim *sim, carom_error *error);

#endif
