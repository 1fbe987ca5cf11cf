/* The whole of a sweep, from its parts. */
#ifndef CAROM_MERGE_H
#define CAROM_MERGE_H

#include "sweep/attractors.h"
#include "sweep/part.h"

typedef struct sweep_whole {
    int columns;
    double *row; /* [runs][columns], as in the file */
    sections sections;
    long failed;
    char **reason; /* [runs] why it failed; NULL: it has not */
} sweep_whole;

/* Reads the parts of a sweep that was divided into so many tasks, and finds its attractors. *complete: all parts are
 * finished; else nothing is read. The caller frees w, also after a failure. */
carom_status whole_read(const sweep_question *q, const char *out, int tasks, double tolerance, sweep_whole *w,
                        bool *complete, carom_error *error);
void whole_destroy(sweep_whole *w, const sweep_question *q);
/* Writes it to out, the reasons of failed runs to OUT.failed.csv, and removes the parts. */
carom_status whole_write(const sweep_question *q, const char *out, int tasks, const sweep_whole *w, carom_error *error);

#endif
