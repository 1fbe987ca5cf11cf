/* What the files that step parts of a model on their own share: locate_parts.c finds them, locate_island.c takes the
 * step of one, locate_merge.c tells the events of all. */
#ifndef CAROM_LOCATE_PARTS_H
#define CAROM_LOCATE_PARTS_H

#include "integrator/locate.h"
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

/* The island of these velocities and coordinates at the present state, as a model with a scheme of its own. False: the
 * scheme refuses, or memory is short, as the report says. */
bool island_create(island_step *i, locate *l, part_room *room, const bool *velocity, const bool *coordinate);
void island_destroy(island_step *i);
/* Takes the step to its end. False: it cannot, for the reason in its report. */
bool island_take(island_step *i, locate *l, double end, const step_report *report);
/* The present state of l has the island at the end of its step. */
void island_join(const island_step *i, locate *l, step_report *report);

#endif
