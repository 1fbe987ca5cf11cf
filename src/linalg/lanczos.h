/* The largest eigenvalue of an operator that is symmetric in a scalar product, by Lanczos' method. */
#ifndef CAROM_LANCZOS_H
#define CAROM_LANCZOS_H

typedef struct lanczos_operator {
    int n;
    void *context;
    void (*apply)(void *context, const double *x, double *y); /* y = A x */
    double (*product)(void *context, const double *x,
                      const double *y); /* positive definite on the vectors that A makes */
} lanczos_operator;

enum { LANCZOS_WORK = 4 }; /* vectors of room */

/* x: a vector to start from. If the eigenvalue is above the given number, x becomes its eigenvector of length one, for
 * which A acts as often again. The result exceeds the largest eigenvalue by round-off at most; it falls below it by a
 * part of 1e-4 at most, if others are close. 0: squares of the entries of A underflow, and x is no eigenvector. NaN:
 * something is not finite. */
double lanczos_largest(const lanczos_operator *a, double above, double *x, double *work);

#endif
