/* What the rows of a run say about structure: penetration, drift of constraints. */
#ifndef CAROM_HISTORY_H
#define CAROM_HISTORY_H

#include "study/track.h"

/* One value per row; NaN where the model has none. */
typedef struct history {
    double *penetration; /* the deepest contact; 0: all gaps are open or closed */
    double *position;    /* largest |g| */
    double *velocity;    /* largest |g_dot|, |gamma| */
} history;

carom_status history_create(const carom_model *model, const track *t, history *h, carom_error *error);
void history_destroy(history *h);

/* The largest kinetic energy of a run, a scale for its total energy; NaN: unknown. */
double largest_kinetic(const carom_model *model, const track *t);
/* The largest of those values that are numbers; NaN: none is. */
double largest_number(const double *values, long count);

/* The largest value in each of up to `windows` equal stretches, with its time: the envelope of many oscillations.
 * Returns their number. */
long envelope_of(const double *time, const double *values, long count, long windows, double *at, double *most);

#endif
