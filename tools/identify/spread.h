/* How exactly least squares determine their unknowns. */
#ifndef CAROM_SPREAD_H
#define CAROM_SPREAD_H

#include "carom/carom.h"

typedef struct spread {
    double *covariance; /* [n][n] of unknowns with residuals of variance 1 */
    double offset;      /* the length of that part of r which a change of the unknowns would remove */
    double least;       /* least singular value of the derivatives with columns of length 1; 0: a column is zero */
    double *weakest;    /* [n] the combination that goes with it */
} spread;

/* by[n][m]: derivatives of the residuals r. To be freed, also after a failure. */
carom_status spread_compute(int m, int n, const double *r, const double *by, spread *s, carom_error *error);
void spread_destroy(spread *s);

/* The t for which Student's distribution of so many degrees of freedom has this probability in [-t, t]. */
double student_quantile(double part, int freedom);

#endif
