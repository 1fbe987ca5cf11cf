/* Dense linear algebra for the small matrices of modes, all by rows. */
#ifndef CAROM_DENSE_H
#define CAROM_DENSE_H

#include <complex.h>
#include <stdbool.h>

/* A = L L^T, L in the lower triangle of A; false: A is not positive definite. */
bool dense_cholesky(int n, double *A);
/* x = L^-1 x and x = L^-T x. */
void dense_forward(int n, const double *L, double *x);
void dense_backward(int n, const double *L, double *x);
/* A becomes L^-1 A L^-T. work: n. */
void dense_congruence(int n, const double *L, double *A, double *work);

/* Eigenvalues of the symmetric A, ascending, and eigenvectors of length one as the rows of V. A is overwritten. False:
 * they were not found, or there was no memory. */
bool dense_symmetric(int n, double *A, double *value, double *V);

/* x = A^-1 x by elimination with pivots, A overwritten; false: a pivot is zero or not finite. */
bool dense_solve(int n, double complex *A, double complex *x);

/* Unit vectors e_0 .. e_{n-1} as rows of Q such that the first `rank` span the given vectors, the rows of A[m][n], and
 * the others are perpendicular to them; A becomes the components of its rows along Q. Returns the rank: what is left of
 * a vector of length one below `least` is nothing. work: m + n. */
int dense_span(int m, int n, double *A, double *Q, double least, double *work);

double dense_dot(int n, const double *x, const double *y);

#endif
