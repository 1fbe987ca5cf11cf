/* Is a symmetric matrix positive definite? */
#ifndef CAROM_DEFINITE_H
#define CAROM_DEFINITE_H

#include "carom/carom.h"

typedef struct definite definite;

/* For matrices of one pattern, which stays the caller's. NULL: out of memory. */
definite *definite_create(const carom_pattern *M);
void definite_destroy(definite *d);
/* The first row, in the order of elimination, whose pivot is not positive (then *pivot is that pivot), or the number of
 * rows: positive definite. Allocates nothing; costs a comparison where the values are those of the last time. */
int definite_row(definite *d, const double *values, double *pivot);

/* The same once; -1: out of memory. */
int indefinite_row(const carom_pattern *M, const double *values, double *pivot);

/* Where an entry of a sparse matrix is among its values, -1 where the pattern has none; and the entry itself, NULL. */
int pattern_place(const carom_pattern *p, int row, int column);
const double *pattern_entry(const carom_pattern *p, const double *values, int row, int column);

#endif
