/* What the files that step parts of a model on their own share. */
#ifndef CAROM_LOCATE_PARTS_H
#define CAROM_LOCATE_PARTS_H

#include "integrator/event_log.h"
#include "integrator/integrator.h"
#include "model/part.h"

/* An island that takes a step on its own. */
typedef struct island_step {
    model_part *part;
    const integrator *scheme;
    void *self; /* the scheme on it */
    motion now, next;
    double *modes, *next_modes, *dulled;
    double *memory; /* of these */
    step_report report;
    const event_log *log; /* its events */
} island_step;

#endif
