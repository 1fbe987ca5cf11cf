/* Panels of a plot: which quantities are drawn over which. */
#ifndef CAROM_PANEL_H
#define CAROM_PANEL_H

#include "result/result.h"

typedef struct curve {
    int x, y;   /* columns of the result; x < 0: number of the row */
    int result; /* which of several */
} curve;

/* A part of the time. */
typedef struct window {
    double from, to;
} window;

typedef struct panel {
    curve *curves;
    int count;
} panel;

/* Reads panels written as for result_draw; each has the curves of all results. count 0: the panels of the first scene,
 * or else its coordinates and the energy. */
carom_status panels_create(result_reader *const *results, int result_count, const char *const *texts, int count,
                           panel **panels, int *number, carom_error *error);
void panels_destroy(panel *panels, int number);

#endif
