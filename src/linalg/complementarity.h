/* The linear complementarity problem of frictionless contacts, 0 <= b + A x  _|_  x >= 0, A symmetric and positive
 * semidefinite: min 1/2 x^T A x + b^T x over x >= 0, by active sets (Lawson, Hanson). Redundant contacts make A
 * singular; unknowns that the others make up for stay zero. */
#ifndef CAROM_COMPLEMENTARITY_H
#define CAROM_COMPLEMENTARITY_H

#include <stdbool.h>
#include <stddef.h>

/* A [n][n] by rows; work: complementarity_work(n) doubles. False: not solved to round-off; x is the best found. */
bool complementarity_solve(int n, const double *A, const double *b, double *x, double *work);
size_t complementarity_work(int n);

#endif
