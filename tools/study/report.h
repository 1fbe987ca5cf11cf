/* A convergence study as files. */
#ifndef CAROM_REPORT_H
#define CAROM_REPORT_H

#include "study/converge.h"

/* One line per quantity, norm, scheme and step size. */
carom_status convergence_csv(const convergence *c, const char *path, carom_error *error);
/* A panel per quantity and norm (kinds: places in norms), with the slopes of the orders found. Of a norm that is a
 * square, the root is drawn: orders are slopes then. */
carom_status convergence_draw(const convergence *c, const int *kinds, int count, const char *path, carom_error *error);

#endif
