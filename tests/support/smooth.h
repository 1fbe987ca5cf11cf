/* References to the last digit: smooth equations by extrapolation of the modified midpoint rule in long double. Where
 * CVODE stops at about 1e-12, methods of order eight do not. */
#ifndef TEST_SMOOTH_H
#define TEST_SMOOTH_H

typedef long double real;
typedef void smooth_rhs(real t, const real *y, real *dy, const void *context);

/* y at time until, n <= 8. Fails the test unless halved steps say the same to 1e-16 max(1, |y|). */
void smooth_solve(int n, smooth_rhs *rhs, const void *context, real t0, real until, real *y);

#endif
