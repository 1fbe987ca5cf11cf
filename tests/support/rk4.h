/* The classical method of Runge and Kutta: differential equations of tests' own, independent of carom. */
#ifndef TEST_RK4_H
#define TEST_RK4_H

enum { RK4_MOST = 4 };
typedef void rk4_field(double t, const double *y, double *rate);

/* One step of length h for n equations, at most RK4_MOST. */
void rk4_step(rk4_field *f, int n, double t, double h, double *y);
/* From 0 to the end in so many steps. */
void rk4_run(rk4_field *f, int n, double until, int steps, double *y);

#endif
