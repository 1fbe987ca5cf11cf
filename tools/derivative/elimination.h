/* Small full systems of equations, by rows, with their determinant. */
#ifndef CAROM_ELIMINATION_H
#define CAROM_ELIMINATION_H

#include <stdbool.h>

/* A[n][n] becomes its factors with rows exchanged; pivot[n]. determinant may be NULL.
 * False: A is singular to working precision. */
bool elimination_factor(int n, double *A, int *pivot, double *determinant);
void elimination_solve(int n, const double *A, const int *pivot, double *b); /* b becomes x */

#endif
