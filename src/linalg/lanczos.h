/* The largest eigenvalue of an operator that is symmetric in a scalar product, by Lanczos' method. */
#ifndef CAROM_LANCZOS_H
#define CAROM_LANCZOS_H

typedef struct lanczos_operator {
    int n;
    void *context;
    void (*apply)(void *context, const double *x, double *y);           /* y = A x */
    double (*product)(void *context, const double *x, const double *y); /* positive definite where A acts */
} lanczos_operator;

enum { LANCZOS_WORK = 4 }; /* vectors of room */

/* x: a start in; out an eigenvector of length one if the eigenvalue is above the given number, for which A acts as
 * often again. Never above the largest eigenvalue by more than round-off, and below it by a part of 1e-4 at most, where
 * others crowd next to it. 0 where squares of the entries of A underflow; then x is no eigenvector. NaN: something is
 * not finite. */
double lanczos_largest(const lanczos_operator *a, double above, double *x, double *work);

#endif
