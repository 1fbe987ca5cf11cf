/* The loop of a run: many steps in one call, so that no interpreter is needed, or waits, between them. */
#ifndef CAROM_PYTHON_LOOP_H
#define CAROM_PYTHON_LOOP_H

#include <carom/result.h>

typedef struct loop {
    carom_sim *sim;
    carom_recording *recording; /* NULL: nothing is kept */
    carom_result *file;         /* NULL: nothing is written */
    long every;                 /* a row is kept after so many steps, and at the end */
    double *rows;               /* [room][columns] */
    long room, count;           /* rows there is room for; rows that are there */
    double seconds;             /* the loop returns after this time, after the next step */
} loop;

/* Steps until the run is done, the room is full, a step has met events, or the time is up. */
carom_status loop_run(loop *l, carom_error *error);

#endif
