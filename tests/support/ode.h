/* Independent references: smooth phases by SUNDIALS' CVODE (variable-order Adams, tolerances 1e-13) with events located
 * by its root finding. */
#ifndef TEST_ODE_H
#define TEST_ODE_H

#include <stdbool.h>

typedef void ode_rhs(double t, const double *y, double *dy, const void *context);
typedef double ode_event(double t, const double *y, const void *context);

typedef struct ode ode;

/* event may be NULL. The phase starts at (t0, y0); a root exactly at the start does not count. */
ode *ode_open(int n, ode_rhs *rhs, ode_event *event, const void *context, double t0, const double *y0);
/* Advances to time until, or to the event if that comes first (returns true); *t and y are where it stopped. */
bool ode_advance(ode *phase, double until, double *t, double *y);
void ode_close(ode *phase);

/* y at time until, without events. */
void ode_solve(int n, ode_rhs *rhs, const void *context, double t0, double until, double *y);

#endif
