/* A convergence study as files. */
#ifndef CAROM_REPORT_H
#define CAROM_REPORT_H

#include "study/converge.h"

/* One line per quantity, norm, scheme and step size. */
carom_status convergence_csv(const convergence *c, const char *path, carom_error *error);
/* A panel per quantity and norm (kinds: indices in norms), with lines of the orders found. For a norm that is a square
 * its root is drawn, so that slopes are orders. */
carom_status convergence_draw(const convergence *c, const int *kinds, int count, const char *path, carom_error *error);

#endif
