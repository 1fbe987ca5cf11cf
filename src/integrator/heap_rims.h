/* Where rims touch: docs/theory/contacts.md, (CF23) to (CF27), by numbers. */
#ifndef CAROM_HEAP_RIMS_H
#define CAROM_HEAP_RIMS_H

#include "integrator/heap_pairs.h"

/* The gap, its normal and the point that touches, of features with these points and directions in the world. */
void touch_rim(gap_kind of, const kind_numbers *c, const double x[3], const double e[3], const double y[3],
               const double d[3], touch *t, double point[3]);

#endif
