/* The points of a curve: all of them, or few enough to draw with the same picture. */
#ifndef CAROM_POINTS_H
#define CAROM_POINTS_H

#include "result/panel.h"

typedef struct points {
    double (*xy)[2]; /* NaN: a gap */
    size_t count;
    double x_min, x_max, y_min, y_max; /* +-infinity: no point */
    bool integral;                     /* y counts something */
} points;

/* About `most` points: of each stretch of rows the extremes of x and y in their order, and its gaps. A quantity of a
 * moment also has its values before and after every event. w: a part of the time; NULL: all. */
carom_status points_load(result_reader *r, curve c, const window *w, size_t most, points *p, carom_error *error);
/* The same for values in memory. */
carom_status points_thin(const double *x, const double *y, long count, size_t most, points *p, carom_error *error);
void points_free(points *p);

#endif
