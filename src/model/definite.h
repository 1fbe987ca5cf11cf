/* Is a symmetric matrix positive definite? */
#ifndef CAROM_DEFINITE_H
#define CAROM_DEFINITE_H

#include "carom/carom.h"

/* The first row whose Cholesky pivot is not positive (then *pivot is that pivot), or the number of rows: positive
 * definite; -1: out of memory. Reads the lower triangle. */
int indefinite_row(const carom_pattern *M, const double *values, double *pivot);

/* An entry of a sparse matrix, NULL where the pattern has none. */
const double *pattern_entry(const carom_pattern *p, const double *values, int row, int column);

#endif
