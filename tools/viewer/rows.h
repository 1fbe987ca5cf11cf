/* Which rows of a long result a page holds: as many as fit, evenly spaced in time, and those on both sides of events.
 */
#ifndef CAROM_VIEWER_ROWS_H
#define CAROM_VIEWER_ROWS_H

#include "viewer/events.h"

/* *chosen: *count row numbers, upwards, to be freed; about most of them, all where there are no more. */
carom_status rows_choose(const double *t, long rows, const events *e, long most, long **chosen, long *count,
                         carom_error *error);

#endif
