/* Is a symmetric matrix positive definite? */
#ifndef CAROM_DEFINITE_H
#define CAROM_DEFINITE_H

#include "carom/carom.h"

typedef struct definite definite;

/* For matrices of one pattern, which stays the caller's. NULL: out of memory. */
definite *definite_create(const carom_pattern *M);
void definite_destroy(definite *d);
/* The first row, in the order of elimination, whose pivot is not positive (then *pivot is that pivot); the number of
 * rows: the matrix is positive definite. Allocates nothing. Costs one comparison if the values have not changed. */
int definite_row(definite *d, const double *values, double *pivot);

/* The same, used once; -1: out of memory. */
int indefinite_row(const carom_pattern *M, const double *values, double *pivot);

/* The place of an entry among the values of a sparse matrix, -1: the pattern does not have it; and the entry itself,
 * NULL. */
int pattern_place(const carom_pattern *p, int row, int column);
const double *pattern_entry(const carom_pattern *p, const double *values, int row, int column);

#endif
