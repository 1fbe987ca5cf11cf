/* Which rows of a long result a page holds: evenly spaced in time, and those on both sides of events. */
#ifndef CAROM_VIEWER_ROWS_H
#define CAROM_VIEWER_ROWS_H

#include "viewer/events.h"

/* *chosen: *count row numbers in increasing order, about `most` of them, or all if there are no more. The caller frees
 * them. */
carom_status rows_choose(const double *t, long rows, const events *e, long most, long **chosen, long *count,
                         carom_error *error);

#endif
