/* Figures of studies: errors over step sizes, quantities over time, one line per integrator. */
#ifndef CAROM_FIGURE_H
#define CAROM_FIGURE_H

#include "carom/carom.h"

#include <stdio.h>

typedef enum figure_style { FIGURE_LINES, FIGURE_POINTS, FIGURE_BOTH } figure_style;

typedef struct figure_series {
    const char *label; /* the same label looks the same in all panels; NULL: thin, grey, not in the legend */
    const double *x,
        *y; /* a value that is not finite is a gap; on a logarithmic axis values that are not positive are left out */
    long count;
    figure_style style;
} figure_series;

typedef struct figure_panel {
    const char *title, *x_label, *y_label;
    bool x_log, y_log;
    const figure_series *series;
    int count;
    const double *orders; /* dashed lines y ~ x^p, called "order p", each just below the nearest series; both axes are
                             logarithmic */
    int order_count;
    double x_from, x_to, y_from, y_to; /* ends of the axes; NaN, or both 0: as the values need */
} figure_panel;

/* Panels in columns (0: one to three, by their number) under one legend. Format by the extension of path: png, svg,
 * pdf.
 */
carom_status figure_draw(const char *path, const char *title, const figure_panel *panels, int count, int columns,
                         carom_error *error);
/* Writes its gnuplot script to a file that is open for reading and writing. */
carom_status figure_write(FILE *script, const char *path, const char *title, const figure_panel *panels, int count,
                          int columns, carom_error *error);

#endif
