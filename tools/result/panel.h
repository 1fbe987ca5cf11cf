/* Panels of a plot: which quantities are drawn over which. */
#ifndef CAROM_PANEL_H
#define CAROM_PANEL_H

#include "result/result.h"

typedef struct curve {
    int x, y; /* columns of the result; x < 0: number of the row */
} curve;

typedef struct panel {
    curve *curves;
    int count;
} panel;

/* Panels written as in result_draw. count 0: those of the scene, or else the coordinates and the energy. */
carom_status panels_create(const result_reader *r, const char *const *texts, int count, panel **panels, int *number,
                           carom_error *error);
void panels_destroy(panel *panels, int number);

#endif
