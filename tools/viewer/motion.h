/* The drawing of a result in a page: places as columns, everything else as JSON. A body has seven columns, its position
 * and its quaternion (scalar first, of one sign along the motion); anything else three for each of its points. */
#ifndef CAROM_VIEWER_MOTION_H
#define CAROM_VIEWER_MOTION_H

#include "picture/film.h"
#include "viewer/columns.h"

/* first[things]: the first column of each. */
carom_status motion_write(columns *c, film *f, int *first, carom_error *error);
void motion_describe(FILE *out, const film *f, const int *first);

#endif
