/* Differences that know how good they are: for checking derivatives, never for running. */
#ifndef CAROM_DIFFERENCE_H
#define CAROM_DIFFERENCE_H

#include <stddef.h>

/* y(x), n values; anything but 0: not defined there. */
typedef int (*curve)(void *context, double x, double *y);

/* d[i] = dy_i/dx at 0 and error[i], an estimate of its error (infinite where nothing can be said), with steps of scale
 * and far below. terms[i] is the size of terms that cancel in y_i; NULL: none do. work has difference_work(n) doubles.
 */
void difference(curve y, void *context, int n, double scale, const double *terms, double *work, double *d,
                double *error);
size_t difference_work(int n);

#endif
