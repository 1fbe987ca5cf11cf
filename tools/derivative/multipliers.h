/* Eigenvalues of a small matrix. */
#ifndef CAROM_MULTIPLIERS_H
#define CAROM_MULTIPLIERS_H

#include <complex.h>
#include <stdbool.h>

/* Those of A[n][n], which is overwritten: largest first. False: they were not found. */
bool multipliers_find(int n, double complex *A, double complex *value);

#endif
