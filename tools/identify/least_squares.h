/* The least sum of squares of residuals within bounds, by MINPACK's Levenberg-Marquardt method. */
#ifndef CAROM_LEAST_SQUARES_H
#define CAROM_LEAST_SQUARES_H

#include "carom/carom.h"

/* Residuals [m] and their derivatives, by[n][m]. Anything but CAROM_OK: there are none at x, and error says why. */
typedef carom_status (*residual_function)(void *context, const double *x, double *r, double *by, carom_error *error);

typedef struct least_squares {
    residual_function function;
    void *context;
    int m, n;
    const double *low, *high; /* [n]; infinite: no bound */
    double *x;                /* [n] in: the guess; out: the minimum */
    double *r, *by;           /* [m], [n][m] there */
    bool *held;               /* [n] the bound is in effect */
    int runs;                 /* evaluations */
    char refused[200];        /* why the last trial that had no residuals had none; "": all had */
} least_squares;

bool least_squares_there(void); /* MINPACK was there when carom was built */
/* CAROM_FAILED: no convergence. */
carom_status least_squares_solve(least_squares *s, carom_error *error);

#endif
